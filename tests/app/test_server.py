import socket

import httpx
import pytest
from pydantic import ValidationError
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from ragsonde.collector.clock import Deadline
from ragsonde.collector.errors import ConfigError
from ragsonde.server import HttpServer, ServerConfig


async def hello(request: Request) -> Response:
    return PlainTextResponse("hello")


ROUTES = [Route("/", hello), Route("/healthz", hello)]


class Running:
    def __init__(self, **config: object) -> None:
        self.server = HttpServer(ServerConfig(port=0, **config), ROUTES)

    def __enter__(self) -> str:
        return self.server.start()

    def __exit__(self, *_: object) -> None:
        self.server.stop(Deadline(10))
        assert not self.server.is_running()


def test_it_serves_on_a_free_port_and_stops() -> None:
    with Running() as url:
        assert httpx.get(url).text == "hello"
        assert httpx.get(url.replace("127.0.0.1", "localhost")).text == "hello"


def test_ipv6_loopback_is_served() -> None:
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError:
        pytest.skip("this machine has no IPv6 loopback")
    with Running(host="::1") as url:
        assert httpx.get(url).text == "hello"


def test_a_page_under_a_foreign_name_cannot_reach_a_loopback_server() -> None:
    with Running() as url:
        assert httpx.get(url, headers={"Host": "evil.example"}).status_code == 400
    with Running(allowed_hosts=("sidecar.internal",)) as url:
        assert httpx.get(url, headers={"Host": "sidecar.internal"}).status_code == 200


def test_with_a_token_every_request_but_health_needs_it() -> None:
    with Running(token="s3cret-ü") as url:
        refused = httpx.get(url)
        assert refused.status_code == 401
        assert refused.headers["WWW-Authenticate"].startswith("Basic")
        assert httpx.get(url, headers={"Authorization": "Bearer wrong"}).status_code == 401
        assert httpx.get(url, headers={"Authorization": "Basic !!!"}).status_code == 401
        assert httpx.get(url, headers={"Authorization": "Bearer s3cret-ü".encode()}).status_code == 200
        assert httpx.get(url, auth=("anyone", "s3cret-ü")).status_code == 200
        assert httpx.get(f"{url}/healthz").status_code == 200


def test_paths_with_a_token_of_their_own_do_not_ask_for_the_servers() -> None:
    server = HttpServer(
        ServerConfig(port=0, token="s3cret"), [*ROUTES, Route("/v1/traces", hello)], own_guard=("/v1/",)
    )
    url = server.start()
    try:
        assert httpx.get(f"{url}/v1/traces").status_code == 200
        assert httpx.get(f"{url}/").status_code == 401
    finally:
        server.stop(Deadline(10))


@pytest.mark.parametrize("host", ["0.0.0.0", "192.0.2.7", "sidecar.example"])
def test_an_address_that_others_can_reach_is_refused_without_a_token(host: str) -> None:
    with pytest.raises(ValidationError, match="set token or token_file"):
        ServerConfig(host=host)
    assert ServerConfig(host=host, token="x").secret() == "x"


def test_the_token_may_come_from_a_file_and_is_never_shown(tmp_path) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "token"
    path.write_text("from-file\n")
    assert ServerConfig(host="0.0.0.0", token_file=path).secret() == "from-file"
    path.write_text("")
    with pytest.raises(ConfigError, match="is empty"):
        ServerConfig(token_file=path).secret()
    assert "hidden-value" not in repr(ServerConfig(token="hidden-value"))


def test_a_port_in_use_is_a_clear_error() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(ConfigError, match=f"127.0.0.1:{port}.*--port"):
            HttpServer(ServerConfig(port=port), ROUTES).start()
