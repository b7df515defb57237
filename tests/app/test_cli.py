"""The command as users run it: its output, its exit code, and where it matters a process of its own."""

import gc
import json
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import httpx
import jsonschema
import pytest

from ragsonde.__main__ import main
from tests.app.sidecars import running
from tests.app.trace_files import TRACES

SCHEMA = Path(__file__).parent.parent.parent / "exporters" / "schemas" / "score_record.schema.json"
RECORD = {
    "id": "warranty",
    "question": "How long is the warranty?",
    "contexts": ["The warranty lasts two years.", {"id": "doc-2", "text": "Shipping is free."}],
    "answer": "The warranty lasts two years [1]. Shipping costs 5 EUR [2].",
}


def ragsonde(*arguments: object, timeout: float = 120) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "ragsonde", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=timeout, check=False)


@dataclass(frozen=True, slots=True)
class Said:
    """What a command gave back."""

    returncode: int
    stdout: str
    stderr: str


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Callable[..., Said]:
    """The command without a process of its own, which would take seconds to start and load its models anew."""
    for module in ("score", "judge_check"):  # the log is the test run's own
        monkeypatch.setattr(f"ragsonde.cli.{module}.log_to_console", lambda: None)

    def run(*arguments: object) -> Said:
        monkeypatch.setattr(sys, "argv", ["ragsonde", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        return Said(int(ended.value.code or 0), *capfd.readouterr())

    return run


def lines(text: str) -> list[dict]:  # type: ignore[type-arg]
    return [json.loads(line) for line in text.splitlines()]


def test_scoring_looks_for_garbage_less_often_than_python_does_by_default(
    tmp_path: Path, command: Callable[..., Said]
) -> None:
    source = tmp_path / "in.jsonl"
    source.write_text(json.dumps(RECORD) + "\n")
    before = gc.get_threshold()
    gc.set_threshold(700, 10, 10)
    try:
        assert command("score", source).returncode == 0
        assert gc.get_threshold()[0] > 700
    finally:
        gc.set_threshold(*before)


def test_score_writes_one_line_for_each_interaction_in_the_documented_shape(tmp_path: Path) -> None:
    source = tmp_path / "in.jsonl"
    source.write_text(json.dumps(RECORD) + "\n\n" + json.dumps(RECORD | {"id": 7, "contexts": []}) + "\n")
    done = ragsonde("score", source)
    assert done.returncode == 0, done.stderr
    first, second = lines(done.stdout)
    schema = json.loads(SCHEMA.read_text())
    for record in (first, second):
        jsonschema.validate(record, schema)
    assert first["interaction"]["id"] == "warranty"
    assert [c["rank"] for c in first["interaction"]["contexts"]] == [1, 2]
    faithfulness = first["scores"]["faithfulness"]
    assert (faithfulness["outcome"], faithfulness["value"]) == ("scored", 0.5)
    for claim in faithfulness["claims"]:
        assert first["interaction"]["answer"][claim["start"] : claim["end"]] == claim["text"]
    assert faithfulness["claims"][0]["quote"] in first["interaction"]["contexts"][0]["text"]
    assert first["diagnosis"]["label"] == "generation_unfaithful"
    assert second["interaction"]["id"] == "7"
    assert second["scores"]["faithfulness"]["label"] == "ungrounded"


def test_score_reads_otlp_in_both_forms_and_joins_log_records_of_another_file(
    command: Callable[..., Said], tmp_path: Path
) -> None:
    for suffix in ("json", "bin"):
        names = ("otel-openai-v2-legacy-events.otlp", "otel-openai-v2-legacy-events.logs.otlp")
        done = command("score", *(TRACES / f"{name}.{suffix}" for name in names))
        assert done.returncode == 0, done.stderr
        (record,) = lines(done.stdout)
        assert record["interaction"]["answer"].startswith("Customers have 30 days")
        assert record["scores"]["faithfulness"]["value"] == 1.0


def test_score_reads_parquet_and_a_json_array(command: Callable[..., Said], tmp_path: Path) -> None:
    import pyarrow
    import pyarrow.parquet

    rows = [{**RECORD, "contexts": ["The warranty lasts two years."]}] * 2
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), tmp_path / "in.parquet")
    (tmp_path / "in.json").write_text(json.dumps(rows))
    done = command("score", tmp_path / "in.parquet", tmp_path / "in.json")
    assert done.returncode == 0, done.stderr
    assert len(lines(done.stdout)) == 4


