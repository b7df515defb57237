"""Whether a figure or a date is a bound: "more than 5 days", "≤ 1.5 %", "5 or fewer", "until 5 May", in many languages.

Of the four bounds ``min`` and ``max`` say that a figure is not the value itself, and ``from`` and ``until`` only where
something begins or ends. What speaks against a claim is the opposite bound of the same figure: a word read as a bound
where it is a mere preposition ("od" is "of" too) does no harm while the other text has none.
"""

import re
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from ragsonde.scorers.facts.script import fold

_DOWN = frozenset({"max", "until"})
_OPPOSITE = {"max": "min", "min": "max", "from": "until", "until": "from"}
_SIGN = re.compile(r"(≤|≥|<=|>=|<|>|⩽|⩾)\s*$")
_SIGNS = {"≤": "max", "<=": "max", "<": "max", "⩽": "max", "≥": "min", ">=": "min", ">": "min", "⩾": "min"}
_REACH = 48
"""Characters before or after a figure in which the words of a bound stand."""
_MOST_WORDS = 5
_MOST_SIGNS = 15
"""Length of the longest phrase of a script without spaces."""
_CUT = re.compile(r"[,;:!?()\[\]\n\"“”„«»0-9–—/、，；：。！？|]")
_ABLATIVE = re.compile("[td][ae]n$")
_DATIVE = re.compile("[ae]$")
_UNSPACED_FROM = "\u0e00"
_UNDER_OVER = frozenset({"under", "over", "below", "above"})


def opposed(one: str, other: str) -> bool:
    """Whether two bounds exclude each other: one goes up and the other down."""
    return bool(one and other) and (one in _DOWN) != (other in _DOWN)


def bound_of(text: str, start: int, end: int, *, date: bool = False) -> str:
    """``min``, ``max``, ``from`` or ``until`` where a sign or words around ``text[start:end]`` say so, else empty.

    ``date`` says that the stretch is a date, a time or a year, of which more words are bounds: "by", "after", "以后".
    """
    head = text[max(0, start - _REACH) : start]
    if sign := _SIGN.search(head):
        return _SIGNS[sign[1]]
    words = _words(date=date)
    return _before(head, words) or _after(text[end : end + _REACH], text[max(0, end - 12) : end], words)


class _Words(NamedTuple):
    """The phrases of the file, folded, with the bound that each makes."""

    before: Mapping[str, str]
    after: Mapping[str, str]
    unspaced: Mapping[str, str]
    unspaced_after: Mapping[str, str]


def _before(head: str, words: _Words) -> str:
    """The bound that the words right before a figure make."""
    head = fold(head.rstrip("-‑€$£¥ \u00a0\u202f\t"))
    if not head or not (head[-1].isalpha() or head[-1] == "." or head[-1] >= _UNSPACED_FROM):
        return ""
    if head[-1] >= _UNSPACED_FROM:
        return _at_end(head.replace(" ", ""), words.unspaced)
    said = [word.lstrip("(['\"“„«") for word in head.replace("-", " ").replace("’", "'").split()]
    found = _last_phrase(said, words.before)
    if not found[1] and said[-1] in _listed("fillers"):
        said = said[:-1]
        found = _last_phrase(said, words.before)
    count, bound = found
    return _OPPOSITE[bound] if bound and _denied(said[: len(said) - count], said[-count:]) else bound


def _last_phrase(said: Sequence[str], table: Mapping[str, str]) -> tuple[int, str]:
    """How many of the last words are a bound, and which."""
    for count in range(min(_MOST_WORDS, len(said)), 1, -1):
        if bound := table.get(" ".join(said[-count:])):
            return count, bound
    if len(said) > 1 and said[-1] in _than() and (bound := _compared(said[-2])):
        return 2, bound
    bound = table.get(said[-1], "") if said else ""
    return 1, bound


def _denied(earlier: Sequence[str], phrase: Sequence[str]) -> bool:
    """Whether the words before a bound deny it: "not under 18", "must not be under 18", "не должен превышать 5"."""
    rest = list(earlier[-3:])
    while rest and rest[-1] in _listed("verbs"):
        rest.pop()
    if not rest or (rest[-1] == "no" and phrase[0] in _UNDER_OVER):  # "no under 18s"
        return False
    return rest[-1] in _listed("not") or rest[-1].endswith("n't")


def _at_end(head: str, table: Mapping[str, str]) -> str:
    """The bound at the end of a text without spaces, a verb between it and the figure left out: 至少需要3人."""
    for text in (head, *(head[: -len(filler)] for filler in _listed("fillers_unspaced") if head.endswith(filler))):
        for length in range(_MOST_SIGNS, 0, -1):
            if bound := table.get(text[-length:]):
                return bound
    return ""


