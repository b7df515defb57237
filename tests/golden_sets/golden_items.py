"""Golden items for tests, and any of them for Hypothesis."""

from pathlib import Path
from typing import Any

import orjson
from hypothesis import strategies as st

from ragsonde.golden.item import Difficulty, GoldenItem, GoldPassage, QuestionType, Risk


def item(id: str = "returns", **values: Any) -> GoldenItem:  # noqa: A002 - the field's own name
    defaults: dict[str, Any] = {
        "question": "How long can I return an item?",
        "reference": "Items can be returned within 30 days.",
    }
    return GoldenItem.model_validate({"id": id} | defaults | values)


def write(path: Path, *rows: Any) -> Path:
    path.write_bytes(b"".join(row if isinstance(row, bytes) else orjson.dumps(row) + b"\n" for row in rows))
    return path


words = st.text(st.characters(categories=("L", "N")), min_size=1, max_size=12)
passages = st.builds(GoldPassage, document_id=words, section=st.none() | words, grade=st.floats(0.1, 3.0))
items = st.builds(
    GoldenItem,
    id=words,
    question=words,
    reference=words,
    gold=st.lists(passages, max_size=2).map(tuple),
    key_facts=st.lists(words, max_size=2).map(tuple),
    question_type=st.none() | st.sampled_from(QuestionType),
    difficulty=st.none() | st.sampled_from(Difficulty),
    risk=st.none() | st.sampled_from(Risk),
    tags=st.lists(words, max_size=2).map(tuple),
    note=st.none() | words,
)
sets = st.lists(items, max_size=5, unique_by=lambda given: given.id).map(lambda given: {one.id: one for one in given})
