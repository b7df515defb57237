"""What a page says is what a reader takes it for."""

import pytest

from ragsonde.exporters.pages.wording import telling_probability
from ragsonde.scorers.score import Claim, Verdict


@pytest.mark.parametrize(
    ("verdict", "probability", "shown"),
    [
        (Verdict.SUPPORTED, 0.9, 0.9),
        (Verdict.CONTRADICTED, 0.1, 0.1),
        (Verdict.NOT_FOUND, 0.3, 0.3),
        (Verdict.CONTRADICTED, 0.83, None),
        (Verdict.NOT_FOUND, 0.5, None),
        (Verdict.SUPPORTED, 0.4, None),
        (Verdict.SUPPORTED, None, None),
    ],
)
def test_a_probability_that_seems_to_contradict_its_verdict_is_not_shown(
    verdict: Verdict, probability: float | None, shown: float | None
) -> None:
    assert telling_probability(Claim("c", 0, 1, verdict, probability)) == shown
