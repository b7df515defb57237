"""What kind of answer a question asks for, and whether a text holds one."""

import re
import tomllib
from collections.abc import Mapping
from enum import StrEnum
from functools import cache
from importlib import resources

import regex

_UNSPACED = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}]")
_NUMBER = regex.compile(r"\p{Nd}+(?:[.,٫]\p{Nd}+)*|[一二三四五六七八九十百千万億亿两]+[个個人年月日天元次种名岁]")


class AnswerForm(StrEnum):
    """The kind of answer that a question shows it wants."""

    QUANTITY = "quantity"
    TIME = "time"
    OPEN = "open"
    """Anything else, or a language whose question words are not known."""


@cache
def _patterns() -> Mapping[AnswerForm, re.Pattern[str]]:
    content = resources.files("ragsonde.scorers.relevance").joinpath("question_forms.toml").read_text("utf-8")
    patterns = {}
    for form, by_language in tomllib.loads(content).items():
        words = sorted({word for words in by_language.values() for word in words}, key=len, reverse=True)
        spaced = [re.escape(word) for word in words if not _UNSPACED.match(word)]
        unspaced = [re.escape(word) for word in words if _UNSPACED.match(word)]
        patterns[AnswerForm(form)] = re.compile(rf"(?<!\w)(?:{'|'.join(spaced)})(?!\w)|{'|'.join(unspaced)}")
    return patterns


def asked_form(question: str) -> AnswerForm:
    """The form that the first telling word of the question asks for."""
    lowered = question.casefold()
    hits = [(hit.start(), form) for form, pattern in _patterns().items() if (hit := pattern.search(lowered))]
    return min(hits)[1] if hits else AnswerForm.OPEN


def form_match(form: AnswerForm, question: str, text: str) -> float:
    """1 where the text holds a number (or date) that the question does not, -1 where it should and does not, else 0."""
    if form is AnswerForm.OPEN:
        return 0.0
    known = set(_NUMBER.findall(question))
    return 1.0 if any(number not in known for number in _NUMBER.findall(text)) else -1.0