def _after(tail: str, figure: str, words: _Words) -> str:
    """The bound that the words right after a figure make."""
    if tail[:1] == "+":
        return "min"
    told = tail.lstrip(" \u00a0\u202f'’`")
    if not told or not told[0].isalpha():
        return ""
    if told[0] >= _UNSPACED_FROM and not "\u1e00" <= told[0] < "\u2000":
        return _at_start(told, words.unspaced_after)
    cut = _CUT.search(told)
    if cut and cut[0].isdigit():
        told = told[: told.rfind(" ", 0, cut.start())] if " " in told[: cut.start()] else ""
    said = fold(told[: cut.start()] if cut else told).replace("-", " ").replace("’", "'").replace(".", " ").split()
    return _first_phrase(said, words.after) or _turkish(said, fold(figure), apostrophe=tail[:1] in "'’")


def _first_phrase(said: Sequence[str], table: Mapping[str, str]) -> str:
    if said and (bound := table.get(" ".join(said[:2]))):
        return bound
    fillers = _listed("fillers_after")
    if said and (said[0] in fillers or " ".join(said[:2]) in fillers):
        said = said[1 + (said[0] not in fillers) :]
    for count in range(min(_MOST_WORDS, len(said)), 0, -1):
        if bound := table.get(" ".join(said[:count])):
            return bound
    if len(said) > 1 and said[0] in _listed("joined") and (bound := _compared(said[1])):
        return "" if len(said) > 2 and said[2] in _than() and said[2] not in _listed("joined") else bound
    return ""


def _turkish(said: Sequence[str], figure: str, *, apostrophe: bool) -> str:
    """Turkish puts the figure, or its unit, into a case before the words of a bound: "6 yaşından küçük"."""
    words, inflected = list(said), figure
    if words and (apostrophe or _table()["turkish"]["ages"].match(words[0])):
        inflected = words.pop(0)
    if not words:
        return ""
    if words[0] == "kadar":
        return "until" if _DATIVE.search(inflected) else ""
    if not _ABLATIVE.search(inflected):
        return ""
    turkish: Mapping[str, str] = _table()["turkish"]["words"]
    return turkish.get(" ".join(words[:2]), "") or turkish.get(words[0], "")


def _at_start(told: str, table: Mapping[str, str]) -> str:
    """The bound at the start of a text without spaces, behind what is counted: 3人以上."""
    for skipped in range(3):
        for length in range(_MOST_SIGNS, 0, -1):
            if bound := table.get(told[skipped : skipped + length]):
                return bound if skipped == 0 or length > 1 else ""
    return ""


def _compared(word: str) -> str:
    """``min`` or ``max`` of a comparative in any ending."""
    stems: Mapping[str, str] = _table()["comparatives"]["stems"]
    for length in range(len(word), 1, -1):
        if bound := stems.get(word[:length]):
            return bound if len(word) - length <= 5 else ""
    return ""


@cache
def _table() -> Mapping[str, Any]:
    """The file, with Turkish and the comparatives by word."""
    table = tomllib.loads(files(__package__).joinpath("bounds.toml").read_text(encoding="utf-8"))
    comparatives, turkish = table["comparatives"], table["turkish"]
    stems = {stem: bound for bound in ("min", "max") for line in comparatives[bound] for stem in _split(line)}
    words = {word: bound for bound, line in turkish.items() for word in _split(line)}
    return table | {
        "comparatives": {
            "stems": stems,
            "than": _split(comparatives["than"]),
            "joined": _split(comparatives["joined"]),
        },
        "turkish": {"words": words, "ages": re.compile("yas")},
    }


@cache
def _listed(name: str) -> frozenset[str]:
    """The words of one short list."""
    table = _table()
    return frozenset(table["comparatives"]["joined"] if name == "joined" else _split(table["around"][name]))


@cache
def _than() -> frozenset[str]:
    return frozenset(_table()["comparatives"]["than"])


@cache
def _words(*, date: bool) -> _Words:
    table = _table()
    sections = [(bound, table[bound]) for bound in _OPPOSITE]
    if date:
        sections += table["dates"].items()
    return _Words(
        *(
            {phrase: bound for bound, section in sections for line in section.get(kind, ()) for phrase in _split(line)}
            for kind in _Words._fields
        )
    )


def _split(line: str) -> list[str]:
    """The phrases of a line as they are looked up."""
    return [fold(phrase.strip()).replace("-", " ") for phrase in line.split("|") if phrase.strip()]
