"""Files of interactions: what cannot be read is named with its file, and hides nothing else."""

import bz2
import gzip
import json
import lzma
import os
import re
import threading
import zipfile
from pathlib import Path
from typing import Any

import pytest

from ragsonde.collector.errors import ConfigError
from ragsonde.collector.interaction_file import InteractionFiles
from ragsonde.collector.interaction_row import KEYS
from ragsonde.collector.model import Capture, Interaction
from ragsonde.collector.telemetry import IgnoreReason
from tests.fakes import FakeClock
from tests.golden_traces import TRACES

GOOD: dict[str, Any] = {"id": "1", "question": "q", "contexts": ["a"], "answer": "a"}


def read(*paths: Path) -> tuple[list[Interaction], InteractionFiles]:
    files = InteractionFiles(paths, FakeClock())
    return [*files], files


def written(path: Path, *rows: Any) -> Path:
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return path


def otlp(path: Path, trace_id: str) -> Path:
    span = {"traceId": trace_id, "spanId": "0" * 15 + "1", "name": "x"}
    return written(path, {"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]})


def zipped(path: Path) -> bytes:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("in.jsonl", json.dumps(GOOD))
    return path.read_bytes()


@pytest.mark.parametrize(
    ("kind", "remedy"),
    [("gzip", "gunzip"), ("xz", "xz -d"), ("bzip2", "bunzip2"), ("zip", "unpack"), ("UTF-16", "UTF-8")],
)
def test_a_packed_or_wide_file_is_named_with_its_remedy_and_the_others_are_read(
    tmp_path: Path, kind: str, remedy: str
) -> None:
    line = json.dumps(GOOD)
    content = {
        "gzip": gzip.compress(line.encode()),
        "xz": lzma.compress(line.encode()),
        "bzip2": bz2.compress(line.encode()),
        "zip": zipped(tmp_path / "made.zip"),
        "UTF-16": line.encode("utf-16"),
    }[kind]
    bad, good = tmp_path / "packed", written(tmp_path / "good.jsonl", GOOD)
    bad.write_bytes(content)
    found, files = read(bad, good)
    assert [interaction.id for interaction in found] == ["1"]
    (problem,) = files.bad
    assert problem.file == str(bad)
    assert kind.lower() in problem.problem.lower()
    assert remedy in problem.problem


@pytest.mark.parametrize("order", [1, -1])
def test_a_corrupt_otlp_file_and_one_with_a_bad_id_do_not_hide_the_others(tmp_path: Path, order: int) -> None:
    corrupt = tmp_path / "corrupt.bin"
    corrupt.write_bytes(b"\x0a\x00\xff\xff\xff" * 200)
    paths = [corrupt, otlp(tmp_path / "badid.json", "xyz"), TRACES / "mlflow.otlp.bin", written(tmp_path / "g", GOOD)]
    found, files = read(*paths[::order])
    assert {interaction.convention for interaction in found} == {"file", "mlflow"}
    assert {Path(problem.file).name for problem in files.bad} == {"corrupt.bin", "badid.json"}
    assert any("traceId" in problem.problem for problem in files.bad)


def test_a_malformed_span_is_a_bad_record_that_does_not_hide_the_rest_of_its_file(tmp_path: Path) -> None:
    request = json.loads((TRACES / "mlflow.otlp.json").read_text(encoding="utf-8"))
    request["resourceSpans"][0]["scopeSpans"][0]["spans"].append({"traceId": "xyz", "spanId": "12", "name": "bad"})
    path = tmp_path / "partly.json"
    path.write_text(json.dumps(request), encoding="utf-8")
    found, files = read(path)
    assert [interaction.convention for interaction in found] == ["mlflow"]
    (problem,) = files.bad
    assert "1 of" in problem.problem
    assert "].traceId: 32 hex digits are expected" in problem.problem


def test_spans_without_a_valid_trace_id_are_noted_with_their_file(tmp_path: Path) -> None:
    found, files = read(otlp(tmp_path / "zero.json", "0" * 32))
    assert found == []
    (note,) = files.notes
    assert "zero.json" in note
    assert "trace id" in note
    assert files.ignored[IgnoreReason.NO_TRACE_ID] == 1


def test_keys_that_are_not_known_are_noted_once_a_file_with_what_may_be_meant(tmp_path: Path) -> None:
    row = {"id": "1", "question": "q", "context": ["The kiln is hot."], "answer": "The kiln is hot."}
    found, files = read(written(tmp_path / "typo.jsonl", row, row | {"id": "2"}))
    assert [interaction.capture for interaction in found] == [Capture.CONTEXTS_NOT_CAPTURED] * 2
    (note,) = files.notes
    assert "typo.jsonl" in note
    assert "context (line 1, perhaps contexts?)" in note


def test_keys_of_contexts_that_are_not_known_are_noted_too(tmp_path: Path) -> None:
    row = GOOD | {"contexts": [{"foo": "x"}, {"page_content": "y", "metadata": {"any": 1}}]}
    _, files = read(written(tmp_path / "in.jsonl", row))
    (note,) = files.notes
    assert "contexts.foo (line 1)" in note
    assert "metadata" not in note


def test_a_file_of_known_keys_gives_no_note(tmp_path: Path) -> None:
    _, files = read(written(tmp_path / "in.jsonl", GOOD | {"citations": ["1"], "reference": "r", "app": "shop"}))
    assert files.notes == files.bad == []


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ({"contexts": [1]}, "field contexts.0: a text or an object with id and text is expected, not int"),
        ({"contexts": ["a", {"text": 2}]}, "field contexts.1.text: input should be a valid string"),
        ({"contexts": "a"}, 'field contexts: input should be a valid list; write a list, such as ["…"]'),
        ({"id": []}, "field id: input should be a valid string or input should be a valid integer"),
    ],
)
def test_a_wrong_field_is_named_as_the_file_has_it(tmp_path: Path, row: dict[str, Any], told: str) -> None:
    _, files = read(written(tmp_path / "in.jsonl", GOOD | row))
    (problem,) = files.bad
    assert problem.problem == told


