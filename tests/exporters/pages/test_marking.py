from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragsonde.exporters.pages.marking import Piece, answer_pieces, passage_pieces
from ragsonde.scorers.score import Citation, Claim, Verdict
from tests.exporters.scored import citations, claims


def claim(start: int, end: int, *stretches: tuple[int, int], verdict: Verdict = Verdict.NOT_FOUND) -> Claim:
    return Claim("", start, end, verdict, stretches=stretches)


def at_fault(pieces: list[Piece]) -> list[str]:
    """The words at fault, each run of pieces as one."""
    found: list[str] = []
    for piece in pieces:
        if piece.at_fault and piece.turns:
            found.append("")
        if piece.at_fault:
            found[-1] += piece.text
    return found


@given(st.text(), st.lists(claims, max_size=6), st.lists(citations, max_size=4))
def test_pieces_put_together_are_the_text_whatever_the_offsets(
    text: str, given_claims: list[Claim], given_citations: list[Citation]
) -> None:
    pieces = answer_pieces(text, given_claims, given_citations)
    assert "".join(piece.text for piece in pieces) == text


@given(st.text(min_size=1, max_size=30), st.data())
def test_marks_open_and_close_in_turn_and_those_of_faults_within_those_of_claims(
    text: str, data: st.DataObject
) -> None:
    offset = st.integers(-2, len(text) + 2)
    spans = st.tuples(offset, offset)
    claims = st.builds(claim, offset, offset).flatmap(
        lambda one: st.lists(spans, max_size=3).map(lambda given: replace(one, stretches=tuple(given)))
    )
    open_claim, open_part = None, None
    for piece in answer_pieces(text, data.draw(st.lists(claims, max_size=5)), ()):
        if piece.opens:
            assert open_claim is None
            open_claim = piece.claim
        if piece.turns:
            assert open_part is None
            open_part = piece.claim, piece.at_fault
        assert piece.claim == open_claim
        assert (None if piece.claim is None else (piece.claim, piece.at_fault)) == open_part
        assert not piece.at_fault or piece.claim is not None
        if piece.ends:
            open_part = None
        if piece.closes:
            assert open_part is None
            open_claim = None
    assert open_claim is None


@given(st.text(min_size=1, max_size=30), st.data())
def test_just_the_characters_at_fault_are_pointed_at(text: str, data: st.DataObject) -> None:
    offset = st.integers(0, len(text))
    start, end = sorted(data.draw(st.tuples(offset, offset)))
    stretches = data.draw(st.lists(st.tuples(offset, offset), max_size=4))
    place, shown = 0, set()
    for piece in answer_pieces(text, [claim(start, end, *stretches)], ()):
        if piece.at_fault:
            shown |= set(range(place, place + len(piece.text)))
        place += len(piece.text)
    assert shown == {at for a, b in stretches if start <= a < b <= end for at in range(a, b)}


def test_words_at_fault_are_marked_within_their_claim_across_a_citation() -> None:
    text = "Free for 14 days [1] and worldwide. Bye."
    pieces = answer_pieces(text, [claim(0, 35, (9, 34))], [Citation("[1]", 17, 20, "1", "doc-1")])
    assert at_fault(pieces) == ["14 days [1] and worldwide"]
    assert [piece.text for piece in pieces if piece.turns] == ["Free for ", "14 days ", "."]


@pytest.mark.parametrize("stretch", [(5, 5), (6, 5), (-3, 5), (0, 99), (0, 5), (8, 11)])
def test_a_stretch_that_does_not_lie_in_its_claim_points_at_nothing(stretch: tuple[int, int]) -> None:
    assert at_fault(answer_pieces("abcdefghijkl", [claim(2, 10, stretch)], ())) == []


def test_stretches_that_overlap_or_touch_are_one() -> None:
    assert at_fault(answer_pieces("abcdef", [claim(0, 6, (1, 3), (2, 4), (4, 5), (1, 3))], ())) == ["bcde"]


def test_a_supported_claim_has_no_words_at_fault() -> None:
    assert at_fault(answer_pieces("abcdef", [claim(0, 6, (1, 3), verdict=Verdict.SUPPORTED)], ())) == []


def test_of_overlapping_claims_each_shows_its_own_faults() -> None:
    pieces = answer_pieces("abcdef", [claim(0, 6, (1, 4)), claim(2, 4, (3, 4)), claim(4, 6)], ())
    assert at_fault(pieces) == ["b", "d"]


def test_offsets_are_code_points() -> None:
    text = "\U0001f600 e\u0301 costs 20"
    assert at_fault(answer_pieces(text, [claim(0, len(text), (11, 13))], ())) == ["20"]


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


def test_a_quote_that_is_not_there_marks_nothing() -> None:
    assert [piece.claim for piece in passage_pieces("some text", [None, "other", ""])] == [None]


@pytest.mark.parametrize(
    ("document", "quote", "marked"),
    [
        ("<p>It is&nbsp;20 EUR &amp; a form.</p>", "It is\u00a020 EUR & a form.", "It is&nbsp;20 EUR &amp; a form."),
        ("Tom &amp; Jerry say it&#39;s fine", "it's fine", "it&#39;s fine"),
        ("Tom &amp; Jerry say it&#x27;s fine", "Tom & Jerry", "Tom &amp; Jerry"),
        ("infor\u00admation&shy;al &eacute;clair", "informational éclair", "infor\u00admation&shy;al &eacute;clair"),
        ("kept as &amp; written", "kept as &amp; written", "kept as &amp; written"),
    ],
)  # fmt: skip
def test_a_quote_is_marked_in_the_document_as_it_is_with_its_entities(document: str, quote: str, marked: str) -> None:
    pieces = passage_pieces(document, [quote])
    assert "".join(piece.text for piece in pieces) == document
    assert [piece.text for piece in pieces if piece.claim == 0] == [marked]
