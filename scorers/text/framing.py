"""What the words around a stretch of text make of it: "untrue that …" takes it back, "only life …" narrows it.

All texts are folded ones (see ``folded``); a language is an ISO 639 code. Where the language is unknown, or not among
those listed, the words of every language count.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

import regex

from ragsonde.scorers.text.folded import fold
from ragsonde.scorers.text.language import UNDETERMINED, language_family
from ragsonde.scorers.text.negation import has_negation
from ragsonde.scorers.text.scripts import UNSPACED
from ragsonde.scorers.text.word_lists import word_sections

_FILE = "framing.toml"
_UNSPACED_FAMILIES = frozenset({"zh", "ja", "ko", "th", "lo", "km", "my"})
"""Languages in which a listed phrase may stand inside a run of letters."""
_HARD_STOP = regex.compile(r"[.!?;。！？；؛؟।]\s|[。！？；।]|\n")
_CLAUSE_BREAK = regex.compile(r"[.!?;:,()\[\]。！？；：，、؛،۔।\n]|\s-\s")
_FEW_WORDS = r"(?:[\p{L}\p{M}\p{N}'-]+[\s,]+)"
_GAP = r"[\s,\"'(«-]*"
_REACH = 160
"""Characters around a stretch in which the clause that frames it is looked for."""
_UNSPACED_REACH = 14
_NEARBY_WORDS = 4
_CLOSE_WORDS = 6


@dataclass(frozen=True, slots=True)
class _Words:
    """The words of a language, each list as one pattern; a list that is empty finds nothing."""

    only: regex.Pattern[str]
    denied: regex.Pattern[str]
    that: regex.Pattern[str]
    sure: regex.Pattern[str]
    undone: regex.Pattern[str]


def is_affirmed(before: str, language: str = UNDETERMINED) -> bool:
    """Whether what stands before affirms what follows although it reads like a denial ("there is no doubt that")."""
    words = _words(language_family(language))
    sentence = _sentence_before(before)
    found = [*words.sure.finditer(sentence)]
    return bool(found) and _leads_on(sentence[found[-1].end() :], words, words_between=_CLOSE_WORDS)


def is_denied(before: str, stretch: str, after: str, language: str = UNDETERMINED) -> bool:
    """Whether the sentence that a stretch of text stands in denies it: "it is untrue that …", "… is a myth"."""
    words = _words(language_family(language))
    sentence = _sentence_before(before)
    opens_clause = words.that.match(stretch) is not None
    found = [*words.denied.finditer(sentence)]
    if found and _leads_on(sentence[found[-1].end() :], words, opened=opens_clause):
        return True
    return _is_negated_above(sentence, words, language, opened=opens_clause) or _is_undone(after, words)


def is_narrowed(before: str, after: str, language: str = UNDETERMINED) -> bool:
    """Whether what stands around narrows the stretch, with more than the narrowing word left out.

    "Only life | members may vote" does not say that members may; "only | members may vote" does.
    """
    only = _words(language_family(language)).only
    clause = _CLAUSE_BREAK.split(before[-_REACH:])[-1]
    near = clause[-_UNSPACED_REACH:] if UNSPACED.search(clause) else " ".join(clause.split()[-_NEARBY_WORDS:])
    found = [*only.finditer(near)]
    if found and regex.search(r"[\p{L}\p{N}]", near[found[-1].end() :]):
        return True
    rest = _CLAUSE_BREAK.split(after[:_REACH], maxsplit=1)[0]
    opening = only.match(rest.lstrip())
    return opening is not None and regex.search(r"[\p{L}\p{N}]", rest.lstrip()[opening.end() :]) is not None


def has_only(text: str, language: str = UNDETERMINED) -> bool:
    """Whether a text narrows something itself."""
    return _words(language_family(language)).only.search(text) is not None


def _sentence_before(before: str) -> str:
    return _HARD_STOP.split(before[-_REACH:])[-1]


def _leads_on(rest: str, words: _Words, *, opened: bool = False, words_between: int = _CLOSE_WORDS) -> bool:
    """Whether what stands between a cue and a stretch opens a clause for it, or is next to nothing."""
    if UNSPACED.search(rest) or not rest.strip(" ,:\"'"):
        return len(rest) <= _NEARBY_WORDS
    if opened and regex.fullmatch(rf"{_GAP}{_FEW_WORDS}{{0,3}}", rest):
        return True
    for found in words.that.finditer(rest):
        is_near = regex.fullmatch(rf"{_GAP}{_FEW_WORDS}{{0,{words_between}}}", rest[: found.start()])
        if is_near and not _CLAUSE_BREAK.search(rest[found.end() :]):
            return True
    return False


def _is_negated_above(sentence: str, words: _Words, language: str, *, opened: bool) -> bool:
    """Whether the clause that introduces this one holds a negation near its end ("keinen Beleg dafür, dass …")."""
    if opened:
        above = sentence
    else:
        found = [match for match in words.that.finditer(sentence) if not _CLAUSE_BREAK.search(sentence, match.end())]
        if not found:
            return False
        above = sentence[: found[-1].start()]
    clause = _CLAUSE_BREAK.split(above.rstrip(" ,"))[-1]
    return has_negation(" ".join(clause.split()[-_CLOSE_WORDS:]), language)


def _is_undone(after: str, words: _Words) -> bool:
    rest = _HARD_STOP.split(after[:_REACH], maxsplit=1)[0]
    if UNSPACED.match(rest.lstrip(" ,，、\"'」』”")):
        return words.undone.search(rest[:_UNSPACED_REACH]) is not None
    start = regex.match(r"[\s,\"')\]»-]*", rest)
    place = start.end() if start else 0
    for _ in range(3):  # "… | in the town is untrue"
        if words.undone.match(rest, place):
            return True
        word = regex.match(_FEW_WORDS, rest[place:])
        if word is None:
            return False
        place += word.end()
    return False


@cache
def _words(family: str) -> _Words:
    sections = word_sections(_FILE)
    chosen = {family: sections[family]} if family in sections else sections
    return _Words(*(_pattern(chosen.items(), name) for name in ("only", "denied", "that", "sure", "undone")))


def _pattern(sections: Iterable[tuple[str, dict[str, list[str]]]], name: str) -> regex.Pattern[str]:
    spaced: list[str] = []
    unspaced: list[str] = []
    for family, section in sections:
        (unspaced if family in _UNSPACED_FAMILIES else spaced).extend(section.get(name, ()))
    alternatives = []
    for words, before, after in (
        (spaced, r"(?<![\p{L}\p{M}\p{N}])", r"(?![\p{L}\p{M}\p{N}])"),
        (unspaced, "", ""),
    ):
        if words:
            listed = "|".join(
                regex.escape(word) for word in sorted({fold(word).text for word in words}, key=len, reverse=True)
            )
            alternatives.append(f"{before}(?:{listed}){after}")
    return regex.compile("|".join(alternatives) or r"(?!)")
