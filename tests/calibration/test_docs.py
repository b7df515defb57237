"""What docs/calibration.md shows works as it stands."""

import json
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from ragsonde.calibration.labels import Label, read_labels
from tests.calibration.labelled import judged, write_records
from tests.doc_examples import blocks, run, run_commands, write_files
from tests.golden_sets.golden_items import write


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory with the files that the document speaks of: 400 records, every fifth of which is labelled."""
    monkeypatch.chdir(tmp_path)
    chance = np.random.default_rng(4)
    records, labels = [], []
    for number in range(400):
        support = float(chance.random())
        records.append(judged(f"i{number}", support, probability=0.5))
        if number % 5 == 0:
            fault = chance.random() > support
            labels.append(
                {
                    "id": f"i{number}",
                    "verdict": "hallucinated" if fault else "grounded",
                    "reviewer": "ana",
                    "probability": 0.2,
                }
            )
    write_records(tmp_path / "records.jsonl", records)
    write(tmp_path / "labels.jsonl", *labels)
    return tmp_path


def test_every_example_runs_in_order(folder: Path) -> None:
    given = blocks("calibration.md")
    write_files(given, folder)
    assert len(read_labels(Path("few-labels.jsonl")).labels) == 3
    calibrated, rate, as_json = run_commands(given)
    assert "80 answers" in calibrated
    assert "weighted to all traffic" in calibrated
    assert "from the scorer alone (biased)" in rate
    found = json.loads(as_json[as_json.index("{") :])
    assert found["rate"]["known"]
    assert 0.3 < found["rate"]["estimate"]["rate"] < 0.7
    saved = json.loads(Path("calibration/calibration.json").read_bytes())
    assert saved["levels"]["answer"]["agreement"]["cases"] == 80
    assert saved["map"]["method"] == "platt"
    ET.parse("calibration/reliability.answer.svg")
    assert run("ragsonde rate records.jsonl --labels labels.jsonl --maps maps")[0] == 0
    (code,) = [block.text for block in given if block.language == "python"]
    exec(compile(code, "docs/calibration.md", "exec"), {})


def test_the_documented_fields_are_the_fields() -> None:
    text = (Path(__file__).parents[2] / "docs" / "calibration.md").read_text(encoding="utf-8")
    assert [name for name in Label.model_fields if f"`{name}`" not in text] == []


def test_wrong_input_and_no_rate_are_told(folder: Path) -> None:
    code, said = run("ragsonde rate records.jsonl --labels labels.jsonl --maps none")
    assert (code, "run `ragsonde calibrate --maps`" in said) == (2, True)
    write(folder / "picked.jsonl", {"id": "i0", "verdict": "grounded"}, {"id": "i1"})
    code, said = run("ragsonde rate records.jsonl --labels picked.jsonl")
    assert (code, "labels that could not count: not_by_chance: 1" in said.replace("\n", " ")) == (1, True)
    assert "picked.jsonl, line 2: field verdict" in said
    code, said = run("ragsonde rate records.jsonl --labels picked.jsonl --format json")
    assert (code, json.loads(said[said.index("{") : said.rindex("}") + 1])["unused"]) == (1, {"not_by_chance": 1})
    code, said = run("ragsonde calibrate records.jsonl --labels picked.jsonl --maps maps")
    assert (code, "no map can be fitted to 1 labelled answers" in said) == (2, True)
    code, said = run("ragsonde calibrate labels.jsonl --labels labels.jsonl")
    assert (code, "records are what `ragsonde score` writes" in said) == (2, True)


def test_changes_since_an_earlier_calibration_are_warned_of(folder: Path) -> None:
    assert run("ragsonde calibrate records.jsonl --labels labels.jsonl --out before")[0] == 0
    earlier = Path("before/calibration.json")
    earlier.write_text(earlier.read_text().replace('"languages": [\n      "en"', '"languages": [\n      "de"'))
    _, said = run(f"ragsonde calibrate records.jsonl --labels labels.jsonl --earlier {earlier} --judge-model gpt-5")
    assert "languages have changed since the earlier calibration (new: en; gone: de)" in said
    assert "self-preference: not known" in said
