"""Footnotes and lists of sources: what an answer's numbers stand for, and lines that cite for the answer as a whole."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import regex

from ragsonde.scorers.citations.catalogue import latin_digits

# Words that head a list of sources; narrower than those that stand before a number in brackets, since "Documents:" or
# "Articles:" may well head what was asked for.
_HEADINGS = (
    "sources?|references?|citations?|bibliography|works cited|further reading|quellen?|quellenangaben?|"
    "literatur(?:verzeichnis)?|références|bibliographie|fuentes?|referencias|bibliografía|fontes?|referências|fonti|"
    "riferimenti|bibliografia|bron(?:nen)?|literatuur|źródł[oa]|przypisy|literatura|zdroje?|izvori?|viri?|kaynak(?:lar)?|"
    "kaynakça|källa|källor|kilder?|lähde|lähteet|forrás(?:ok)?|surs[ăa]|surse|πηγή|πηγές|источники?|литература|джерел[оа]|"
    "література|извори?|sumber|rujukan|referensi|nguồn|المصدر|المصادر|المراجع|منبع|منابع|מקור(?:ות)?|स्रोत|出典|参考文献|参考资料|"
    "参考|引用|来源|來源|출처|참고문헌|참고 자료|แหล่งที่มา|ที่มา"
)
_COLON = r"(?:[:：](?:\*\*|__)?|(?:\*\*|__)[ \t]*[:：]?)"
_HEADING = regex.compile(
    rf"[ \t]*(?:\#{{1,6}}[ \t]*)?(?:\*\*|__)?[ \t]*(?:{_HEADINGS})[ \t]*{_COLON}?[ \t]*", flags=regex.IGNORECASE
)
_HEADED_LINE = regex.compile(
    rf"[ \t>*_(-]*(?:{_HEADINGS})(?:\*\*|__)?[ \t]*[:：](?:\*\*|__)?[ \t]*(?P<names>\S.*)", flags=regex.IGNORECASE
)
_DEFINITION = regex.compile(
    r"[ \t]*(?:[-*•][ \t]+)?[\[［【]\^?(?P<key>[^\[\]\s［］【】]{1,60})[\]］】][ \t]*[:：][ \t]*(?P<text>\S.*)?"
)
_LISTED = regex.compile(
    r"[ \t]*(?:[-*•][ \t]*)?(?:[\[［【]\^?(?P<key>[^\[\]\s［］【】]{1,60})[\]］】]|(?P<number>\p{Nd}{1,3})[.)])?"
    r"[ \t]*[:：.]?[ \t]*(?P<text>\S.*)"
)
_BETWEEN_BRACKETS = regex.compile(r"(?<=[\]］】])[\s,;，；、&]*(?=[\[［【])")
_BETWEEN_FILES = regex.compile(r"(?<=\.\w{2,5})\s*[,，、]\s*|\s*[;；]\s*")
_BULLET = regex.compile(r"[ \t]*(?:[-*•][ \t]|\p{Nd}{1,3}[.)]|[\[［【])")


@dataclass(frozen=True, slots=True)
class Definitions:
    """What the foot of an answer says of its sources."""

    notes: Mapping[str, str] = field(default_factory=dict)
    """Footnote keys and numbers, with what they stand for."""
    listed: tuple[tuple[str, int, int], ...] = ()
    """Sources named for the answer as a whole, with their offsets."""
    ranges: tuple[tuple[int, int], ...] = ()
    """The lines concerned: they state nothing, and the markers in them cite nothing."""


def find_definitions(answer: str) -> Definitions:
    """Read footnotes (``[^1]: …``), lists under a heading such as "Sources", and lines such as "Source: x.pdf".

    Such a heading or line counts only below other text: at the head of an answer it is the answer ("Sources: oranges").
    """
    notes: dict[str, str] = {}
    listed: list[tuple[str, int, int]] = []
    ranges: list[tuple[int, int]] = []
    in_list = said_something = False
    at = 0
    for line in answer.splitlines(keepends=True):
        start, end, text = at, at + len(line.rstrip()), line.rstrip()
        at += len(line)
        if not text.strip():
            continue
        definition = _DEFINITION.fullmatch(text)
        headed = _HEADED_LINE.fullmatch(text)
        if said_something and _HEADING.fullmatch(text):
            in_list = True
            ranges.append((start, end))
        elif definition:
            notes[latin_digits(definition["key"])] = definition["text"] or ""
            ranges.append((start, end))
        elif said_something and headed and not _reads_on(headed["names"]):
            listed.extend(_split_names(headed["names"], start + headed.start("names")))
            ranges.append((start, end))
        elif in_list and (_BULLET.match(text) or not _reads_on(text)) and (found := _LISTED.fullmatch(text)):
            key = found["key"] or found["number"]
            if key:
                notes[latin_digits(key)] = found["text"]
            listed.append((found["text"], start + found.start("text"), end))
            ranges.append((start, end))
        else:
            in_list = False
            said_something = True
    return Definitions(notes, tuple(listed), tuple(ranges))


def _split_names(names: str, at: int) -> Iterator[tuple[str, int, int]]:
    """``[1], [2]`` and ``a.pdf; b.pdf`` are two names each; a comma inside a title separates nothing."""
    separator = _BETWEEN_BRACKETS if names.lstrip().startswith(("[", "【", "［")) else _BETWEEN_FILES
    start = 0
    for found in separator.finditer(names):
        yield names[start : found.start()], at + start, at + found.start()
        start = found.end()
    yield names[start:].rstrip(), at + start, at + len(names.rstrip())


def _reads_on(text: str) -> bool:
    """Whether a line is prose, not a name: it ends like a sentence and is long."""
    return len(text) > 200 or (text.rstrip()[-1:] in ".!?。！？" and len(text.split()) > 12)
