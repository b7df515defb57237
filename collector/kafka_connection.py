"""How to reach a Kafka cluster: configuration, security, and the one place where kafka-python's errors become ours."""

import logging
import re
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Any, Self, TypeVar

from kafka.errors import (
    AuthorizationError,
    CommitFailedError,
    FencedInstanceIdError,
    IllegalGenerationError,
    InconsistentGroupProtocolError,
    KafkaConfigurationError,
    KafkaError,
    KafkaTimeoutError,
    MessageSizeTooLargeError,
    RebalanceInProgressError,
    RecordListTooLargeError,
    RetriableError,
    SaslAuthenticationFailedError,
    UnknownMemberIdError,
    UnsupportedCodecError,
    UnsupportedSaslMechanismError,
)
from kafka.net.compat import KafkaNetClient
from pydantic import Field, SecretStr, field_validator, model_validator

from ragsonde.collector.config import Config
from ragsonde.collector.errors import ConfigError, PermanentError, RagsondeError, RetryableError
from ragsonde.collector.kafka_network import network
from ragsonde.collector.oauth import OAuthConfig, OAuthToken

Client = TypeVar("Client")

_ADDRESS = re.compile(r"^(\[[0-9a-fA-F:.]+\]|[^\s:/\[\]]+):(\d{1,5})$")


class SaslMechanism(StrEnum):
    """The SASL mechanisms that can be used."""

    PLAIN = "PLAIN"
    SCRAM_SHA_256 = "SCRAM-SHA-256"
    SCRAM_SHA_512 = "SCRAM-SHA-512"
    OAUTHBEARER = "OAUTHBEARER"


class TlsConfig(Config):
    """TLS to the brokers."""

    ca_file: Path | None = None
    """PEM file with the certificate authorities that sign the brokers' certificates. Default: the system's."""
    certificate_file: Path | None = None
    """PEM file with the client's certificate and its chain, for brokers that ask for one. Default: none."""
    key_file: Path | None = None
    """PEM file with the client certificate's private key. Default: the certificate file holds it."""
    key_password_file: Path | None = None
    """File that holds the password of the private key. Default: the key is not encrypted."""
    check_hostname: bool = True
    """Whether the broker's certificate must carry the name that it is reached by. Off only for tests."""

    def context(self) -> ssl.SSLContext:
        """Return an SSL context.

        Raises:
            ConfigError: a file is missing, unreadable or not PEM.
        """
        try:
            context = ssl.create_default_context(cafile=str(self.ca_file) if self.ca_file else None)
        except (OSError, ssl.SSLError) as error:
            raise ConfigError(
                f"kafka.connection.tls.ca_file {self.ca_file}: {error}; name a readable PEM file"
            ) from error
        context.check_hostname = self.check_hostname
        if self.certificate_file:
            # A callback instead of None keeps OpenSSL from asking for a password on the terminal.
            password = _secret("kafka.connection.tls.key_password_file", None, self.key_password_file) or ""
            try:
                context.load_cert_chain(self.certificate_file, self.key_file, lambda: password)
            except (OSError, ssl.SSLError) as error:
                raise ConfigError(
                    f"kafka.connection.tls.certificate_file {self.certificate_file}, key_file {self.key_file}: {error};"
                    " name PEM files that belong together"
                ) from error
        return context


class SaslConfig(Config):
    """Who we are to the brokers."""

    mechanism: SaslMechanism
    """``PLAIN``, ``SCRAM-SHA-256``, ``SCRAM-SHA-512`` or ``OAUTHBEARER``."""
    username: str | None = None
    """User name; required for all but ``OAUTHBEARER``."""
    password: SecretStr | None = None
    """The password itself. Prefer ``password_file`` or an environment variable."""
    password_file: Path | None = None
    """File that holds the password; a line end after it is dropped. Read once, at the start."""
    oauth: OAuthConfig | None = None
    """Where the token comes from; required for ``OAUTHBEARER``."""

    @model_validator(mode="after")
    def _complete(self) -> Self:
        if self.mechanism is SaslMechanism.OAUTHBEARER:
            if self.oauth is None or self.username or self.password or self.password_file:
                raise ValueError("OAUTHBEARER needs oauth, and takes no username or password")
        elif self.username is None or (self.password is None) == (self.password_file is None) or self.oauth:
            raise ValueError(f"{self.mechanism} needs username and either password or password_file, and no oauth")
        return self


