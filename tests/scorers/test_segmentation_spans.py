import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragsonde.scorers.text.spans import Spans
from tests.scorers.reading_builders import reading

STRETCHES = st.lists(
    st.tuples(st.integers(0, 40), st.integers(1, 10)).map(lambda pair: (pair[0], pair[0] + pair[1])), max_size=8
)


@given(STRETCHES, st.integers(0, 50), st.integers(0, 20))
def test_spans_touch_what_shares_a_character(stretches: list[tuple[int, int]], start: int, length: int) -> None:
    marked = {at for first, after in stretches for at in range(first, after)}
    assert Spans(stretches).touches(start, start + length) is any(at in marked for at in range(start, start + length))


@given(STRETCHES)
def test_what_is_cut_out_is_what_was_marked(stretches: list[tuple[int, int]]) -> None:
    text = "".join(chr(0x4E00 + at) for at in range(60))
    marked = {at for first, after in stretches for at in range(first, after)}
    spans = Spans(stretches)
    assert spans.cut_from(text, 0, 60) == "".join(text[at] for at in range(60) if at not in marked)
    kept = spans.cut_from(text, 0, 60, keep_length=True)
    assert [at for at in range(60) if kept[at] == " "] == sorted(marked)


def calls(answer: str) -> int:
    """Python calls that reading an answer takes."""
    found = reading(answer, {"doc-1": "x", "doc-2": "y"})
    count = 0

    def profile(frame: object, event: str, argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(profile)
    try:
        _ = found.claims, found.markers, found.abstention
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize(
    "unit", ["It is so [1]. ", "[^1]: a\n", "Sources:\n", "[doc-1] ", "I don't know, but it is [2]. ", "(see [1]) "]
)
def test_work_on_an_answer_grows_no_faster_than_the_answer(unit: str) -> None:
    calls(unit * 50)  # first use compiles patterns
    once, twice = calls(unit * 1_000), calls(unit * 2_000)
    assert twice <= 2.5 * once + 200
