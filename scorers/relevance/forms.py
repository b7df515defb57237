"""What kind of answer a question asks for, and whether a text holds one."""

import re
from collections.abc import Mapping
from enum import StrEnum
from functools import cache

import regex

from ragsonde.scorers.facts import Measurements, find_measurements
from ragsonde.scorers.listed import read_toml
from ragsonde.scorers.text.scripts import UNSPACED

_MAY_BE_SPELLED = regex.compile(
    r"[\p{Arabic}\p{Hebrew}\p{Devanagari}\p{Bengali}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}\p{Hangul}\p{Greek}\p{Georgian}\p{Armenian}]"
)
"""Scripts of languages whose number words ``find_measurements`` does not read, or not all of them."""


class AnswerForm(StrEnum):
    """The kind of answer that a question shows it wants."""

    TIME = "time"
    """A date, a year, a time of day."""
    DURATION = "duration"
    PRICE = "price"
    QUANTITY = "quantity"
    OPEN = "open"
    """Anything else, or a language whose question words are not known."""


def asked_form(question: str) -> AnswerForm:
    """The form that the question words ask for."""
    lowered = question.casefold()
    return next((form for form, pattern in _patterns().items() if pattern.search(lowered)), AnswerForm.OPEN)


def form_match(form: AnswerForm, question: str, text: str) -> float:
    """How well a text suits the form: 1 it holds such a value, -1 it holds no number at all, 0 between or ``open``.

    Values that the question itself names do not count. In scripts whose number words are not read, no number found is
    none missed: 0.
    """
    if form is AnswerForm.OPEN:
        return 0.0
    found = find_measurements(text)
    if not found:
        return 0.0 if _MAY_BE_SPELLED.search(text) else -1.0
    known = {fact.text.casefold() for fact in find_measurements(question).quantities}
    return 1.0 if _holds(form, found, known) else 0.0


def is_polar(answer: str) -> bool:
    """Whether the answer is a bare yes or no."""
    return answer.casefold().strip(" \n\t.!,。！،") in _word_lists()["polar"]


def _holds(form: AnswerForm, found: Measurements, known: set[str]) -> bool:
    quantities = [fact for fact in found.quantities if fact.text.casefold() not in known]
    dimensions = {dimension.partition(":")[0] for fact in quantities for dimension in fact.dimensions}
    match form:
        case AnswerForm.TIME:
            return bool(found.dates or found.times or found.weekdays or any(fact.year for fact in quantities))
        case AnswerForm.DURATION:
            return "time" in dimensions
        case AnswerForm.PRICE:
            return "money" in dimensions
        case _:
            return bool(quantities)


@cache
def _word_lists() -> Mapping[str, frozenset[str]]:
    return {
        section: frozenset(word for words in by_language.values() for word in words)
        for section, by_language in read_toml(__package__, "question_forms.toml").items()
    }


@cache
def _patterns() -> Mapping[AnswerForm, re.Pattern[str]]:
    patterns = {}
    for section, listed in _word_lists().items():
        if section == "polar":
            continue
        words = sorted(listed, key=lambda word: (-len(word), word))
        spaced = [re.escape(word) for word in words if not UNSPACED.match(word)]
        unspaced = [re.escape(word) for word in words if UNSPACED.match(word)]
        patterns[AnswerForm(section)] = re.compile(rf"(?<!\w)(?:{'|'.join(spaced)})(?!\w)|{'|'.join(unspaced)}")
    return patterns
