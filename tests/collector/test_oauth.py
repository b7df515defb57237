"""Where SASL/OAUTHBEARER tokens come from, and when they are renewed."""

from pathlib import Path
from urllib.parse import parse_qs

import httpx
import pytest
from pydantic import ValidationError

from ragsonde.collector.errors import ConfigError, RetryableError
from ragsonde.collector.oauth import OAuthConfig, OAuthToken
from tests.fakes import FakeClock

ENDPOINT = {"token_url": "https://issuer.example/token", "client_id": "sonde", "client_secret": "s3cret"}


class Issuer:
    """A token endpoint."""

    def __init__(self, **body: object) -> None:
        self.requests: list[httpx.Request] = []
        self.response: httpx.Response | Exception | None = None
        self.body = body

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        if isinstance(self.response, Exception):
            raise self.response
        return self.response or httpx.Response(200, json={"access_token": f"token-{len(self.requests)}"} | self.body)

    def provider(self, clock: FakeClock | None = None, **config: object) -> OAuthToken:
        parsed = OAuthConfig.model_validate(ENDPOINT | config)
        return OAuthToken(parsed, httpx.MockTransport(self), clock or FakeClock())


def test_a_file_is_read_anew_for_every_connection(tmp_path: Path) -> None:
    file = tmp_path / "token"
    provider = OAuthToken(OAuthConfig(token_file=file))
    file.write_text("first\n")
    assert provider.token() == "first"
    file.write_text("second\n")
    assert provider.token() == "second"


def test_a_file_that_is_missing_or_empty_is_named(tmp_path: Path) -> None:
    provider = OAuthToken(OAuthConfig(token_file=tmp_path / "token"))
    with pytest.raises(ConfigError, match="token_file"):
        provider.token()
    (tmp_path / "token").write_text(" \n")
    with pytest.raises(ConfigError, match="is empty"):
        provider.token()


def test_the_environment_can_hold_the_token(monkeypatch: pytest.MonkeyPatch) -> None:
    provider = OAuthToken(OAuthConfig(token_environment="BROKER_TOKEN"))
    with pytest.raises(ConfigError, match="BROKER_TOKEN is not set"):
        provider.token()
    monkeypatch.setenv("BROKER_TOKEN", "from-outside")
    assert provider.token() == "from-outside"


def test_client_credentials_are_sent_as_the_standard_says() -> None:
    issuer = Issuer(expires_in=300)
    assert issuer.provider(scope="kafka").token() == "token-1"
    (request,) = issuer.requests
    assert parse_qs(request.content.decode()) == {"grant_type": ["client_credentials"], "scope": ["kafka"]}
    assert request.headers["authorization"] == httpx.BasicAuth("sonde", "s3cret")._auth_header


def test_a_token_is_kept_and_renewed_before_it_expires() -> None:
    clock, issuer = FakeClock(), Issuer(expires_in=100)
    provider = issuer.provider(clock)
    assert [provider.token(), provider.token()] == ["token-1", "token-1"]
    clock.advance(79)
    assert provider.token() == "token-1"
    clock.advance(2)
    assert provider.token() == "token-2"


def test_a_token_of_unknown_lifetime_is_asked_for_every_time() -> None:
    provider = Issuer().provider()
    assert [provider.token(), provider.token()] == ["token-1", "token-2"]


@pytest.mark.parametrize("status", [400, 401, 403, 404])
def test_a_refusal_is_a_configuration_error_without_the_secret(status: int) -> None:
    issuer = Issuer()
    issuer.response = httpx.Response(status)
    with pytest.raises(ConfigError, match=str(status)) as raised:
        issuer.provider().token()
    assert "s3cret" not in str(raised.value)


@pytest.mark.parametrize("trouble", [httpx.Response(503), httpx.Response(429), httpx.ConnectTimeout("slow")])
def test_an_endpoint_that_is_away_can_be_tried_again(trouble: httpx.Response | Exception) -> None:
    issuer = Issuer()
    provider = issuer.provider()
    issuer.response = trouble
    with pytest.raises(RetryableError):
        provider.token()
    issuer.response = None
    assert provider.token() == "token-2"


@pytest.mark.parametrize("body", [b"<html>", b"[]", b"{}", b'{"access_token": "x", "expires_in": "soon"}'])
def test_a_reply_without_a_token_is_a_configuration_error(body: bytes) -> None:
    issuer = Issuer()
    issuer.response = httpx.Response(200, content=body)
    with pytest.raises(ConfigError, match="access_token"):
        issuer.provider().token()


@pytest.mark.parametrize(
    "config",
    [
        {},
        {"token_file": "a", "token_environment": "B"},
        {"token_url": "https://issuer.example", "client_id": "sonde"},
        {"token_url": "https://issuer.example", "client_secret": "s3cret"},
        ENDPOINT | {"client_secret_file": "file"},
        {"token_file": "a", "scope": "kafka"},
        ENDPOINT | {"token_url": "issuer.example"},
    ],
)
def test_incomplete_or_contradictory_settings_are_refused(config: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        OAuthConfig.model_validate(config)


def test_the_secret_is_masked() -> None:
    assert "s3cret" not in repr(OAuthConfig.model_validate(ENDPOINT))
