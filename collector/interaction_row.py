"""One interaction as a row: a line of a file, an item of an array, a row of a table."""

import difflib
import json
from collections.abc import Iterator, Mapping
from typing import Annotated, Any

from pydantic import AliasChoices, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from ragsonde.collector.errors import ConfigError
from ragsonde.collector.model import Capture, Document, Interaction

_UNION_TAGS = frozenset({"str", "int", "float", "bool", "dict", "list"})
"""What pydantic appends to the place of a fault for each type that was tried."""


_REMEDIES = {"missing": "add it, or null where there is none", "list_type": 'write a list, such as ["…"]'}


class _FileDocument(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)
    id: str | int | None = None
    text: str | None = Field(default=None, validation_alias=AliasChoices("text", "content", "page_content"))
    score: float | None = None
    metadata: dict[str, Any] = {}


def _as_document(value: object) -> object:
    if isinstance(value, str):
        return {"text": value}
    if not isinstance(value, dict):
        # What pydantic makes a fault of the field is a ValueError.
        raise ValueError(f"a text or an object with id and text is expected, not {json_name(value)}")  # noqa: TRY004
    # A table gives every document the same keys, with null for those that it has not.
    return {key: item for key, item in value.items() if item is not None}


class _FileInteraction(BaseModel):
    """The shape of a line; keys that are not known are left alone."""

    model_config = ConfigDict(extra="ignore", frozen=True)
    id: str | int | None = None
    question: str | None = None
    contexts: list[Annotated[_FileDocument, BeforeValidator(_as_document)]] | None = None
    answer: str | None
    citations: list[str | int] | None = None
    reference: str | None = None
    relevant_ids: list[str | int] | None = None
    app: str | None = None
    app_version: str | None = None
    environment: str | None = None
    conversation_id: str | int | None = None
    model: str | None = None
    system_instructions: str | None = None
    feedback: float | None = Field(default=None, ge=-1.0, le=1.0)


KEYS = frozenset(_FileInteraction.model_fields)
"""The keys that a row may have."""
_DOCUMENT_KEYS = frozenset({*_FileDocument.model_fields, "content", "page_content"})


def interaction_from_row(row: Mapping[str, Any], default_id: str = "") -> Interaction:
    """Return the interaction that a row describes: one line of an interaction file.

    ``default_id`` is its id where the row has none.

    Raises:
        ConfigError: a field is missing or wrong; the message names it.
    """
    try:
        parsed = _FileInteraction.model_validate(row)
    except ValidationError as error:
        raise ConfigError(describe(error)) from error
    return _interaction(parsed, default_id)


def describe(error: ValidationError) -> str:
    """Say in one line which fields are wrong and why."""
    problems: dict[str, list[str]] = {}
    remedies: dict[str, str] = {}
    for item in error.errors(include_url=False, include_input=False):
        place = [str(part) for part in item["loc"]]
        if len(place) > 1 and place[-1] in _UNION_TAGS:
            place.pop()
        reasons = problems.setdefault(".".join(place) or "(whole record)", [])
        reasons.append(item["msg"].lower().removeprefix("value error, "))
        if (remedy := _REMEDIES.get(item["type"])) is not None:
            remedies[item["type"]] = remedy
    told = "; ".join(f"field {place}: {' or '.join(dict.fromkeys(reasons))}" for place, reasons in problems.items())
    return "; ".join((told, *remedies.values()))


def json_fault(error: json.JSONDecodeError) -> str:
    """Say what is wrong with a line of JSON, whose place among the lines is told beside it."""
    return f"not valid JSON: {error.msg} at character {error.pos + 1}"


def json_name(value: object) -> str:
    """Return what a parsed value is called where people write JSON."""
    return "null" if value is None else type(value).__name__


def unknown_keys(row: Mapping[str, Any]) -> Iterator[str]:
    """Yield the keys of a row, and of its contexts, that nothing is made of."""
    yield from (key for key in row if key not in KEYS)
    contexts = row.get("contexts")
    for document in contexts if isinstance(contexts, list) else ():
        if isinstance(document, dict):
            yield from (f"contexts.{key}" for key in document if key not in _DOCUMENT_KEYS)


def meant(key: str) -> str:
    """Return the known key that one may have been meant for, in words; empty where none is like it."""
    start, _, name = key.rpartition(".")
    close = difflib.get_close_matches(name.lower(), _DOCUMENT_KEYS if start else KEYS, n=1)
    return f", perhaps {close[0]}?" if close else ""


def _interaction(parsed: _FileInteraction, default_id: str) -> Interaction:
    interaction_id = default_id if parsed.id is None else str(parsed.id) or default_id
    documents = enumerate(parsed.contexts or (), start=1)
    contexts = None if parsed.contexts is None else tuple(_document(document, rank) for rank, document in documents)
    has_texts = contexts is not None and all(document.text is not None for document in contexts)
    return Interaction(
        id=interaction_id,
        question=parsed.question,
        answer=parsed.answer,
        contexts=contexts,
        capture=_capture(parsed, has_texts=has_texts),
        convention="file",
        app=parsed.app or "unknown",
        app_version=parsed.app_version,
        environment=parsed.environment,
        conversation_id=None if parsed.conversation_id is None else str(parsed.conversation_id),
        model=parsed.model,
        system_instructions=parsed.system_instructions,
        cited_ids=None if parsed.citations is None else tuple(map(str, parsed.citations)),
        reference=parsed.reference,
        relevant_ids=None if parsed.relevant_ids is None else tuple(map(str, parsed.relevant_ids)),
        feedback=parsed.feedback,
    )


def _capture(parsed: _FileInteraction, *, has_texts: bool) -> Capture:
    if parsed.answer is None:
        return Capture.CONTENT_NOT_CAPTURED if parsed.question is None else Capture.INCOMPLETE
    return Capture.CAPTURED if has_texts else Capture.CONTEXTS_NOT_CAPTURED


def _document(value: _FileDocument, rank: int) -> Document:
    document_id = None if value.id is None else str(value.id)
    return Document(text=value.text, rank=rank, id=document_id, score=value.score, metadata=value.metadata)
