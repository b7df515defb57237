import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragsonde.exporters.pages.marking import answer_pieces, find_quote, passage_pieces
from ragsonde.scorers.score import Citation, Claim, Verdict
from tests.exporters.scored import citations, claims


def claim(start: int, end: int) -> Claim:
    return Claim("", start, end, Verdict.SUPPORTED)


@given(st.text(), st.lists(claims, max_size=6), st.lists(citations, max_size=4))
def test_pieces_put_together_are_the_text_whatever_the_offsets(
    text: str, given_claims: list[Claim], given_citations: list[Citation]
) -> None:
    pieces = answer_pieces(text, given_claims, given_citations)
    assert "".join(piece.text for piece in pieces) == text


@given(st.text(min_size=1, max_size=30), st.data())
def test_marks_open_and_close_in_turn(text: str, data: st.DataObject) -> None:
    spans = st.tuples(st.integers(-2, len(text) + 2), st.integers(-2, len(text) + 2))
    given_claims = [claim(*span) for span in data.draw(st.lists(spans, max_size=5))]
    open_claim = None
    for piece in answer_pieces(text, given_claims, ()):
        if piece.opens:
            assert open_claim is None
            open_claim = piece.claim
        assert piece.claim == open_claim
        if piece.closes:
            open_claim = None
    assert open_claim is None


def test_a_claim_with_a_citation_inside_is_one_mark() -> None:
    text = "Free for 14 days [1]. Bye."
    pieces = answer_pieces(text, [claim(0, 21)], [Citation("[1]", 17, 20, "1", "doc-1")])
    assert [(piece.text, piece.claim, piece.citation) for piece in pieces] == [
        ("Free for 14 days ", 0, None),
        ("[1]", 0, 0),
        (".", 0, None),
        (" Bye.", None, None),
    ]
    assert [(piece.opens, piece.closes) for piece in pieces] == [
        (True, False),
        (False, False),
        (False, True),
        (False, False),
    ]


def test_the_shorter_of_overlapping_claims_is_marked() -> None:
    pieces = answer_pieces("abcdef", [claim(0, 6), claim(2, 4)], ())
    assert [(piece.text, piece.claim) for piece in pieces] == [("ab", 0), ("cd", 1), ("ef", 0)]


@pytest.mark.parametrize(
    ("text", "quote", "found"),
    [
        ("The fee is\n  20 EUR.", "the fee is 20 EUR", "The fee is\n  20 EUR"),
        ("会员积分24个月内有效", "24个月内", "24个月内"),
        ("a.b", "a?b", None),
        ("anything", "   ", None),
    ],
)
def test_a_quote_is_found_white_space_and_case_aside(text: str, quote: str, found: str | None) -> None:
    span = find_quote(text, quote)
    assert (text[slice(*span)] if span else None) == found


def test_a_quote_that_is_not_there_marks_nothing() -> None:
    assert [piece.claim for piece in passage_pieces("some text", [None, "other", ""])] == [None]
