"""The one HTTP port: who may talk to it, and its life beside the collector's loop."""

import base64
import hmac
import ipaddress
import socket
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Self

import uvicorn
from pydantic import Field, SecretStr, model_validator
from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.responses import PlainTextResponse
from starlette.routing import BaseRoute
from starlette.types import ASGIApp, Receive, Scope, Send

from ragsonde.collector.clock import Deadline
from ragsonde.collector.config import Config
from ragsonde.collector.errors import ConfigError

_LOOPBACK_NAMES = ("127.0.0.1", "localhost", "::1", "[::1]")
_OPEN_PATHS = frozenset({"/healthz", "/readyz"})


class ServerConfig(Config):
    """Where OTLP, /metrics, health and the pages are served."""

    host: str = "127.0.0.1"
    """Address to bind. Anything but a loopback address needs a token. Default 127.0.0.1."""
    port: Annotated[int, Field(ge=0, le=65_535)] = 4318
    """TCP port; 0 picks a free one. Default 4318, the port that OTLP/HTTP exporters use."""
    token: SecretStr | None = None
    """Secret that every request has to carry, as bearer token or as the password of HTTP Basic. Health is exempt."""
    token_file: Path | None = None
    """File that holds the token, in place of ``token``; read at start."""
    allowed_hosts: tuple[str, ...] = ()
    """Without a token: further host names that requests may be addressed to, beside loopback names and ``host``. ``*``
    allows any. It keeps web pages from reaching the sidecar through a name of their own (DNS rebinding)."""

    @model_validator(mode="after")
    def _guarded(self) -> Self:
        if self.token is not None and self.token_file is not None:
            raise ValueError("give token or token_file, not both")
        if not self.is_loopback() and self.token is None and self.token_file is None:
            raise ValueError(
                f"host {self.host} can be reached from other machines: set token or token_file, or bind 127.0.0.1"
            )
        return self

    def is_loopback(self) -> bool:
        """Whether only this machine can reach the address."""
        if self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False

    def secret(self) -> str | None:
        """Return the token, from wherever it is kept.

        Raises:
            ConfigError: the token file cannot be read or is empty.
        """
        if self.token_file is None:
            return self.token.get_secret_value() if self.token is not None else None
        try:
            token = self.token_file.read_text().strip()
        except OSError as error:
            raise ConfigError(f"server.token_file {self.token_file} cannot be read: {error.strerror}") from error
        if not token:
            raise ConfigError(f"server.token_file {self.token_file} is empty: put the token in it")
        return token


class HttpServer:
    """Serves routes on its own thread until it is stopped."""

    def __init__(self, config: ServerConfig, routes: Sequence[BaseRoute], *, own_guard: Sequence[str] = ()) -> None:
        """Take the routes.

        Args:
            config: the address and who may use it.
            routes: what is served.
            own_guard: starts of paths that check a token of their own, so that the server's is not asked for there.
        """
        self._config = config
        self._routes = routes
        self._own_guard = tuple(own_guard)
        self._server: uvicorn.Server | None = None
        self._thread: threading.Thread | None = None

    def start(self) -> str:
        """Bind and serve; return the base URL.

        Raises:
            ConfigError: the address cannot be bound, or the token cannot be read.
        """
        listener = self._bind()
        host, port = listener.getsockname()[:2]
        app = Starlette(routes=list(self._routes), middleware=self._middleware())
        settings = uvicorn.Config(
            app, log_level="warning", access_log=False, lifespan="off", timeout_graceful_shutdown=5, server_header=False
        )
        self._server = uvicorn.Server(settings)
        self._thread = threading.Thread(
            target=self._server.run, kwargs={"sockets": [listener]}, name="ragsonde-http", daemon=True
        )
        self._thread.start()
        return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"

    def is_running(self) -> bool:
        """Whether the server thread is alive."""
        return self._thread is not None and self._thread.is_alive()

    def stop(self, deadline: Deadline) -> None:
        """Stop accepting, finish open requests, free the port. Safe when never started, and twice."""
        if self._server is None or self._thread is None:
            return
        self._server.should_exit = True
        self._thread.join(deadline.remaining_seconds())

    def _bind(self) -> socket.socket:
        config = self._config
        try:
            family, _, _, _, address = socket.getaddrinfo(
                config.host, config.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
            )[0]
            listener = socket.create_server((address[0], address[1]), family=family, backlog=2048)
        except OSError as error:
            raise ConfigError(
                f"cannot serve on {config.host}:{config.port}: {error.strerror or error}; "
                "choose another server.port (--port) or server.host (--host)"
            ) from error
        # Connections inherit it; without it the last part of an answer waits for the receipt of the first, 40 ms.
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return listener

    def _middleware(self) -> list[Middleware]:
        secret = self._config.secret()
        if secret is not None:  # a page that came in by a name of its own does not know the token
            return [Middleware(TokenMiddleware, secret=secret, own_guard=self._own_guard)]
        hosts = [*_LOOPBACK_NAMES, self._config.host, *self._config.allowed_hosts]
        return [Middleware(TrustedHostMiddleware, allowed_hosts=hosts, www_redirect=False)]


class TokenMiddleware:
    """Lets a request pass that carries the secret: ``Bearer SECRET``, or Basic with any user and it as the password."""

    def __init__(self, app: ASGIApp, secret: str, own_guard: tuple[str, ...] = ()) -> None:
        self._app = app
        self._secret = secret.encode()
        self._own_guard = own_guard

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer 401, or pass the request on."""
        if scope["type"] != "http" or self._is_open(scope["path"]) or self._is_known(Headers(scope=scope)):
            await self._app(scope, receive, send)
            return
        refusal = PlainTextResponse(
            "a token is needed: send it as a bearer token, or as the password of HTTP Basic\n",
            status_code=401,
            headers={"WWW-Authenticate": 'Basic realm="ragsonde", charset="UTF-8"'},
        )
        await refusal(scope, receive, send)

    def _is_open(self, path: str) -> bool:
        return path in _OPEN_PATHS or path.startswith(self._own_guard)

    def _is_known(self, headers: Headers) -> bool:
        scheme, _, credentials = headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer":
            given = credentials.strip().encode("latin-1")  # how header bytes were decoded
        elif scheme.lower() == "basic":
            try:
                given = base64.b64decode(credentials, validate=True).partition(b":")[2]
            except ValueError:
                return False
        else:
            return False
        return hmac.compare_digest(given, self._secret)
