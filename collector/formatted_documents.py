"""Tells an answer that quotes its passages whole from a step that only put the passages together.

Both hold every retrieved text. What is left when the passages are taken out decides: an answer adds words, a marker
after what it quotes, or another sentence; a template adds a number, a label or a tag, and the same to each passage.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import regex

from ragsonde.collector.model import AttributeValue, Document
from ragsonde.collector.prompt import folded, is_filled_template
from ragsonde.collector.prompt_labels import CONTEXT_LABELS

_TAKEN = "\0"
_TAG = regex.compile(r"</?\p{L}[^<>]*>")
_WORD = regex.compile(r"[\p{L}\p{M}]+")
_NUMBER = regex.compile(r"\p{N}")
_LABEL = regex.compile(r"[:：|=\[\]【】(){}<>#\p{N}][^\p{L}]*$|[:：]|^[\[【<#]")
_NAMED_VALUE = regex.compile(r"[:：=]|</")
_SHORTEST_NAME = 3
"""Characters of a metadata value that is looked for between passages; a shorter one may be any word."""


@dataclass(frozen=True, slots=True)
class _Gaps:
    """What stands before the first passage, between the passages, and after the last."""

    head: str
    between: tuple[str, ...]
    tail: str


def is_only_documents(text: str, documents: Sequence[Document], question: str | None, *, is_outermost: bool) -> bool:
    """Whether a text is nothing but retrieved documents put together, and so a context rather than an answer.

    Args:
        text: what a chain returned.
        documents: what was retrieved inside it.
        question: what the chain was asked, if that is known: a filled prompt repeats it.
        is_outermost: whether nothing around the chain was asked anything. What such a chain makes of one passage is
            an answer: there is nobody whom it could be handed to as a context.
    """
    answer = folded(text).replace(_TAKEN, " ")
    gaps = _gaps(answer, documents)
    if gaps is None or (is_outermost and question is not None and not gaps.between):
        return False
    if question is not None and folded(question) in answer and is_filled_template(text):
        return True
    return _is_template(gaps, documents)


def _gaps(answer: str, documents: Sequence[Document]) -> _Gaps | None:
    """Take the documents out of an answer; None where it does not hold them all."""
    passages = sorted({folded(document.text) for document in documents if document.text}, key=len, reverse=True)
    passages = [passage for passage in passages if passage]
    if not passages or not all(passage in answer for passage in passages):
        return None
    rest = answer
    for place, passage in enumerate(passages):
        start = _whole_words(passage, rest)
        if start >= 0:
            rest = rest[:start] + _TAKEN + rest[start + len(passage) :]
        elif not any(passage in longer for longer in passages[:place]):
            return None
    head, *between, tail = rest.split(_TAKEN)
    return _Gaps(head, tuple(between), tail)


def _whole_words(passage: str, text: str) -> int:
    """Return where a passage stands as whole words; -1 where it only stands inside longer ones, as "a" in "last"."""
    start = text.find(passage)
    while start >= 0:
        end = start + len(passage)
        is_cut = text[start - 1 : start].isalnum() and passage[0].isalnum()
        if not is_cut and not (text[end : end + 1].isalnum() and passage[-1].isalnum()):
            return start
        start = text.find(passage, start + 1)
    return -1


def _is_template(gaps: _Gaps, documents: Sequence[Document]) -> bool:
    names = {folded(name) for document in documents for name in _names(document)}
    head, between = _words(gaps.head, names), [_words(gap, names) for gap in gaps.between]
    tail = _words(gaps.tail, set())  # an id after what is quoted is a citation
    if not any((head, tail, *between)):
        is_cited = _NUMBER.search(gaps.tail) is not None and _NUMBER.search(gaps.head) is None
        return not is_cited
    if tail and not (_NAMED_VALUE.search(gaps.tail) and between and all(gap[:1] == tail[:1] for gap in between)):
        return False
    if head:
        return _is_label_of_each(gaps.head, head, between) or (not any(between) and _is_heading(gaps.head, head))
    return bool(tail) or (len(between) > 1 and all(gap == between[0] for gap in between))


def _is_label_of_each(text: str, head: list[str], between: list[list[str]]) -> bool:
    """Whether what stands before the first passage stands before every other too, but for numbers and names."""
    if text.rstrip().endswith((",", "，", "、", "،")) or not _LABEL.search(text):
        return False
    return all(gap[:1] == head[:1] or gap[-1:] == head[-1:] for gap in between)


def _is_heading(text: str, head: list[str]) -> bool:
    return " ".join(head) in CONTEXT_LABELS or not _WORD.search(_TAG.sub(" ", text))


def _words(gap: str, names: set[str]) -> list[str]:
    for name in names:
        gap = gap.replace(name, " ")
    return _WORD.findall(gap)


def _names(document: Document) -> Iterable[str]:
    """Yield what a template may call a document: its id and the values of its metadata."""
    values: list[AttributeValue] = [document.id, *document.metadata.values()]
    return (value for value in values if isinstance(value, str) and len(value) >= _SHORTEST_NAME)
