"""Reads a judge's reply. Whatever the text, the result is a typed reply or a typed error, never a default verdict."""

import json
import re
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, TypeVar

from pydantic import ValidationError

from ragsonde.scorers.judge.errors import InvalidReplyError, TruncatedError
from ragsonde.scorers.judge.jsonscan import Found, Scan, canonical, containers, scan
from ragsonde.scorers.judge.replies import Reply

R = TypeVar("R", bound=Reply)

_MAX_CHARACTERS = 1_000_000
_REASONING = r"(?:think|thinking|thought|thoughts|reasoning|reflection)"
_REASONING_END = re.compile(rf"</{_REASONING}>|◁/think▷", re.IGNORECASE)
_REASONING_START = re.compile(rf"<{_REASONING}>|◁think▷", re.IGNORECASE)
_SPACE = re.compile(r"\s+")
_PASSED = ("arguments", "parameters")
"""Where the call of a tool, written as text, has what it passes."""


class PlantedJson:
    """JSON that stood in the application's text before the judge saw it: none of it can be a verdict."""

    def __init__(self, texts: Sequence[str] = ()) -> None:
        self._texts = texts

    def __contains__(self, found: Found) -> bool:
        if any(canonical(value) in self._values for value in _unwrapped(found.value)):
            return True
        raw = _SPACE.sub("", found.raw)
        return any(raw in text for text in self._squeezed)

    @cached_property
    def _values(self) -> frozenset[str]:
        return frozenset(
            canonical(part) for text in self._texts for found in scan(text).found for part in containers(found.value)
        )

    @cached_property
    def _squeezed(self) -> tuple[str, ...]:
        return tuple(_SPACE.sub("", text) for text in self._texts)


def parse_reply(
    text: str,
    model: type[R],
    *,
    check: str = "",
    planted: PlantedJson | None = None,
    cut: bool = False,
    verify: Callable[[R], None] | None = None,
) -> R:
    """The last JSON object of ``text`` that fits ``model``.

    Args:
        text: the reply as it came.
        model: what was asked for.
        check: the call's random word. Where a fitting object carries it, only such objects count.
        planted: the application's text of this call; an object that stands in it never counts.
        cut: whether the server says that it stopped at the output limit. Such a reply is never trusted, even where it
            parses: some gateways close the brackets of what they cut.
        verify: further conditions (counts, numbers); raises InvalidReplyError naming the fault.

    Raises:
        TruncatedError: the reply is cut.
        InvalidReplyError: nothing in it fits; the message names the fault and holds none of the text.
    """
    if cut:
        raise TruncatedError("the judge stopped at its output limit")
    if len(text) > _MAX_CHARACTERS:
        raise InvalidReplyError(f"the reply is longer than {_MAX_CHARACTERS} characters")
    body, unfinished = _without_reasoning(_unquoted(text))
    result = scan(body)
    if result.cut:
        raise TruncatedError("the reply ends inside a JSON object")
    winner = _winner(result, model, check, planted or PlantedJson())
    if isinstance(winner, InvalidReplyError):
        if unfinished or (result.opened and not result.found):
            raise TruncatedError("the reply ends before its JSON object")
        raise winner
    if verify is not None:
        verify(winner)
    return winner


def _winner(result: Scan, model: type[R], check: str, planted: PlantedJson) -> R | InvalidReplyError:
    fault = InvalidReplyError("the reply holds no JSON object")
    own: R | None = None
    other: R | None = None
    for found in result.found:
        try:
            fitting = _fit(found.value, model)
        except ValidationError as error:
            if isinstance(found.value, dict):
                fault = InvalidReplyError(_explain(error))
            continue
        if not _is_unicode(found.value):
            fault = InvalidReplyError("a text holds half a surrogate pair, which is no character")
            continue
        if check and fitting.check == check:
            own = fitting
        elif found.after_broken or found in planted:
            fault = InvalidReplyError("the reply only repeats an object that stands in the text to judge")
        else:
            other = fitting
    return own or other or fault


def _is_unicode(value: Any) -> bool:
    """Whether all texts can be written: ``\\ud800`` alone parses as JSON and stands for nothing."""
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True


def _unwrapped(value: Any) -> list[Any]:
    """``value``, and what it wraps."""
    inner = _wrapped(value)
    return [value] if inner is None else [value, inner]


def _wrapped(value: Any) -> Any:
    """What a list or an object with one item holds, or what the call of a tool passes; None where it is neither."""
    if isinstance(value, dict | list) and len(value) == 1:
        (inner,) = value.values() if isinstance(value, dict) else value
        return inner
    if isinstance(value, dict) and "name" in value:
        return next((value[key] for key in _PASSED if key in value), None)
    return None


def _fit(value: Any, model: type[R]) -> R:
    """``value`` as ``model``; also from a list of verdicts, or wrapped once: in a list, an object with one key, or the
    call of a tool."""
    field = model.list_field
    if isinstance(value, list):
        if len(value) == 1 and isinstance(value[0], dict) and _names(model) <= value[0].keys():
            return model.model_validate(value[0])
        if field is not None and value and all(isinstance(item, dict) for item in value):
            return model.model_validate({field: value})
    inner = _wrapped(value)
    if isinstance(value, dict) and isinstance(inner, dict):
        try:
            return model.model_validate(inner)
        except ValidationError:
            pass  # the outer object gives the error that names the fault
    return model.model_validate(value)


def _names(model: type[Reply]) -> set[str]:
    return {name for name, field in model.model_fields.items() if field.is_required()}


def _unquoted(text: str) -> str:
    """The text inside, where the whole reply is one JSON string that holds JSON."""
    stripped = text.strip()
    if len(stripped) > 2 and stripped[0] == stripped[-1] == '"':
        try:
            inner = json.loads(stripped, strict=False)
        except ValueError:
            return text
        return inner if isinstance(inner, str) else text
    return text


def _without_reasoning(text: str) -> tuple[str, bool]:
    """What follows the last reasoning block, and whether a block was left open. Tags inside JSON do not count."""
    if "<" not in text and "◁" not in text:
        return text, False
    spans = [(found.start, found.end) for found in scan(text).found]

    def outside(match: re.Match[str]) -> bool:
        return not any(start <= match.start() < end for start, end in spans)

    ends = [match for match in _REASONING_END.finditer(text) if outside(match)]
    if ends:
        text = text[ends[-1].end() :]
        spans = [(start - ends[-1].end(), end - ends[-1].end()) for start, end in spans]
    starts = [match for match in _REASONING_START.finditer(text) if outside(match)]
    return (text[: starts[0].start()], True) if starts else (text, False)


def _explain(error: ValidationError) -> str:
    faults = error.errors(include_input=False, include_url=False, include_context=False)
    shown = "; ".join(f"{'.'.join(map(str, fault['loc'])) or 'reply'}: {fault['msg']}" for fault in faults[:3])
    more = f"; and {len(faults) - 3} more" if len(faults) > 3 else ""
    return f"{shown}{more}"
