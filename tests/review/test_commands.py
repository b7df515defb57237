"""Commands that read straight from the review store."""

import json
import time
from pathlib import Path

import pytest
from typer.testing import CliRunner

from ragsonde.__main__ import main
from ragsonde.calibration.labels import LabelVerdict, read_labels
from ragsonde.cli import app
from ragsonde.golden.files import read_valid_set
from ragsonde.golden.records import read_records
from ragsonde.review.model import QueueFilter, Review
from tests.review.stores import open_reviews

TIMES = range(40)


@pytest.fixture
def data_dir(tmp_path: Path) -> Path:
    """A sidecar's directory whose store holds forty answers of the last hour, thirty of them reviewed."""
    from tests.exporters.scored import scored

    store = open_reviews(f"sqlite:///{tmp_path}/review.sqlite3")
    now = time.time()
    store.add([scored(f"{n:02d}", faithfulness=float(n % 4 > 0), end_ns=int((now - 60 * n) * 1e9)) for n in TIMES])
    for n in TIMES[:30]:
        wrong = n % 4 == 0 or n == 1
        review = Review(f"{n:02d}", "ann", verdict=LabelVerdict.HALLUCINATED if wrong else LabelVerdict.GROUNDED)
        store.save(review)
    store.save(Review("02", "ben", verdict=LabelVerdict.GROUNDED, answer_is_right=True))
    store.save(Review("03", "ben", corrected_answer="Within 14 days."))
    assert store.queue(QueueFilter()).total == 10
    store.close()
    return tmp_path


def run(*arguments: object) -> tuple[int, str]:
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    return result.exit_code, result.output + (str(result.exception) if result.exception else "")


def test_labels_and_records_come_out_as_the_other_commands_take_them(data_dir: Path, tmp_path: Path) -> None:
    code, lines = run("review", "labels", data_dir)
    assert code == 0
    (tmp_path / "labels.jsonl").write_text(lines)
    labels = read_labels(tmp_path / "labels.jsonl")
    assert (len(labels.labels), labels.bad) == (31, [])
    assert {label.inclusion for label in labels.labels} == {1.0}
    code, lines = run("review", "records", data_dir)
    (tmp_path / "records.jsonl").write_text(lines)
    assert len(read_records([tmp_path / "records.jsonl"]).scored) == 40
    from_files = run("calibrate", tmp_path / "records.jsonl", "--labels", tmp_path / "labels.jsonl")
    assert from_files[0] == 0
    assert run("calibrate", "--review", data_dir) == from_files


def test_the_rate_is_that_of_the_store(data_dir: Path) -> None:
    code, said = run("rate", "--review", data_dir, "--format", "json")
    (rate,) = json.loads(said[: said.rindex("]") + 1])
    assert code == 0
    assert (rate["app"], rate["scorer"], rate["labelled"], rate["population"]) == ("shop", "local", 30, 40)
    assert rate["low"] < rate["rate"] < rate["high"]
    code, said = run("rate", "--review", f"sqlite:///{data_dir}/review.sqlite3", "--scorer", "local")
    assert (code, "hallucinated answers in all traffic of 7 days" in said) == (0, True)


def test_golden_items_are_what_reviewers_settled(data_dir: Path, tmp_path: Path) -> None:
    out = tmp_path / "golden.jsonl"
    assert run("golden", "export", "--from-review", data_dir, "--out", out)[0] == 0
    items = read_valid_set(out).by_id()
    assert {id_: item.reference for id_, item in items.items()} == {
        "02": "You can return it within 30 days.",
        "03": "Within 14 days.",
    }
    assert items["03"].reviewed_by == ("ben",)


@pytest.mark.parametrize(
    ("arguments", "remedy"),
    [
        (["calibrate"], "name RECORDS and --labels, or the review store with --review"),
        (["calibrate", "--review", "{dir}", "--labels", "x"], "leave RECORDS and --labels out"),
        (["calibrate", "--review", "{dir}/none"], "name the data directory of a sidecar"),
        (["calibrate", "--review", "mysql://h/b"], "use sqlite or postgresql"),
        (["rate"], "name RECORDS and --labels"),
        (["rate", "--review", "{dir}", "--labelled-at-random"], "leave RECORDS"),
        (["rate", "--review", "{dir}", "--scorer", "judge"], "not among those of local"),
        (["golden", "export", "--out", "x"], "or the review store with --from-review"),
        (["golden", "export", "r", "--from-review", "{dir}", "--out", "x"], "leave RECORDS and --reviews out"),
        (["review", "labels", "{dir}/none"], "name the data directory"),
    ],
)
def test_what_is_wrong_is_said_with_the_remedy(
    data_dir: Path,
    arguments: list[str],
    remedy: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr("sys.argv", ["ragsonde", *(argument.format(dir=data_dir) for argument in arguments)])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    assert remedy in capsys.readouterr().err


def test_an_empty_store_is_said_to_be_one(tmp_path: Path) -> None:
    open_reviews(f"sqlite:///{tmp_path}/review.sqlite3").close()
    assert "nobody has reviewed anything yet" in run("calibrate", "--review", tmp_path)[1]
    assert "no review says what is right" in run("golden", "export", "--from-review", tmp_path, "--out", "x")[1]
    assert "nothing was scored in the last 7 days" in run("rate", "--review", tmp_path)[1]
    assert run("review", "labels", tmp_path) == (0, "")
