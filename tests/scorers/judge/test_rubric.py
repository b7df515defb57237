"""A rubric file makes a metric without code."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from ragsonde.collector.clock import Deadline
from ragsonde.collector.errors import ConfigError
from ragsonde.collector.model import Interaction
from ragsonde.scorers.judge.rubric import RubricConfig, RubricScorer, load_rubric_file
from ragsonde.scorers.judge.scorer import JudgeScorer
from ragsonde.scorers.reading import Reading
from ragsonde.scorers.score import Failed, FailureKind, NotApplicable, Outcome, Reason, Scored
from tests.scorers.judge.judging import InProcess, config, reading, script

FILE = """
name = "politeness"
version = "2"
prompt = "Is the answer polite? {answer} ${answer} is no field here."
inputs = ["question", "answer"]

[labels]
polite = 1.0
neutral = 0.5
"very rude" = 0.0
"""


def labelled(label: str) -> dict[str, Any]:
    return {"task": "politeness", "reply": {"label": label, "explanation": "why"}}


def judged(of: Reading, server: InProcess, rubric: RubricConfig, **fields: Any) -> Outcome:
    async def run() -> Outcome:
        judge = server.judge(config(**fields))
        try:
            result = await RubricScorer(rubric, judge).outcome(of, Deadline(20))
            assert (result.name, result.version) == (rubric.name, rubric.version)
            return result.outcome
        finally:
            await judge.aclose()

    return asyncio.run(run())


@pytest.fixture
def rubric(tmp_path: Path) -> RubricConfig:
    (tmp_path / "politeness.toml").write_text(FILE, encoding="utf-8")
    return load_rubric_file(tmp_path / "politeness.toml")


@pytest.mark.parametrize(("label", "value"), [("polite", 1.0), ("NEUTRAL", 0.5), ("very_rude", 0.0)])
def test_a_label_stands_for_its_value(rubric: RubricConfig, label: str, value: float) -> None:
    outcome = judged(reading("Certainly, sir."), InProcess(script(overrides=[labelled(label)])), rubric)
    assert isinstance(outcome, Scored)
    assert outcome.value == value
    assert outcome.label in rubric.labels


def test_an_unknown_label_is_asked_again_and_then_an_invalid_reply(rubric: RubricConfig) -> None:
    server = InProcess(script(overrides=[labelled("fine")]))
    outcome = judged(reading("Certainly, sir."), server, rubric)
    assert isinstance(outcome, Failed)
    assert outcome.kind is FailureKind.INVALID_REPLY
    assert server.stats()["calls"] == 2


def test_the_judge_sees_the_inputs_and_nothing_else(rubric: RubricConfig) -> None:
    server = InProcess(script(overrides=[labelled("polite")]))
    judged(reading("Certainly.", ["A CONTEXT"], "A QUESTION", reference="A REFERENCE"), server, rubric)
    (seen,) = server.prompts()
    assert "A QUESTION" in seen["user"]
    assert "A CONTEXT" not in seen["user"]
    assert "A REFERENCE" not in seen["user"]
    assert "{answer} ${answer} is no field here." in seen["system"]
    schema = seen["body"]["response_format"]["json_schema"]["schema"]
    assert schema["properties"]["label"]["enum"] == list(rubric.labels)


@pytest.mark.parametrize(
    ("inputs", "of", "why"),
    [
        (("reference", "answer"), reading("x y"), Reason.NO_REFERENCE),
        (("documents",), reading("x y", None), Reason.CONTEXTS_NOT_CAPTURED),
        (("question",), reading("x y", question=None), Reason.NO_QUESTION),
        (("answer",), Reading(Interaction("i", "q", None, None)), Reason.INCOMPLETE),
    ],
)
def test_a_missing_input_is_not_applicable(
    rubric: RubricConfig, inputs: tuple[str, ...], of: Reading, why: Reason
) -> None:
    server = InProcess(script())
    outcome = judged(of, server, rubric.model_copy(update={"inputs": inputs}))
    assert outcome == NotApplicable(why)
    assert "calls" not in server.stats()


def test_contexts_that_do_not_fit_are_an_overflow(rubric: RubricConfig) -> None:
    wide = rubric.model_copy(update={"inputs": ("documents", "answer")})
    outcome = judged(
        reading("x y", ["word. " * 3000]),
        InProcess(script()),
        wide,
        context_window_tokens=2000,
        max_output_tokens=100,
    )
    assert isinstance(outcome, Failed)
    assert outcome.kind is FailureKind.CONTEXT_OVERFLOW


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (('"very rude" = 0.0', '"very rude" = 1.5'), "very rude"),
        (('"very rude" = 0.0', '"POLITE" = 0.1'), "labels"),
        (('inputs = ["question", "answer"]', 'inputs = ["contexts"]'), "inputs"),
        (('name = "politeness"', 'name = "My Metric"'), "name"),
        (('version = "2"', ""), "version"),
        (("[labels]", "colour = 1\n[labels]"), "colour"),
        (("[labels]", "[labels"), "TOML"),
    ],
)
def test_a_faulty_file_is_named_with_its_field(tmp_path: Path, change: tuple[str, str], fault: str) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(FILE.replace(*change), encoding="utf-8")
    with pytest.raises(ConfigError, match=rf"mine\.toml.*{fault}"):
        load_rubric_file(path)


def test_the_scorer_gives_rubrics_by_name_beside_its_own_metrics(rubric: RubricConfig) -> None:
    server = InProcess(script(overrides=[labelled("polite")]))
    other = rubric.model_copy(update={"name": "tone"})
    judge = JudgeScorer(server.judge(config()), rubrics=[rubric, other])
    results = judge.score_rubrics([reading("Certainly."), reading("Sure.")], Deadline(20))
    judge.close()
    assert [set(result) for result in results] == [{"politeness", "tone"}] * 2
    assert isinstance(results[0]["politeness"], Scored)
    assert isinstance(results[0]["tone"], Failed)
