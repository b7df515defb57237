"""Words, markup and the kind of answer that a question asks for, in many languages."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragsonde.scorers.relevance.forms import AnswerForm, asked_form, form_match, is_polar
from ragsonde.scorers.relevance.text import coverage, has_word, holds, terms, without_markup


@pytest.mark.parametrize(
    ("question", "form"),
    [
        ("How much does it cost?", AnswerForm.PRICE),
        ("Сколько стоит билет?", AnswerForm.PRICE),
        ("Berapakah harga tiket?", AnswerForm.PRICE),
        ("这个多少钱？", AnswerForm.PRICE),
        ("When was it built?", AnswerForm.TIME),
        ("Kiedy zbudowano most?", AnswerForm.TIME),
        ("橋はいつ建てられましたか", AnswerForm.TIME),
        ("Koliko traje dostava?", AnswerForm.DURATION),
        ("How many rooms are there?", AnswerForm.QUANTITY),
        ("كم عدد الغرف؟", AnswerForm.QUANTITY),
        ("Is breakfast included in the price?", AnswerForm.OPEN),
        ("Who wrote it?", AnswerForm.OPEN),
        ("whenever, costly", AnswerForm.OPEN),
    ],
)
def test_question_words_tell_the_form(question: str, form: AnswerForm) -> None:
    assert asked_form(question) is form


@pytest.mark.parametrize(
    ("question", "text", "expected"),
    [
        ("How much does it cost?", "It costs 499 euros.", 1.0),
        ("How much does it cost?", "It weighs 499 grams.", 0.0),
        ("How much does it cost?", "It is grey.", -1.0),
        ("When was it built?", "It was built in 1932.", 1.0),
        ("Сколько стоит?", "Цена 300 рублей.", 1.0),
        ("How many of the 12 rooms are free?", "All 12 are.", 0.0),
        ("Why is it grey?", "It is grey.", 0.0),
    ],
)
def test_form_match_tells_values_of_the_kind_asked_for(question: str, text: str, expected: float) -> None:
    assert form_match(asked_form(question), question, text) == expected


@pytest.mark.parametrize("answer", ["Yes.", "да", "Tidak", "是的。", "NEIN!", "نعم"])
def test_a_bare_yes_or_no_is_polar(answer: str) -> None:
    assert is_polar(answer)
    assert not is_polar(f"{answer} 30 x")


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("כמה קומות יש בבניין?", "בבניין יש תשע קומות."),
        ("इमारत में कितनी मंज़िलें हैं?", "इमारत में नौ मंज़िलें हैं।"),
        ("건물은 몇 층입니까?", "건물은 아홉 층입니다."),
        ("มีหัวใจกี่ดวง", "ปลาหมึกมีหัวใจสามดวง"),
    ],
)
def test_no_number_is_missed_where_number_words_are_not_read(question: str, text: str) -> None:
    assert asked_form(question) is AnswerForm.QUANTITY
    assert form_match(AnswerForm.QUANTITY, question, text) >= 0.0


def test_an_arabic_article_keeps_no_word_from_being_found() -> None:
    assert coverage(terms("القلوب"), terms("قلوب")) == 1.0
    assert coverage(terms("والمتحف"), terms("متحف")) == 1.0


def test_markup_is_left_out_and_blocks_stay_apart() -> None:
    page = "<p>One &amp; two</p><style>p {color: red}</style><!-- hidden --><ul><li>three</li><li>four</li></ul>"

    assert without_markup(page).split() == ["One", "&", "two", "three", "four"]
    assert "\n\n" in without_markup(page)


@pytest.mark.parametrize("text", ["a < b and c > d", "AT&amp;T", "x <3 y", "if a<b: c>d"])
def test_text_without_tags_is_not_touched(text: str) -> None:
    assert without_markup(text) == text


@given(st.text())
def test_every_text_covers_itself(text: str) -> None:
    found = terms(text)

    assert all(weight >= 0.0 for weight in found.values())
    assert coverage(found, found) == pytest.approx(1.0 if any(found.values()) else 0.0)
    assert bool(found) == has_word(text)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("delivery times", "The delivery time is 3 days"),
        ("стоимость доставки", "Доставка и её стоимость"),
        ("送货时间", "送货的时间"),
    ],
)
def test_inflected_and_unspaced_words_are_found_again(left: str, right: str) -> None:
    assert coverage(terms(left), terms(right)) > 0.5


def test_holds_folds_case_and_punctuation_but_not_order() -> None:
    assert holds("It was founded by Clara Osei.", "clara osei!")
    assert not holds("Osei, Clara", "Clara Osei")
    assert not holds("anything", "…")
