"""Bearer tokens for SASL/OAUTHBEARER: from a file, the environment, or OAuth client credentials (RFC 6749, 4.4)."""

import os
import threading
from pathlib import Path
from typing import Self

import httpx
from kafka.net.sasl.oauth import AbstractTokenProvider
from pydantic import Field, SecretStr, model_validator

from ragsonde.collector.clock import Clock, SystemClock
from ragsonde.collector.config import Config
from ragsonde.collector.errors import ConfigError, RetryableError

_RENEW_AT = 0.8
"""The share of its lifetime after which a token is replaced, as Kafka's own clients do."""


class OAuthConfig(Config):
    """Where the bearer token comes from: exactly one of ``token_file``, ``token_environment`` and ``token_url``."""

    token_file: Path | None = None
    """File that holds the token; read anew for every connection, so that a renewed token is picked up."""
    token_environment: str | None = None
    """Name of the environment variable that holds the token."""
    token_url: str | None = Field(default=None, pattern=r"^https?://")
    """Token endpoint for the client-credentials grant."""
    client_id: str | None = None
    """The client's id at the token endpoint; required with ``token_url``."""
    client_secret: SecretStr | None = None
    """The client's secret. Prefer ``client_secret_file`` or an environment variable."""
    client_secret_file: Path | None = None
    """File that holds the client's secret."""
    scope: str | None = None
    """Scope to ask for. Default: the endpoint's own."""
    timeout_seconds: float = Field(default=10.0, gt=0, le=60)
    """How long the token endpoint may take. Default 10 s."""

    @model_validator(mode="after")
    def _complete(self) -> Self:
        if sum(source is not None for source in (self.token_file, self.token_environment, self.token_url)) != 1:
            raise ValueError("give exactly one of token_file, token_environment and token_url")
        secrets = (self.client_secret is not None) + (self.client_secret_file is not None)
        if self.token_url and (self.client_id is None or secrets != 1):
            raise ValueError("token_url needs client_id and either client_secret or client_secret_file")
        if self.token_url is None and (self.client_id or secrets or self.scope):
            raise ValueError("client_id, client_secret and scope belong with token_url")
        return self


class OAuthToken(AbstractTokenProvider):
    """Hands kafka-python a valid token for every connection. Called from kafka-python's own threads."""

    def __init__(
        self, config: OAuthConfig, transport: httpx.BaseTransport | None = None, clock: Clock | None = None
    ) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._config = config
        self._transport = transport
        self._clock = clock or SystemClock()
        self._lock = threading.Lock()
        self._fetched: tuple[str, float] | None = None
        """A token and the monotonic time at which it is to be replaced."""

    def token(self) -> str:
        """Return a token that is valid now.

        Raises:
            ConfigError: there is no token at the place named, or the endpoint refuses us.
            RetryableError: the token endpoint is away.
        """
        if self._config.token_file:
            return _read("kafka.connection.sasl.oauth.token_file", self._config.token_file)
        if self._config.token_environment:
            token = os.environ.get(self._config.token_environment, "").strip()
            if not token:
                raise ConfigError(
                    f"kafka.connection.sasl.oauth.token_environment: {self._config.token_environment} is not set"
                )
            return token
        with self._lock:
            if self._fetched is None or self._clock.monotonic() >= self._fetched[1]:
                self._fetched = self._fetch()
            return self._fetched[0]

    def _fetch(self) -> tuple[str, float]:
        config = self._config
        if config.client_secret is not None:
            secret = config.client_secret.get_secret_value()
        elif config.client_secret_file is not None:
            secret = _read("kafka.connection.sasl.oauth.client_secret_file", config.client_secret_file)
        else:
            raise ConfigError("kafka.connection.sasl.oauth: client_secret or client_secret_file is missing")
        form = {"grant_type": "client_credentials"} | ({"scope": config.scope} if config.scope else {})
        where = f"kafka.connection.sasl.oauth.token_url {config.token_url}"
        asked_at = self._clock.monotonic()
        try:
            with httpx.Client(transport=self._transport, timeout=config.timeout_seconds) as client:
                reply = client.post(config.token_url or "", data=form, auth=(config.client_id or "", secret))
        except httpx.HTTPError as error:
            raise RetryableError(f"{where}: {error or type(error).__name__}") from error
        if reply.status_code >= 500 or reply.status_code == 429:
            raise RetryableError(f"{where} answered {reply.status_code}")
        if reply.status_code != 200:
            raise ConfigError(f"{where} answered {reply.status_code}; check client_id, client_secret and scope")
        try:
            body = reply.json()
            token, lifetime = str(body["access_token"]), float(body.get("expires_in", 0))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise ConfigError(f"{where} did not answer with an access_token in JSON; check the address") from error
        return token, asked_at + lifetime * _RENEW_AT


def _read(field: str, file: Path) -> str:
    try:
        text = file.read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{field} {file}: {error}; name a readable text file") from error
    if not text:
        raise ConfigError(f"{field} {file} is empty")
    return text
