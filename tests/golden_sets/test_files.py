"""A golden set is read whole or told, line by line, what is wrong with it."""

from pathlib import Path

import pytest
from hypothesis import given

from ragsonde.collector.errors import ConfigError
from ragsonde.golden.files import as_row, read_set, read_valid_set, write_set
from ragsonde.golden.item import GoldenItem
from tests.golden_sets.golden_items import item, sets, write


@given(sets)
def test_what_is_written_is_read_again(tmp_path_factory: pytest.TempPathFactory, given: dict[str, GoldenItem]) -> None:
    path = tmp_path_factory.mktemp("set") / "golden.jsonl"
    assert write_set(path, given.values()) == len(given)
    assert read_set(path).by_id() == given


@pytest.mark.parametrize(
    ("row", "field", "remedy"),
    [
        ({"id": "a", "question": "Q?"}, "(whole item)", "give reference, key_facts or gold"),
        ({"id": "a", "reference": "R."}, "question", "add it"),
        ({"id": "a", "question": "Q?", "reference": "R.", "difficulty": "tricky"}, "difficulty", "'easy', 'medium'"),
        ({"id": "a", "question": "Q?", "reference": "R.", "answr": "x"}, "answr", "correct its name"),
        ({"id": "a", "question": "Q?", "unanswerable": True, "key_facts": ["F."]}, "(whole item)", "remove them"),
        ({"id": "a", "question": "Q?", "gold": [{"document_id": "d", "grade": 0}]}, "gold.0.grade", "greater than 0"),
        (
            {"id": "a", "question": "Q?", "reference": "R.", "schema_version": 2},
            "schema_version",
            "reads schema_version 1",
        ),
        ({"id": "a", "question": "Q?", "reference": "R.", "language": "english!"}, "language", "in the form"),
        ({"id": "a", "question": "Q?", "reference": "R.", "sources": [{"document_id": "d"}]}, "sources.0", "sha256"),
    ],
)
def test_a_bad_item_is_named_with_line_field_and_remedy(
    tmp_path: Path, row: dict[str, object], field: str, remedy: str
) -> None:
    path = write(tmp_path / "golden.jsonl", as_row(item("first")), row, as_row(item("last")))
    found = read_set(path)
    assert [known.id for known in found.items] == ["first", "last"]
    (bad,) = found.bad
    assert str(bad).startswith(f"{path}, line 2: field {field}: ")
    assert remedy in bad.problem


def test_lines_that_are_no_items_and_repeated_ids_are_told(tmp_path: Path) -> None:
    path = write(tmp_path / "golden.jsonl", as_row(item("a")), b"{cut\n", [1], as_row(item("a")))
    assert [bad.place for bad in read_set(path).bad] == ["line 2", "line 3", "line 4"]
    assert "'a' stands already at line 1" in read_set(path).bad[-1].problem
    with pytest.raises(ConfigError, match=r"line 2.*and 2 more.*golden validate"):
        read_valid_set(path)


def test_a_missing_file_is_an_error_that_names_it(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot read"):
        read_set(tmp_path / "none.jsonl")
