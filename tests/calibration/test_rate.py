"""The rate is of the traffic, not of what was scored or labelled, and it says what it leaves out."""

from dataclasses import replace

import numpy as np
import pytest

from ragsonde.calibration.cases import Level, answer_cases, drawn_with
from ragsonde.calibration.labels import Label
from ragsonde.calibration.mapping import fit_map
from ragsonde.calibration.ppi import NoRate, NoRateReason, Rate
from ragsonde.calibration.rate import Unused, hallucination_rate
from ragsonde.collector.model import SamplingDecision
from ragsonde.scorers.score import Failed, FailureKind, MetricKey, NotApplicable, Reason, ScoredInteraction
from tests.calibration.labelled import by_id, judged, label
from tests.exporters.scored import scored


def traffic(count: int = 3000, seed: int = 1) -> tuple[dict[str, ScoredInteraction], list[Label], float]:
    """Records of a scorer that overlooks half of the faults, labels drawn from them, and the true rate."""
    chance = np.random.default_rng(seed)
    records, labels, faults = [], [], 0
    for number in range(count):
        raised = bool(chance.random() < 0.2)
        fault = bool(chance.random() < (0.5 if raised else 0.1))
        faults += fault
        probability = 1.0 if raised else 0.25
        if chance.random() >= probability:
            continue
        seen = fault and chance.random() < 0.5
        support = float(chance.uniform(0.0, 0.4) if seen else chance.uniform(0.5 if fault else 0.7, 1.0))
        records.append(judged(f"i{number}", support, probability=probability))
        drawn = 0.2 / probability * 0.5
        if chance.random() < drawn:
            labels.append(label(f"i{number}", "hallucinated" if fault else "grounded", probability=drawn))
    return by_id(*records), labels, faults / count


def test_the_rate_is_that_of_all_traffic() -> None:
    records, labels, truth = traffic()
    found = hallucination_rate(records, labels)
    assert isinstance(found.rate, Rate)
    assert found.rate.estimate.low < truth < found.rate.estimate.high
    assert found.rate.predictions_alone.high < truth
    assert found.rate.bias < 0
    assert found.population == len(records)
    assert found.unused == {}


def test_calibrated_scores_may_be_the_predictions() -> None:
    earlier, earlier_labels, _ = traffic(seed=9)
    fitted = fit_map(answer_cases(earlier_labels, earlier).cases, Level.ANSWER, None, {})
    records, labels, truth = traffic()
    found = hallucination_rate(records, labels, calibration=fitted)
    plain = hallucination_rate(records, labels)
    assert isinstance(found.rate, Rate)
    assert isinstance(plain.rate, Rate)
    assert found.rate.estimate.low < truth < found.rate.estimate.high
    assert abs(found.rate.bias) < abs(plain.rate.bias) / 2


def test_what_does_not_count_is_said() -> None:
    refusal = scored("refusal", scores={MetricKey.FAITHFULNESS: NotApplicable(Reason.REFUSAL)})
    failed = scored("failed", scores={MetricKey.FAITHFULNESS: Failed(FailureKind.TIMEOUT)})
    not_kept = replace(judged("not-kept", 0.9), decision=SamplingDecision(kept=False, probability=0.5))
    records = by_id(judged("a", 0.9), judged("b", 0.1), judged("c", 0.9, 0.9), refusal, failed, not_kept)
    labels = [
        label("a", "grounded", probability=0.5),
        label("b", "hallucinated"),
        label("c", "supported", claim=0, probability=0.5),
        label("refusal", "grounded", probability=0.5),
        label("gone", "grounded", probability=0.5),
    ]
    found = hallucination_rate(records, labels)
    assert isinstance(found.rate, NoRate)
    assert found.rate.reason is NoRateReason.TOO_FEW_LABELS
    assert (found.population, found.unpredicted) == (4, 1)
    assert found.not_in_population == {"refusal": 1, "not_kept": 1}
    assert found.unused == {
        Unused.NOT_BY_CHANCE: 1,
        Unused.UNDECIDED: 1,
        Unused.NOT_IN_POPULATION: 1,
        Unused.NO_RECORD: 1,
    }


def test_a_failed_prediction_is_corrected_by_its_label() -> None:
    failed = [scored(f"f{n}", scores={MetricKey.FAITHFULNESS: Failed(FailureKind.TIMEOUT)}) for n in range(30)]
    records = by_id(*failed, *(judged(f"g{n}", 0.9) for n in range(30)))
    labels = [label(id_, "hallucinated" if id_.startswith("f") else "grounded", probability=1.0) for id_ in records]
    found = hallucination_rate(records, labels)
    assert isinstance(found.rate, Rate)
    assert found.rate.estimate.rate == pytest.approx(0.5)


def test_a_simple_random_sample_needs_no_probabilities() -> None:
    records, labels, truth = traffic()
    chosen = np.random.default_rng(3).choice(sorted(records), 150, replace=False)
    known = {given.id: given for given in labels}
    plain = [label(id_, known[id_].verdict.value) for id_ in chosen if id_ in known]
    assert isinstance(hallucination_rate(records, plain).rate, NoRate)
    assert isinstance(hallucination_rate(records, plain, labelled_at_random=True).rate, Rate)
    assert 0.0 < truth < 1.0


def test_the_inclusion_of_a_label_counts_in_place_of_its_probability() -> None:
    records = by_id(*(judged(f"{n}", float(n % 2), probability=0.5) for n in range(40)))
    plain = [label(f"{n}", "grounded" if n % 2 else "hallucinated", probability=0.2) for n in range(0, 40, 3)]
    drawn = [given.model_copy(update={"probability": 0.9, "inclusion": 0.1}) for given in plain]
    assert hallucination_rate(records, drawn) == hallucination_rate(records, plain)


def test_of_what_a_judge_has_seen_more_is_labelled() -> None:
    assert drawn_with([label("a", probability=0.1, inclusion=0.05)], 0.5) == 0.1
    assert drawn_with([label("a", probability=0.1, inclusion=0.05)], 0.2) == 0.25
    assert drawn_with([label("a", probability=0.1, inclusion=0.05)], 0.01) == 1.0
    assert drawn_with([label("a"), label("a", probability=0.1)], 0.01) == 0.1
    assert drawn_with([label("a")], 0.5) is None
