"""Traces that come in pieces, twice, late or from the judge itself, and what is delivered of them: once, and safely."""

import json
import random
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from ragsonde.collector.assembler import Assembler, AssemblyConfig
from ragsonde.collector.errors import RetryableError
from ragsonde.collector.extraction import extract
from ragsonde.collector.model import Interaction, Trace
from ragsonde.scorers.score import MetricKey, NotApplicable
from ragsonde.scorers.scoring import ScorerSet
from ragsonde.testing.judge_process import JudgeServer, running_judge_server
from ragsonde.testing.judge_script import Script
from tests.app.sidecars import RunningSidecar, rag_trace, running, wait_for
from tests.cases.casebook import Case, cases, value
from tests.exporters.recording import RecordingExporter
from tests.exporters.scored import scored as scored_interaction
from tests.exporters.test_fanout import running as running_fanout
from tests.exporters.test_labels import HOSTILE
from tests.exporters.test_prometheus import Exported
from tests.fakes import EventRecorder, FakeClock
from tests.otlp_requests import spans_of
from tests.scorers.judge.judging import script
from tests.spans import Spans, chat, prompt, retrieval

FAITHFULNESS = MetricKey.FAITHFULNESS
INTERACTIONS = "ragsonde_interactions_total"

TEXTS: dict[str, Case] = {parameter.values[0].id: parameter.values[0] for parameter in cases("languages", "path")}


def request(language: str) -> ExportTraceServiceRequest:
    """The spans that the instrumentation emits for one answered question."""
    return as_request(TEXTS[language])


def as_request(case: Case) -> ExportTraceServiceRequest:
    parsed = ExportTraceServiceRequest()
    parsed.ParseFromString(rag_trace(case.question, case.contexts, case.answer))
    return parsed


def part(whole: ExportTraceServiceRequest, kept: Callable[[Any], bool]) -> bytes:
    """A request with some of the spans."""
    copy = ExportTraceServiceRequest()
    copy.CopyFrom(whole)
    for group in copy.resource_spans:
        for scope in group.scope_spans:
            spans = [span for span in scope.spans if kept(span)]
            del scope.spans[:]
            scope.spans.extend(spans)
    return copy.SerializeToString()


def as_started(whole: ExportTraceServiceRequest) -> bytes:
    """The spans as exported at their start: no end, no attributes that come with the end."""
    copy = ExportTraceServiceRequest()
    copy.CopyFrom(whole)
    for span in spans_of(copy):
        span.end_time_unix_nano = 0
        kept = [attribute for attribute in span.attributes if "output" not in attribute.key]
        del span.attributes[:]
        span.attributes.extend(kept)
    return copy.SerializeToString()


def is_retrieval(span: Any) -> bool:
    return span.name.startswith("retriev")


def identifier(whole: ExportTraceServiceRequest) -> str:
    return spans_of(whole)[0].trace_id.hex()


@pytest.fixture(scope="module")
def sidecar(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningSidecar]:
    with running(tmp_path_factory.mktemp("data")) as started:
        yield started


@pytest.mark.parametrize("language", [pytest.param(code, id=f"case_59-{code}") for code in TEXTS])
def test_a_span_exported_at_its_start_and_again_whole_is_scored_once(sidecar: RunningSidecar, language: str) -> None:
    whole = request(language)
    before = sidecar.total(INTERACTIONS)
    for body in (as_started(whole), as_started(whole), whole.SerializeToString(), whole.SerializeToString()):
        assert sidecar.post(body).status_code == 200
    found = sidecar.interaction(identifier(whole))
    assert (found.question, found.answer) == (TEXTS[language].question, TEXTS[language].answer)
    # What is sent after it has been scored comes out behind it: by then a second scoring would have been counted.
    marker = request("en")
    sidecar.post(marker.SerializeToString())
    sidecar.interaction(identifier(marker))
    wait_for(lambda: sidecar.total(INTERACTIONS) == before + 2, "both to be counted, once each")


