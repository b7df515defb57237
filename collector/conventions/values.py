"""Attribute values as libraries really write them: plain text, JSON text, JSON-quoted text, structured, hidden, cut."""

import ast
import json
import math
from collections.abc import Iterator, Mapping
from typing import cast

import orjson
import regex

from ragsonde.collector.model import AttributeValue

_HIDDEN = frozenset(
    {"__redacted__", "[redacted]", "<redacted>", "redacted", "***", "[hidden]", "<hidden>", "[filtered]"}
)
_ABSENT = frozenset({"", "null", "None"})
"""Whole attribute values that say nothing; ``None`` is what ``str(None)`` leaves. Inside messages it is a word."""

_REPR = regex.compile(
    r"""\s*(?: \[?["']?<?[A-Z][\w.]*\(\w+=        # Document(id=...), [ChatMessage(_role=...), <NodeWithScore(node=...
        | \[?["']?<[\w.]+(?:\sobject\sat\s0x|:\s)  # <a.B object at 0x...>, <Role.USER: 'user'>
        | [{\[]\s*'                                # {'a': 1}, ['a']
        | content=['"].*\badditional_kwargs=       # str() of a LangChain message
        )""",
    regex.VERBOSE | regex.DOTALL,
)
_REPR_TOKENS = regex.compile(
    r"""(?<![\w\\])[bBrRuU]?(?:'(?:[^'\\]|\\.)*+'|"(?:[^"\\]|\\.)*+")  # a quoted string
        | [(\[{}\])] | <(?=[\w]) | >
        """,
    regex.VERBOSE | regex.DOTALL,
)
_FOLLOWING = regex.compile(r"[^\s,]")
_CLOSERS = {"(": ")", "[": "]", "{": "}", "<": ">"}
_STARTS_AS_JSON = regex.compile(
    r"""\s*(?: \[\s*["\[] | (?:\[\s*)?+ \{ \s*" (?: [^"\\]*+"\s*+(?::|$) | [\w.\-]{0,64}+$ ) )""", regex.VERBOSE
)
"""A list, or an object whose first key is one, as far as it goes."""
_LITERAL_LIMIT = 20_000


class Attributes:
    """Reads the content attributes of one span and remembers what was hidden or cut on the way.

    Hidden are values that the application's library replaced (``__REDACTED__``); cut are JSON values that the SDK's
    attribute length limit ended half-way. Both read as absent.
    """

    def __init__(self, values: Mapping[str, AttributeValue]) -> None:
        self._values = values
        self.hidden = False
        self.cut_lengths: set[int] = set()

    def __contains__(self, key: str) -> bool:
        return key in self._values

    def has_prefix(self, *prefixes: str) -> bool:
        """Whether any key starts with one of the prefixes."""
        return any(key.startswith(prefixes) for key in self._values)

    def get(self, key: str) -> AttributeValue:
        """Return the value, parsed where it is JSON; None where it is absent, hidden or cut."""
        return self.read(self._values.get(key))

    def raw(self, key: str) -> AttributeValue:
        """Return the value as it stands on the span; None where it is absent."""
        return self._values.get(key)

    def first(self, *keys: str) -> AttributeValue:
        """Return the first of several keys that holds something."""
        return next((value for key in keys if (value := self.get(key)) is not None), None)

    def text(self, *keys: str) -> str | None:
        """Return the first of several keys that holds a text or a number, as text."""
        for key in keys:
            value = self.get(key)
            if isinstance(value, str | int | float) and not isinstance(value, bool):
                return str(value)
        return None

    def written(self, key: str) -> str | None:
        """Return a text as it was written, also where it is JSON, which somebody may have asked for."""
        value, read = self._values.get(key), self.get(key)
        return read if isinstance(read, str) else value if isinstance(value, str) and read is not None else None

    def name(self, key: str) -> str:
        """Return a short identifying value, such as a span type, as text without JSON quotes; empty where absent."""
        return self.text(key) or ""

    def number(self, key: str) -> float | None:
        """Return a finite number; None where there is none."""
        return number(self._values.get(key))

    def read(self, value: AttributeValue) -> AttributeValue:
        """Parse one value, noting whether it is hidden or cut."""
        if isinstance(value, str):
            if is_hidden(value):
                self.hidden = True
                return None
            if value.strip() in _ABSENT:
                return None
            if is_cut_json(value):
                self.cut_lengths.add(len(value))
                return None
        return parse(value)

    def indexed(self, prefix: str) -> list[dict[str, AttributeValue]]:
        """Gather ``<prefix>.<i>.<rest>`` keys into one mapping of ``rest`` to value for each ``i``, in order."""
        found: dict[int, dict[str, AttributeValue]] = {}
        start = prefix + "."
        for key, value in self._values.items():
            if key.startswith(start):
                index, _, rest = key[len(start) :].partition(".")
                if index.isascii() and index.isdigit() and len(index) < 7:
                    found.setdefault(int(index), {})[rest] = self.read(value)
        return [found[index] for index in sorted(found)]

    def with_prefix(self, prefix: str) -> dict[str, AttributeValue]:
        """Return what follows the prefix, by the rest of its key."""
        return {key[len(prefix) :]: self.read(value) for key, value in self._values.items() if key.startswith(prefix)}


