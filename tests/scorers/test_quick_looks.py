"""Searches that are cut short: a quick look never hides what the whole search would have found."""

import random
import re
from collections.abc import Sequence
from importlib.resources import files
from unittest.mock import patch

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from py3langid.langid import MODEL_FILE, LanguageIdentifier

from ragsonde.scorers.detector.lexical import _stretches
from ragsonde.scorers.facts import dates, names, numbers
from ragsonde.scorers.facts.scan import Scan
from ragsonde.scorers.faithfulness.windows import Weighted, best_places, best_window, covered, scores_of
from ragsonde.scorers.faithfulness.words import WordForms, cut_words, keys_of, match_strength
from ragsonde.scorers.text import blocks, segmentation, statements, stops
from ragsonde.scorers.text.cues import CueFile, fold_for_cues, words_for_cues
from ragsonde.scorers.text.identification import LanguageModel
from ragsonde.scorers.text.marks import TRAILING_MARK, may_hold_marks
from ragsonde.scorers.text.segmentation import split_sentences
from ragsonde.scorers.text.word_lists import may_hold_word, with_plain_apostrophes, word_pattern, word_sections

WORD_LISTS = frozenset({"conditional", "follows_not", "contrast", "concessive"})
EVERY_LANGUAGE = files("ragsonde.scorers.text").joinpath("abstention.toml").read_text("utf-8").splitlines()[20::9]
PIECES = (
    "1 12 31 05 1999 2010 March march. May, FooMay of de d' and the – - + . , : / % € ½ 年 月 12月 ³ x5 RTX-40 1.2.3 "
    "v2.0 /a 3rd th 9:30 p.m. Uhr 1/2 than least 至少 ² ３"
)
CENTURIES = "In XIX XVIII iv e E ème -й -Й -му . век siècle SIÈCLE siglo abad ke- eeuw a"
SENTENCES = "The cat sat. z. B. Dr. e.g. I vi. U.S. max. Then and 5. 3.5 “Oh!” No? it"
figures = st.lists(st.sampled_from([*PIECES.split(), " ", "\n", "\u00a0", "  "])).map("".join)
words = st.text("abcdeinoprstuwzłęąžćаонежд", min_size=1, max_size=9)


# Facts ---------------------------------------------------------------------------------------------------------


def spans(matches: Sequence[re.Match[str]]) -> list[tuple[int, int]]:
    return [match.span() for match in matches]


@given(figures)
@example("1 March 5, 2010, FooMay 12 of de 2010")
@example("x5x5x5 RTX-40/1.2.3")
def test_searches_that_begin_at_digits_find_all(text: str) -> None:
    scan = Scan(text)
    for pattern in (*dates._NUMERIC, dates._EITHER_WAY, dates._DAY_FIRST, dates._CLOCK, dates._HOUR, numbers._SLASHED):
        assert spans([*scan.matches(pattern, scan.digits)]) == spans([*pattern.finditer(scan.plain)])
    assert spans([*dates._months_first(scan)]) == spans([*dates._MONTH_FIRST.finditer(scan.plain)])
    assert spans([*names._identifiers(scan)]) == spans([*names._CODE.finditer(text)])
    written = [n for m in numbers._NUMERAL.finditer(scan.plain) if (n := numbers._numeral(m, scan.plain, text))]
    assert [*numbers._written_in_digits(scan)] == written


@given(st.lists(st.sampled_from([*CENTURIES.split(), " ", "\u00a0"])))
@example(["siglo", " ", "XX"])
@example(["XIX", "-Й", " ", "век"])
def test_centuries_are_looked_for_wherever_they_are(parts: list[str]) -> None:
    text = "".join(parts)
    with patch.object(numbers, "_MAY_BE_ROMAN", re.compile("(?<![^\\W_])[IVX]")):
        every = [*numbers._romans(Scan(text))]
    assert [*numbers._romans(Scan(text))] == every


@given(st.text("ab .–’é12U.S", max_size=40) | st.text(max_size=40))
def test_keys_are_those_of_the_words(text: str) -> None:
    assert keys_of(text) == [word.key for word in cut_words(text)]
    assert all(text[word.start : word.end] for word in cut_words(text))


@given(st.lists(words, max_size=12), words)
def test_forms_of_a_word_are_all_that_match(others: list[str], word: str) -> None:
    forms = WordForms(dict.fromkeys(others))
    matching = {other: s for other in others if (s := match_strength(word, other))}
    assert dict(forms.of(word)) == matching
    assert forms.holds(word) == bool(matching)
    if len(word) >= 3:
        start = word[:3]
        assert list(forms.beginning(start)) == [other for other in dict.fromkeys(others) if other.startswith(start)]


parts_of_lines = st.sampled_from(
    ["a", "Word", "x.", " ", "   ", "\n", "\n\n", "\n \n", "•", "(a) y", "– z", "一、", "[1]: x", "<b>", "</div>",
     "**b**", "a | b", "1. x", "- x", "# x", "> x", "\\", "\u00a0", "\u3000", "\r", "\t", "\0", "_i_", "``", "日本。"]
)  # fmt: skip


@given(st.lists(parts_of_lines, max_size=12).map("".join))
@example("One line\nand\n\n  another.\n\n\n(a) last ")
def test_paragraphs_without_marks_are_those_of_the_parser(text: str) -> None:
    quick = blocks.find_blocks(text)
    with patch.object(blocks, "_MAY_BE_MARKED", re.compile("")):
        assert blocks.find_blocks(text) == quick


