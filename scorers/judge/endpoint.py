"""One POST to the judge: bounded in bytes, errors mapped, secrets kept out of sight. The sole importer of httpx."""

import json
from collections.abc import Generator, Mapping
from dataclasses import dataclass

import httpx
from pydantic import SecretStr

from ragsonde.scorers.judge.config import JudgeConfig
from ragsonde.scorers.judge.errors import InvalidReplyError, JudgeTimeoutError, JudgeUnavailableError

AsyncTransport = httpx.AsyncBaseTransport
"""What may stand in for the network."""


@dataclass(frozen=True, slots=True)
class HttpReply:
    """Status, headers (names in lower case) and body."""

    status: int
    headers: Mapping[str, str]
    body: str

    def payload(self) -> object:
        """The body as JSON.

        Raises:
            InvalidReplyError: it is not JSON.
        """
        try:
            payload: object = json.loads(self.body)
        except (ValueError, RecursionError):
            raise InvalidReplyError("the server's answer is not JSON: check base_url") from None
        return payload


class HttpEndpoint:
    """Posts JSON below one base URL.

    ``transport`` replaces the network, for servers in the same process. Proxies are taken from the environment.
    """

    def __init__(
        self,
        config: JudgeConfig,
        *,
        base_url: str,
        query: Mapping[str, str],
        headers: Mapping[str, str],
        secrets: Mapping[str, SecretStr],
        transport: AsyncTransport | None = None,
    ) -> None:
        timeouts = config.timeouts
        self._max_bytes = config.max_reply_bytes
        self._query = dict(query)
        self._base_url = base_url
        self._client = httpx.AsyncClient(
            headers={"user-agent": "ragsonde", **headers},
            auth=_SecretHeaders(secrets),
            timeout=httpx.Timeout(timeouts.read_seconds, connect=timeouts.connect_seconds, pool=None),
            limits=httpx.Limits(max_connections=None, max_keepalive_connections=config.concurrency.maximum),
            follow_redirects=False,
            transport=transport,
        )

    async def post(self, path: str, body: Mapping[str, object]) -> HttpReply:
        """Send ``body`` and read the whole reply.

        Raises:
            JudgeTimeoutError: the server was silent for too long after it had the request.
            JudgeUnavailableError: no connection, or it broke.
            InvalidReplyError: the reply is too long.
        """
        try:
            async with self._client.stream("POST", self._base_url + path, params=self._query, json=body) as response:
                chunks, size = [], 0
                async for chunk in response.aiter_bytes():
                    size += len(chunk)
                    if size > self._max_bytes:
                        raise InvalidReplyError(f"the server's answer is longer than {self._max_bytes} bytes")
                    chunks.append(chunk)
        except httpx.ReadTimeout:
            raise JudgeTimeoutError("the judge fell silent before its reply was complete") from None
        except httpx.HTTPError as error:
            # The cause is named but not chained: its request holds the headers.
            said = f"the judge could not be reached ({type(error).__name__})"
            sent = not isinstance(error, httpx.ConnectError | httpx.ConnectTimeout)
            raise JudgeUnavailableError(said, retryable=True, sent=sent) from None
        text = b"".join(chunks).decode("utf-8", "replace")
        return HttpReply(response.status_code, {k.lower(): v for k, v in response.headers.items()}, text)

    async def aclose(self) -> None:
        """Close all connections."""
        await self._client.aclose()


class _SecretHeaders(httpx.Auth):
    """Adds secret headers at the last moment, so that no client object shows them."""

    def __init__(self, secrets: Mapping[str, SecretStr]) -> None:
        self._secrets = dict(secrets)

    def auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response, None]:
        for name, value in self._secrets.items():
            request.headers[name] = value.get_secret_value()
        yield request
