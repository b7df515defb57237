"""A scorer that leans on order or length is found out, and one that does not is left alone."""

from collections.abc import Mapping, Sequence

import numpy as np
import pytest

from ragsonde.calibration.cases import Case
from ragsonde.calibration.self_preference import family_of, self_preference
from ragsonde.collector.clock import Deadline, SystemClock
from ragsonde.evaluation.comparison import ChangeResult
from ragsonde.evaluation.leanings import reversed_contexts, shifts
from ragsonde.scorers.diagnosis import DiagnosisConfig
from ragsonde.scorers.faithfulness import FaithfulnessScorer
from ragsonde.scorers.reading import Reading
from ragsonde.scorers.score import MetricKey, Outcome, Scored
from ragsonde.scorers.scorer import Scorer
from ragsonde.scorers.scoring import ScorerSet
from tests.evaluation.evaluating import TEXTS, answer

INTERACTIONS = [answer(f"i{n}", list(TEXTS)[n % 3]) for n in range(12)]


class Leaning:
    """Believes what stands first, and likes long answers."""

    name = "leaning"
    version = "1"
    keys = (MetricKey.FAITHFULNESS,)

    def score(self, readings: Sequence[Reading], deadline: Deadline) -> list[Mapping[MetricKey, Outcome]]:
        return [{MetricKey.FAITHFULNESS: Scored(self._value(reading))} for reading in readings]

    def _value(self, reading: Reading) -> float:
        first = (reading.interaction.contexts or ())[0].text or ""
        return 0.5 * (first in reading.answer) + min(0.5, len(reading.answer) / 200)


def found(scorer: Scorer) -> dict[tuple[str, MetricKey], ChangeResult]:
    scorers = ScorerSet([scorer], diagnosis=DiagnosisConfig(), clock=SystemClock())
    changes = shifts(INTERACTIONS, scorers, np.random.default_rng(0), batch_size=5, timeout_seconds=60.0)
    return {(check, change.key): change.result for check, given in changes.items() for change in given}


def test_a_leaning_scorer_is_found_out() -> None:
    assert found(Leaning()) == {
        ("order", MetricKey.FAITHFULNESS): ChangeResult.WORSE,
        ("length", MetricKey.FAITHFULNESS): ChangeResult.BETTER,
    }


def test_the_local_scorer_does_not_lean() -> None:
    assert set(found(FaithfulnessScorer()).values()) == {ChangeResult.NOT_SHOWN}


def test_reversing_twice_changes_nothing() -> None:
    assert reversed_contexts(reversed_contexts(INTERACTIONS[0])) == INTERACTIONS[0]
    assert reversed_contexts(INTERACTIONS[0]) != INTERACTIONS[0]


def test_kindness_to_its_own_family_is_measured_against_people() -> None:
    chance = np.random.default_rng(5)
    cases, models = [], {}
    for number in range(200):
        own, fault = number % 2 == 0, bool(chance.random() < 0.5)
        seen = 0.2 * fault if own else 0.8 * fault
        cases.append(Case(f"i{number}", seen > 0.5, seen, {"ana": fault}, 1.0))
        models[f"i{number}"] = "openrouter/openai/gpt-4.1" if own else "mistral-large"
    preference = self_preference(cases, models, "gpt-5-mini")
    assert preference is not None
    assert (preference.family, preference.own, preference.others) == ("openai", 100, 100)
    assert preference.low > 0.0
    other = self_preference(cases, models, "mistral-small")
    assert other is not None
    assert other.shift == pytest.approx(-preference.shift)
    assert self_preference(cases[:4], models, "gpt-5-mini") is None
    assert self_preference(cases, models, "house-model") is None


@pytest.mark.parametrize(
    ("model", "family"),
    [
        ("us.anthropic.claude-sonnet-4:0", "anthropic"),
        ("meta-llama/Llama-3.3-70B", "meta"),
        ("models/gemini-2.5-pro", "google"),
        ("house-model", None),
        ("", None),
    ],
)
def test_families_are_read_from_the_names_that_providers_give(model: str, family: str | None) -> None:
    assert family_of(model) == family
