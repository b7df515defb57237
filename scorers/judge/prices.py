"""What a call costs, where that is known."""

from dataclasses import dataclass

from ragsonde.collector.errors import ConfigError
from ragsonde.scorers.judge.config import JudgeConfig, PriceConfig
from ragsonde.scorers.listed import read_toml


@dataclass(frozen=True, slots=True)
class Price:
    """Price per token; ``source`` says where it comes from."""

    input_per_token: float
    output_per_token: float
    source: str

    def cost(self, input_tokens: int, output_tokens: int) -> float:
        """Money for one call."""
        return input_tokens * self.input_per_token + output_tokens * self.output_per_token


def cost(price: Price | None, input_tokens: int | None, output_tokens: int | None) -> float | None:
    """Money for one request; None where the price or the tokens are not known."""
    if price is None or input_tokens is None or output_tokens is None:
        return None
    return price.cost(input_tokens, output_tokens)


def find_price(config: JudgeConfig) -> Price | None:
    """The configured price, else the one in the built-in table, else None: a price is never guessed.

    The table is used only for an exact model name at the maker's own host, since a gateway or a deployment under the
    same name may charge something else.

    Raises:
        ConfigError: a money budget is set, and the price is not known.
    """
    price = _configured(config.price) if config.price else _listed(config)
    if price is None and config.budget.money is not None:
        raise ConfigError(
            f"scoring.judge.budget.money is set, but the price of {config.model!r} at {config.base_url} is not known: "
            "set scoring.judge.price, or limit calls or tokens instead"
        )
    return price


def find_embedding_price(config: JudgeConfig) -> Price | None:
    """The configured price of embeddings; None where it is not known.

    Raises:
        ConfigError: a money budget is set, and the price is not known.
    """
    embeddings = config.embeddings
    if embeddings is None:
        return None
    if embeddings.price_per_million is not None:
        return Price(embeddings.price_per_million / 1e6, 0.0, "configured")
    if config.budget.money is not None:
        raise ConfigError("scoring.judge.budget.money is set, but scoring.judge.embeddings.price_per_million is not")
    return None


def _configured(price: PriceConfig) -> Price:
    return Price(price.input_per_million / 1e6, price.output_per_million / 1e6, "configured")


def _listed(config: JudgeConfig) -> Price | None:
    if not config.base_url.startswith(("https://api.openai.com/", "https://api.anthropic.com")):
        return None
    table = read_toml(__package__, "prices.toml")
    entry = table["models"].get(config.model)
    if entry is None:
        return None
    return Price(entry["input_per_million"] / 1e6, entry["output_per_million"] / 1e6, f"list of {table['as_of']}")