@pytest.mark.parametrize("content", [json.dumps(GOOD).encode(), json.dumps([GOOD]).encode(), None])
def test_a_pipe_is_read_whole(tmp_path: Path, content: bytes | None) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    sent = (TRACES / "mlflow.otlp.bin").read_bytes() if content is None else content
    writer = threading.Thread(target=pipe.write_bytes, args=(sent,))
    writer.start()
    found, files = read(pipe)
    writer.join()
    assert len(found) == 1
    assert files.bad == []


def test_a_directory_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot read"):
        read(tmp_path)


def test_objects_over_several_lines_are_read_one_by_one(tmp_path: Path) -> None:
    path = tmp_path / "indented.json"
    path.write_text("\n".join(json.dumps(GOOD | {"id": number}, indent=2) for number in (1, 2)))
    found, files = read(path)
    assert [interaction.id for interaction in found] == ["1", "2"]
    assert files.bad == []


def test_an_indented_object_that_ends_midway_is_one_bad_record(tmp_path: Path) -> None:
    path = tmp_path / "indented.json"
    path.write_text(json.dumps(GOOD, indent=2) + "\n" + json.dumps(GOOD, indent=2)[:30])
    found, files = read(path)
    assert len(found) == 1
    (problem,) = files.bad
    assert problem.place == "item 2"


def test_ids_that_stand_more_than_once_are_noted(tmp_path: Path) -> None:
    found, files = read(written(tmp_path / "in.jsonl", GOOD, GOOD | {"id": "2"}, GOOD))
    assert len(found) == 3
    assert files.notes == ["ids that stand more than once: 1; give each interaction its own"]


def test_a_row_of_a_table_may_have_null_for_what_it_lacks(tmp_path: Path) -> None:
    document = {"id": None, "text": None, "content": "The kiln is hot.", "score": None, "metadata": None}
    row = GOOD | {"contexts": [document], "app": None, "model": None, "id": "", "conversation_id": 7}
    ((interaction,), files) = read(written(tmp_path / "in.jsonl", row))
    assert files.bad == files.notes == []
    assert (interaction.id, interaction.app, interaction.conversation_id) == ("in.jsonl:1", "unknown", "7")
    assert [context.text for context in interaction.contexts or ()] == ["The kiln is hot."]
    assert interaction.capture is Capture.CAPTURED


def test_one_document_without_its_text_leaves_the_contexts_unknown(tmp_path: Path) -> None:
    row = GOOD | {"contexts": ["The kiln is hot.", {"id": "glaze"}]}
    ((interaction,), _) = read(written(tmp_path / "in.jsonl", row))
    assert interaction.capture is Capture.CONTEXTS_NOT_CAPTURED


def test_null_in_the_place_of_a_record_is_called_null(tmp_path: Path) -> None:
    _, files = read(written(tmp_path / "in.jsonl", None, GOOD | {"contexts": [None]}))
    assert [problem.problem for problem in files.bad] == [
        "a JSON object is expected, not null",
        "field contexts.0: a text or an object with id and text is expected, not null",
    ]


@pytest.mark.parametrize("in_array", [False, True])
def test_what_pythons_json_writes_is_read_and_nan_is_no_number(tmp_path: Path, in_array: bool) -> None:
    row = GOOD | {
        "contexts": [{"text": "a", "score": float("nan")}],
        "answer": "30 \ud83d days",
        "feedback": float("nan"),
    }
    ((interaction,), files) = read(written(tmp_path / "in.jsonl", row))
    assert files.bad == []
    assert (interaction.answer, interaction.feedback) == ("30 \ufffd days", None)
    assert (interaction.contexts or ())[0].score is None


@pytest.mark.parametrize("indent", [None, 2])
def test_bytes_that_are_no_text_are_not_read(tmp_path: Path, indent: int | None) -> None:
    path = tmp_path / "in.jsonl"
    path.write_bytes(json.dumps(GOOD | {"answer": "zw\u00f6lf"}, ensure_ascii=False, indent=indent).encode("latin-1"))
    found, files = read(path)
    assert found == []
    assert "UTF-8" in files.bad[0].problem


def test_the_quick_start_names_every_key() -> None:
    guide = (Path(__file__).parents[2] / "docs" / "quickstart.md").read_text("utf-8")
    table = guide.partition("| key | holds |")[2].partition("\n\n")[0]
    assert {key for line in table.splitlines() for key in re.findall(r"`(\w+)`", line.split(" | ")[0])} == KEYS
