"""Data sets of other tools become golden items, and their answers interactions."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from ragsonde.cli import app
from ragsonde.collector.errors import ConfigError
from ragsonde.golden.importing import SetFormat, import_set
from ragsonde.golden.rows import Rows
from tests.golden_sets.golden_items import write


def test_a_ragas_data_set_of_today_and_of_yesterday(tmp_path: Path) -> None:
    rows = [
        {
            "user_input": "Q1?",
            "reference": "R1.",
            "response": "A1.",
            "retrieved_contexts": ["c"],
            "reference_contexts": ["g"],
        },
        {"question": "Q2?", "ground_truths": ["R2.", "other"], "answer": "A2.", "contexts": ["d", "e"]},
        {"user_input": [{"content": "hi", "type": "human"}], "reference": "R."},
    ]
    found = import_set(Rows(write(tmp_path / "ragas.jsonl", *rows)), SetFormat.RAGAS)
    assert [(known.question, known.reference) for known in found.items] == [("Q1?", "R1."), ("Q2?", "R2.")]
    assert [row["contexts"] for row in found.interactions] == [["c"], ["d", "e"]]
    assert [row["id"] for row in found.interactions] == [known.id for known in found.items]
    assert "several turns" in found.bad[0].problem


def test_deepeval_goldens(tmp_path: Path) -> None:
    document = tmp_path / "goldens.json"
    write(
        document,
        {
            "goldens": [
                {
                    "input": "Q?",
                    "expected_output": "R.",
                    "actual_output": None,
                    "context": ["g"],
                    "source_file": "guide.pdf",
                    "comments": "mind the units",
                },
                {"input": "P?", "expectedOutput": "S.", "actualOutput": "A.", "retrievalContext": ["c"]},
            ]
        },
    )
    found = import_set(Rows(document), SetFormat.DEEPEVAL)
    assert found.items[0].gold[0].document_id == "guide.pdf"
    assert found.items[0].note == "mind the units"
    assert [(row["question"], row["answer"], row["contexts"]) for row in found.interactions] == [("P?", "A.", ["c"])]


def test_a_table_with_named_columns(tmp_path: Path) -> None:
    table = tmp_path / "fragen.csv"
    table.write_text(
        "Nr,Frage,Antwort,Quellen,unanswerable\n"
        '1,"Wie lange, genau?",30 Tage,a; b,nein\n2,Gibt es einen Laden?,,,yes\n3,"x",y,z,q,zu viel\n',
        encoding="utf-8-sig",
    )
    columns = {"id": "Nr", "question": "Frage", "reference": "Antwort", "gold": "Quellen"}
    found = import_set(Rows(table), SetFormat.COLUMNS, columns)
    assert [known.id for known in found.items] == ["2"]
    assert found.items[0].unanswerable
    assert [(bad.place, "neither yes nor no" in bad.problem) for bad in found.bad] == [
        ("line 2", True),
        ("line 4", False),
    ]
    table.write_text(table.read_text("utf-8-sig").replace("nein", "no"), encoding="utf-8")
    first = import_set(Rows(table), SetFormat.COLUMNS, columns).items[0]
    assert [passage.document_id for passage in first.gold] == ["a", "b"]


def test_parquet_and_the_same_question_twice(tmp_path: Path) -> None:
    path = tmp_path / "set.parquet"
    pq.write_table(pa.table({"question": ["Q?", "Q?"], "reference": ["R.", "S."]}), path)
    found = import_set(Rows(path), SetFormat.COLUMNS)
    assert len(found.items) == 1
    assert "the same question twice" in found.bad[0].problem


def test_a_column_for_no_field_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "set.jsonl", {"question": "Q?"})
    with pytest.raises(ConfigError, match="quesion"):
        import_set(Rows(path), SetFormat.COLUMNS, {"quesion": "Frage"})


def test_json_lines_under_the_wrong_ending_are_read_and_broken_json_is_one_problem(tmp_path: Path) -> None:
    lines = write(tmp_path / "lines.json", {"question": "Q?", "reference": "R."}, {"question": "P?", "reference": "S."})
    assert len(import_set(Rows(lines), SetFormat.COLUMNS).items) == 2
    broken = tmp_path / "broken.json"
    broken.write_text('[\n  {"question": "Q?",\n  {"reference"\n]\n')
    assert [bad.place for bad in import_set(Rows(broken), SetFormat.COLUMNS).bad] == ["file"]


def test_a_file_without_a_column_that_is_needed_is_refused_with_the_columns_that_it_has(tmp_path: Path) -> None:
    table = tmp_path / "faq.csv"
    table.write_text("Frage,Antwort,Notiz\nWer?,Ana.,\n")
    with pytest.raises(ConfigError, match="no column Nope; it has Frage, Antwort, Notiz"):
        import_set(Rows(table), SetFormat.COLUMNS, {"question": "Nope"})
    with pytest.raises(ConfigError, match="no column input for the question; it has Frage, Antwort, Notiz: name"):
        import_set(Rows(table), SetFormat.DEEPEVAL)
    assert len(import_set(Rows(table), SetFormat.COLUMNS, {"question": "Frage", "reference": "Antwort"}).items) == 1


def test_an_import_of_nothing_usable_replaces_no_set(tmp_path: Path) -> None:
    table, out = tmp_path / "faq.csv", tmp_path / "set.jsonl"
    table.write_text("question,reference\n,Ana.\n")
    out.write_text("earlier\n")
    result = CliRunner().invoke(app, ["golden", "import", str(table), "--out", str(out)])
    assert isinstance(result.exception, ConfigError)
    assert "line 2: field question" in " ".join(result.output.split())
    assert out.read_text() == "earlier\n"