@pytest.mark.parametrize("language", [pytest.param(code, id=f"case_60-{code}") for code in ("en", "ru", "zh")])
def test_a_late_retrieval_replaces_the_scores_and_is_not_counted_twice(sidecar: RunningSidecar, language: str) -> None:
    whole = request(language)
    counted, rescored = sidecar.total(INTERACTIONS), sidecar.total("ragsonde_rescored_total")
    sidecar.post(part(whole, lambda span: not is_retrieval(span)))
    sidecar.interaction(identifier(whole))
    early = sidecar.scored(identifier(whole))
    assert early is not None
    assert isinstance(early.scores[FAITHFULNESS], NotApplicable)
    assert not early.rescored
    sidecar.post(part(whole, is_retrieval))

    def late() -> Any:
        found = sidecar.scored(identifier(whole))
        return found if found is not None and found.rescored else None

    found = wait_for(late, "the late retrieval to be scored")
    assert value(found.scores[FAITHFULNESS]) == 1.0
    wait_for(lambda: sidecar.total("ragsonde_rescored_total") == rescored + 1, "the rescoring to be counted")
    assert sidecar.total(INTERACTIONS) == counted + 1


@pytest.mark.parametrize(
    ("seconds", "joined"),
    [
        pytest.param(3, True, id="case_60-3s"),
        pytest.param(20, True, id="case_60-20s"),
        pytest.param(240, True, id="case_60-4min"),
        pytest.param(3_600, False, id="case_60-1h-too-late"),
    ],
)
def test_a_retrieval_joins_its_answer_within_the_late_window(seconds: float, joined: bool, scorers: ScorerSet) -> None:
    spans = Spans()
    root = spans.add("rag", {"openinference.span.kind": "CHAIN", "input.value": "Q?", "output.value": "A."}, lasts=9)
    spans.add("chat", chat("Q?", "It opens at nine."), parent=root)
    spans.add("retrieval", retrieval("Q?", ["It opens at nine."]), parent=root)
    clock = FakeClock()
    assembler: Assembler[int] = Assembler(AssemblyConfig(), clock, EventRecorder())
    assembler.add(spans.spans[:2], [], 1)
    clock.advance(min(seconds, 6))
    first = assembler.ready()
    clock.advance(max(0, seconds - 6))
    assembler.ready()
    assembler.add(spans.spans[2:], [], 2)
    clock.advance(10)
    last = [*first, *assembler.ready()][-1]
    (found,) = extract(last.trace).interactions
    assert (found.contexts is not None) is joined
    assert last.late is (joined and bool(first))


# Several retrievals and generations of one name --------------------------------------------------------------------


def several(reverse: bool = False) -> Spans:
    """Two retrievals and three generations of one name: a search made anew, a draft, its check, and the answer."""
    spans = Spans()
    question = "How long may I keep the drill?"
    root = spans.add("POST /ask", lasts=60)
    spans.add("search", retrieval("drill", ["Hammers are blue.", "Nails are long."]), parent=root)
    spans.add("llm", chat("Rewrite as a query: " + question, "drill rental duration"), parent=root)
    spans.add("search", retrieval("drill rental duration", ["A drill may be kept for seven days."]), parent=root)
    texts = ["A drill may be kept for seven days."]
    spans.add("llm", chat(prompt(question, texts), "Maybe a week, I will check the rules first."), parent=root)
    spans.add("llm", chat(prompt(question, texts), "You may keep it for seven days [1]."), parent=root)
    if reverse:
        spans.spans.reverse()
    return spans


def test_the_last_generation_is_the_answer_and_its_contexts_are_those_retrieved_for_it() -> None:
    """case_61."""
    found = several().interaction()
    assert found.answer == "You may keep it for seven days [1]."
    assert next(document.text for document in found.contexts or ()) == "A drill may be kept for seven days."


@pytest.mark.parametrize("seed", [pytest.param(seed, id=f"case_61-order-{seed}") for seed in range(8)])
def test_the_selection_does_not_depend_on_the_order_of_arrival(seed: int) -> None:
    def chosen(spans: Sequence[Any]) -> list[Interaction]:
        return list(extract(Trace(spans[0].trace_id, tuple(spans), (), complete=True)).interactions)

    spans = several().spans
    shuffled = list(spans)
    random.Random(seed).shuffle(shuffled)
    wanted = chosen(spans)
    assert [(i.id, i.question, i.answer, i.contexts) for i in chosen(shuffled)] == [
        (i.id, i.question, i.answer, i.contexts) for i in wanted
    ]
    assert len(wanted) == 1


