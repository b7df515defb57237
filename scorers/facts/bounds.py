"""Whether a figure or a date is a bound: "more than 5 days", "≤ 1.5 %", "5 or fewer", "until 5 May", in many languages.

Of the four bounds ``min`` and ``max`` say that a figure is not the value itself, and ``from`` and ``until`` only where
something begins or ends. What speaks against a claim is the opposite bound of the same figure: a word read as a bound
where it is a mere preposition ("od" is "of" too) does no harm while the other text has none.
"""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

from ragsonde.scorers.facts.script import fold
from ragsonde.scorers.listed import read_toml

_DOWN = frozenset({"max", "until"})
_OPPOSITE = {"max": "min", "min": "max", "from": "until", "until": "from"}
_SIGN = re.compile(r"(≤|≥|<=|>=|<|>|⩽|⩾)\s*$")
_SIGNS = {"≤": "max", "<=": "max", "<": "max", "⩽": "max", "≥": "min", ">=": "min", ">": "min", "⩾": "min"}
_DENIED = "?"
"""Ends a bound of a clause that denies something, so that the bound may mean the opposite: "closed after 18:00"."""
_MOST_BETWEEN = 8
"""Words of a clause in front of a bound among which a denial is looked for."""
_STOPS = ',;:.!?()[]"”»–—،؛'
"""Signs that end a clause behind a word."""
_UNSPACED_STOP = re.compile(r"[，、；：。！？,;:!?\n]")
_REACH = 48
"""Characters before or after a figure in which the words of a bound stand."""
_MOST_WORDS = 5
_MOST_SIGNS = 15
"""Length of the longest phrase of a script without spaces."""
_CUT = re.compile(r"[,;:!?()\[\]\n\"“”„«»0-9–—/、，；：。！？|]")
_ABLATIVE = re.compile("[td][ae]n$")
_DATIVE = re.compile("[ae]$")
_UNSPACED_FROM = "\u0e00"
_TURKISH_DENIAL = re.compile("(?:[a-z]m[ae]z(?:lar|ler|siniz)?|m[ae]m[ae]li(?:dir)?|m[iu]yor(?:lar)?|m[ae]yac[ae][gk])")


def opposed(one: str, other: str) -> bool:
    """Whether two bounds exclude each other: one goes up and the other down, and both or none stand in a denial."""
    if not (one and other) or (one[-1] == _DENIED) != (other[-1] == _DENIED):
        return False
    return (one.rstrip(_DENIED) in _DOWN) != (other.rstrip(_DENIED) in _DOWN)


def denial_sets_bound(one: str, other: str) -> bool:
    """Whether the denial in which just one of two bounds stands makes it the other: "not after 9" and "until 9"."""
    if not (one and other) or (one[-1] == _DENIED) == (other[-1] == _DENIED):
        return False
    return (one.rstrip(_DENIED) in _DOWN) != (other.rstrip(_DENIED) in _DOWN)


def is_unclear(bound: str) -> bool:
    """Whether the clause of a bound denies something, so that it may mean the opposite."""
    return bound[-1:] == _DENIED


def denies_beyond(text: str, start: int, end: int) -> bool:
    """Whether what lies beyond a figure is denied: "no refunds after 14 days"."""
    return bound_of(text, start, end, date=True) in ("min?", "from?")


def follows_denial(text: str, start: int) -> bool:
    """Whether the clause denies something before a figure."""
    return _denies_in(text[max(0, start - _REACH) : start])


def sets_period(text: str, start: int) -> bool:
    """Whether a figure is a period within which something happens: "within 14 days"."""
    said = fold(text[max(0, start - _REACH) : start]).split()
    return any(" ".join(said[-count:]) in _listed("within") for count in range(1, 5))


def bound_of(text: str, start: int, end: int, *, date: bool = False) -> str:
    """``min``, ``max``, ``from`` or ``until`` where a sign or words around ``text[start:end]`` say so, else empty.

    A question mark follows where the clause denies something and may so turn the bound round.
    ``date`` says that the stretch is a date, a time or a year, of which more words are bounds: "by", "after", "以后".
    """
    head = text[max(0, start - _REACH) : start]
    if sign := _SIGN.search(head):
        return _SIGNS[sign[1]]
    words = _words(date=date)
    tail = text[end : end + _REACH]
    if not date and _is_latest_before(head, tail):
        return "min"
    if not (bound := _before(head, words)):
        bound = _after(tail, text[max(0, end - 12) : end], words)
        if bound and _denies_in(head):
            return bound + _DENIED
    return bound + _DENIED if bound and bound[-1] != _DENIED and _denied_after(tail) else bound