class KafkaConfig(Config):
    """The cluster and how to talk to it."""

    bootstrap_servers: tuple[str, ...] = Field(min_length=1)
    """Brokers to start from, each ``host:port``; two or three are enough to learn of all others."""
    client_id: str = Field(default="ragsonde", min_length=1, max_length=249)
    """Name of this client in the brokers' logs and quotas."""
    tls: TlsConfig | None = None
    """TLS settings; ``{}`` for TLS with the system's authorities. Default: no TLS."""
    sasl: SaslConfig | None = None
    """SASL settings. Default: no authentication (or by client certificate)."""
    connect_timeout_seconds: float = Field(default=10.0, gt=0, le=300)
    """How long the first connection may take before the start fails. Default 10 s."""
    request_timeout_seconds: float = Field(default=30.0, ge=1, le=300)
    """How long one request to a broker may take. Default 30 s."""

    @field_validator("bootstrap_servers", mode="before")
    @classmethod
    def _split(cls, value: object) -> object:
        """Take ``a:9092,b:9092`` as well: it is what environment variables hold."""
        return [part.strip() for part in value.split(",")] if isinstance(value, str) else value

    @field_validator("bootstrap_servers")
    @classmethod
    def _check_addresses(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for address in value:
            match = _ADDRESS.match(address)
            if match is None or not 0 < int(match[2]) < 65536:
                raise ValueError(f"{address!r} is not host:port (an IPv6 address goes in brackets, no scheme)")
        return value

    def client_arguments(self) -> dict[str, Any]:
        """Return the arguments that kafka-python's consumer, producer and admin client share.

        Raises:
            ConfigError: a certificate, key, password or token cannot be read.
            RetryableError: the token endpoint is away.
        """
        protocol = ("SASL_" if self.sasl else "") + ("SSL" if self.tls else "PLAINTEXT")
        arguments: dict[str, Any] = {
            "bootstrap_servers": list(self.bootstrap_servers),
            "client_id": self.client_id,
            "security_protocol": protocol,
            "bootstrap_timeout_ms": int(self.connect_timeout_seconds * 1000),
            "request_timeout_ms": int(self.request_timeout_seconds * 1000),
        }
        if self.tls:
            arguments["ssl_context"] = self.tls.context()
        if self.sasl:
            arguments["sasl_mechanism"] = self.sasl.mechanism.value
            if self.sasl.oauth:
                provider = OAuthToken(self.sasl.oauth)
                provider.token()  # fails here, with its reason, rather than inside kafka-python
                arguments["sasl_oauth_token_provider"] = provider
            else:
                arguments["sasl_plain_username"] = self.sasl.username
                arguments["sasl_plain_password"] = _secret(
                    "kafka.connection.sasl.password_file", self.sasl.password, self.sasl.password_file
                )
        return arguments


def _secret(field: str, value: SecretStr | None, file: Path | None) -> str | None:
    if value is not None:
        return value.get_secret_value()
    if file is None:
        return None
    try:
        return file.read_text("utf-8").rstrip("\r\n")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{field} {file}: {error}; name a readable text file") from error


def connect(make: Callable[..., Client], config: KafkaConfig, **settings: Any) -> Client:
    """Return a connected kafka-python client, made by ``make`` (its class) with ``settings`` on top of ``config``.

    kafka-python reports every failure alike ("unable to bootstrap") and only logs the reason, so the log is read.

    Raises:
        ConfigError: credentials, certificate or settings are refused.
        RetryableError: no broker answered in time.
    """
    arguments = config.client_arguments() | settings
    networks: list[KafkaNetClient] = []

    def new_network(**values: Any) -> KafkaNetClient:
        networks.append(network(**values))
        return networks[-1]

    reasons = _Reasons()
    with _read_by(reasons):
        try:
            return make(**arguments, kafka_client=new_network)
        except (KafkaError, ValueError, TypeError) as error:
            # A constructor that fails leaves its I/O thread and sockets behind.
            for one in networks:
                one.close()
            raise reasons.explain(error, config) from error


_NETWORK_LOGGER = logging.getLogger("kafka.net")
_readers: list[logging.Handler] = []
_readers_guard = threading.Lock()


@contextmanager
def _read_by(handler: logging.Handler) -> Iterator[None]:
    """Let ``handler`` alone have the log of kafka-python's network: each try's failures are noise beside its reason."""
    with _readers_guard:
        _readers.append(handler)
        _NETWORK_LOGGER.addHandler(handler)
        _NETWORK_LOGGER.propagate = False
    try:
        yield
    finally:
        with _readers_guard:
            _readers.remove(handler)
            _NETWORK_LOGGER.removeHandler(handler)
            _NETWORK_LOGGER.propagate = not _readers  # several may connect at a time


class _Reasons(logging.Handler):
    """Picks the reason for a failed connection out of what kafka-python logs."""

    _PATTERN = re.compile(
        r"Bootstrap (?:connection|attempt) to \S+ failed: (?:KafkaConnectionError: )?(.*?)(?: \(backoff|$)"
    )
    _REFUSED = re.compile(r"SaslAuthentication|SaslMechanism|CERTIFICATE_VERIFY|ALERT_")

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.first: str | None = None
        self.refused = False
        self._thread_guard = threading.Lock()

    def emit(self, record: logging.LogRecord) -> None:
        if match := self._PATTERN.search(record.getMessage()):
            with self._thread_guard:
                refused = bool(self._REFUSED.search(match[1]))
                # A refusal explains more than the plain disconnects that follow it.
                if self.first is None or (refused and not self.refused):
                    self.first, self.refused = match[1], refused

    def explain(self, error: Exception, config: KafkaConfig) -> RagsondeError:
        """Return our error for a failed connection."""
        if not isinstance(error, KafkaTimeoutError):
            return mapped(error)
        message = (
            f"cannot connect to Kafka at {', '.join(config.bootstrap_servers)}"
            f" within {config.connect_timeout_seconds:g} s: {self.first or 'no answer'}"
        )
        if self.refused:
            return ConfigError(f"{message}; check kafka.connection.tls and kafka.connection.sasl")
        return RetryableError(
            f"{message}; check kafka.connection.bootstrap_servers, and that the listener speaks the protocol of"
            " kafka.connection.tls and kafka.connection.sasl"
        )


_RETRY = (CommitFailedError, IllegalGenerationError, RebalanceInProgressError, UnknownMemberIdError, RetriableError)
_CONFIG = (KafkaConfigurationError, SaslAuthenticationFailedError, UnsupportedSaslMechanismError, ValueError, TypeError)
_REMEDIES: tuple[tuple[type[Exception], str], ...] = (
    (AuthorizationError, "grant this user the right (ACL)"),
    (InconsistentGroupProtocolError, "another consumer uses this group_id in another way: give this one its own"),
    (FencedInstanceIdError, "give every replica its own kafka.source.group_instance_id"),
    (MessageSizeTooLargeError, "raise max.message.bytes of the topic and the publisher's max_message_bytes"),
    (RecordListTooLargeError, "raise max.message.bytes of the topic and the publisher's max_message_bytes"),
    (UnsupportedCodecError, "install the compression library that it names"),
)


def mapped(error: Exception) -> RagsondeError:
    """Return our error for one of kafka-python's: retryable, permanent, or the operator's to mend."""
    text = str(error) or type(error).__name__
    if isinstance(error, _RETRY):
        return RetryableError(f"Kafka: {text}")
    if isinstance(error, _CONFIG):
        return ConfigError(f"Kafka: {text}; check the kafka section of the configuration")
    for kind, remedy in _REMEDIES:
        if isinstance(error, kind):
            return PermanentError(f"Kafka: {text}; {remedy}")
    return PermanentError(f"Kafka: {text}")
