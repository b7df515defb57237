import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from ragsonde.collector.sampler import Sampler, SamplingConfig, Stratum, unit_hash
from tests.builders import interaction

TRACES = [f"{number:032x}" for number in range(4000)]


def kept(probability: float, salt: str = "salt") -> set[str]:
    sampler = Sampler(SamplingConfig(probability=probability, salt=salt))
    return {trace for trace in TRACES if sampler.decide(interaction(trace_id=trace)).kept}


def test_the_share_that_is_kept_is_the_probability() -> None:
    # Standard error at p = 0.25 and n = 4000 is 0.007; four of them.
    assert len(kept(0.25)) / len(TRACES) == pytest.approx(0.25, abs=0.028)


def test_samples_are_nested() -> None:
    assert kept(0.01) < kept(0.1) < kept(0.5) < kept(1.0) == set(TRACES)


def test_another_salt_draws_another_sample() -> None:
    both = len(kept(0.5, "a") & kept(0.5, "b")) / len(TRACES)
    assert both == pytest.approx(0.25, abs=0.03)


def test_the_decision_is_known_in_advance_and_so_the_same_on_every_replica() -> None:
    assert unit_hash("0af7651916cd43dd8448eb211c80319c", "ragsonde") == pytest.approx(0.46664489590033664)


@given(st.text(), st.text(max_size=80))
def test_the_hash_lies_in_the_unit_interval(key: str, salt: str) -> None:
    assert 0.0 <= unit_hash(key, salt) < 1.0


def test_the_highest_matching_stratum_decides_and_is_reported_with_its_probability() -> None:
    config = SamplingConfig(
        probability=0.01,
        strata=(
            Stratum(name="unhappy", probability=1.0, negative_feedback=True),
            Stratum(name="release", probability=0.5, apps=("shop",), app_versions=("2.0",)),
        ),
    )
    sampler = Sampler(config)
    unhappy = sampler.decide(interaction(feedback=-1.0, app_version="2.0"))
    assert (unhappy.kept, unhappy.probability, unhappy.stratum) == (True, 1.0, "unhappy")
    assert sampler.decide(interaction(app_version="2.0")).stratum == "release"
    assert sampler.decide(interaction(app="other", app_version="2.0")).stratum == "base"
    assert sampler.decide(interaction(feedback=1.0)).probability == 0.01


@pytest.mark.parametrize("probability", [0.0, -0.1, 1.01, float("nan")])
def test_a_probability_outside_the_half_open_unit_interval_is_refused(probability: float) -> None:
    with pytest.raises(ValidationError, match="probability"):
        SamplingConfig(probability=probability)
