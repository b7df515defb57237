"""The judge's key: from the configuration, the environment or a file; never shown."""

from collections.abc import Mapping

from pydantic import SecretStr

from ragsonde.collector.errors import ConfigError
from ragsonde.scorers.judge.config import EndpointConfig


def secret_headers(
    config: EndpointConfig, environ: Mapping[str, str], *, default: str = "authorization", field: str = "scoring.judge"
) -> dict[str, SecretStr]:
    """All request headers with secret values. A server that wants no key gets none.

    ``default`` is the key's header where none is configured; ``field`` names the settings in errors.

    Raises:
        ConfigError: the key's variable is not set, its file cannot be read, or a value cannot stand in a header.
    """
    headers = {name.lower(): value for name, value in config.headers.items()}
    key = _key(config, environ, field)
    if key is not None:
        name: str = config.auth_header or default
        headers[name] = SecretStr(f"Bearer {key.get_secret_value()}") if name == "authorization" else key
    for name, value in headers.items():
        text = value.get_secret_value()
        if not text.isascii() or not text.isprintable():
            raise ConfigError(f"{field}: the value for the header {name!r} holds characters that no header can carry")
    return headers


def _key(config: EndpointConfig, environ: Mapping[str, str], field: str) -> SecretStr | None:
    if config.api_key is not None:
        return config.api_key
    if config.api_key_env is not None:
        value = environ.get(config.api_key_env, "").strip()
        if not value:
            raise ConfigError(f"{field}.api_key_env: the environment variable {config.api_key_env} is not set or empty")
        return SecretStr(value)
    if config.api_key_file is not None:
        try:
            value = config.api_key_file.read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigError(
                f"{field}.api_key_file: cannot read {config.api_key_file}: {type(error).__name__}"
            ) from None
        if not value:
            raise ConfigError(f"{field}.api_key_file: {config.api_key_file} is empty")
        return SecretStr(value)
    return None
