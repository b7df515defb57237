"""Cuts a sentence that strings several facts together, so that each can be judged by itself.

"Founded in 2010, it has 5,000 employees and sits in Oslo" is three claims: one false fact must not hide two true ones.
Without a grammar for every language only what is clear is cut: at a word for "and" where there is a figure on both
sides, and at the commas of a list of three or more parts that each say something checkable. The last comma of a list
may be a word for "and", where two of the parts or more have a figure.
"""

import itertools
from functools import cache

import regex

from ragsonde.scorers.text.language import language_family
from ragsonde.scorers.text.scripts import UNSPACED

_Pattern = regex.Pattern[str]
_AND = (
    "and|und|и|а|та|і|й|oraz|a także|serta|och|és|și|şi|as well as|sowie|ainsi que|así como|a také|kao i|а также|"
    "και|و|اور|और|และ|và"
)
"""Words that add one statement to another, in the languages of the abstention cues."""
_ONLY_IN = {
    "et": ("fr", "ca"), "y": ("es",), "e": ("it", "pt"), "i": ("pl", "hbs", "sl", "ca"), "a": ("cs", "sk", "pl", "hbs"),
    "en": ("nl", "af"), "og": ("da", "no"), "ja": ("fi", "et"), "ve": ("tr", "az"), "dan": ("msa",),
}  # fmt: skip
"""Those that are another word elsewhere, such as English "a" and Spanish "en", and the languages that they add in."""
_COMMA = regex.compile(r"(?<!\p{N})[,;،؛](?=\s)|(?<=\p{N})[,;](?=\s+[^\s\p{N}])|[，；]")
_WORD = regex.compile(r"[\p{L}\p{M}\p{N}]+")
_FIGURE = regex.compile(r"\p{N}")
_NAME = regex.compile(r"(?<=[\p{L}\p{N}\p{P}]\s)\p{Lu}\p{L}+")
_MIN_WORDS = 3
_MIN_UNSPACED_CHARACTERS = 4
_MIN_LIST_PARTS = 3


def split_facts(sentence: str, language: str) -> tuple[tuple[int, int], ...]:
    """Return where the parts of a sentence stand, as offsets into it: the whole sentence where nothing is to be cut.

    ``language`` is an ISO 639 code; where it is unknown, only at words that add in whatever language has them.
    """
    whole = (0, len(sentence))
    if not _FIGURE.search(sentence):
        return (whole,)
    conjunction, leading = _joints(language_family(language))
    parts = [
        cut
        for part in _cut_list(sentence, whole, conjunction)
        for cut in _cut_conjunctions(sentence, part, conjunction)
    ]
    return tuple(_trimmed(sentence, part, leading) for part in parts)


@cache
def _joints(family: str) -> tuple[_Pattern, _Pattern]:
    """What joins statements in a family of languages, and what a part may begin with."""
    words = "|".join((_AND, *(word for word, families in _ONLY_IN.items() if family in families)))
    return (
        regex.compile(rf"(?<=[\s,;，；])(?:{words})(?=\s)|(?:，|；|、)?(?:以及|并且|和)", regex.IGNORECASE),
        regex.compile(rf"(?:\s|(?:{words})\s)*", regex.IGNORECASE),
    )


def _cut_list(sentence: str, whole: tuple[int, int], conjunction: _Pattern) -> list[tuple[int, int]]:
    commas = [found.end() for found in _COMMA.finditer(sentence)]
    if parts := _list_parts(sentence, whole, commas):
        return parts
    if not commas:
        return [whole]
    last = next((found.start() for found in reversed(list(conjunction.finditer(sentence)))), 0)
    if last <= commas[-1]:
        return [whole]
    parts = _list_parts(sentence, whole, [*commas, last])
    return parts if sum(_FIGURE.search(sentence, *part) is not None for part in parts) > 1 else [whole]


def _list_parts(sentence: str, whole: tuple[int, int], bounds: list[int]) -> list[tuple[int, int]]:
    """The parts between ``bounds``; none where they are too few, or one of them says nothing."""
    parts = list(itertools.pairwise([whole[0], *bounds, whole[1]]))
    enough = len(parts) >= _MIN_LIST_PARTS and all(_says_something(sentence, part) for part in parts)
    return parts if enough else []


def _cut_conjunctions(sentence: str, part: tuple[int, int], conjunction: _Pattern) -> list[tuple[int, int]]:
    start, end = part
    figures = [found.start() for found in _FIGURE.finditer(sentence, start, end)]
    if not figures or figures[-1] - figures[0] < len(figures):  # one figure, which no word parts
        return [part]
    parts = []
    for found in conjunction.finditer(sentence, start, end):
        if _has_figure(sentence, (start, found.start())) and _has_figure(sentence, (found.end(), end)):
            parts.append((start, found.start()))
            start = found.start()
    return [*parts, (start, end)]


def _has_figure(sentence: str, part: tuple[int, int]) -> bool:
    return _is_long_enough(sentence[slice(*part)]) and _FIGURE.search(sentence, *part) is not None


def _says_something(sentence: str, part: tuple[int, int]) -> bool:
    """Whether a part is long enough and has a figure or a name; scripts without capitals show no names."""
    text = sentence[slice(*part)]
    return _is_long_enough(text) and bool(
        _FIGURE.search(text) or _NAME.search(text) or (UNSPACED.search(text) and not regex.search(r"\p{Lu}", sentence))
    )


def _is_long_enough(text: str) -> bool:
    words = _WORD.findall(text)
    if UNSPACED.search(text):
        return sum(map(len, words)) >= _MIN_UNSPACED_CHARACTERS
    return len(words) >= _MIN_WORDS


def _trimmed(sentence: str, part: tuple[int, int], joining: _Pattern) -> tuple[int, int]:
    """Leave out the joining word, spaces, and the comma at the end; a full stop stays."""
    start, end = part
    if start > 0 and (leading := joining.match(sentence, start, end)):
        start = leading.end()
    while end < len(sentence) and end > start and sentence[end - 1] in " ,;，；、،؛\t\n":
        end -= 1
    return start, end
