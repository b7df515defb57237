from urllib.parse import parse_qsl, urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragsonde.calibration.labels import LabelVerdict
from ragsonde.review.model import Review
from ragsonde.review.web.forms import VERDICTS, fields_of, offered, review_of, same_content, says_nothing
from ragsonde.review.web.guard import RefusedError

verdicts = st.sampled_from(list(VERDICTS))
lines = st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=20)
reviews = st.builds(
    Review,
    item_id=st.just("item"),
    reviewer=st.just("Anna"),
    verdict=st.none() | verdicts,
    claims=st.dictionaries(st.integers(0, 300), verdicts, max_size=5).map(lambda found: dict(sorted(found.items()))),
    rubrics=st.dictionaries(st.sampled_from(["politeness", "tone"]), lines).map(
        lambda found: dict(sorted(found.items()))
    ),
    corrected_answer=st.none() | lines,
    answer_is_right=st.booleans(),
    unanswerable=st.booleans(),
    key_facts=st.lists(lines, max_size=3).map(tuple),
    note=st.none() | lines,
    version=st.integers(0, 1000),
)


@given(reviews)
def test_a_review_survives_the_form(review: Review) -> None:
    fields = {name: "1" if value is True else value or "" for name, value in fields_of(review).items()}
    sent = dict(parse_qsl(urlencode(fields), keep_blank_values=True))
    assert review_of(sent, "item", "Anna") == review


@given(reviews)
def test_a_review_says_nothing_only_where_nothing_was_filled_in(review: Review) -> None:
    empty = Review("item", "Anna", version=review.version)
    assert says_nothing(review) == (review == empty)
    assert same_content(review, review)


@pytest.mark.parametrize("verdict", LabelVerdict)
def test_every_word_for_a_verdict_is_offered_as_one_of_four_with_the_same_meaning(verdict: LabelVerdict) -> None:
    shown = offered(verdict)
    assert shown in VERDICTS
    assert shown.fault == verdict.fault


@pytest.mark.parametrize(
    ("form", "named"),
    [
        ({"verdict": "great"}, "verdict"),
        ({"claim-0": "x"}, "claim-0"),
        ({"claim-x": "supported"}, "claim-x"),
        ({"claim-²": "supported"}, "claim-²"),
        ({"version": "-1"}, "version"),
        ({"version": "9" * 40}, "version"),
    ],
)
def test_a_field_that_holds_what_it_cannot_is_named(form: dict[str, str], named: str) -> None:
    with pytest.raises(RefusedError, match=named):
        review_of(form, "item", "Anna")


def test_what_a_database_cannot_hold_is_taken_out() -> None:
    review = review_of({"note": "a\0b\r\nc", "key_facts": " one \n\n\0\ntwo"}, "item", "Anna")
    assert review.note == "ab\nc"
    assert review.key_facts == ("one", "two")