# Delivery ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("errors", [pytest.param(count, id=f"case_63-{count}-errors") for count in (1, 2, 5)])
def test_transient_storage_errors_are_retried_and_nothing_is_lost(errors: int) -> None:
    exporter = RecordingExporter(errors=[RetryableError("store locked")] * errors)
    with running_fanout(exporter) as setup:
        setup.submit("a", "b", "c")
        wait_for(lambda: set(exporter.delivered) == {"a", "b", "c"}, "all to be delivered")
        wait_for(lambda: setup.done.counts == {"a": 1, "b": 1, "c": 1}, "all to be done, once each")
        assert setup.dropped() == []


# The judge ---------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def judge_server() -> Iterator[JudgeServer]:
    with running_judge_server() as started:
        yield started


def judged_by(server: JudgeServer) -> dict[str, Any]:
    judge = {
        "model": "judge-1",
        "base_url": server.base_url,
        "timeouts": {"read_seconds": 0.5, "total_seconds": 1.5},
        "retries": {"max_attempts": 3, "initial_seconds": 0.05, "max_seconds": 0.1},
    }
    return {"scoring": {"judge": judge, "judge_sampling": {"probability": 1.0}}}


@pytest.mark.parametrize(
    ("fault", "outcome"),
    [
        pytest.param({"fault": "hang"}, "failed", id="case_64"),
        pytest.param({"fault": "drip", "seconds": 5}, "failed", id="case_64-drip"),
        pytest.param({"fault": "status", "status": 503, "first": 1}, "scored", id="case_63-judge-503-once"),
        pytest.param({"fault": "status", "status": 429, "first": 1}, "scored", id="case_63-judge-429"),
        pytest.param({"fault": "disconnect", "first": 1}, "scored", id="case_63-judge-disconnect-once"),
    ],
)  # fmt: skip
def test_a_judge_that_hangs_frees_its_worker_and_one_that_stumbles_is_asked_again(
    judge_server: JudgeServer, tmp_path: Path, fault: dict[str, Any], outcome: str
) -> None:
    judge_server.control(script([fault]))
    with running(tmp_path, **judged_by(judge_server)) as sidecar:
        for language in ("en", "zh"):
            sidecar.post(request(language).SerializeToString())
        wait_for(lambda: sidecar.total(INTERACTIONS) == 2, "both to be delivered")
        totals = {"scorer": "judge", "metric": "faithfulness", "outcome": outcome}
        assert sidecar.total("ragsonde_outcomes_total", **totals) == 2
        assert sidecar.total("ragsonde_outcomes_total", scorer="local", metric="faithfulness", outcome="scored") == 2


OWN = {
    "case_65": {"ragsonde.own": "true"},
    "case_65-openinference": {"openinference.span.kind": "EVALUATOR"},
    "case_65-langfuse": {"langfuse.observation.type": "evaluator"},
}


@pytest.mark.parametrize("attributes", OWN.values(), ids=OWN)
def test_a_judges_own_trace_is_not_scored(sidecar: RunningSidecar, attributes: dict[str, str]) -> None:
    own = request("en")
    root = next(span for span in spans_of(own) if not span.parent_span_id)
    spans = own.resource_spans[0].scope_spans[0].spans
    above = spans.add(trace_id=root.trace_id, span_id=b"evaluate", name="evaluate")
    above.start_time_unix_nano, above.end_time_unix_nano = root.start_time_unix_nano - 1, root.end_time_unix_nano + 1
    root.parent_span_id = above.span_id
    for key, text in attributes.items():
        added = above.attributes.add(key=key).value
        if text == "true":
            added.bool_value = True
        else:
            added.string_value = text
    ignored = sidecar.total("ragsonde_ignored_spans_total")
    sidecar.post(own.SerializeToString())
    wait_for(lambda: sidecar.total("ragsonde_ignored_spans_total") > ignored, "the judge's spans to be set aside")
    marker = request("de")
    sidecar.post(marker.SerializeToString())
    sidecar.interaction(identifier(marker))
    assert sidecar.scored(identifier(own)) is None


