"""The words at fault within an answer, on its page."""

from collections.abc import Sequence

from hypothesis import given, settings
from hypothesis import strategies as st
from starlette.applications import Starlette
from starlette.testclient import TestClient

from ragsonde.collector.clock import Deadline
from ragsonde.exporters.labels import LabelPolicy, LabelsConfig
from ragsonde.exporters.record import to_record
from ragsonde.exporters.record_reader import from_record
from ragsonde.exporters.status.page import StatusPage
from ragsonde.exporters.status.recent import RecentInteractions, StatusConfig
from ragsonde.scorers.score import Claim, MetricKey, Scored, ScoredInteraction, Verdict
from tests.exporters.faults import BRIDGE, INVENTED, ShownAnswer, really_scored, words_at_fault
from tests.exporters.scored import citations, scored
from tests.fakes import FakeClock

NOW = 1_700_000_000.0


def pages_of(one: ScoredInteraction) -> Sequence[ShownAnswer]:
    """The answer as the list shows it, and on its own page."""
    clock = FakeClock(NOW)
    recent = RecentInteractions(StatusConfig(), LabelPolicy(LabelsConfig()), clock)
    recent.export([one], Deadline(1))
    client = TestClient(Starlette(routes=StatusPage(recent, clock).routes()))
    return [ShownAnswer(client.get(path).text) for path in ("/", f"/interactions/{one.interaction.id}")]


def test_what_the_real_scorer_points_at_is_marked_with_words_and_the_rest_is_not() -> None:
    one = really_scored("one", INVENTED, BRIDGE, seconds=NOW)
    assert any("velvet giraffes" in words for words in words_at_fault(one))
    for page in pages_of(from_record(to_record(one))):
        assert page.text == INVENTED
        assert page.faults == words_at_fault(one)
        assert not any("Tierney Clark" in words for words in page.faults)
        assert f"[the words at fault:] {page.faults[0]} [end]" in page.said


def test_a_claim_that_no_passage_could_bear_out_is_at_fault_as_a_whole() -> None:
    one = really_scored("one", "The bridge was opened in 1832.", "", seconds=NOW)
    for page in pages_of(one):
        assert page.faults == ["The bridge was opened in 1832."]


answers = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00\r"), min_size=1, max_size=40)


@given(answers.filter(str.strip), st.data())
@settings(max_examples=60)
def test_the_text_shown_is_the_answer_whatever_the_spans(answer: str, data: st.DataObject) -> None:
    offset = st.integers(-3, len(answer) + 3)
    claims = st.builds(
        Claim,
        text=st.just("<b>"),
        start=offset,
        end=offset,
        verdict=st.sampled_from(Verdict),
        stretches=st.lists(st.tuples(offset, offset), max_size=4).map(tuple),
    )
    outcome = Scored(
        0.0,
        claims=tuple(data.draw(st.lists(claims, max_size=4))),
        citations=tuple(data.draw(st.lists(citations, max_size=2))),
    )
    one = scored("one", answer=answer, scores={MetricKey.FAITHFULNESS: outcome}, end_ns=int(NOW * 1e9))
    for page in pages_of(one):
        assert page.text == answer
