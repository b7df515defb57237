"""The parts of local faithfulness: words, analysis cache, probability, citation support."""

import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragsonde.scorers.faithfulness import AnalysisCache, Support
from ragsonde.scorers.faithfulness.analysis import AnalysedText
from ragsonde.scorers.faithfulness.probability import FEATURES, Weights, fitted_weights, probability
from ragsonde.scorers.faithfulness.words import function_words, key_of, match_strength, prior_weight, split_words
from ragsonde.scorers.text.segmentation import split_sentences
from ragsonde.scorers.text.spans import Sentence

# Words ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("umowa", "umowy"),
        ("zaposlenika", "zaposlenicima"),
        ("Москва", "Москве"),
        ("kerja", "bekerja"),
        ("employee", "employees"),
        ("day", "days"),
        ("Sarajevu", "Сарајеву"),
        ("والرسوم", "الرسوم"),
    ],
)
def test_forms_of_one_word_match(one: str, other: str) -> None:
    assert match_strength(key_of(one), key_of(other)) > 0.5


@pytest.mark.parametrize(
    ("one", "other"),
    [("refundable", "nonrefundable"), ("legal", "illegal"), ("cat", "car"), ("2010", "2011"), ("北京", "上海")],
)
def test_other_words_and_opposites_do_not_match(one: str, other: str) -> None:
    assert match_strength(key_of(one), key_of(other)) == 0.0


@given(st.text(max_size=30), st.text(max_size=30))
def test_matching_is_symmetric_and_a_word_matches_itself(one: str, other: str) -> None:
    assert match_strength(one, other) == match_strength(other, one)
    assert match_strength(one, one) == 1.0


@given(st.text(max_size=200))
def test_words_stand_in_the_text_in_order(text: str) -> None:
    found = split_words(text)
    assert [word.start for word in found] == sorted(word.start for word in found)
    assert all(0 <= word.start < word.end <= len(text) and word.key for word in found)
    assert all(0.0 < prior_weight(word.key) <= 1.0 for word in found)


def test_words_of_grammar_weigh_little_in_any_language() -> None:
    assert {"the", "und", key_of("который"), "yang", "ile"} <= function_words()
    assert prior_weight("the") < prior_weight("cat") < prior_weight("contract")


def test_an_acronym_is_not_the_pronoun_that_it_looks_like() -> None:
    assert [word.key for word in split_words("US, U.S. and us")] == ["US", "US", "and", "us"]


# Analysis ------------------------------------------------------------------------------------------------------


def test_an_analysis_is_made_once_for_equal_texts() -> None:
    calls: list[str] = []

    def sentences() -> tuple[Sentence, ...]:
        calls.append("called")
        return split_sentences("One. Two.")

    cache = AnalysisCache()
    assert cache.analysed("One. Two.", sentences) is cache.analysed("One. " + "Two.", sentences)
    assert calls == ["called"]


def test_the_cache_forgets_the_least_recently_used_beyond_its_bound() -> None:
    cache = AnalysisCache(max_characters=10)
    first = cache.analysed("aaaa", lambda: ())
    cache.analysed("bbbb", lambda: ())
    assert cache.analysed("aaaa", lambda: ()) is first
    cache.analysed("cccc", lambda: ())
    assert cache.analysed("aaaa", lambda: ()) is first
    huge = cache.analysed("x" * 11, lambda: ())
    assert cache.analysed("x" * 11, lambda: ()) is not huge


def test_the_cache_serves_several_threads() -> None:
    cache = AnalysisCache(max_characters=400)
    texts = [f"Sentence number {n}." for n in range(40)]
    failures: list[str] = []

    def read() -> None:
        for text in texts * 5:
            analysed = cache.analysed(text, lambda text=text: split_sentences(text))
            if analysed.text != text or not analysed.places:
                failures.append(text)

    threads = [threading.Thread(target=read) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


@given(st.text(max_size=150))
def test_every_word_of_every_sentence_is_indexed(text: str) -> None:
    analysed = AnalysedText(text, split_sentences(text))
    for index in range(len(analysed.sentences)):
        for word in analysed.words_of(index, index):
            assert index in analysed.places[word.key]
            assert analysed.sentence_at(word.start) == index


def test_what_was_looked_up_in_a_text_is_kept_within_bounds() -> None:
    analysed = AnalysedText("The lease ends in May.", [Sentence("The lease ends in May.", 0, 22)])
    first = analysed.held("leases"), analysed.bits_of("lease")
    assert first[0].hits
    assert first[1] == (2, 2)
    for number in range(2_000):
        analysed.held(f"word{number}")
        analysed.bits_of(f"word{number}")
    assert len(analysed._held) < 200
    assert len(analysed._bits) < 200
    assert (analysed.held("leases"), analysed.bits_of("lease")) == first


# Probability ---------------------------------------------------------------------------------------------------


shares = st.floats(0, 1)
counts = st.floats(0, 3)


@given(
    st.tuples(shares, shares, shares, counts, counts, counts, counts),
    st.integers(0, len(FEATURES) - 1),
    st.floats(0, 1),
)
def test_more_evidence_never_lowers_and_more_objections_never_raise_it(
    features: tuple[float, ...], changed: int, more: float
) -> None:
    grown = tuple(value + more if at == changed else value for at, value in enumerate(features))
    speaks_for = changed < 3
    assert (
        (probability(grown) >= probability(features)) if speaks_for else (probability(grown) <= probability(features))
    )


def test_the_shipped_weights_say_what_they_were_fitted_on() -> None:
    assert "dev" in fitted_weights().fitted_on


def test_weights_that_pull_the_wrong_way_are_refused() -> None:
    wrong = (-1.0, *fitted_weights().weights[1:])
    with pytest.raises(ValueError, match="wrong way"):
        Weights(0.0, wrong, "a test")
    with pytest.raises(ValueError, match="features"):
        Weights(0.0, (1.0,), "a test")


# Citation support ----------------------------------------------------------------------------------------------


def test_support_is_high_for_the_cited_document_and_low_for_another() -> None:
    support = Support().support
    statement = "Returns are free within 30 days."
    assert support(statement, "Welcome. Returns are free within 30 days of delivery.") >= 0.5
    assert support(statement, "Returns are free within 20 days.") < 0.5
    assert support(statement, "Our office is in Graz.") < 0.5
    assert support(statement, "") == support(statement, "  \n") == support("", statement) == 0.0
