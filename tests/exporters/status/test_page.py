import re
from collections.abc import Sequence
from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from starlette.applications import Starlette
from starlette.testclient import TestClient

from ragsonde.collector.clock import Deadline
from ragsonde.collector.model import Capture, Document
from ragsonde.exporters.labels import LabelPolicy, LabelsConfig
from ragsonde.exporters.pages.site import Link
from ragsonde.exporters.status.page import StatusPage
from ragsonde.exporters.status.recent import RecentInteractions, StatusConfig
from ragsonde.scorers.score import MetricKey, NotApplicable, Reason, ScoredInteraction, Verdict
from tests.exporters.scored import scored, scored_interactions
from tests.exporters.status.traffic import judged_traffic, traffic
from tests.fakes import FakeClock

NOW = 1_700_000_000.0
HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "</mark></div></article><h1>owned",
    "{{ 7*7 }} {% raw %}",
    "javascript:alert(1)",
    "&lt;already escaped&gt;",
    "\u202egnp.exe\u2066",
    "a\x00b\ud800c",
]


def client_with(batch: Sequence[ScoredInteraction]) -> TestClient:
    clock = FakeClock(NOW)
    recent = RecentInteractions(StatusConfig(), LabelPolicy(LabelsConfig()), clock)
    recent.export(batch, Deadline(1))
    page = StatusPage(recent, clock, links=[Link("Review", "/review")])
    return TestClient(Starlette(routes=page.routes()), raise_server_exceptions=True)


@pytest.fixture(scope="module")
def client() -> TestClient:
    return client_with(traffic(NOW))


