"""Where texts of documents are looked up by id: an HTTP service, an SQL database or a Python function."""

import importlib
from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal, Protocol, Self
from urllib.parse import quote, urlsplit

import httpx
import orjson
import sqlalchemy
from pydantic import Field, SecretStr, field_validator, model_validator

from ragsonde.collector.config import Config
from ragsonde.collector.errors import ConfigError, RetryableError

_ID = "{id}"


class _LookupConfig(Config):
    total_seconds: Annotated[float, Field(gt=0.0, le=30.0)] = 3.0
    """Seconds for all lookups of one interaction together. Up to 30; default 3."""
    failures_before_pause: Annotated[int, Field(ge=1, le=1000)] = 5
    """Failures in a row after which lookups pause. Default 5."""
    pause_seconds: Annotated[float, Field(ge=0.0, le=3600.0)] = 30.0
    """Seconds of that pause; interactions go on without texts meanwhile. Default 30."""
    cache_entries: Annotated[int, Field(ge=0, le=10_000_000)] = 10_000
    """Texts kept in memory, least recently used out first. Default 10000."""
    cache_characters: Annotated[int, Field(ge=0, le=10_000_000_000)] = 50_000_000
    """Characters of those texts together. Default 50 million."""
    cache_seconds: Annotated[float, Field(ge=0.0, le=604_800.0)] = 3600.0
    """Seconds after which a text is looked up again. Up to a week; default an hour."""


class HttpResolverConfig(_LookupConfig):
    """A service that answers ``GET`` for each id; 404 and 410 mean that it has no such document."""

    type: Literal["http"]
    """``http``."""
    url: str = Field(pattern=r"^https?://")
    """Address with ``{id}`` in its path or query; the id is escaped. Example ``https://kb.example.com/docs/{id}``."""
    pointer: str = Field(default="", pattern=r"^(/.*)?$")
    """JSON Pointer (RFC 6901) to the text in the reply, such as ``/document/text``; empty: the body is the text."""
    headers: dict[str, SecretStr] = Field(default_factory=dict)
    """Request headers; values are masked."""
    headers_env: dict[str, str] = Field(default_factory=dict)
    """Request headers whose values stand in environment variables: header name to variable name."""
    timeout_seconds: Annotated[float, Field(gt=0.0, le=30.0)] = 2.0
    """Seconds for one request. Up to 30; default 2."""
    max_reply_bytes: Annotated[int, Field(ge=1024, le=100_000_000)] = 1_048_576
    """Longest reply that is read, in bytes. Default 1 MiB."""

    @field_validator("url")
    @classmethod
    def _id_in_place(cls, url: str) -> str:
        if _ID not in url or _ID in urlsplit(url).netloc:
            raise ValueError("the url must have {id} in its path or query, and nowhere else")
        return url


class SqlResolverConfig(_LookupConfig):
    """A database with a query that gives the text of one id."""

    type: Literal["sql"]
    """``sql``."""
    url: SecretStr | None = None
    """SQLAlchemy address, such as ``postgresql+psycopg://reader@db/kb``; masked. Prefer ``url_env``. Give the account
    no more than the right to read, and the driver its own timeouts."""
    url_env: str | None = None
    """Environment variable that holds the address."""
    query: str = Field(pattern=r"(?s)^.*:id\b.*$")
    """Query with ``:id`` as a bound parameter; the first column of the first row is the text."""

    @model_validator(mode="after")
    def _one_address(self) -> Self:
        if (self.url is None) == (self.url_env is None):
            raise ValueError("give either url or url_env")
        return self


class CallableResolverConfig(_LookupConfig):
    """A function of your own."""

    type: Literal["callable"]
    """``callable``."""
    function: str = Field(pattern=r"^[\w.]+:\w+$")
    """``module:function``, importable here; takes an id and returns its text, or None where there is none. It runs on
    the pipeline's own thread, so it must bound its own time."""


ResolverConfig = Annotated[HttpResolverConfig | SqlResolverConfig | CallableResolverConfig, Field(discriminator="type")]
"""Where texts are looked up, told apart by ``type``."""


class DocumentStore(Protocol):
    """Gives the text of one document."""

    def text(self, document_id: str) -> str | None:
        """Return the text; None where there is no such document.

        Raises:
            RetryableError: the store cannot be asked now.
        """
        ...

    def close(self) -> None:
        """Release connections. May be called twice."""
        ...


