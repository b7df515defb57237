from datetime import UTC, date, datetime
from urllib.parse import parse_qsl

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragsonde.review.model import ItemState, SelectedBecause
from ragsonde.review.web.addresses import Asked
from ragsonde.scorers.score import MetricKey

names = st.none() | st.text(min_size=1, max_size=20).filter(lambda text: text.isprintable())
days = st.none() | st.dates(date(1970, 1, 1), date(9998, 12, 31))
asked = st.builds(
    Asked,
    app=names,
    metric=st.none() | st.sampled_from(MetricKey),
    below=st.none() | st.sampled_from([0.0, 0.25, 0.5, 1.0]),
    diagnosis=names,
    language=names,
    because=st.none() | st.sampled_from(SelectedBecause),
    since=days,
    until=days,
    state=st.none() | st.sampled_from(ItemState),
    unseen=st.booleans(),
)


@given(asked)
def test_what_was_asked_for_survives_the_address(given_filters: Asked) -> None:
    query = dict(parse_qsl(given_filters.query().removeprefix("?")))
    assert Asked.read(query) == given_filters


@pytest.mark.parametrize(
    "query",
    [
        {"below": "nan"}, {"below": "-1"}, {"below": "1e999"}, {"since": "yesterday"}, {"until": "9999-12-31"},
        {"metric": "x"}, {"because": ""}, {"state": "gone"}, {"unseen": "yes"}, {"since": "0001-01-01"},
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_as_if_not_asked_and_is_told(query: dict[str, str]) -> None:
    asked = Asked.read(query)
    assert asked == Asked()
    assert asked.misread == tuple(f"{name}={value}" for name, value in query.items() if value)


def test_the_last_day_is_in_it_whole() -> None:
    wanted = Asked.read({"since": "2026-03-01", "until": "2026-03-02"}).wanted(None)
    assert wanted.since == datetime(2026, 3, 1, tzinfo=UTC)
    assert wanted.until == datetime(2026, 3, 3, tzinfo=UTC)


def test_only_the_unseen_ones_are_those_of_the_reviewer() -> None:
    assert Asked.read({"unseen": "1"}).wanted("Anna").not_reviewed_by == "Anna"
    assert Asked.read({}).wanted("Anna").not_reviewed_by is None