class Elements(HTMLParser):
    """All start tags with their attributes, and the text outside of scripts and styles."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


def now_ago(seconds: float) -> int:
    return int((NOW - seconds) * 1e9)


def test_the_page_shows_the_rate_with_its_interval_and_the_spike(client: TestClient) -> None:
    text = " ".join(Elements(client.get("/").text).text.split())
    assert re.search(
        r"Hallucinated answers by the local scorers \d+(\.\d)?% \d+(\.\d)?% to \d+(\.\d)?% with 95% confidence", text
    )
    assert "Raised since" in text
    assert "Retriever" in text
    assert "Generator" in text


@pytest.fixture(scope="module")
def with_judges() -> TestClient:
    return client_with(judged_traffic(NOW))


def headline(client: TestClient, **query: str) -> str:
    """The rate with what stands beside it."""
    text = " ".join(Elements(client.get("/", params=query).text).text.split())
    return text.partition("Hallucinated answers ")[2].partition("Share of hallucinated")[0]


def test_the_local_rate_is_shown_unless_another_scorer_is_asked_for(
    with_judges: TestClient, client: TestClient
) -> None:
    assert headline(with_judges).startswith("by the local scorers local scorers judge second judge ")
    plain = with_judges.get("/api/status", params={"window": "1h"}).json()
    before = client.get("/api/status", params={"window": "1h"}).json()
    for key in ("hallucination", "hallucinated", "series", "metrics", "traffic", "interactions", "by_app", "diagnoses"):
        assert plain[key] == before[key], key


def test_the_judge_s_rate_is_that_of_its_own_sample_and_named(with_judges: TestClient) -> None:
    text = headline(with_judges, scorer="judge", window="1h")
    assert re.match(r"by the judge local scorers judge second judge \d\d% \d\d% to \d\d% with 95% confidence", text)
    status = with_judges.get("/api/status", params={"scorer": "judge", "window": "1h"}).json()
    assert status["scorers"] == ["local", "judge", "second_judge"]
    assert status["hallucination"]["low"] < 0.5 < status["hallucination"]["high"]
    assert status["looked_at"] == status["hallucination"]["count"] < status["interactions"] / 2
    assert status["looked_at"] < status["interactions"] < status["traffic"] * 1.5
    (faithfulness,) = status["metrics"]
    assert faithfulness["key"] == "faithfulness"
    assert faithfulness["absences"][0]["reason"] == "sampled_out"
    assert sum(share["count"] for share in status["diagnoses"]) == status["interactions"]  # those are of all answers


@pytest.mark.parametrize("scorer", ["second_judge", "never_heard_of"])
def test_a_scorer_without_scores_in_the_window_has_no_number(with_judges: TestClient, scorer: str) -> None:
    text = headline(with_judges, scorer=scorer)
    assert f"by the {scorer.replace('_', ' ')}" in text
    assert "Nothing scored" in text
    assert "%" not in text
    assert not re.search(r"\d", text.replace("15 minutes", "").replace("5 minutes", ""))
    status = with_judges.get("/api/status", params={"scorer": scorer}).json()
    assert status["hallucination"] is None
    assert status["rise"] is None
    assert all(metric["estimate"] is None for metric in status["metrics"])
    assert all(row["hallucination"] is None for row in status["by_app"])
    assert "nothing scored" in Elements(with_judges.get("/", params={"scorer": scorer}).text).text


def test_switching_keeps_the_other_filters(with_judges: TestClient) -> None:
    asked = {"app": "policy-desk", "window": "15m", "order": "worst", "scorer": "judge"}
    elements = Elements(with_judges.get("/", params=asked).text)
    links = [attributes.get("href") or "" for tag, attributes in elements.tags if tag == "a"]
    assert "?app=policy-desk&window=15m&scorer=second_judge&order=worst" in links
    assert "?app=policy-desk&window=15m&order=worst" in links
    assert "?app=shop-assistant&window=15m&scorer=judge&order=worst" in links
    assert ("input", {"type": "hidden", "name": "scorer", "value": "judge"}) in elements.tags


def test_without_a_judge_there_is_nothing_to_switch(client: TestClient) -> None:
    assert 'aria-label="Whose scores"' not in client.get("/").text


def test_every_window_order_and_application_can_be_shown(client: TestClient) -> None:
    for window in ("5m", "15m", "1h", "6h", "24h"):
        for order in ("newest", "worst"):
            assert client.get("/", params={"window": window, "order": order, "app": "policy-desk"}).status_code == 200


@pytest.mark.parametrize("query", ["order=", "limit=99999", "limit=" + "9" * 5000, "app=nobody", "x=y"])
def test_a_query_beyond_what_there_is_gets_what_there_is(client: TestClient, query: str) -> None:
    assert "Not understood" not in client.get(f"/?{query}").text
    assert client.get(f"/api/status?{query}").status_code == 200


@pytest.mark.parametrize("query", ["window=9y", "order=oldest", "limit=-1", "limit=x", "limit=²"])
def test_a_query_that_makes_no_sense_is_told_and_a_script_gets_400(client: TestClient, query: str) -> None:
    page = client.get(f"/?{query}")
    assert page.status_code == 200
    assert "Not understood, so left out" in page.text
    assert query in page.text
    answer = client.get(f"/api/status?{query}")
    assert (answer.status_code, answer.json()) == (400, {"error": f"not understood: {query}"})


def test_an_application_that_has_sent_nothing_stays_chosen(client: TestClient) -> None:
    html = client.get("/?app=nobody").text
    assert '<option value="nobody" selected>nobody</option>' in html


def test_claims_are_marked_with_a_sign_and_a_word_not_by_colour_alone(client: TestClient) -> None:
    html = client.get("/", params={"order": "worst"}).text
    elements = Elements(html)
    marks = [attributes for tag, attributes in elements.tags if tag == "mark"]
    assert any(attributes["class"] == "claim contradicted" for attributes in marks)
    assert "✕" in elements.text
    assert "[contradicted]" in elements.text


def test_the_api_gives_what_the_page_shows(client: TestClient) -> None:
    status = client.get("/api/status", params={"app": "policy-desk", "limit": "3", "window": "1h"}).json()
    assert status["apps"] == ["policy-desk", "shop-assistant"]
    assert 0 < status["hallucination"]["low"] < status["hallucination"]["mean"] < status["hallucination"]["high"] < 1
    assert status["rise"]["now"]["mean"] > status["rise"]["before"]["mean"]
    assert len(status["latest"]) == 3
    assert {one["interaction"]["app"] for one in status["latest"]} == {"policy-desk"}
    assert {share["part"] for share in status["diagnoses"]} <= {"ok", "retriever", "generator", "unknown"}
    assert sum(share["share"] for share in status["diagnoses"]) == pytest.approx(1.0)


def test_nothing_seen_yet_says_what_to_do_next() -> None:
    html = client_with([]).get("/").text
    assert "No answers yet" in html
    assert "OTEL_EXPORTER_OTLP_ENDPOINT=http://testserver" in html
    assert client_with([]).get("/api/status").json()["hallucination"] is None


def test_a_rate_that_is_not_known_is_not_shown_as_zero() -> None:
    lacking = scored(
        scores={MetricKey.FAITHFULNESS: NotApplicable(Reason.CONTENT_NOT_CAPTURED)},
        question=None,
        answer=None,
        contexts=None,
        capture=Capture.CONTENT_NOT_CAPTURED,
        remedy="Set OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT.",
        end_ns=now_ago(5),
    )
    client = client_with([lacking])
    text = Elements(client.get("/").text).text
    assert "Not known" in text
    assert "content not captured" in text
    assert "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT" in text
    assert client.get(f"/interactions/{lacking.interaction.id}").status_code == 200


def test_an_interaction_s_page_shows_claims_against_passages(client: TestClient) -> None:
    one = next(one for one in traffic(NOW)[-100:] if one.language == "de" and one.scores[MetricKey.FAITHFULNESS] != 1)
    elements = Elements(client.get(f"/interactions/{one.interaction.id}").text)
    assert one.interaction.question is not None
    assert one.interaction.question in elements.text
    assert any(tag == "mark" and (attributes["class"] or "").startswith("quote") for tag, attributes in elements.tags)


def test_an_id_with_slashes_and_colons_leads_to_its_page() -> None:
    one = scored("trace:span/../x?y#z", end_ns=now_ago(5))
    client = client_with([one])
    links = [attributes["href"] for tag, attributes in Elements(client.get("/").text).tags if tag == "a"]
    path = next(link for link in links if link and link.startswith("/interactions/"))
    assert client.get(path).status_code == 200


def test_an_interaction_that_is_gone_is_a_clear_404(client: TestClient) -> None:
    response = client.get("/interactions/" + "no%20such<script>")
    assert response.status_code == 404
    assert "not here" in response.text
    assert "<script>" not in response.text.replace("<script src=", "")


@pytest.mark.parametrize("text", HOSTILE)
def test_application_text_cannot_become_markup(text: str) -> None:
    one = scored(
        "id" + text,
        question=text,
        answer=f"{text} within 30 days",
        contexts=(Document(text, 1, id=text),),
        app=text,
        model=text,
        remedy=text,
        conversation_id=text,
        environment=text,
        language=text,
        faithfulness=0.0,
        verdicts=(Verdict.NOT_FOUND,),
        end_ns=now_ago(5),
    )
    client = client_with([one])
    clean = client_with([scored(faithfulness=0.0, end_ns=now_ago(5))])
    allowed = {tag for page in (clean, client_with([])) for tag, _ in Elements(page.get("/").text).tags}
    assert client.get("/api/status").status_code == 200
    sent = text.replace("\ud800", "")
    for query in ({}, {"app": sent}, {"scorer": sent}):
        html = client.get("/", params=query).text
        elements = Elements(html)
        assert {tag for tag, _ in elements.tags} <= allowed | {"option"}
        assert sum(tag == "script" for tag, _ in elements.tags) == 1
        assert not [name for _, attributes in elements.tags for name in attributes if name.startswith("on")]
        hrefs = [attributes.get("href") or "" for _, attributes in elements.tags]
        assert not [href for href in hrefs if href.lower().startswith(("javascript:", "http", "//"))]


@given(scored_interactions)
@settings(max_examples=40)
def test_any_interaction_can_be_shown(one: ScoredInteraction) -> None:
    client = client_with([one])
    assert client.get("/").status_code == 200
    assert client.get("/api/status").status_code == 200


def test_text_in_either_direction_is_isolated(client: TestClient) -> None:
    elements = Elements(client.get("/", params={"limit": "200"}).text)
    for tag, attributes in elements.tags:
        if (attributes.get("class") or "") in {"answer", "passage"}:
            assert attributes["dir"] == "auto", tag


@pytest.mark.parametrize("path", ["/", "/interactions/x", "/api/status"])
def test_only_our_own_assets_may_load(client: TestClient, path: str) -> None:
    response = client.get(path)
    policy = response.headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self'")
    assert "unsafe" not in policy
    assert response.headers["x-content-type-options"] == "nosniff"
    assert response.headers["cache-control"] == "no-store"
    assert not re.search(r"""(?:src|href)=["'](?:https?:)?//""", response.text)
    assert " style=" not in response.text


def test_assets_are_there_and_nothing_beside_them(client: TestClient) -> None:
    for name, kind in (("status.css", "text/css"), ("status.js", "javascript"), ("mark.svg", "image/svg+xml")):
        response = client.get(f"/assets/status/{name}")
        assert response.status_code == 200
        assert kind in response.headers["content-type"]
    assert client.get("/assets/status/../page.py").status_code == 404
    assert client.get("/assets/status/%2e%2e/page.py").status_code == 404


def test_the_page_has_landmarks_one_main_heading_and_named_controls(client: TestClient) -> None:
    for path in ("/", f"/interactions/{traffic(NOW)[-1].interaction.id}"):
        elements = Elements(client.get(path).text)
        tags = [tag for tag, _ in elements.tags]
        assert {"header", "main", "footer", "nav"} <= set(tags)
        assert tags.count("h1") == 1
        assert ("html", {"lang": "en"}) in elements.tags
        identifiers = [attributes["id"] for _, attributes in elements.tags if "id" in attributes]
        assert len(identifiers) == len(set(identifiers))
        labelled = [attributes["aria-labelledby"] for _, attributes in elements.tags if "aria-labelledby" in attributes]
        assert set(labelled) <= set(identifiers)
