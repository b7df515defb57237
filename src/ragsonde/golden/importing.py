"""Golden items from the data sets of other tools, and from tables.

What is gold (question, reference, gold documents) becomes items; what an application once answered (answer, retrieved
contexts) becomes interactions, which `ragsonde evaluate` reads beside them.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

import orjson
from pydantic import ValidationError

from ragsonde.collector.errors import ConfigError
from ragsonde.collector.interaction_file import BadRecord
from ragsonde.golden.files import problems
from ragsonde.golden.item import GoldenItem
from ragsonde.golden.rows import Rows

_LISTS = ("key_facts", "gold", "tags", "reviewed_by", "contexts")
_YES = frozenset({"1", "true", "yes", "y", "x"})
_NO = frozenset({"0", "false", "no", "n", ""})


class SetFormat(StrEnum):
    """What a file is laid out for."""

    RAGAS = "ragas"
    DEEPEVAL = "deepeval"
    COLUMNS = "columns"


_COLUMNS: Mapping[SetFormat, Mapping[str, tuple[str, ...]]] = {
    SetFormat.RAGAS: {
        "question": ("user_input", "question"),
        "reference": ("reference", "ground_truth", "ground_truths"),
        "answer": ("response", "answer"),
        "contexts": ("retrieved_contexts", "contexts"),
        "gold": ("reference_context_ids",),
    },
    SetFormat.DEEPEVAL: {
        "question": ("input",),
        "reference": ("expected_output", "expectedOutput"),
        "answer": ("actual_output", "actualOutput"),
        "contexts": ("retrieval_context", "retrievalContext"),
        "gold": ("source_file", "sourceFile"),
        "note": ("comments",),
    },
    SetFormat.COLUMNS: {name: (name,) for name in ("question", "reference", "answer", "contexts", "gold", "note")},
}
_ALIKE = ("id", "key_facts", "unanswerable", "question_type", "difficulty", "risk", "language", "tags", "created_by")
"""Fields that are called the same in every layout."""
FIELDS = tuple(dict.fromkeys([*_COLUMNS[SetFormat.COLUMNS], *_ALIKE, "reviewed_by"]))
"""The fields that a column can be mapped to."""


@dataclass
class Imported:
    """What a file gave."""

    items: list[GoldenItem] = field(default_factory=list)
    interactions: list[dict[str, Any]] = field(default_factory=list)
    """Rows of an interaction file: id, question, answer, contexts."""
    bad: list[BadRecord] = field(default_factory=list)


def import_set(rows: Rows, layout: SetFormat, columns: Mapping[str, str] | None = None) -> Imported:
    """Read items and interactions.

    ``columns`` names the column of a field where the layout's own name does not fit. Lists in a cell are JSON arrays or
    separated by ``;``. An item without an id gets one made from its question.

    Raises:
        ConfigError: the file cannot be read, or ``columns`` maps a field that there is not.
    """
    if unknown := set(columns or {}) - set(FIELDS):
        raise ConfigError(f"--column {min(unknown)}=…: there is no such field; choose among {', '.join(FIELDS)}")
    names = {**{name: (name,) for name in FIELDS}, **_COLUMNS[layout]}
    names |= {name: (column,) for name, column in (columns or {}).items()}
    imported, seen = Imported(bad=rows.bad), dict[str, str]()
    for place, row in rows:
        try:
            values = {name: value for name, given in names.items() if (value := _first(row, given)) is not None}
            item = _item({name: _typed(name, value) for name, value in values.items()})
        except ValidationError as error:
            for problem in problems(error):
                rows.reject(place, problem)
            continue
        except ValueError as error:
            rows.reject(place, str(error))
            continue
        if item.id in seen:
            rows.reject(place, f"the id {item.id!r} stands already at {seen[item.id]}: the same question twice?")
            continue
        seen[item.id] = place
        imported.items.append(item)
        if (answer := values.get("answer")) is not None:
            imported.interactions.append(_interaction(item, answer, values.get("contexts")))
    _check_columns(rows, names["question"], columns or {})
    return imported


def _check_columns(rows: Rows, question: Sequence[str], columns: Mapping[str, str]) -> None:
    """Refuse a file without a column that was named, or without one for the question: no row of it can be used."""
    if not rows.columns:
        return
    has = f"it has {', '.join(rows.columns)}"
    for name, column in columns.items():
        if column not in rows.columns:
            raise ConfigError(f"--column {name}={column}: {rows.path} has no column {column}; {has}")
    if rows.columns.keys().isdisjoint(question):
        raise ConfigError(
            f"{rows.path} has no column {' or '.join(question)} for the question; {has}: "
            "name the right one with --column question=COLUMN"
        )


def _first(row: Mapping[str, Any], names: Sequence[str]) -> Any:
    """The first of several columns that holds something."""
    given = (row.get(name) for name in names)
    return next((value for value in given if value is not None and value != ""), None)


def _typed(name: str, value: Any) -> Any:
    if name in _LISTS:
        return _list(name, value)
    if name == "unanswerable":
        return _flag(value)
    if name == "reference" and isinstance(value, list):  # ragas once had ``ground_truths``
        return value[0] if value else None
    if name == "question" and not isinstance(value, str):
        raise ValueError("field question: several turns cannot be one question; export single-turn samples")
    return str(value) if name == "id" else value


def _list(name: str, value: Any) -> list[Any]:
    if isinstance(value, str):
        if value.lstrip().startswith("["):
            try:
                value = orjson.loads(value)
            except orjson.JSONDecodeError as error:
                raise ValueError(f"field {name}: not a valid JSON array: {error}") from error
        else:
            value = [part.strip() for part in value.split(";")]
    if not isinstance(value, list):
        value = [value]
    return [part for part in value if part is not None and part != ""]


def _flag(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    text = str(value).strip().lower()
    if text in _YES | _NO:
        return text in _YES
    raise ValueError(f"field unanswerable: {value!r} is neither yes nor no; write true or false")


def _item(values: dict[str, Any]) -> GoldenItem:
    gold = values.pop("gold", [])
    passages = [part if isinstance(part, Mapping) else {"document_id": str(part)} for part in gold]
    values = {name: value for name, value in values.items() if name in GoldenItem.model_fields and value is not None}
    if "question" not in values:
        raise ValueError("field question: it is empty; write one, or take the row out")
    if "id" not in values and isinstance(values["question"], str):
        values["id"] = "q-" + hashlib.sha256(values["question"].strip().encode("utf-8", "replace")).hexdigest()[:12]
    return GoldenItem.model_validate(values | ({"gold": passages} if passages else {}))


def _interaction(item: GoldenItem, answer: Any, contexts: Any) -> dict[str, Any]:
    row = {"id": item.id, "question": item.question, "answer": str(answer)}
    return row if contexts is None else row | {"contexts": _list("contexts", contexts)}
