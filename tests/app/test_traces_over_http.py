"""Every captured trace, sent over OTLP/HTTP to a whole sidecar, ends as its interaction and scores on /metrics."""

from collections.abc import Iterator

import pytest

from ragsonde.scorers.score import MetricKey, NotApplicable, Reason, Scored
from tests.app.sidecars import RunningSidecar, running, wait_for
from tests.app.trace_files import CONTENT_NOT_CAPTURED, NO_ANSWER, TraceFile, trace_files

FILES = trace_files()
ANSWERED = [file for file in FILES if file.name not in CONTENT_NOT_CAPTURED | NO_ANSWER]


@pytest.fixture(scope="module")
def sidecar(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningSidecar]:
    with running(tmp_path_factory.mktemp("data")) as started:
        for number, file in enumerate(FILES):
            suffix, content_type = [("bin", "application/x-protobuf"), ("json", "application/json")][number % 2]
            if (logs := file.logs(suffix)) is not None:
                assert started.post(logs, "logs", content_type).status_code == 200
            assert started.post(file.spans(suffix), "traces", content_type).status_code == 200
        expected = len(FILES) - len(NO_ANSWER)
        wait_for(lambda: started.total("ragsonde_interactions_total") >= expected, "all traces to be scored")
        yield started


@pytest.mark.parametrize("file", ANSWERED, ids=lambda file: file.name)
def test_a_captured_trace_gives_its_question_its_contexts_in_order_and_its_answer(
    sidecar: RunningSidecar, file: TraceFile
) -> None:
    (expected,) = file.expected()
    found = sidecar.interaction(expected["id"])
    assert found.question == expected["question"]
    assert found.answer == expected["answer"]
    assert [(d.id, d.rank, d.text) for d in found.contexts or ()] == [
        (d["id"], d["rank"], d["text"]) for d in expected["contexts"]
    ]


@pytest.mark.parametrize("file", ANSWERED, ids=lambda file: file.name)
def test_a_captured_trace_is_scored_as_faithful(sidecar: RunningSidecar, file: TraceFile) -> None:
    (expected,) = file.expected()
    sidecar.interaction(expected["id"])
    scored = sidecar.scored(expected["id"])
    assert scored is not None
    faithfulness = scored.scores[MetricKey.FAITHFULNESS]
    assert isinstance(faithfulness, Scored)
    assert faithfulness.value == 1.0, faithfulness.explanation


@pytest.mark.parametrize("file", ANSWERED, ids=lambda file: file.name)
def test_citations_are_right_where_the_ranking_agrees_with_them_and_misattributed_where_it_is_swapped(
    sidecar: RunningSidecar, file: TraceFile
) -> None:
    # The canned answer cites [1] for the returns passage and [2] for the refunds passage.
    (expected,) = file.expected()
    sidecar.interaction(expected["id"])
    scored = sidecar.scored(expected["id"])
    assert scored is not None
    accuracy = scored.scores[MetricKey.CITATION_ACCURACY]
    assert isinstance(accuracy, Scored)
    is_right = expected["contexts"][0]["text"].startswith(("Customers may return", "Klient może zwrócić"))
    assert (accuracy.value, accuracy.label) == ((1.0, None) if is_right else (0.0, "misattributed"))


@pytest.mark.parametrize("file", [f for f in FILES if f.name in CONTENT_NOT_CAPTURED], ids=lambda file: file.name)
def test_content_that_was_switched_off_is_counted_and_never_scored(sidecar: RunningSidecar, file: TraceFile) -> None:
    (expected,) = file.expected()
    found = sidecar.interaction(expected["id"])
    assert (found.question, found.answer, found.contexts) == (None, None, None)
    assert found.remedy
    scored = sidecar.scored(expected["id"])
    assert scored is not None
    assert scored.scores
    for outcome in scored.scores.values():
        assert isinstance(outcome, NotApplicable)
        assert outcome.reason is Reason.CONTENT_NOT_CAPTURED


def test_metrics_count_every_trace_once(sidecar: RunningSidecar) -> None:
    assert sidecar.total("ragsonde_interactions_total", capture="captured") == len(ANSWERED)
    assert sidecar.total("ragsonde_interactions_total", capture="content_not_captured") == len(CONTENT_NOT_CAPTURED)
    assert sidecar.total("ragsonde_outcomes_total", metric="faithfulness", outcome="scored") == len(ANSWERED)
    assert sidecar.total("ragsonde_score_weighted_sum_total", metric="faithfulness") == len(ANSWERED)
    assert sidecar.total("ragsonde_traces_without_interaction_total") == len(NO_ANSWER)
    assert sidecar.total("ragsonde_dead_letters_total") == 0
    assert sidecar.total("ragsonde_dropped_total") == 0


def test_a_trace_that_is_sent_again_counts_nothing_twice(sidecar: RunningSidecar) -> None:
    before = sidecar.total("ragsonde_interactions_total")
    ignored = sidecar.total("ragsonde_ignored_spans_total", reason="duplicate")
    file = ANSWERED[0]
    assert sidecar.post(file.spans("bin")).status_code == 200
    wait_for(
        lambda: sidecar.total("ragsonde_ignored_spans_total", reason="duplicate") > ignored,
        "the duplicates to be noticed",
    )
    assert sidecar.total("ragsonde_interactions_total") == before
