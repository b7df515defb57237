"""Whatever an application or a reviewer writes, it stays text."""

import json
import re
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from starlette.applications import Starlette

from ragsonde.collector.model import Document
from ragsonde.review.model import Review
from ragsonde.scorers.score import Citation, Claim, MetricKey, Scored, ScoredInteraction, Verdict
from tests.exporters.scored import scored, scored_interactions
from tests.fakes import FakeClock
from tests.review.web import reviewed
from tests.review.web.conftest import NOW, Place, routes_of
from tests.review.web.elements import Elements

ATTACKS = [
    pytest.param((attack["payload"] * attack.get("repeat", 1))[:200_000], id=f"{path.stem}: {attack['name']}")
    for path in sorted((Path(__file__).parents[2] / "scorers/judge/attacks").glob("*.json"))
    for attack in json.loads(path.read_text(encoding="utf-8"))
] + [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "</textarea></form><h1>owned",
    "</title><svg onload=alert(1)>",
    "{{ 7*7 }} {% raw %}",
    "javascript:alert(1)",
    "&lt;already escaped&gt;",
    "\u202egnp.exe\u2066",
    "a\x00b\ud800c",
    "' onfocus=alert(1) autofocus='",
]
KNOWN_TAGS = set(
    re.findall(
        r"\w+",
        """
        html head meta title link script body a header img nav main footer p b bdi span h1 h2 h3 section article form
        input fieldset legend label div button kbd ul ol li mark dl dt dd table thead tbody tr th td details summary
        blockquote select option textarea dialog small time
        """,
    )
)


def poisoned(text: str, id_: str = "one") -> ScoredInteraction:
    """An interaction that says the same thing everywhere."""
    claim = Claim(text, 0, len(text), Verdict.NOT_FOUND, 0.1, text, (text,), text)
    one = scored(
        id_,
        question=text,
        answer=f"{text} within 30 days",
        contexts=(Document(text, 1, id=text),),
        app=text,
        model=text,
        conversation_id=text,
        environment=text,
        app_version=text,
        remedy=text,
        language=text,
        scores={
            MetricKey.FAITHFULNESS: Scored(0.0, text, text, claims=(claim,)),
            MetricKey.CITATION_ACCURACY: Scored(0.0, citations=(Citation(text, 0, len(text), text, text, False),)),
        },
        end_ns=int(NOW * 1e9),
    )
    return replace(one, scorer_versions={text: text})


def assert_harmless(html: str) -> None:
    elements = Elements(html)
    assert {tag for tag, _ in elements.tags} <= KNOWN_TAGS
    assert [attributes["src"] for attributes in elements.all("script")][1:] == []
    for _, attributes in elements.tags:
        assert not [name for name in attributes if name.startswith("on") or name == "style"]
        for name in ("href", "src", "action"):
            address = (attributes.get(name) or "/").lower()
            assert address.startswith(("/", "#", "?")), address
            assert not address.startswith("//")


@pytest.mark.parametrize("text", ATTACKS)
def test_captured_text_cannot_become_markup(place_of: Callable[..., Place], text: str) -> None:
    place = place_of([poisoned(text), poisoned(text, "two")])
    anna, ben = place.person("Anna"), place.person("<b>Ben</b>")
    written = text.replace("\ud800", "")[:100_000]
    ben.act("one", "save", verdict="contradicted", note=written, corrected_answer=written, key_facts=written)
    anna.act("one", "save", verdict="contradicted", note=written, **{"rubric-politeness": written[:80]})
    clash = anna.act("one", "save", verdict="supported", corrected_answer=written, version="0")
    assert clash.status_code == 409
    assert_harmless(clash.text)
    for path in ("/review", "/review?state=any", "/review/items/one", "/review/items/two", "/overview"):
        response = anna.get(path)
        assert response.status_code == 200
        assert_harmless(response.text)


@pytest.mark.parametrize("text", ['"><script>alert(1)</script>', "javascript:alert(1)", "//evil.example", "%00%ff"])
def test_what_stands_in_an_address_cannot_become_markup(place: Place, text: str) -> None:
    anna = place.person()
    for path in ("/review", "/review/items/" + place.ids()[0], "/overview", "/review/items/x"):
        query = dict.fromkeys(("app", "metric", "diagnosis", "language", "told", "before", "stretch", "below"), text)
        assert_harmless(anna.get(path, params=query).text)


def test_an_answer_of_a_megabyte_is_shown_and_labelled(place_of: Callable[..., Place]) -> None:
    sentence = "Returns are free within 30 days. "
    answer = sentence * (2**20 // len(sentence))
    claims = tuple(
        Claim(
            sentence.strip(),
            at * len(sentence),
            (at + 1) * len(sentence) - 1,
            Verdict.SUPPORTED,
            0.9,
            "Returns are free",
        )
        for at in range(2_000)
    )
    long = scored(
        "long", answer=answer, scores={MetricKey.FAITHFULNESS: Scored(1.0, claims=claims)}, end_ns=int(NOW * 1e9)
    )
    place = place_of([long])
    anna = place.person()
    page = anna.get("/review/items/long").text
    assert "The answer has 2 000 claims; the first 200 are offered here." in Elements(page).words
    anna.act("long", "save", corrected_answer="x" * 2**20, **{f"claim-{number}": "supported" for number in range(200)})
    (review,) = place.store.item("long").reviews
    assert len(review.claims) == 200
    assert len(review.corrected_answer or "") == 2**20


@given(scored_interactions)
@settings(max_examples=15)
def test_any_interaction_in_the_queue_can_be_shown(one: ScoredInteraction) -> None:
    clock = FakeClock(NOW)
    with tempfile.TemporaryDirectory() as folder:
        store = reviewed.only([one], Path(folder), clock)
        place = Place(store, Starlette(routes=routes_of(store, clock)), clock)
        anna = place.person()
        for entry in place.ids():
            store.save(Review(entry, "Ben", note=one.interaction.answer))
        links = [attributes["href"] or "" for attributes in Elements(anna.get("/review?state=any").text).all("a")]
        for link in {link for link in links if link.startswith("/review/items/")}:
            response = anna.get(link)
            assert response.status_code == 200
            assert_harmless(response.text)
        store.close()


@pytest.mark.parametrize(
    "path", ["/review", "/review/items/x", "/overview", "/review/labels.jsonl", "/review/golden.jsonl"]
)
def test_only_our_own_assets_may_load_and_nothing_is_kept(place: Place, path: str) -> None:
    response = place.person().get(path)
    policy = response.headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self'")
    assert "unsafe" not in policy
    assert response.headers["x-content-type-options"] == "nosniff"
    assert response.headers["cache-control"] == "no-store"
    assert " style=" not in response.text
