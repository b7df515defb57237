"""Documents that came without texts get them, or stay what they are; nothing else happens to an interaction."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
import sqlalchemy
from pydantic import TypeAdapter, ValidationError

from ragsonde.collector.document_stores import CallableStore, HttpResolverConfig, HttpStore, ResolverConfig
from ragsonde.collector.errors import ConfigError, RetryableError
from ragsonde.collector.model import Capture, Document, Interaction
from ragsonde.collector.resolver import Resolver, build_resolver
from ragsonde.collector.telemetry import DocumentsLookedUp
from tests.builders import interaction
from tests.fakes import EventRecorder, FakeClock

CONFIG: TypeAdapter[ResolverConfig] = TypeAdapter(ResolverConfig)
TEXTS = {"a": "Text of a.", "b": "Text of b."}


def without_texts(*ids: str | None) -> Interaction:
    documents = tuple(Document(text=None, rank=rank, id=id_) for rank, id_ in enumerate(ids, start=1))
    return interaction(contexts=documents, capture=Capture.CONTEXTS_NOT_CAPTURED, remedy="configure a resolver")


def resolver(
    function: Callable[[str], str | None],
    *,
    clock: FakeClock | None = None,
    listener: EventRecorder | None = None,
    **values: Any,
) -> Resolver:
    config = CONFIG.validate_python({"type": "callable", "function": "a:b", **values})
    return Resolver(CallableStore(function), config, clock or FakeClock(), listener or EventRecorder())


def test_all_texts_found_make_the_contexts_captured() -> None:
    listener = EventRecorder()
    found = resolver(TEXTS.get, listener=listener).resolve(without_texts("b", "a"))
    assert [(d.id, d.text, d.rank) for d in found.contexts or ()] == [("b", "Text of b.", 1), ("a", "Text of a.", 2)]
    assert (found.capture, found.remedy) == (Capture.CAPTURED, None)
    assert listener.events == [DocumentsLookedUp(found=2, missing=0, failed=0)]


def test_one_text_missing_leaves_the_contexts_not_captured() -> None:
    listener = EventRecorder()
    found = resolver(TEXTS.get, listener=listener).resolve(without_texts("a", "gone", None))
    assert [d.text for d in found.contexts or ()] == ["Text of a.", None, None]
    assert found.capture is Capture.CONTEXTS_NOT_CAPTURED
    assert found.remedy == "configure a resolver"
    assert listener.events == [DocumentsLookedUp(found=1, missing=1, failed=0)]


@pytest.mark.parametrize(
    "given",
    [interaction(), interaction(contexts=None, capture=Capture.CONTEXTS_NOT_CAPTURED), interaction(contexts=())],
)
def test_other_interactions_are_left_alone(given: Interaction) -> None:
    listener = EventRecorder()
    assert resolver(_raise, listener=listener).resolve(given) is given
    assert listener.events == []


def _raise(document_id: str) -> str:
    raise OSError(f"no {document_id}")


def test_failures_are_counted_and_pause_the_lookups() -> None:
    asked: list[str] = []

    def failing(document_id: str) -> str:
        asked.append(document_id)
        raise OSError("away")

    clock, listener = FakeClock(), EventRecorder()
    failing_resolver = resolver(failing, clock=clock, listener=listener, failures_before_pause=2, pause_seconds=30)
    given = without_texts("a", "b", "c")
    assert failing_resolver.resolve(given) == given
    assert asked == ["a", "b"]
    assert listener.events == [DocumentsLookedUp(found=0, missing=0, failed=3)]
    clock.advance(29.0)
    failing_resolver.resolve(given)
    assert asked == ["a", "b"]
    clock.advance(2.0)
    failing_resolver.resolve(given)
    assert asked == ["a", "b", "a", "b"]


def test_one_interaction_never_takes_longer_than_its_deadline() -> None:
    clock, listener = FakeClock(), EventRecorder()

    def slow(document_id: str) -> str:
        clock.advance(2.0)
        return document_id

    found = resolver(slow, clock=clock, listener=listener, total_seconds=3.0).resolve(without_texts("a", "b", "c"))
    assert [d.text for d in found.contexts or ()] == ["a", "b", None]
    assert listener.events == [DocumentsLookedUp(found=2, missing=0, failed=1)]


def test_texts_are_kept_for_a_time_and_within_bounds() -> None:
    asked: list[str] = []

    def store(document_id: str) -> str:
        asked.append(document_id)
        return document_id * 10

    clock = FakeClock()
    cached = resolver(store, clock=clock, cache_entries=2, cache_characters=25, cache_seconds=60)
    cached.resolve(without_texts("a", "b"))
    cached.resolve(without_texts("a"))
    cached.resolve(without_texts("c"))  # drops b, used least recently
    cached.resolve(without_texts("a", "b"))
    assert asked == ["a", "b", "c", "b"]
    clock.advance(61.0)
    cached.resolve(without_texts("b"))
    assert asked == ["a", "b", "c", "b", "b"]


# HTTP -------------------------------------------------------------------------------------------------------


def http_store(
    handler: Callable[[httpx.Request], httpx.Response], environ: dict[str, str] | None = None, **values: Any
) -> HttpStore:
    config = HttpResolverConfig.model_validate(
        {"type": "http", "url": "https://kb.example.com/docs/{id}?v=1", **values}
    )
    return HttpStore(config, environ or {}, httpx.MockTransport(handler))


def test_http_escapes_the_id_sends_headers_and_follows_the_pointer() -> None:
    seen: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        seen.append(request)
        return httpx.Response(200, json={"docs": [{"a/b": "Text."}]})

    store = http_store(
        answer,
        {"KB_TOKEN": "secret"},
        pointer="/docs/0/a~1b",
        headers={"X-Team": "kb"},
        headers_env={"Authorization": "KB_TOKEN"},
    )
    assert store.text("x/../ä?&#") == "Text."
    assert seen[0].url.raw_path == b"/docs/x%2F..%2F%C3%A4%3F%26%23?v=1"
    assert seen[0].url.host == "kb.example.com"
    assert (seen[0].headers["x-team"], seen[0].headers["authorization"]) == ("kb", "secret")
    store.close()


def test_http_body_is_the_text_without_a_pointer() -> None:
    assert http_store(lambda _: httpx.Response(200, text="Zażółć")).text("a") == "Zażółć"


@pytest.mark.parametrize(("status", "body"), [(404, "no"), (410, "gone"), (200, '{"other": 1}'), (200, '{"text": 5}')])
def test_http_says_that_a_document_is_not_there(status: int, body: str) -> None:
    assert http_store(lambda _: httpx.Response(status, text=body), pointer="/text").text("a") is None


def _away(request: httpx.Request) -> httpx.Response:
    raise httpx.ConnectTimeout("too slow", request=request)


@pytest.mark.parametrize(
    "handler",
    [
        _away,
        lambda _: httpx.Response(500),
        lambda _: httpx.Response(401),
        lambda _: httpx.Response(302, headers={"location": "https://elsewhere.example.com"}),
        lambda _: httpx.Response(200, text="no json"),
        lambda _: httpx.Response(200, content=b"x" * 5000),
    ],
)
def test_http_failures_are_retryable(handler: Callable[[httpx.Request], httpx.Response]) -> None:
    with pytest.raises(RetryableError):
        http_store(handler, pointer="/text", max_reply_bytes=2048).text("a")


# SQL and functions ------------------------------------------------------------------------------------------


def test_sql_binds_the_id(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'kb.db'}"
    engine = sqlalchemy.create_engine(url)
    with engine.begin() as connection:
        connection.execute(sqlalchemy.text("create table kb (id text, body text)"))
        connection.execute(sqlalchemy.text("insert into kb values ('a', 'Text of a.'), ('null', null)"))
    engine.dispose()
    config = CONFIG.validate_python({"type": "sql", "url_env": "KB", "query": "select body from kb where id = :id"})
    built = build_resolver(config, environ={"KB": url}, clock=FakeClock())
    found = built.resolve(without_texts("a", "a' or '1'='1", "null"))
    assert [d.text for d in found.contexts or ()] == ["Text of a.", None, None]
    built.close()


def test_sql_failure_is_counted_and_not_raised(tmp_path: Path) -> None:
    listener = EventRecorder()
    config = CONFIG.validate_python(
        {"type": "sql", "url": f"sqlite:///{tmp_path / 'kb.db'}", "query": "select body from missing where id = :id"}
    )
    built = build_resolver(config, listener=listener, clock=FakeClock())
    assert built.resolve(without_texts("a")).capture is Capture.CONTEXTS_NOT_CAPTURED
    assert listener.events == [DocumentsLookedUp(found=0, missing=0, failed=1)]
    built.close()


def upper(document_id: str) -> str:
    return document_id.upper()


def test_function_is_imported_by_name() -> None:
    config = CONFIG.validate_python({"type": "callable", "function": "textwrap:dedent"})
    found = build_resolver(config, clock=FakeClock()).resolve(without_texts(" a"))
    assert [d.text for d in found.contexts or ()] == ["a"]


# Configuration ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "field"),
    [
        ({"type": "http", "url": "https://kb.example.com/docs"}, "url"),
        ({"type": "http", "url": "https://{id}.example.com/"}, "url"),
        ({"type": "http", "url": "file:///{id}"}, "url"),
        ({"type": "http", "url": "https://kb.example.com/{id}", "pointer": "text"}, "pointer"),
        ({"type": "sql", "url": "sqlite://", "query": "select 1"}, "query"),
        ({"type": "sql", "query": "select :id"}, "url"),
        ({"type": "callable", "function": "os.getcwd"}, "function"),
        ({"type": "other"}, "type"),
        ({"type": "callable", "function": "a:b", "unknown": 1}, "unknown"),
    ],
)
def test_bad_configuration_names_the_field(values: dict[str, Any], field: str) -> None:
    with pytest.raises(ValidationError, match=field):
        CONFIG.validate_python(values)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"type": "sql", "url_env": "KB", "query": "select :id"}, "resolver.url_env: the environment variable KB"),
        ({"type": "http", "url": "https://a.example.com/{id}", "headers_env": {"X": "T"}}, "resolver.headers_env"),
        ({"type": "callable", "function": "no_such_module:f"}, "resolver.function: cannot import"),
        ({"type": "callable", "function": "os:sep"}, "resolver.function: os:sep is not a function"),
        ({"type": "sql", "url": "nonsense", "query": "select :id"}, "resolver.url"),
        ({"type": "sql", "url": "nosuchdb://h/d", "query": "select :id"}, "resolver.url"),
    ],
)
def test_what_cannot_work_is_refused_at_start(values: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        build_resolver(CONFIG.validate_python(values), environ={})


def test_secrets_are_masked() -> None:
    config = CONFIG.validate_python({"type": "http", "url": "https://a.example.com/{id}", "headers": {"X": "hush"}})
    assert "hush" not in repr(config)