def test_the_sidecars_own_judge_does_not_feed_itself(judge_server: JudgeServer, tmp_path: Path) -> None:
    """case_65: as many interactions as were sent, and as many judge calls."""
    judge_server.control(Script())
    judge_server.reset()
    with running(tmp_path, **judged_by(judge_server)) as sidecar:
        for language in TEXTS:
            sidecar.post(request(language).SerializeToString())
        wait_for(lambda: sidecar.total(INTERACTIONS) >= len(TEXTS), "all to be scored")
        sidecar.post(request("en").SerializeToString())
        wait_for(lambda: sidecar.total(INTERACTIONS) > len(TEXTS), "one more to be scored")
        assert sidecar.total(INTERACTIONS) == len(TEXTS) + 1
        # The last one was the first one again, whose verdicts are kept.
        assert judge_server.stats()["calls"] == len(TEXTS)


# Labels ------------------------------------------------------------------------------------------------------------

USER_VALUES = [
    "user-4917612345678",
    "https://shop.example/u/42?session=abc",
    "jana.nowak@example.org",
    "9b2d7c1e-4f5a-4e8b-9c3d-2a1b0c9d8e7f",
    "пользователь-123456789012",
    "http://пример.рф/а",
]


@pytest.mark.parametrize("name", ["app", "environment", "model"])
@pytest.mark.parametrize("hostile", [*USER_VALUES, *HOSTILE])
def test_a_label_value_that_is_no_name_becomes_other(name: str, hostile: str) -> None:
    """case_68."""
    exported = Exported()(scored_interaction("a", **{name: hostile}))
    labels = {key: found for sample in exported.samples() for key, found in sample.labels.items() if key == name}
    assert hostile not in labels.values()


@pytest.mark.parametrize("count", [30, 300])
def test_many_users_make_few_series(count: int) -> None:
    """case_68: also names that look harmless, one for each user."""
    exported = Exported(max_apps=5)(*(scored_interaction(str(n), app=f"tenant {n}") for n in range(count)))
    apps = {sample.labels["app"] for sample in exported.samples() if "app" in sample.labels}
    assert len(apps - {"other", "unknown"}) <= 5
    assert "other" in apps


@pytest.mark.parametrize("app", ["shop", "obsługa klienta", "магазин", "客服", "korisnička-podrška", "khidmat"])
def test_listed_names_of_any_script_keep_their_series(app: str) -> None:
    exported = Exported(apps=(app,))(scored_interaction("a", app=app), scored_interaction("b", app="another"))
    assert exported.has("ragsonde_interactions_total", app=app)
    assert exported.has("ragsonde_interactions_total", app="other")
    assert not exported.has("ragsonde_interactions_total", app="another")


# The whole path ------------------------------------------------------------------------------------------------------

SHARES = cases("languages", "shares")


@pytest.mark.parametrize("case", SHARES)
def test_an_instrumented_answer_reaches_the_metrics_with_its_worked_share(sidecar: RunningSidecar, case: Case) -> None:
    whole = as_request(case)
    name = "ragsonde_score_weighted_sum_total"
    before = sidecar.total(name, metric="faithfulness", scorer="local")
    sidecar.post(whole.SerializeToString())
    found = sidecar.interaction(identifier(whole))
    assert [document.text for document in found.contexts or ()] == list(case.contexts)
    share = case.verdicts.count("supported") / len(case.verdicts)
    wait_for(
        lambda: sidecar.total(name, metric="faithfulness", scorer="local") == pytest.approx(before + share),
        "the share to be counted",
    )


def test_the_command_line_gives_the_same_shares(tmp_path: Path) -> None:
    source = tmp_path / "in.jsonl"
    given = [parameter.values[0] for parameter in SHARES]
    source.write_text(
        "".join(
            json.dumps({"id": c.id, "question": c.question, "contexts": list(c.contexts), "answer": c.answer}) + "\n"
            for c in given
        )
    )
    command = [sys.executable, "-m", "ragsonde", "score", str(source)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    records = [json.loads(line) for line in done.stdout.splitlines()]
    found = {record["interaction"]["id"]: record["scores"]["faithfulness"] for record in records}
    for case in given:
        assert found[case.id]["value"] == pytest.approx(case.verdicts.count("supported") / len(case.verdicts)), case.id
