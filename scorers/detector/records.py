"""Contexts that are records (JSON, or a Python literal), with the place of each value in the text.

A retriever over a database returns records, not prose. Read as prose, a record is one endless sentence whose keys and
values bear out almost anything; read as fields it says what it says: ``"WiFi": null`` is the absence of knowledge.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ragsonde.scorers.text.spans import Sentence

Scalar = str | float | bool | None

_TOKEN = re.compile(
    r"\s*(?:(?P<string>u?(?:\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'))|(?P<number>-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)"
    r"|(?P<word>[A-Za-z]+)|(?P<sign>[{}\[\],:]))"
)
_WORDS: dict[str, Scalar] = {
    "true": True, "True": True, "false": False, "False": False, "null": None, "None": None, "NaN": None,
}  # fmt: skip
_MIN_FIELDS = 3
_MAX_DEPTH = 16
_MIN_SHARE = 0.5
"""Least share of a context that its record takes up; a snippet of JSON in a page of prose does not make it a record."""
_SENTENCE_END = re.compile(r"(?<=[.!?。！？])\s+|\\n+|\n+")
_NAME_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\W\d_A-Z]+|[0-9]+")


@dataclass(frozen=True, slots=True)
class Field:
    """One value of a record."""

    path: tuple[str, ...]
    """The keys that lead to it, without the indexes of lists."""
    value: Scalar
    start: int
    end: int
    """Offsets of the value in the text; of a string, without its quotation marks."""

    @property
    def name(self) -> tuple[str, ...]:
        """The words of the last key in lower case: ``("outdoor", "seating")`` for ``OutdoorSeating``."""
        return words_of_name(self.path[-1]) if self.path else ()


@dataclass(frozen=True, slots=True)
class Record:
    """The fields of a context, in order."""

    fields: tuple[Field, ...]


class _UnreadableError(Exception):
    """The text is no record."""


def words_of_name(name: str) -> tuple[str, ...]:
    """The words of a key: ``BusinessParking``, ``business_parking`` and ``business-parking`` are the same two."""
    return tuple(part.lower() for part in _NAME_PART.findall(name))


def read_record(text: str) -> Record | None:
    """Read a context as a record; None where it isn't one. A line of prose before or after it does no harm."""
    starts = [place for place in (text.find("{"), text.find("[{")) if place >= 0]
    if not starts:
        return None
    start = min(starts)
    try:
        reader = _Reader(text, start)
        fields = tuple(reader.read())
    except _UnreadableError:
        return None
    if len(fields) < _MIN_FIELDS or reader.at - start < _MIN_SHARE * len(text):
        return None
    return Record(fields)


class _Reader:
    """Reads one value, depth first. Linear in the text; refuses what is nested too deep."""

    def __init__(self, text: str, at: int) -> None:
        self._text = text
        self.at = at

    def read(self) -> Iterator[Field]:
        """Yield every scalar.

        Raises:
            _UnreadableError: the text is no record.
        """
        yield from self._value((), 0)

    def _next(self) -> re.Match[str]:
        match = _TOKEN.match(self._text, self.at)
        if match is None:
            raise _UnreadableError
        self.at = match.end()
        return match

    def _value(self, path: tuple[str, ...], depth: int) -> Iterator[Field]:
        token = self._next()
        sign = token["sign"]
        if depth > _MAX_DEPTH or (sign and sign not in "{["):
            raise _UnreadableError
        if sign == "{":
            yield from self._object(path, depth)
        elif sign == "[":
            yield from self._list(path, depth)
        else:
            yield _scalar(path, token)

    def _object(self, path: tuple[str, ...], depth: int) -> Iterator[Field]:
        while (token := self._next())["sign"] != "}":
            if token["sign"] == ",":
                continue
            if token["string"] is None or self._next()["sign"] != ":":
                raise _UnreadableError
            yield from self._value((*path, _inner(token["string"])), depth + 1)

    def _list(self, path: tuple[str, ...], depth: int) -> Iterator[Field]:
        while True:
            before = self.at
            token = self._next()
            if token["sign"] == "]":
                return
            if token["sign"] != ",":
                self.at = before
                yield from self._value(path, depth + 1)


def _inner(literal: str) -> str:
    return literal.removeprefix("u")[1:-1]


def _scalar(path: tuple[str, ...], token: re.Match[str]) -> Field:
    if (string := token["string"]) is not None:
        start = token.end("string") - len(string.removeprefix("u")) + 1
        return Field(path, _inner(string), start, token.end("string") - 1)
    if (number := token["number"]) is not None:
        return Field(path, float(number), token.start("number"), token.end("number"))
    if token["word"] not in _WORDS:
        raise _UnreadableError
    return Field(path, _WORDS[token["word"]], token.start("word"), token.end("word"))


_PROSE = 80
"""Characters from which a string is read by its sentences."""


def record_sentences(text: str, record: Record) -> Sequence[Sentence]:
    """A record cut as prose is: a sentence each for a group of short values and for each sentence of a long string.

    Values that share all but their last key stand together ("hours" with its days), each group from its first key on.
    """
    bounds: list[tuple[int, int]] = []
    group: tuple[str, ...] | None = None
    end = 0
    for field in record.fields:
        begin = _key_start(text, field, end)
        here = field.path[:-1] if len(field.path) > 1 else field.path
        if isinstance(field.value, str) and len(field.value) > _PROSE:
            bounds.extend(_prose(text, begin, field.end))
            group = None
        elif here == group and bounds:
            bounds[-1] = (bounds[-1][0], field.end)
        else:
            bounds.append((begin, field.end))
            group = here
        end = field.end
    return [Sentence(text[a:b], a, b) for a, b in bounds if text[a:b].strip()]


def _key_start(text: str, field: Field, after: int) -> int:
    """Where the keys of a field begin, not before the end of the field before it."""
    start = field.start
    for key in reversed(field.path):
        place = text.rfind(key, after, start)
        if place < 0:
            break
        start = place
    return start


def _prose(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    at = start
    for cut in _SENTENCE_END.finditer(text, start, end):
        if cut.start() > at:
            yield at, cut.start()
        at = cut.end()
    if at < end:
        yield at, end
