from collections.abc import Callable
from dataclasses import replace

import pytest

from ragsonde.calibration.labels import LabelVerdict
from ragsonde.collector.model import Document, SamplingDecision
from ragsonde.scorers.score import (
    Citation,
    Failed,
    FailureKind,
    Judgement,
    MetricKey,
    Scored,
    ScoredInteraction,
    Verdict,
)
from tests.exporters.faults import BRIDGE, INVENTED, ShownAnswer, really_scored, words_at_fault
from tests.exporters.scored import claim, scored
from tests.review.web.conftest import NOW, Place
from tests.review.web.elements import Elements

TWICE = {"selection": {"random_share": 1.0, "double_share": 1.0}}


def answered(id_: str = "one", **values: object) -> ScoredInteraction:
    return scored(id_, end_ns=int(NOW * 1e9), **values)  # type: ignore[arg-type]


def judged() -> ScoredInteraction:
    """Local scorers and a judge that differ, a failed metric, and a rubric."""
    one = answered(faithfulness=1.0)
    found = {
        MetricKey.FAITHFULNESS: Scored(0.0, claims=(claim(verdict=Verdict.CONTRADICTED, quote="within 30 days"),)),
        MetricKey.ANSWER_RELEVANCE: Failed(FailureKind.TIMEOUT),
        "politeness": Scored(0.5, "curt"),
    }
    decision = SamplingDecision(kept=True, probability=0.5)
    judgement = Judgement("judge", found, decision)  # type: ignore[arg-type]
    return replace(one, scores=found, local_scores=one.scores, judgements=(judgement,))  # type: ignore[arg-type]


def test_local_and_judge_stand_side_by_side_with_failures_as_such(place_of: Callable[..., Place]) -> None:
    text = Elements(place_of([judged()]).person().get("/review/items/one").text).words
    assert "local scorers ✓ supported" in text
    assert "judge ✕ contradicted" in text
    assert "failed: timeout" in text
    assert "Politeness judge: curt" in text


def test_a_claim_leads_to_its_passage_and_the_quote_is_marked_there(place_of: Callable[..., Place]) -> None:
    elements = Elements(place_of([judged()]).person().get("/review/items/one").text)
    assert elements.all("a", href="#passage-1")
    assert elements.all("li", id="passage-1")
    assert elements.all("mark", class_="quote contradicted", data_claims="0")
    assert elements.all("mark", class_="claim contradicted", data_claim="0")


def test_the_words_at_fault_are_marked_within_their_claim(place_of: Callable[..., Place]) -> None:
    one = really_scored("one", INVENTED, BRIDGE, seconds=NOW)
    html = place_of([one]).person().get("/review/items/one").text
    shown = ShownAnswer(html)
    assert shown.text == INVENTED
    assert shown.faults == words_at_fault(one)
    assert Elements(html).all("mark", class_="fault")


def test_a_quote_is_marked_in_a_document_with_entities_and_the_claim_leads_to_it(
    place_of: Callable[..., Place],
) -> None:
    document = "<p>Refunds &amp; returns: within&nbsp;30 days, it&#39;s free.</p>"
    quote = "Refunds & returns: within\u00a030 days, it's free."
    outcome = Scored(1.0, claims=(claim(quote=quote, context_ids=("doc-1",)),))
    one = answered(contexts=(Document(document, 1, "doc-1"),), scores={MetricKey.FAITHFULNESS: outcome})
    elements = Elements(place_of([one]).person().get("/review/items/one").text)
    assert elements.all("mark", class_="quote supported", data_claims="0")
    assert elements.all("a", href="#passage-1")
    assert document in elements.text


def test_a_citation_leads_to_the_cited_passage_and_a_fabricated_one_nowhere(place_of: Callable[..., Place]) -> None:
    citations = (
        Citation("[1]", 0, 3, "1", "doc-1", True),
        Citation("[9]", 4, 7, "9", None),
    )
    one = answered(
        answer="[1] [9] within 30 days",
        scores={MetricKey.CITATION_ACCURACY: Scored(0.5, citations=citations)},
    )
    elements = Elements(place_of([one]).person().get("/review/items/one").text)
    assert elements.all("a", class_="citation supported", href="#passage-1")
    assert elements.all("span", class_="citation fabricated")
    assert not elements.all("a", class_="citation fabricated")
    assert "no such source was retrieved" in elements.text


