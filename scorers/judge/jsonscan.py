"""Finds JSON in free text: objects and arrays between reasoning, fences and prose."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NoReturn

_OPENING = re.compile(r"[{\[]")
_OBJECT_START = re.compile(r"""\{\s*"|\[\s*\{\s*["}]""")
_TRAILING_COMMA = re.compile(r'("(?:[^"\\]|\\.)*")|,(?=\s*[}\]])', re.DOTALL)
_CUT_LITERAL = re.compile(
    r"(?:t(?:r(?:ue?)?)?|f(?:a(?:l(?:se?)?)?)?|n(?:u(?:ll?)?)?|-?\d*\.?\d*(?:[eE][+-]?\d*)?)\s*\Z"
)
_MAX_TRIES = 5000
_MAX_COMMA_TRIES = 20


@dataclass(frozen=True, slots=True)
class Found:
    """A JSON object or array; ``after_broken`` when something that began like an object failed to parse before it."""

    value: Any
    raw: str
    start: int
    end: int
    after_broken: bool


@dataclass(frozen=True, slots=True)
class Scan:
    """All objects and arrays on the top level of a text, in order."""

    found: tuple[Found, ...]
    cut: bool
    """The text ends inside something that began like an object."""
    opened: bool
    """The text ends inside any bracket at all."""


def scan(text: str) -> Scan:
    """Read ``text`` from left to right; what stands inside a string of an object is never found on its own.

    Raw control characters inside strings are allowed, and a comma before a closing bracket. Duplicate keys, NaN,
    single quotes and comments are not: there a guess could change a verdict.
    """
    found: list[Found] = []
    broken = opened = False
    position, comma_tries = 0, 0
    for _ in range(_MAX_TRIES):
        opening = _OPENING.search(text, position)
        if opening is None:
            break
        start = opening.start()
        try:
            value, end = _DECODER.raw_decode(text, start)
        except json.JSONDecodeError as error:
            relaxed = None
            if comma_tries < _MAX_COMMA_TRIES and error.pos < len(text) and "," in text[start : error.pos + 1]:
                comma_tries += 1
                relaxed = _without_trailing_commas(text, start)
            if relaxed is not None:
                value, raw, rest = relaxed
                found.append(Found(value, raw, start, len(text) - len(rest), broken))
                position = len(text) - len(rest)
                continue
            if _is_cut(text, error):
                opened = True
                if _OBJECT_START.match(text, start):
                    return Scan(tuple(found), cut=True, opened=True)
            broken = broken or _OBJECT_START.match(text, start) is not None
            position = start + 1
        except RecursionError:
            break  # a judge that has lost itself in brackets; each try costs a thousand levels
        except ValueError:
            broken = True
            position = start + 1
        else:
            found.append(Found(value, text[start:end], start, end, broken))
            position = end
    return Scan(tuple(found), cut=False, opened=opened)


def containers(value: Any) -> Iterator[Any]:
    """``value`` and every object and array inside it."""
    stack = [value]
    while stack:
        current = stack.pop()
        if isinstance(current, dict | list):
            yield current
            stack.extend(current.values() if isinstance(current, dict) else current)


def canonical(value: Any) -> str:
    """One spelling for equal JSON values."""
    return json.dumps(value, sort_keys=True, ensure_ascii=True, separators=(",", ":"))


def _without_trailing_commas(text: str, start: int) -> tuple[Any, str, str] | None:
    """Value, its text and the rest of the text after it, once commas before closing brackets are gone."""
    source = text[start:]
    pieces, removed, last = [], [], 0
    for match in _TRAILING_COMMA.finditer(source):
        if match.group(1) is None:
            pieces.append(source[last : match.start()])
            removed.append(match.start())
            last = match.end()
    if not removed:
        return None
    relaxed = "".join(pieces) + source[last:]
    try:
        value, end = _DECODER.raw_decode(relaxed)
    except (ValueError, RecursionError):
        return None
    for position in removed:  # ascending, so each earlier removal shifts the later positions back by one
        if position < end:
            end += 1
    return value, source[:end], source[end:]


def _is_cut(text: str, error: json.JSONDecodeError) -> bool:
    if error.msg.startswith(("Unterminated string", "Invalid \\uXXXX")):
        return error.msg.startswith("Unterminated") or len(text) - error.pos < 6
    return error.pos >= len(text.rstrip()) or _CUT_LITERAL.match(text, error.pos) is not None


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise ValueError("duplicate key")
    return value


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


_DECODER = json.JSONDecoder(strict=False, object_pairs_hook=_unique, parse_constant=_refuse_constant)
