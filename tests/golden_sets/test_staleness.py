"""Items about changed documents are found."""

import hashlib
from pathlib import Path

import pytest

from ragsonde.collector.errors import ConfigError
from ragsonde.golden.staleness import Change, DocumentState, find_stale, read_documents
from tests.golden_sets.golden_items import item, write


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def test_each_document_is_told_by_what_became_of_it() -> None:
    given = item(
        sources=[
            {"document_id": "same", "sha256": digest("a")},
            {"document_id": "changed", "sha256": digest("a")},
            {"document_id": "newer", "version": "3"},
            {"document_id": "gone", "version": "1"},
        ],
        gold=[{"document_id": "unnoted"}],
    )
    now = {
        "same": DocumentState(sha256=digest("a")),
        "changed": DocumentState(sha256=digest("b")),
        "newer": DocumentState(version="4"),
        "unnoted": DocumentState(sha256=digest("a")),
    }
    assert [(stale.document_id, stale.change) for stale in find_stale([given], now)] == [
        ("changed", Change.CHANGED),
        ("newer", Change.CHANGED),
        ("gone", Change.GONE),
        ("unnoted", Change.UNKNOWN),
    ]


def test_documents_are_read_from_a_directory_and_from_rows(tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    (folder / "shop").mkdir(parents=True)
    (folder / "shop" / "returns.md").write_text("30 days")
    found = read_documents(folder)
    assert found["shop/returns.md"] == found["shop/returns"] == DocumentState(sha256=digest("30 days"))
    rows = write(tmp_path / "docs.jsonl", {"id": 7, "text": "30 days"}, {"id": "v", "version": 2})
    assert read_documents(rows) == {"7": DocumentState(digest("30 days")), "v": DocumentState(None, "2")}


@pytest.mark.parametrize("rows", [[{"text": "no id"}], [b"{cut\n"]])
def test_what_holds_no_documents_is_an_error(tmp_path: Path, rows: list[object]) -> None:
    with pytest.raises(ConfigError, match="rows with id"):
        read_documents(write(tmp_path / "docs.jsonl", *rows))
