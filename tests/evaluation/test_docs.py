"""What docs/evaluating.md shows works as it stands."""

import json
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
import yaml

from ragsonde.settings import Settings
from tests.doc_examples import blocks, run, run_commands, write_files

pytest_plugins = ["pytester"]


def test_every_example_runs_in_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    given = blocks("evaluating.md")
    write_files(given, tmp_path)
    outputs = run_commands(given)
    assert outputs[0].count("✓") == 4
    assert "passed" in outputs[0]
    assert "– too few" in outputs[1]
    assert "– too few" in outputs[2]
    run_1 = json.loads(Path("run-1/report.json").read_bytes())
    assert run_1["passed"]
    assert run_1["metrics"]["refusal_correctness"]["mean"] == 1.0
    assert ET.parse("run-1/junit.xml").getroot()[0].attrib["failures"] == "0"
    assert len(Path("run-1/items.csv").read_text("utf-8").splitlines()) == 4
    failed = {check["key"] for check in json.loads(Path("run-2/report.json").read_bytes())["gate"] if check["failed"]}
    assert failed == {"faithfulness", "answer_correctness", "refusal_correctness"}


def test_a_second_run_scores_nothing_anew_and_wrong_input_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write_files(blocks("evaluating.md"), tmp_path)
    command = "ragsonde evaluate answers.jsonl -g golden.jsonl -c ragsonde.yaml -o run"
    assert run(command)[0] == 0
    results = Path("run/results.jsonl").read_bytes()
    assert run(command)[0] == 0
    assert Path("run/results.jsonl").read_bytes() == results
    code, said = run(f"{command} --baseline answers.jsonl")
    assert (code, "is no evaluation report" in said) == (2, True)
    Path("answers.jsonl").write_text("{cut", encoding="utf-8")
    code, said = run(command)
    assert (code, "no interaction found" in said) == (2, True)


def test_the_python_example_passes_as_a_test(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")  # the plugin is loaded by name, once
    (example,) = [block for block in blocks("evaluating.md") if block.language == "python"]
    pytester.makepyfile(**{example.told.removesuffix(".py"): example.text})
    golden = next(block.text.splitlines()[0] for block in blocks("evaluating.md") if block.told == "golden.jsonl")
    (pytester.path / "returns.jsonl").write_text(golden + "\n", encoding="utf-8")
    pytester.runpytest_inprocess("-p", "ragsonde.pytest_plugin", "--strict-markers").assert_outcomes(passed=1)


def test_the_documented_defaults_are_the_defaults() -> None:
    text = " ".join(block.text for block in blocks("evaluating.md") if block.told == "ragsonde.yaml")
    Settings(**yaml.safe_load(text))
    thresholds = Settings().evaluation.thresholds
    assert {key.value: value for key, value in thresholds.items()} == {
        "faithfulness": 0.9,
        "answer_relevance": 0.8,
        "context_precision": 0.6,
        "context_recall": 0.75,
    }