def test_everything_that_a_form_says_is_kept(place: Place) -> None:
    anna, first = place.person(), place.ids()[0]
    anna.act(
        first, "save", verdict="contradicted", answer_is_right="1", unanswerable="1", corrected_answer="Right.",
        key_facts="one\ntwo", note="why", **{"claim-0": "supported", "rubric-politeness": "curt"},
    )  # fmt: skip
    (review,) = place.store.item(first).reviews
    assert review.verdict is LabelVerdict.CONTRADICTED
    assert review.claims == {0: LabelVerdict.SUPPORTED}
    assert review.rubrics == {"politeness": "curt"}
    assert (review.corrected_answer, review.key_facts, review.note) == ("Right.", ("one", "two"), "why")
    assert review.answer_is_right
    assert review.unanswerable
    elements = Elements(anna.get(f"/review/items/{first}").text)
    assert elements.all("input", name="verdict", value="contradicted", checked=None)  # type: ignore[arg-type]
    assert elements.all("input", name="version", value="1")


def test_saving_and_going_on_leads_to_another_item_and_back_by_undo(place: Place) -> None:
    anna = place.person()
    first = anna.submit("/review/next").headers["location"].rpartition("/")[2]
    led = anna.act(first, "next", verdict="supported").headers["location"]
    assert led.startswith("/review/items/")
    assert first in led.partition("?")[2]
    page = anna.get(led).text
    assert "Saved." in page
    assert "Undo" in page
    anna.act(first, "undo")
    assert place.store.item(first).reviews == ()


def test_going_on_with_nothing_said_is_not_taken_for_a_review(place: Place) -> None:
    anna, first = place.person(), place.ids()[0]
    response = anna.act(first, "next")
    assert response.headers["location"].startswith(f"/review/items/{first}?told=empty")
    assert place.store.item(first).reviews == ()


def test_what_stands_there_already_is_not_saved_again(place: Place) -> None:
    anna, first = place.person(), place.ids()[0]
    anna.autosave(first, verdict="supported", version="0")
    assert anna.autosave(first, verdict="supported", version="1").json()["review"]["version"] == "1"


def test_a_skipped_item_does_not_come_again_and_stays_open(place: Place) -> None:
    anna = place.person()
    first = anna.submit("/review/next").headers["location"].rpartition("/")[2]
    anna.act(first, "skip")
    assert first not in anna.submit("/review/next").headers["location"]
    assert place.store.item(first).state == "open"


def test_a_dismissed_item_is_out_until_it_is_brought_back(place: Place) -> None:
    anna, first = place.person(), place.ids()[0]
    anna.act(first, "dismiss")
    assert place.store.item(first).state == "dismissed"
    assert "Bring back" in anna.get(f"/review/items/{first}").text
    anna.act(first, "restore")
    assert place.store.item(first).state == "open"


def test_a_save_on_an_older_state_shows_both_and_loses_neither(place: Place) -> None:
    anna, first = place.person(), place.ids()[0]
    assert anna.autosave(first, verdict="supported", version="0").json()["review"]["version"] == "1"
    clash = anna.autosave(first, verdict="contradicted", note="mine", version="0")
    assert clash.status_code == 409
    assert clash.json()["latest"]["verdict"] == "supported"
    given = {"verdict": "contradicted", "note": "mine", "claim-0": "unsure", "rubric-politeness": "rude"}
    page = anna.act(first, "save", version="0", **given)
    assert page.status_code == 409
    elements = Elements(page.text)
    assert "there: supported; here: contradicted" in elements.words
    assert elements.all("input", name="verdict", value="contradicted", checked=None)  # type: ignore[arg-type]
    assert elements.all("input", name="claim-0", value="unsure", checked=None)  # type: ignore[arg-type]
    assert "rude" in elements.words
    version = elements.all("input", name="version")[0]["value"]
    anna.act(first, "save", version=version, **given)
    assert place.store.item(first).reviews[0].verdict is LabelVerdict.CONTRADICTED


