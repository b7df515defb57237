"""What a model for entailment is given to read."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragsonde.scorers.faithfulness.alignment import Alignment, Evidence
from ragsonde.scorers.faithfulness.analysis import AnalysedText
from ragsonde.scorers.faithfulness.premises import hypothesis, premise
from ragsonde.scorers.faithfulness.words import split_words
from ragsonde.scorers.text.segmentation import split_sentences

FILLER = "The harbour was widened in stages over many decades, and the old quay was kept. "
SENTENCES = ("The ferry to Vis leaves at ten.", "It takes bicycles free of charge.", "Dogs pay four euros each way.")


def tokens(text: str) -> int:
    return len(text.split())


def read(claim: str, *texts: str, room: int = 40, question: str = "") -> str:
    evidence = Evidence([AnalysedText(text, split_sentences(text)) for text in texts], question)
    return premise(claim, evidence.align(claim), evidence, room, tokens)


def test_contexts_that_fit_are_read_whole_each_document_on_a_line() -> None:
    assert read("Dogs pay.", " ".join(SENTENCES[:2]), SENTENCES[2]) == f"{SENTENCES[0]} {SENTENCES[1]}\n{SENTENCES[2]}"


@pytest.mark.parametrize("before", [0, 50])
@pytest.mark.parametrize("after", [0, 50])
def test_of_long_contexts_the_sentences_nearest_to_the_claim_are_read_wherever_they_stand(
    before: int, after: int
) -> None:
    text = FILLER * before + " ".join(SENTENCES) + " " + FILLER * after

    given_text = read("A dog pays four euros.", text, room=25)

    assert SENTENCES[2] in given_text
    assert tokens(given_text) <= 25


def test_the_sentence_before_the_passage_is_read_too_for_it_may_say_who_it_is() -> None:
    given_text = read("Bicycles travel free of charge.", FILLER * 20 + SENTENCES[0] + " " + SENTENCES[1], room=24)

    assert given_text.startswith(SENTENCES[0])


def test_of_one_endless_sentence_the_stretch_with_the_claims_words_is_read() -> None:
    endless = "and so on " * 200 + "the ferry to Vis leaves at ten " + "and so on " * 200

    given_text = read("The ferry to Vis leaves at ten.", endless, room=12)

    assert "ferry to Vis leaves at ten" in given_text
    assert tokens(given_text) <= 12


def test_of_contexts_without_a_word_of_the_claim_the_beginning_is_read() -> None:
    assert read("Пёс платит.", FILLER * 40, room=20).startswith("The harbour was widened")


@given(
    st.lists(st.text(alphabet="ab cd.\n!", max_size=120), min_size=1, max_size=4),
    st.text(alphabet="ab cd", min_size=1, max_size=30),
    st.integers(min_value=1, max_value=30),
)
def test_a_premise_never_holds_more_than_there_is_room_for_nor_words_of_its_own(
    texts: list[str], claim: str, room: int
) -> None:
    evidence = Evidence([AnalysedText(text, split_sentences(text)) for text in texts])
    if not evidence.has_text:
        return

    found = premise(claim, evidence.align(claim), evidence, room, tokens)

    assert tokens(found) <= room or len(split_words(found)) <= 1
    assert all(any(word in text for text in texts) for word in found.split())


def test_a_short_claim_is_read_after_the_question_and_a_full_one_by_itself() -> None:
    question = "When was the tower finished?"

    assert hypothesis("In 1889.", question) == "When was the tower finished? In 1889."
    assert hypothesis("The iron tower was finished in 1889 by Eiffel.", question).startswith("The iron tower")
    assert hypothesis("In 1889.", " ") == "In 1889."


def test_alignment_without_a_window_leads_nowhere_and_fails_nothing() -> None:
    evidence = Evidence([AnalysedText(FILLER * 9, split_sentences(FILLER * 9))])
    nowhere = Alignment(None, 0, 0, 0, None, 0, ())

    assert premise("?", nowhere, evidence, 16, tokens).startswith("The harbour")
