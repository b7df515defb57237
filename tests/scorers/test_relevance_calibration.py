"""Calibration files and the models in them."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragsonde.collector.errors import ConfigError
from ragsonde.scorers.relevance import default_calibration, read_calibration
from ragsonde.scorers.relevance.calibration import LogisticModel, write_calibration


def test_the_shipped_calibration_survives_being_written_and_read() -> None:
    shipped = default_calibration()

    assert read_calibration(write_calibration(shipped, "test")) == shipped


def test_a_higher_cosine_never_lowers_a_probability() -> None:
    shipped = default_calibration()

    for model in (shipped.sentence, shipped.passage, shipped.answer):
        rest = [0.3] * (len(model.weights) - 1)
        found = [model.probability([cosine, *rest]) for cosine in (0.6, 0.75, 0.8, 0.85, 0.95)]
        assert found == sorted(found)


@given(features=st.lists(st.floats(-1e6, 1e6), min_size=3, max_size=3))
def test_a_probability_lies_between_nought_and_one(features: list[float]) -> None:
    assert 0.0 <= LogisticModel(-20.0, (30.0, 4.0, -2.0)).probability(features) <= 1.0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"sentence": {"intercept": 0.0, "weights": {"cosine": 1.0}}}, "expected"),
        ({"passage": None}, "passage"),
        ({"unheard_of": 1}, "unheard_of"),
    ],
)
def test_a_faulty_file_is_refused_by_name(change: dict[str, object], message: str) -> None:
    content = json.loads(write_calibration(default_calibration(), "test")) | change

    with pytest.raises(ConfigError, match=message):
        read_calibration(json.dumps(content))
