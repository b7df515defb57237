"""However long the contexts, every sentence is shown, under its own number, within the window."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragsonde.scorers.judge.errors import ContextOverflowError
from ragsonde.scorers.judge.fence import fence
from ragsonde.scorers.judge.tokens import estimate_tokens
from ragsonde.scorers.judge.windows import Line, document_lines, plan_windows, read_tag, without_tags
from tests.scorers.judge.judging import reading

sentences = st.text(alphabet="abc дж 漢字 .\n", min_size=1, max_size=60)


@given(st.lists(st.lists(sentences, min_size=1, max_size=12), max_size=5), st.integers(200, 600))
def test_windows_cover_every_line_and_none_is_too_full(documents: list[list[str]], room: int) -> None:
    lines = [
        Line(number, f"{number}.{place}", text)
        for number, document in enumerate(documents, start=1)
        for place, text in enumerate(document, start=1)
    ]
    windows = plan_windows(
        lines,
        tuple(f"doc-{n}" for n in range(len(documents))),
        room_tokens=room,
        tokens=estimate_tokens,
        maximum=10_000,
    )
    shown: dict[str, str] = {}
    for window in windows:
        fenced = [fence(block.name, block.shown(), "0" * 16) for block in window.blocks()]
        assert estimate_tokens("\n\n".join(fenced)) <= room
        for line in window.lines:
            whole = lines[[each.tag for each in lines].index(line.tag)].text
            if line.text == whole:
                shown[line.tag] = whole
            else:
                shown[line.tag] = shown.get(line.tag, "") + line.text
    assert shown == {line.tag: line.text for line in lines}


def test_neighbouring_windows_share_a_sentence() -> None:
    lines = [Line(1, f"1.{place}", f"sentence number {place} of the text") for place in range(1, 30)]
    windows = plan_windows(lines, (None,), room_tokens=150, tokens=estimate_tokens, maximum=99)
    assert len(windows) > 2
    for one, other in pairwise(windows):
        assert one.lines[-1] == other.lines[0]


def test_a_sentence_longer_than_a_window_is_shown_in_pieces_under_one_number() -> None:
    windows = plan_windows(
        [Line(1, "1.1", "word " * 2000)], (None,), room_tokens=300, tokens=estimate_tokens, maximum=99
    )
    assert {tag for window in windows for tag in window.tags()} == {"1.1"}
    assert "".join(line.text for window in windows for line in window.lines).count("word ") >= 2000


def test_too_little_room_and_too_many_windows_are_an_overflow() -> None:
    line = Line(1, "1.1", "x " * 5000)
    with pytest.raises(ContextOverflowError, match="no room"):
        plan_windows([line], (None,), room_tokens=10, tokens=estimate_tokens, maximum=9)
    with pytest.raises(ContextOverflowError, match="no room"):
        plan_windows([line], ("long id " * 200,), room_tokens=300, tokens=estimate_tokens, maximum=9)
    with pytest.raises(ContextOverflowError, match="max_windows = 2"):
        plan_windows([line], (None,), room_tokens=300, tokens=estimate_tokens, maximum=2)


@given(st.lists(st.text(max_size=80), max_size=4))
def test_lines_hold_all_of_the_documents(texts: list[str]) -> None:
    lines = document_lines(reading("an answer", texts))
    for number, text in enumerate(texts, start=1):
        held = "".join(line.text for line in lines if line.document == number)
        assert "".join(held.split()) == "".join(text.split())
        assert any(line.document == number for line in lines)


def test_tags_are_read_and_dropped() -> None:
    assert read_tag("[2.1]") == read_tag("2.1|") == read_tag("2.1") == "2.1"
    assert without_tags("1.2| It is high. 1.3| It is old.") == "It is high. It is old."
    assert without_tags("costs 1.5 | 2.5 euros") == "costs 1.5 | 2.5 euros"


@given(st.text(max_size=200), st.text(max_size=200))
def test_the_token_estimate_grows_with_the_text(one: str, other: str) -> None:
    assert estimate_tokens(one + other) >= max(estimate_tokens(one), estimate_tokens(other))


@pytest.mark.parametrize(
    ("text", "least"),
    [
        ("The quick brown fox jumps over the lazy dog. " * 10, 100),
        ("Быстрая коричневая лиса прыгает через ленивую собаку. " * 10, 200),
        ("敏捷的棕色狐狸跳过了懒狗。" * 10, 130),
        ("1234567890" * 10, 34),
    ],
)
def test_the_token_estimate_is_not_below_what_common_tokenizers_give(text: str, least: int) -> None:
    assert estimate_tokens(text) >= least
    assert estimate_tokens(text, 2.0) >= 2 * least