def test_score_reports_each_bad_line_with_its_place_and_scores_the_others(
    command: Callable[..., Said], tmp_path: Path
) -> None:
    source = tmp_path / "in.jsonl"
    bad = ['{"id": 1, "question": 3, "answer": "x"}', "{not json", '["a list"]', '{"id": 2, "question": "q"}']
    source.write_text("\n".join([*bad, json.dumps(RECORD)]))
    done = command("score", source, "-o", tmp_path / "out.jsonl")
    assert done.returncode == 1
    assert len(lines((tmp_path / "out.jsonl").read_text())) == 1
    for place, field in ((1, "question"), (2, "not valid JSON"), (3, "a JSON object is expected"), (4, "answer")):
        assert f"line {place}" in done.stderr
        assert field in done.stderr


@pytest.mark.parametrize("content", ["", "\n\n", "[]", "{}"])
def test_score_of_a_file_without_interactions_is_an_error(
    command: Callable[..., Said], tmp_path: Path, content: str
) -> None:
    source = tmp_path / "empty.jsonl"
    source.write_text(content)
    done = command("score", source)
    assert done.returncode in {1, 2}
    assert "empty.jsonl" in done.stderr


def test_score_of_nothing_usable_replaces_no_earlier_results(command: Callable[..., Said], tmp_path: Path) -> None:
    source, out = tmp_path / "bad.jsonl", tmp_path / "scores.jsonl"
    source.write_text('{"question": "Who?"}\n')
    out.write_text("earlier\n")
    done = command("score", source, "--out", out)
    assert done.returncode == 2
    assert "line 1: field answer: field required; add it" in done.stderr
    assert out.read_text() == "earlier\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bad.jsonl", "scores.jsonl"]


def test_score_of_a_missing_file_and_of_an_unknown_scorer_say_what_to_do(
    command: Callable[..., Said], tmp_path: Path
) -> None:
    missing = command("score", tmp_path / "none.jsonl")
    assert missing.returncode == 2
    assert "none.jsonl" in missing.stderr
    (tmp_path / "in.jsonl").write_text(json.dumps(RECORD))
    unknown = command("score", tmp_path / "in.jsonl", "--scorers", "locl")
    assert unknown.returncode == 2
    assert "choose among local" in unknown.stderr


def test_score_refuses_a_destination_that_is_a_directory_or_an_input_before_it_scores(
    command: Callable[..., Said], tmp_path: Path
) -> None:
    source = tmp_path / "in.jsonl"
    source.write_text(json.dumps(RECORD))
    for out in (tmp_path, source, tmp_path / ".." / tmp_path.name / "in.jsonl"):
        done = command("score", source, "-o", out)
        assert done.returncode == 2
        assert "--out" in done.stderr
        assert "Traceback" not in done.stderr
    partial = tmp_path / "in.jsonl.partial"
    source.rename(partial)
    assert command("score", partial, "-o", source).returncode == 2
    assert json.loads(partial.read_text()) == RECORD
    assert [*tmp_path.iterdir()] == [partial]


def test_score_names_slips_and_scores_all_the_same(command: Callable[..., Said], tmp_path: Path) -> None:
    source = tmp_path / "in.jsonl"
    source.write_text(json.dumps({key.replace("contexts", "[/context]"): value for key, value in RECORD.items()}))
    done = command("score", "--scorers", "local_citations", source)
    assert done.returncode == 0
    assert "note" in done.stderr
    assert "[/context] (line 1" in done.stderr
    assert len(lines(done.stdout)) == 1