def build_store(config: ResolverConfig, environ: Mapping[str, str]) -> DocumentStore:
    """Make a store as configured.

    Raises:
        ConfigError: a variable is not set, a driver or function cannot be imported, or a value is malformed.
    """
    match config:
        case HttpResolverConfig():
            return HttpStore(config, environ)
        case SqlResolverConfig():
            return SqlStore(config, environ)
        case CallableResolverConfig():
            return CallableStore(_imported(config.function))


class HttpStore:
    """Asks an HTTP service."""

    def __init__(
        self, config: HttpResolverConfig, environ: Mapping[str, str], transport: httpx.BaseTransport | None = None
    ) -> None:
        self._config = config
        headers = {name: value.get_secret_value() for name, value in config.headers.items()}
        headers |= {name: _variable(environ, variable, "headers_env") for name, variable in config.headers_env.items()}
        self._client = httpx.Client(headers=headers, timeout=config.timeout_seconds, transport=transport)

    def text(self, document_id: str) -> str | None:
        """Return the text of a document; see ``DocumentStore``."""
        url = self._config.url.replace(_ID, quote(document_id, safe=""))
        try:
            with self._client.stream("GET", url) as reply:
                if reply.status_code in (404, 410):
                    return None
                if not reply.is_success:
                    raise RetryableError(f"the document service answered {reply.status_code}")
                body = bytearray()
                for chunk in reply.iter_bytes():
                    body += chunk
                    if len(body) > self._config.max_reply_bytes:
                        raise RetryableError(f"the reply is longer than {self._config.max_reply_bytes} bytes")
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise RetryableError(f"the document service cannot be asked: {type(error).__name__}") from error
        return _text_at(bytes(body), self._config.pointer)

    def close(self) -> None:
        """Close the connections."""
        self._client.close()


class SqlStore:
    """Asks a database."""

    def __init__(self, config: SqlResolverConfig, environ: Mapping[str, str]) -> None:
        address = (
            config.url.get_secret_value() if config.url is not None else _variable(environ, config.url_env, "url_env")
        )
        try:
            self._engine = sqlalchemy.create_engine(address, pool_pre_ping=True, pool_size=1, max_overflow=0)
        except (sqlalchemy.exc.ArgumentError, ImportError) as error:
            raise ConfigError(f"resolver.url: {type(error).__name__}: check the address and its driver") from error
        self._query = sqlalchemy.text(config.query)

    def text(self, document_id: str) -> str | None:
        """Return the text of a document; see ``DocumentStore``."""
        try:
            with self._engine.connect() as connection:
                found: Any = connection.execute(self._query, {"id": document_id}).scalar()
        except sqlalchemy.exc.SQLAlchemyError as error:
            raise RetryableError(f"the document database cannot be asked: {type(error).__name__}") from error
        return None if found is None else str(found)

    def close(self) -> None:
        """Close the connections."""
        self._engine.dispose()


class CallableStore:
    """Asks a function."""

    def __init__(self, function: Callable[[str], str | None]) -> None:
        self._function = function

    def text(self, document_id: str) -> str | None:
        """Return the text of a document; see ``DocumentStore``."""
        try:
            found = self._function(document_id)
        except Exception as error:
            raise RetryableError(f"the document function raised {type(error).__name__}") from error
        return None if found is None else str(found)

    def close(self) -> None:
        """Do nothing: a function holds no connection."""


def _variable(environ: Mapping[str, str], name: str | None, field: str) -> str:
    value = environ.get(name or "", "").strip()
    if not value:
        raise ConfigError(f"resolver.{field}: the environment variable {name} is not set or empty")
    return value


def _imported(name: str) -> Callable[[str], str | None]:
    module, _, attribute = name.partition(":")
    try:
        function: Callable[[str], str | None] = getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        raise ConfigError(f"resolver.function: cannot import {name}: {error}") from error
    if not callable(function):
        raise ConfigError(f"resolver.function: {name} is not a function")
    return function


def _text_at(body: bytes, pointer: str) -> str | None:
    if not pointer:
        return body.decode("utf-8", "replace")
    try:
        value = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise RetryableError("the document service's reply is not JSON") from error
    for token in pointer.split("/")[1:]:
        key = token.replace("~1", "/").replace("~0", "~")
        if isinstance(value, list) and key.isdecimal() and int(key) < len(value):
            value = value[int(key)]
        else:
            value = value.get(key) if isinstance(value, dict) else None
    return value if isinstance(value, str) else None
