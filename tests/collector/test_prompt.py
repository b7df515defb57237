"""Filled prompts are taken apart at their labels, numbers, tags and fences, in any language."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragsonde.collector.model import Document
from ragsonde.collector.prompt import Passage, context_block, cut_question, is_filled_template, passages_in, position_in


def numbers_and_texts(prompt: str, question: str | None = None) -> list[tuple[int | None, str]]:
    return [(passage.number, passage.text) for passage in passages_in(prompt, question)]


@pytest.mark.parametrize(
    "prompt",
    [
        "Context:\n[1] one\n[2] two\n\nQuestion: why?",
        "[1] one\n[2] two\n\nQuestion: why?",
        "[1]: one\n\n[2]: two\n\nwhy?",
        "Source [1] one\nSource [2] two\n\nwhy?",
        "上下文：\n【1】one\n【2】two\n问题：why?",
        "Documents:\nDocument 1: one\nDocument 2: two\n\nQuestion: why?",
        "Dokumenty:\nDokument 1: one\nDokument 2: two\n\nPytanie: why?",
        "Context:\n1. one\n2. two\n\nQuestion: why?",
        "Context:\n(1) one\n(2) two\n\nQuestion: why?",
        "Question: why?\n\nContext:\n[1] one\n[2] two\n\nAnswer:",
        "<context>\n[1] one\n[2] two\n</context>\nwhy?",
        (
            '<documents><document index="1"><source>a.md</source><document_content>one</document_content></document>'
            '<document index="2"><source>b.md</source><document_content>two</document_content></document></documents>'
        ),
    ],
)
def test_numbered_passages_are_found(prompt: str) -> None:
    assert numbers_and_texts(prompt) == [(1, "one"), (2, "two")]


def test_passages_may_have_paragraphs_and_lists_of_their_own() -> None:
    prompt = "Context:\n[1] one\n\nmore of one:\n1. a\n2. b\n[2] two\n\nmore of two\n\nQuestion: why?"
    assert numbers_and_texts(prompt) == [(1, "one\n\nmore of one:\n1. a\n2. b"), (2, "two\n\nmore of two")]


def test_tagged_passages_carry_ids() -> None:
    assert passages_in("<context><doc id='kb-7'>one</doc></context>") == (Passage("one", None, "kb-7"),)


def test_instructions_are_no_passages() -> None:
    assert passages_in("Rules:\n1. Be brief.\n2. Cite passages as [1], [2].\n\nHello") == ()
    assert passages_in("Cite the passages as [1], [2], ...") == ()


def test_context_block_without_numbers_is_one_passage_or_split_at_rules() -> None:
    assert numbers_and_texts("Context: all of it\n\nQuestion: why?") == [(None, "all of it")]
    assert numbers_and_texts("Context:\none\n---\ntwo\nQuestion: why?") == [(None, "one"), (None, "two")]


def test_questions_inside_the_documents_are_not_the_question() -> None:
    prompt = "Context:\n[1] Question: what is it?\nAnswer: a drill.\n[2] two\n\nQuestion: why?\nAnswer:"
    assert cut_question(prompt) == "why?"
    assert numbers_and_texts(prompt)[0] == (1, "Question: what is it?\nAnswer: a drill.")


@pytest.mark.parametrize(
    ("prompt", "expected"),
    [
        ("Chat history:\nQuestion: old?\nAnswer: old.\nQuestion: new?", "new?"),
        ("Question:\n  over\n  two lines\n\nAnswer in Polish.", "over\ntwo lines"),
        ("**Question:** why?", "why?"),
        ("User's question: why?", "why?"),
        ("<user_query>\nwhy?\n</user_query>", "why?"),
        ("Câu hỏi: tại sao?", "tại sao?"),
        ("Soru: neden?", "neden?"),
        ("no label here", None),
    ],
)
def test_labelled_question_is_cut_out(prompt: str, expected: str | None) -> None:
    assert cut_question(prompt) == expected


def test_unlabelled_question_is_what_stands_after_the_documents() -> None:
    documents = [Document(text="one", rank=1), Document(text="two", rank=2)]
    assert cut_question("Use this.\none\n\ntwo\n---\nwhy?", documents) == "why?"
    assert cut_question("why?\n\none\n\ntwo", documents) is None


@pytest.mark.parametrize(
    "text", ["How long may I keep it?", "My order 12 is late: where is it?", "see https://example.com", "a\n\nb"]
)
def test_a_persons_own_words_are_no_template(text: str) -> None:
    assert not is_filled_template(text)


def test_position_forgives_white_space_case_and_a_cut_end() -> None:
    long = "A drill may be kept for seven days, and longer where the shop agrees to it in writing before they end."
    prompt = f"context: {long.casefold()[:90]} ..."
    assert position_in(Document(text=long.upper(), rank=1), prompt) == 9
    assert position_in(Document(text=None, rank=1), prompt) == -1


@given(st.text(alphabet=st.sampled_from('[]1230<>/docntexu:= \n-*`"aQ问题：【】'), max_size=300))
def test_any_text_can_be_taken_apart(text: str) -> None:
    for passage in passages_in(text, "a"):
        assert passage.text
        assert passage.text in text
    cut_question(text)
    context_block(text)
    is_filled_template(text)