def test_check_config_and_print_config(command: Callable[..., Said], tmp_path: Path) -> None:
    path = tmp_path / "ragsonde.yaml"
    path.write_text("server: {port: 5555}\n")
    assert command("check-config", path).returncode == 0
    printed = command("print-config", "--config", path)
    assert printed.returncode == 0
    assert "port: 5555" in printed.stdout
    path.write_text("server: {token_file: none.txt}\nscoring: {judge: {base_url: 'https://j.example', model: m}}\n")
    elsewhere = command("check-config", path)
    assert elsewhere.returncode == 0
    assert "it would not start here: server.token_file none.txt cannot be read" in elsewhere.stderr
    judge = "{base_url: 'https://j.example', model: m, api_key_env: NO_SUCH_KEY}"
    path.write_text(f"scoring: {{second_judge: {judge}, judge: {judge}, second_judge_probability: 0.1}}\n")
    keys = command("check-config", path)
    assert "scoring.judge.api_key_env: the environment variable NO_SUCH_KEY" in keys.stderr
    assert "scoring.second_judge.api_key_env: the environment variable NO_SUCH_KEY" in keys.stderr
    path.write_text("server: {port: many}\n")
    refused = command("check-config", path)
    assert refused.returncode == 2
    assert "server.port" in refused.stderr


def test_judge_check_says_what_it_could_not_compare(command: Callable[..., Said], tmp_path: Path) -> None:
    source = tmp_path / "one.jsonl"
    one = {"id": "fee", "question": "What is the fee?", "contexts": ["The fee is 5 euros."], "answer": "It is 5 euros."}
    source.write_text(json.dumps(one))
    half = command("judge-check", "--scorers", "local_faithfulness", source)
    assert half.returncode == 0
    assert "contexts in the opposite order: not checked, no interaction with two contexts" in half.stderr
    assert "the answer said twice" in half.stdout
    nothing = command("judge-check", "--scorers", "local_citations", source)
    assert nothing.returncode == 2
    assert "nothing could be compared: local_citations" in nothing.stderr


@pytest.mark.parametrize("name", ["up", "run", "demo", "score", "check-config", "print-config"])
def test_help_of_each_command_is_complete(command: Callable[..., Said], name: str) -> None:
    done = command(name, "--help")
    assert done.returncode == 0
    assert "Usage" in done.stdout


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


def test_up_serves_takes_a_trace_and_ends_cleanly_on_sigterm(tmp_path: Path) -> None:
    port = free_port()
    command = [sys.executable, "-m", "ragsonde", "up", "--port", str(port), "--data-dir", str(tmp_path)]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        url = f"http://127.0.0.1:{port}"
        end = time.monotonic() + 60
        while time.monotonic() < end:
            try:
                if httpx.get(f"{url}/readyz").status_code == 200:
                    break
            except httpx.TransportError:
                time.sleep(0.1)
        body = (TRACES / "langfuse.otlp.json").read_bytes()
        sent = httpx.post(f"{url}/v1/traces", content=body, headers={"Content-Type": "application/json"})
        assert sent.status_code == 200
        end = time.monotonic() + 60
        counted = 'ragsonde_interactions_total{app="rag-demo",capture="captured",environment="test"} 1.0'
        while counted not in httpx.get(f"{url}/metrics").text:
            assert time.monotonic() < end
            time.sleep(0.1)
        assert "Customers have 30 days" in httpx.get(url).text
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0
    finally:
        process.kill()
        output = process.communicate()[1]
    assert url in output
    assert "Traceback" not in output


def test_a_second_sidecar_on_the_same_port_says_so(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        done = ragsonde("up", "--port", taken.getsockname()[1], "--data-dir", tmp_path)
    assert done.returncode == 2
    assert "--port" in done.stderr


def test_a_second_sidecar_on_the_same_data_does_not_say_that_it_is_up(tmp_path: Path) -> None:
    with running(tmp_path):
        done = ragsonde("up", "--port", 0, "--data-dir", tmp_path)
    assert done.returncode == 2
    assert "has a reader already" in done.stderr
    assert "is up" not in done.stderr
