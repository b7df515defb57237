"""How a model for entailment gets its say: calibrated on claims that it has not seen, weighed by what it is worth."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from bench.accuracy.data import Case, Family, LabelledSpan, Split
from bench.detector.examples import Example
from bench.entailment.fit import best_weight, fit
from ragsonde.collector.errors import ConfigError
from ragsonde.scorers.entailment import EntailmentConfig, open_entailment
from tests.builders import interaction
from tests.entailment_models import NLI_LABELS, write_overlap_model

PASSAGES = [
    (f"The {thing} costs {price} euros and lasts {price + 3} years.", f"The {thing} is sold in {place} by {who}.")
    for thing, price, place, who in (
        ("lamp", 20, "Lyon", "Anna"), ("chair", 35, "Hull", "Boris"), ("kettle", 50, "Graz", "Clara"),
        ("carpet", 80, "Bari", "Denis"), ("mirror", 65, "Cork", "Elena"), ("shelf", 95, "Turku", "Franz"),
        ("sofa", 110, "Split", "Greta"), ("table", 125, "Porto", "Hanna"), ("clock", 140, "Gdansk", "Igor"),
        ("vase", 155, "Malmo", "Julia"),
    )
]  # fmt: skip


def answered(number: int, *, faulty: bool) -> Case:
    """An answer of one sentence; a faulty one tells of another thing."""
    told = PASSAGES[(number + 1) % len(PASSAGES)] if faulty else PASSAGES[number]
    answer = told[number % 2]
    given = interaction(id=f"{number}-{faulty}", contexts=(" ".join(PASSAGES[number]),), answer=answer, question=None)
    spans = (LabelledSpan(0, len(answer), strict=True),) if faulty else ()
    return Case(
        given.id, "ragtruth", Split.DEV, Family.FAITHFULNESS, "qa", "en", str(number), given, faulty, spans=spans
    )


CASES = [answered(number, faulty=faulty) for number in range(len(PASSAGES)) for faulty in (False, True)]
TEXTS = [text for passage in PASSAGES for text in passage]


def test_a_good_model_is_calibrated_to_say_that_good_answers_are_likely(tmp_path: Path) -> None:
    entailment = open_entailment(EntailmentConfig(model_dir=write_overlap_model(tmp_path, TEXTS)))

    fitted = fit(entailment, CASES)

    assert fitted.model_sha256 == entailment.model.digest
    own = entailment.model.log_odds(" ".join(PASSAGES[0]), PASSAGES[0][0])
    other = entailment.model.log_odds(" ".join(PASSAGES[0]), PASSAGES[1][1])
    assert fitted.scale * own + fitted.shift > 0 > fitted.scale * other + fitted.shift


def test_a_model_that_says_the_reverse_is_refused_with_the_setting_to_look_at(tmp_path: Path) -> None:
    folder = write_overlap_model(tmp_path, TEXTS, labels=NLI_LABELS, supported=1)
    config = EntailmentConfig(model_dir=folder, supported_label="contradiction")

    with pytest.raises(ConfigError, match=r"entailment\.supported_label"):
        fit(open_entailment(config), CASES)


def examples(labels: Sequence[bool]) -> list[Example]:
    return [Example("begin", "", str(number), label, [], []) for number, label in enumerate(labels)]


def test_a_model_that_knows_outweighs_a_detector_that_guesses_and_the_reverse() -> None:
    labels = [number % 2 == 0 for number in range(40)]
    knows = [np.array([2.0 if label else -2.0]) for label in labels]
    guesses = [np.array([float(np.sin(7 * number)) * 9]) for number in range(40)]

    assert best_weight(examples(labels), guesses, knows) > 0.7
    assert best_weight(examples(labels), knows, guesses) < 0.3


def test_of_weights_that_do_as_well_the_least_is_taken() -> None:
    labels = [number % 2 == 0 for number in range(10)]
    knows = [np.array([2.0 if label else -2.0]) for label in labels]

    assert best_weight(examples(labels), knows, knows) == 0.0
