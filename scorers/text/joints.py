"""Cuts a sentence that strings several facts together, so that each can be judged by itself.

"Founded in 2010, it has 5,000 employees and sits in Oslo" is three claims: one false fact must not hide two true ones.
Without a grammar for every language only what is clear is cut: at a word for "and" where there is a figure on both
sides, and at the commas of a list of three or more parts that each say something checkable. The last comma of a list
may be a word for "and", where two of the parts or more have a figure.
"""

import itertools

import regex

from ragsonde.scorers.text.scripts import UNSPACED

_AND = (
    "and|und|et|y|e|i|a|и|а|та|і|й|oraz|a także|dan|serta|ve|en|och|og|ja|és|și|și|as well as|sowie|ainsi que|así como|"
    "a také|kao i|а также|και|و|और|และ|và"
)
"""Words that add one statement to another, in the languages of the abstention cues."""
_CONJUNCTION = regex.compile(rf"(?<=[\s,;，；])(?:{_AND})(?=\s)|(?:，|；|、)?(?:以及|并且|和)", regex.IGNORECASE)
_COMMA = regex.compile(r"(?<!\p{N})[,;،؛](?=\s)|(?<=\p{N})[,;](?=\s+[^\s\p{N}])|[，；]")
_LEADING = regex.compile(rf"(?:\s|(?:{_AND})\s)*", regex.IGNORECASE)
_WORD = regex.compile(r"[\p{L}\p{M}\p{N}]+")
_FIGURE = regex.compile(r"\p{N}")
_NAME = regex.compile(r"(?<=[\p{L}\p{N}\p{P}]\s)\p{Lu}\p{L}+")
_MIN_WORDS = 3
_MIN_UNSPACED_CHARACTERS = 4
_MIN_LIST_PARTS = 3


def split_facts(sentence: str) -> tuple[tuple[int, int], ...]:
    """Return where the parts of a sentence stand, as offsets into it: the whole sentence where nothing is to be cut."""
    whole = (0, len(sentence))
    if not _FIGURE.search(sentence):
        return (whole,)
    parts = [cut for part in _cut_list(sentence, whole) for cut in _cut_conjunctions(sentence, part)]
    return tuple(_trimmed(sentence, part) for part in parts)


def _cut_list(sentence: str, whole: tuple[int, int]) -> list[tuple[int, int]]:
    commas = [found.end() for found in _COMMA.finditer(sentence)]
    if parts := _list_parts(sentence, whole, commas):
        return parts
    if not commas:
        return [whole]
    last = next((found.start() for found in reversed(list(_CONJUNCTION.finditer(sentence)))), 0)
    if last <= commas[-1]:
        return [whole]
    parts = _list_parts(sentence, whole, [*commas, last])
    return parts if sum(_FIGURE.search(sentence, *part) is not None for part in parts) > 1 else [whole]


def _list_parts(sentence: str, whole: tuple[int, int], bounds: list[int]) -> list[tuple[int, int]]:
    """The parts between ``bounds``; none where they are too few, or one of them says nothing."""
    parts = list(itertools.pairwise([whole[0], *bounds, whole[1]]))
    enough = len(parts) >= _MIN_LIST_PARTS and all(_says_something(sentence, part) for part in parts)
    return parts if enough else []


def _cut_conjunctions(sentence: str, part: tuple[int, int]) -> list[tuple[int, int]]:
    start, end = part
    figures = [found.start() for found in _FIGURE.finditer(sentence, start, end)]
    if not figures or figures[-1] - figures[0] < len(figures):  # one figure, which no word parts
        return [part]
    parts = []
    for found in _CONJUNCTION.finditer(sentence, start, end):
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


def _trimmed(sentence: str, part: tuple[int, int]) -> tuple[int, int]:
    """Leave out the joining word, spaces, and the comma at the end; a full stop stays."""
    start, end = part
    if start > 0 and (leading := _LEADING.match(sentence, start, end)):
        start = leading.end()
    while end < len(sentence) and end > start and sentence[end - 1] in " ,;，；、،؛\t\n":
        end -= 1
    return start, end