# Windows -------------------------------------------------------------------------------------------------------


strengths = st.sampled_from([0.7, 0.75, 0.9, 1.0])
held_words = st.tuples(st.floats(0.05, 1.0), st.dictionaries(st.integers(0, 9), strengths, min_size=1, max_size=4))


def worth(words: Weighted, places: Sequence[int], total: float) -> float:
    return covered(words, places) - 0.04 * total * (len(places) - 1)


@given(st.lists(held_words, min_size=1, max_size=6), st.floats(0.0, 1.0))
def test_no_window_is_passed_over_for_a_worse_one(words: Weighted, elsewhere: float) -> None:
    """Each of the best sentences is grown by itself here, as if there were no others."""
    total = sum(weight for weight, _ in words) + elsewhere
    found = best_window(words, total, [0, 6, 10])
    assert found is not None
    for start in best_places(scores_of(words), 4):
        grown = [start]
        for _ in range(2):
            around = [
                place for place in (grown[0] - 1, grown[-1] + 1) if place in range(10) and place // 6 == start // 6
            ]
            wider = max((sorted([*grown, place]) for place in around), key=lambda w: (covered(words, w), w))
            if covered(words, wider) - covered(words, grown) < 0.04 * total:
                break
            grown = wider
        assert worth(words, found, total) >= worth(words, grown, total) - 1e-9


@given(st.lists(st.integers(0, 15), min_size=4, max_size=4))
def test_one_place_holds_as_many_of_four_words_as_are_counted(near: list[int]) -> None:
    most = max(sum(places >> bit & 1 for places in near) for bit in range(4))
    assert _stretches(near) == [most / 4]


# Words that tell what a sentence does --------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["abstention.toml", "formalities.toml"])
def test_a_cue_is_looked_for_wherever_its_words_are(name: str) -> None:
    cues, chance, found = CueFile(name, WORD_LISTS), random.Random(7), 0
    sections = {code: cues.language(code) for code in cues.codes}
    for code, language in sections.items():
        for text in _made_of_cues(name, code, chance):
            folded = f" {fold_for_cues(text)} "
            for meaning, pattern in language.patterns.items():
                if pattern.search(folded):
                    found += 1
                    assert meaning in language.may_hold(words_for_cues(folded)), (code, meaning, text)
    assert found > 1_500


def test_a_cue_that_opens_a_sentence_is_not_looked_for_within_it() -> None:
    english = CueFile("formalities.toml", WORD_LISTS).language("en")
    assert "greeting" in english.may_hold(words_for_cues(" hello and welcome "))
    assert "greeting" not in english.may_hold(words_for_cues(" the shop says hello and welcome "))


@given(st.text("](:/w. htps<a\n", max_size=20))
@example("[x](y")
@example("see http://x")
@example("<a href")
def test_links_are_looked_for_wherever_their_signs_are(text: str) -> None:
    assert any(sign in text for sign in statements._SIGNS_OF_LINKS) or not statements._LINKED.search(text)


def _made_of_cues(name: str, code: str, chance: random.Random) -> list[str]:
    """Sentences of the words that the cues of a language are made of, one word of each group."""
    section = word_sections(name)[code]
    named = {key: value for key, value in section.items() if isinstance(value, str)}
    made = []
    for cue in (cue for value in section.values() if not isinstance(value, str) for cue in value):
        for _ in range(3):
            text = []
            for token in cue.split():
                choices = named.get(token[1:], token) if token.startswith("@") else token
                word = chance.choice(choices.split("|")).removesuffix("?")
                text.append(word.replace("_", " ").replace("*", chance.choice(["", "xy"])).strip("^$."))
            made.append(" ".join(text))
    return made


@pytest.mark.parametrize("language", ["en", "de", "es", "it", "cs", "tr", "vi", "zh", "und"])
def test_a_negation_is_looked_for_wherever_its_words_are(language: str) -> None:
    listed = [word for section in word_sections("negation.toml").values() for word in section.get("words", ())]
    pattern = word_pattern("negation.toml", language)
    for word in listed:
        for text in (word, f"They {word.upper()}, then", f"3{word} x", f"({word})", f"un{word}"):
            if pattern.search(with_plain_apostrophes(text)):
                assert may_hold_word("negation.toml", language, text), text


@given(st.text("a1 [(【.)】]²–<sup>/é", max_size=30))
def test_marks_are_looked_for_wherever_they_may_begin(text: str) -> None:
    held = any(TRAILING_MARK.match(text, at) for at in range(len(text)))
    assert may_hold_marks(text) or not held


@given(st.lists(st.sampled_from(SENTENCES.split())).map(" ".join))
@example("He sat. it. The max. five. i. Then")
def test_sentences_end_where_the_slow_search_ends_them(text: str) -> None:
    quick = split_sentences(text, "en")
    with patch.object(segmentation, "may_hold_marks", return_value=True), patch.object(stops, "_is_plain_word", false):
        assert split_sentences(text, "en") == quick


def false(*_: object) -> bool:
    return False


# Language ------------------------------------------------------------------------------------------------------


def test_languages_are_as_likely_as_the_package_says() -> None:
    package = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    model = LanguageModel()
    for text in (*(line.casefold()[:600] for line in EVERY_LANGUAGE), "", "a", "日本"):
        said = dict(package.rank(text))
        assert model.probabilities(text) == pytest.approx(said, abs=1e-6), text
