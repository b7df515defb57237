"""A release passes when what was promised is measured and met, and not otherwise."""

import pytest

from ragsonde.evaluation.config import EvaluationConfig
from ragsonde.evaluation.gate import CheckResult, hold
from ragsonde.evaluation.summary import summarise
from ragsonde.scorers.score import Failed, FailureKind, MetricKey, NotApplicable, Outcome, Reason, Scored
from tests.exporters.scored import scored

KEY = MetricKey.FAITHFULNESS


def result(*outcomes: Outcome, unanswered: int = 0, **values: object) -> CheckResult:
    config = EvaluationConfig.model_validate({"thresholds": {"faithfulness": 0.8}} | values)
    given = [scored(f"i{number}", scores={KEY: outcome}) for number, outcome in enumerate(outcomes)]
    gate = hold(summarise(given, unanswered), config)
    assert gate.passed == (gate.checks[0].result is CheckResult.PASSED)
    return gate.checks[0].result


GOOD, BAD = Scored(1.0), Scored(0.0)
REFUSAL, UNSEEN = NotApplicable(Reason.REFUSAL), NotApplicable(Reason.OVER_BUDGET)
FAILED = Failed(FailureKind.TIMEOUT)


@pytest.mark.parametrize(
    ("outcomes", "expected"),
    [
        ([GOOD] * 8 + [BAD] * 2, CheckResult.PASSED),
        ([GOOD] * 7 + [BAD] * 3, CheckResult.MISSED),
        ([GOOD] + [REFUSAL] * 9, CheckResult.PASSED),  # what does not apply is no gap
        ([GOOD] * 8 + [FAILED] * 2, CheckResult.COVERAGE),
        ([GOOD] * 8 + [UNSEEN] * 2, CheckResult.COVERAGE),
        ([FAILED] * 3, CheckResult.COVERAGE),
        ([REFUSAL] * 3, CheckResult.NOT_MEASURED),
    ],
)
def test_the_mean_and_its_coverage_decide(outcomes: list[Outcome], expected: CheckResult) -> None:
    assert result(*outcomes) is expected


def test_golden_items_without_an_answer_lower_the_coverage() -> None:
    assert result(*[GOOD] * 8, unanswered=2) is CheckResult.COVERAGE
    assert result(*[GOOD] * 8, unanswered=2, minimum_coverage=0.8) is CheckResult.PASSED


def test_either_end_of_the_interval_can_be_held_against_the_threshold() -> None:
    assert result(*[GOOD] * 9, BAD, gate_on="low") is CheckResult.MISSED
    assert result(*[GOOD] * 7, *[BAD] * 3, gate_on="high") is CheckResult.PASSED


def test_without_thresholds_everything_passes_and_a_metric_nobody_gives_is_not_measured() -> None:
    assert hold(summarise([scored()]), EvaluationConfig(thresholds={})).passed
    gate = hold(summarise([scored()]), EvaluationConfig(thresholds={MetricKey.MRR: 0.5}))
    assert gate.checks[0].result is CheckResult.NOT_MEASURED
    assert not gate.passed