def _is_latest_before(head: str, tail: str) -> bool:
    """Whether a span is one at the latest before something: "no later than two weeks before the start"."""
    said, told = fold(head).split(), [word.rstrip(_STOPS) for word in fold(tail).split(None, 3)[:2]]
    if not (said and told) or not any(" ".join(told[:count]) in _listed("ahead") for count in (1, 2)):
        return False
    return any(" ".join(said[-count:]) in _listed("latest") for count in range(1, _MOST_WORDS))


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
    if not found[1] and len(said) > 1 and said[-1] in _listed("range_ends") and said[-2].rstrip(".")[-1:].isdigit():
        return "until"
    if not found[1] and said[-1] in _listed("fillers"):
        said = said[:-1]
        found = _last_phrase(said, words.before)
    count, bound = found
    return _turned(bound, said[: len(said) - count]) if bound else ""


def _last_phrase(said: Sequence[str], table: Mapping[str, str]) -> tuple[int, str]:
    """How many of the last words are a bound, and which."""
    for count in range(min(_MOST_WORDS, len(said)), 1, -1):
        if bound := table.get(" ".join(said[-count:])):
            return count, bound
    if len(said) > 1 and said[-1] in _than() and (bound := _compared(said[-2])):
        return 2, bound
    bound = table.get(said[-1], "") if said else ""
    return 1, bound


def _turned(bound: str, earlier: Sequence[str]) -> str:
    """A bound as the words before it leave it: "must not be under 18" turns it round, "no entry after 9" may do so."""
    plain = True
    for word in reversed(_own_clause(earlier)):
        if _is_denial(word):
            return _OPPOSITE[bound] if plain else bound + _DENIED
        plain = plain and word in _listed("verbs")
    return bound


def _own_clause(words: Sequence[str]) -> Sequence[str]:
    """The last words without those of clauses before, of other figures, and of a French "ne … que", which is "only"."""
    for at in range(len(words) - 1, max(-1, len(words) - 1 - _MOST_BETWEEN), -1):
        word = words[at]
        if word[-1:] in _STOPS or word in _listed("links") or any(map(str.isdigit, word)):
            return words[at + 1 :]
        if word in ("que", "qu'a") and any(one == "ne" or one[:2] == "n'" for one in words[max(0, at - 4) : at]):
            return words[at + 1 :]
    return words[-_MOST_BETWEEN:]


def _is_denial(word: str) -> bool:
    return word in _listed("not") or word in _listed("forbidding") or word.endswith("n't") or word[:2] == "n'"


def _denies_in(head: str) -> bool:
    """Whether the clause that leads to a figure denies something."""
    head = head.rstrip()
    if head[-1:] >= _UNSPACED_FROM:
        return _denies_unspaced(_UNSPACED_STOP.split(head)[-1])
    return any(map(_is_denial, _own_clause(fold(head).replace("’", "'").split())))


def _denied_after(tail: str) -> bool:
    """Whether the clause goes on behind a figure with a denial: "after 21:00 you may not", "10 kg'dan fazla olamaz"."""
    for word in fold(tail).replace("’", "'").replace("|", " | ").split():
        bare = word.rstrip(_STOPS)
        if bare in _listed("links"):
            return False
        if _is_denial(bare) or _TURKISH_DENIAL.search(bare, max(0, len(bare) - 10)):
            return True
        if word != bare or not bare:
            return False
        if bare[0] >= _UNSPACED_FROM:
            return _denies_unspaced(_UNSPACED_STOP.split(tail)[0])
    return False


def _denies_unspaced(clause: str) -> bool:
    return any(cue in clause for cue in _listed("not_unspaced"))


def _at_end(head: str, table: Mapping[str, str]) -> str:
    """The bound at the end of a text without spaces, a verb between it and the figure left out: 至少需要3人."""
    for text in (head, *(head[: -len(filler)] for filler in _listed("fillers_unspaced") if head.endswith(filler))):
        for length in range(_MOST_SIGNS, 0, -1):
            if bound := table.get(text[-length:]):
                return bound + _DENIED if _denies_unspaced(_UNSPACED_STOP.split(text[:-length])[-1]) else bound
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
    table = read_toml(__package__, "bounds.toml")
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
    if name == "joined":
        return frozenset(table["comparatives"]["joined"])
    lines = table["around"][name]
    return frozenset(phrase for line in ([lines] if isinstance(lines, str) else lines) for phrase in _split(line))


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
