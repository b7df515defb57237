"""What docs/golden-sets.md shows works as it stands."""

from pathlib import Path

import pytest

from ragsonde.golden.files import read_set
from tests.doc_examples import blocks, run_commands, write_files


def test_every_example_runs_in_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    given = blocks("golden-sets.md")
    write_files(given, tmp_path)
    outputs = run_commands(given)
    assert len(outputs) >= 10
    assert "golden.jsonl: 3 valid items, 0 problems" in outputs[0]
    assert 'difficulty: "easy" → "medium"' in outputs[2]
    assert [known.id for known in read_set(Path("merged.jsonl")).items] == ["returns", "warranty"]
    assert read_set(Path("fragen.jsonl")).items[0].gold[1].document_id == "agb"
    assert read_set(Path("drafts.jsonl")).items[0].gold[0].document_id == "warranty"
