"""Which prompt is used: an own one for the answer's language, an own one for all languages, or the shipped one."""

from collections.abc import Sequence
from pathlib import Path

from ragsonde.collector.errors import ConfigError
from ragsonde.scorers.judge.prompt import Rubric, load_rubric, read_rubric
from ragsonde.scorers.text.language import language_family


class Prompts:
    """The shipped prompts, and those that stand in for them."""

    def __init__(self, own: Sequence[Rubric] = ()) -> None:
        self._own = {(rubric.name, _family(rubric.language)): rubric for rubric in own}

    def prompt(self, name: str, language: str) -> Rubric:
        """The prompt ``name`` for an answer in ``language`` (ISO 639)."""
        own = self._own.get((name, language_family(language))) or self._own.get((name, None))
        return own or load_rubric(name)

    def versions(self, names: Sequence[str]) -> list[tuple[str, str]]:
        """Name and version of all that may be used for ``names``; the name says the language where it has one."""
        shipped = [load_rubric(name) for name in names if (name, None) not in self._own]
        own = [rubric for rubric in self._own.values() if rubric.name in names]
        return [(r.name if r.language is None else f"{r.name}.{r.language}", r.version) for r in (*shipped, *own)]


def read_prompts(paths: Sequence[Path]) -> Prompts:
    """Read the operator's own prompts.

    Raises:
        ConfigError: a file cannot be read, names no shipped prompt, or asks for another reply or other data than the
            shipped one; names the file and the field.
    """
    own: list[Rubric] = []
    for path in paths:
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigError(f"prompt {path}: cannot be read: {error}") from error
        rubric = read_rubric(text, source=f"prompt {path}")
        _check(rubric, path)
        if any((rubric.name, _family(rubric.language)) == (other.name, _family(other.language)) for other in own):
            raise ConfigError(f"prompt {path}: there is another {rubric.name} for this language; keep one of them")
        own.append(rubric)
    return Prompts(own)


def _check(rubric: Rubric, path: Path) -> None:
    try:
        shipped = load_rubric(rubric.name)
    except FileNotFoundError:
        raise ConfigError(f"prompt {path}: name: there is no shipped prompt {rubric.name!r} to stand in for") from None
    if rubric.reply != shipped.reply:
        raise ConfigError(f"prompt {path}: reply: {shipped.reply} is what is read, not {rubric.reply}")
    if rubric.placeholders != shipped.placeholders:
        wanted = ", ".join(f"${{{name}}}" for name in sorted(shipped.placeholders))
        raise ConfigError(f"prompt {path}: user: must hold {wanted}, and no other placeholder")
    if rubric.labels and rubric.labels != shipped.labels:
        raise ConfigError(f"prompt {path}: labels: their values are fixed; leave the table out")


def _family(language: str | None) -> str | None:
    return None if language is None else language_family(language)
