import sys
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragsonde.scorers.text.blocks import BlockKind, find_blocks
from ragsonde.scorers.text.segmentation import split_sentences

DATA = tomllib.loads((Path(__file__).parent / "data" / "sentences.toml").read_text(encoding="utf-8"))
PARAGRAPHS = [(language, text) for language, section in DATA.items() for text in section["text"]]

ANY_TEXT = st.one_of(
    st.text(max_size=300),
    st.lists(
        st.sampled_from(
            [
                "Dr. A", ". ", "? ", "。", "\n", "\r\n", "\n\n", "- ", "1. ", "> ", "| a | b |\n", "|---|---|\n",
                "```", "x", " ", "[1]", "¹", "**", "https://a.b/c", "`", "$", "…", "»", "«", "”", "ก", "ა", "؟", "।",
                "<br>", "\u2028", "\0", "\t", "\ufeff", "e\u0301", "👩‍💻", "(Source: a)", "A. B", "5. maja", "  ",
            ]
        ),
        max_size=40,
    ).map("".join),
)  # fmt: skip


def sentences(text: str) -> list[str]:
    return [sentence.text for sentence in split_sentences(text)]


@pytest.mark.parametrize(("language", "marked"), PARAGRAPHS)
def test_sentences_begin_where_a_reader_of_the_language_sees_them(language: str, marked: str) -> None:
    parts = marked.split("‖")
    found = sentences("".join(parts))
    # A Chinese ellipsis with nothing after it may end a sentence or not; joined is the safer reading.
    expected = [part.strip() for part in parts]
    if language == "zh":
        joined = [text for text in found if "……" in text]
        expected = [
            text for text in expected if not any(text in longer and text != longer for longer in joined)
        ] + joined
        assert sorted(found) == sorted(set(expected))
    else:
        assert found == expected


@given(ANY_TEXT)
def test_sentences_cover_every_letter_in_order_and_never_overlap(text: str) -> None:
    at = 0
    for sentence in split_sentences(text):
        assert sentence.start >= at
        assert text[sentence.start : sentence.end] == sentence.text
        assert sentence.text.strip() == sentence.text != ""
        assert not any(character.isalpha() for character in text[at : sentence.start])
        at = sentence.end
    assert not any(character.isalpha() for character in text[at:])


@given(ANY_TEXT)
def test_blocks_stand_in_order(text: str) -> None:
    lines = [line for block in find_blocks(text) for line in block.lines]
    assert all(start <= end for start, end in lines)
    assert lines == sorted(lines)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It is free. [1] It is fast [2]. Done.", ["It is free. [1]", "It is fast [2].", "Done."]),
        ("It is free .[1] It is fast.[2][3] Done.", ["It is free .[1]", "It is fast.[2][3]", "Done."]),
        ("It is free. (Source: a.pdf) Done.", ["It is free. (Source: a.pdf)", "Done."]),
        ("It is free.¹ It is fast.² Done.", ["It is free.¹", "It is fast.²", "Done."]),
        ("退款需要五天。[1]运费另计。【2†source】", ["退款需要五天。[1]", "运费另计。【2†source】"]),
        ("[1] It is free. [2] It is fast.", ["[1] It is free.", "[2] It is fast."]),
        ("It is free. [1] says that it is.", ["It is free.", "[1] says that it is."]),
    ],
)
def test_a_citation_after_the_stop_belongs_to_the_sentence_before_it(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


def test_markdown_blocks_bound_sentences() -> None:
    text = (
        "# Fees\nIntro. More:\r\n\r\n1. First step. Do it\n2. Second\n   - nested\n\n| Plan | Price |\n|---|---|\n"
        "| Basic | 2.50 EUR. Net |\n\n> quoted one. Quoted\n> two\n\n```py\nx = 1. Foo\n```\n• bullet\n• other"
    )
    assert sentences(text) == [
        "Fees", "Intro.", "More:", "First step.", "Do it", "Second", "nested", "Plan | Price", "Basic | 2.50 EUR. Net",
        "quoted one.", "Quoted\n> two", "```py", "x = 1. Foo", "```", "bullet", "other",
    ]  # fmt: skip


def test_a_table_row_knows_its_header() -> None:
    rows = [block for block in find_blocks("| A | B |\n|---|---|\n| 1 | 2 |\n") if block.kind is BlockKind.TABLE_ROW]
    assert [(row.header, row.cells) for row in rows] == [(("A", "B"), ("1", "2"))]


def test_a_wrapped_line_goes_on_and_a_short_line_ends() -> None:
    wrapped = "The refund policy applies to all customers in\nEuropean countries and to the rest of\nthe world. Fine."
    assert len(sentences(wrapped)) == 2
    assert sentences("Opening hours\nMonday to Friday\nClosed on Sunday") == [
        "Opening hours",
        "Monday to Friday",
        "Closed on Sunday",
    ]


def test_text_nested_beyond_the_parser_s_depth_is_kept() -> None:
    assert sentences(">" * 60 + " deep. Text") == ["deep.", "Text"]
    assert "deep" in " ".join(sentences("- " * 60 + "deep"))


def test_a_stretch_without_stops_is_cut_to_a_bounded_length() -> None:
    found = split_sentences("word " * 20_000)
    assert max(len(sentence.text) for sentence in found) <= 2000
    assert " ".join(sentence.text for sentence in found).split() == ["word"] * 20_000


def test_thai_is_cut_at_phrases_and_not_inside_them() -> None:
    text = "ลูกค้าสามารถขอคืนเงินได้ภายใน 14 วัน ค่าจัดส่งไม่สามารถขอคืนได้ในทุกกรณี พ.ศ. 2540 เป็นปีที่ก่อตั้งบริษัท"
    assert sentences(text) == [
        "ลูกค้าสามารถขอคืนเงินได้ภายใน 14 วัน",
        "ค่าจัดส่งไม่สามารถขอคืนได้ในทุกกรณี",
        "พ.ศ. 2540 เป็นปีที่ก่อตั้งบริษัท",
    ]


def calls(text: str) -> int:
    """Python calls that splitting takes: a measure of work that no busy machine can disturb."""
    count = 0

    def profile(frame: object, event: str, argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(profile)
    try:
        split_sentences(text, "en")
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize(
    "unit",
    [
        "a. ",
        "A. ",
        "a [1]. ",
        "x",
        ".",
        "。",
        "> a\n",
        "- a\n",
        "a\n",
        "(see ",
        "[1]",
        "a|b\n",
        "`a",
        "$a",
        '"a." ',
        "ก ",
        "1. ",
        "\n",
    ],
)
def test_work_grows_no_faster_than_the_text(unit: str) -> None:
    calls(unit * 50)  # first use compiles patterns
    once, twice = calls(unit * 2_000), calls(unit * 4_000)
    assert twice <= 2.5 * once + 200


def test_work_on_a_long_table_grows_no_faster_than_the_table() -> None:
    head = "a|b\n-|-\n"
    assert calls(head + "a|b\n" * 2_000) <= 2.5 * calls(head + "a|b\n" * 1_000)