def test_a_second_reviewer_sees_nothing_of_the_first_before_the_own_verdict(place_of: Callable[..., Place]) -> None:
    place = place_of([answered()], **TWICE)
    anna, ben = place.person("Anna"), place.person("Ben")
    anna.act("one", "save", verdict="contradicted", note="it says nothing of it", **{"claim-0": "not_found"})
    for path in ("/review/items/one", "/review?state=any"):
        page = ben.get(path).text
        assert "it says nothing of it" not in page
        assert "Anna" not in page
    assert "Another reviewer has labelled this too" in ben.get("/review/items/one").text
    ben.act("one", "save", **{"claim-0": "supported"})
    words = Elements(ben.get("/review/items/one").text).words
    assert "Anna : not found differs from yours" in words
    assert "it says nothing of it" not in words
    ben.act("one", "save", verdict="contradicted", version="1", **{"claim-0": "supported"})
    words = Elements(ben.get("/review/items/one").text).words
    assert "it says nothing of it" in words
    assert "What others say" in words


def test_a_turn_of_the_conversation_does_not_give_away_what_another_said_of_it(place_of: Callable[..., Place]) -> None:
    turns = [answered(name, conversation_id="chat", question=f"{name}?") for name in ("one", "two")]
    place = place_of(turns, **TWICE)
    place.person("Anna").act("one", "save", verdict="contradicted")
    ben = place.person("Ben")
    assert "says a person" not in ben.get("/review/items/two").text
    ben.act("one", "save", verdict="not_found")
    page = Elements(ben.get("/review/items/two").text).words
    assert "says a person" in page
    assert "a bad session" in page


def test_an_item_that_somebody_else_has_open_says_who(place: Place) -> None:
    first = place.ids()[0]
    place.person("Anna").get(f"/review/items/{first}")
    ben = place.person("Ben")
    assert "Held by Anna" in Elements(ben.get(f"/review/items/{first}").text).words
    assert ben.submit(f"/review/items/{first}", {"Accept": "application/json"}, action="hold").json() == {
        "held_by": "Anna"
    }


@pytest.mark.parametrize("action", ["save", "undo", "dismiss", "skip", "next", "hold"])
def test_an_item_that_is_gone_is_a_clear_404(place: Place, action: str) -> None:
    response = place.person().act("no/such:item", action, verdict="supported")
    assert response.status_code == 404
    assert "not here" in response.text
    assert place.person().get("/review/items/no%2Fsuch:item").status_code == 404


def test_an_action_of_nobody_s_is_refused(place: Place) -> None:
    assert place.person().act(place.ids()[0], "explode").status_code == 400


def test_a_claim_that_the_answer_does_not_have_gets_no_label(place: Place) -> None:
    anna, (first, *_) = place.person(), place.ids()
    answer = anna.act(first, "save", **{"claim-999": "supported"})
    assert answer.status_code == 400
    assert "field claim-999: the answer has" in answer.text
    assert place.store.item(first).reviews == ()


def test_an_id_with_slashes_leads_to_its_page(place_of: Callable[..., Place]) -> None:
    anna = place_of([answered("trace:span/../x?y#z")]).person()
    links = [attributes["href"] or "" for attributes in Elements(anna.get("/review").text).all("a")]
    path = next(link for link in links if link.startswith("/review/items/"))
    assert anna.get(path).status_code == 200


def test_what_was_not_captured_is_said(place_of: Callable[..., Place]) -> None:
    lacking = answered(question=None, contexts=None, remedy="Switch it on.")
    words = Elements(place_of([lacking]).person().get("/review/items/one").text).words
    assert "The question was not captured" in words
    assert "does not carry the retrieved passages. Switch it on." in words