def is_hidden(value: str) -> bool:
    """Whether a library put a marker in the place of content."""
    return len(value) <= 20 and value.strip().strip('"').lower() in _HIDDEN


def parse(value: AttributeValue) -> AttributeValue:
    """Parse a text that is JSON as a whole (an object, an array or a quoted string); return anything else unchanged."""
    if not isinstance(value, str) or value.lstrip()[:1] not in ("{", "[", '"'):
        return value
    parsed = parse_json(value)
    if isinstance(parsed, str) and parsed != value:
        return parse(parsed) if parsed.lstrip()[:1] in ("{", "[") else parsed
    return value if parsed is None else parsed


def parse_json(text: str) -> AttributeValue:
    """Parse JSON, with the NaN and lone surrogates that Python's ``json.dumps`` writes; None where it is no JSON."""
    try:
        return cast("AttributeValue", orjson.loads(text))
    except orjson.JSONDecodeError:
        pass
    try:
        parsed = json.loads(text, parse_constant=lambda _: None)
    except (ValueError, RecursionError):
        return None
    return _without_surrogates(parsed) if "\\ud" in text.lower() else cast("AttributeValue", parsed)


def _without_surrogates(value: AttributeValue) -> AttributeValue:
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, list):
        return [_without_surrogates(item) for item in value]
    if isinstance(value, dict):
        return {str(_without_surrogates(key)): _without_surrogates(item) for key, item in value.items()}
    return value


def is_cut_json(text: str) -> bool:
    """Whether a text begins as JSON and ends before its brackets close, as the SDK's length limit leaves it."""
    if _STARTS_AS_JSON.match(text) is None:
        return False
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        return error.msg.startswith("Unterminated string") or error.pos >= len(text.rstrip()) - 6
    except (ValueError, RecursionError):
        return False
    return False


def is_repr(text: str) -> bool:
    """Whether a text is Python's ``repr`` of objects as a whole: not what anybody asked or answered.

    One that the SDK cut never closes, and is one still; words after it make a sentence of it, which begins with code.
    """
    text = text.strip()
    at = 0
    while at < len(text):
        if _REPR.match(text, at, at + 2000) is None:
            return False
        if text.startswith("content=", at):  # attributes side by side, without brackets around them
            return True
        following = _FOLLOWING.search(text, _end_of_literal(text, at))
        at = len(text) if following is None else following.start()
    return at > 0


def _end_of_literal(text: str, start: int) -> int:
    """Return where the first bracketed or quoted expression from a place ends; it never does where the text was cut."""
    awaited: list[str] = []
    for token in _REPR_TOKENS.finditer(text, start):
        mark = token[0]
        if mark in _CLOSERS:
            awaited.append(_CLOSERS[mark])
        elif awaited and mark == awaited[-1]:
            awaited.pop()
        if not awaited:
            return token.end()
    return len(text)


def parse_mapping(value: AttributeValue) -> dict[str, AttributeValue]:
    """Read metadata: a mapping, JSON, or Python's ``str(dict)`` as some vector stores' instrumentations write it."""
    parsed = parse(value)
    if isinstance(parsed, str) and parsed.startswith("{") and len(parsed) <= _LITERAL_LIMIT:
        try:
            parsed = ast.literal_eval(parsed)
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            return {}
    return {str(key): item for key, item in parsed.items()} if isinstance(parsed, dict) else {}


def number(value: AttributeValue) -> float | None:
    """Return a finite number, also from text; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        found = float(value)
    except (ValueError, OverflowError):
        return None
    return found if math.isfinite(found) else None


def identifier(value: AttributeValue) -> str | None:
    """Return an id as text; None where there is none."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    return str(value).strip() or None


def clean_text(value: AttributeValue) -> str | None:
    """Return a text that a person could have written; None for markers, reprs, blanks and anything that is no text."""
    if not isinstance(value, str) or value.strip() in ("", "null") or is_hidden(value) or is_repr(value):
        return None
    return value.strip()


def content_text(value: AttributeValue) -> str | None:
    """Return the text of a document, whatever it looks like; None for markers, blanks and anything that is no text."""
    return value.strip() if isinstance(value, str) and value.strip() and not is_hidden(value) else None


def walk(value: AttributeValue, depth: int = 8) -> Iterator[AttributeValue]:
    """Yield a value and all that it holds, to a bounded depth, parsing JSON inside."""
    parsed = parse(value)
    yield parsed
    if depth > 0:
        if isinstance(parsed, dict):
            for item in parsed.values():
                yield from walk(item, depth - 1)
        elif isinstance(parsed, list):
            for item in parsed:
                yield from walk(item, depth - 1)
