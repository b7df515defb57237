"""``python -m bench accuracy`` from end to end on made-up sets: what it reports, keeps, refuses and leaves out."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from bench.__main__ import app
from bench.accuracy.data import load_test
from bench.accuracy.published import published_tables
from bench.accuracy.raters import Rater
from bench.accuracy.scorebook import ScoreBook
from bench.accuracy.scoring import CaseScorer
from bench.accuracy.sets import BY_NAME, Family, View
from bench.accuracy.signals import Form, Part, Signal
from ragsonde.collector.clock import Deadline
from ragsonde.scorers.reading import Reading
from ragsonde.scorers.score import (
    Claim,
    Failed,
    FailureKind,
    MetricKey,
    NotApplicable,
    Outcome,
    Reason,
    Scored,
    Verdict,
)
from ragsonde.testing.judge_process import running_judge_server
from tests.bench.accuracy_sets import BAD, GOOD, row, write_set, write_tiny_sets

FAITHFULNESS = Signal(MetricKey.FAITHFULNESS)
WORST = Signal(MetricKey.FAITHFULNESS, Part.WORST_CLAIM)


def run(folder: Path, *arguments: str) -> Result:
    return CliRunner().invoke(
        app,
        [
            "accuracy",
            f"--data={folder / 'data'}",
            f"--out={folder / 'out'}",
            f"--cache={folder / 'cache'}",
            "--draws=100",
            *arguments,
        ],
    )


def report(folder: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((folder / "out" / "accuracy.json").read_text(encoding="utf-8"))
    return content


def figure(content: Mapping[str, Any], scorer: str, dataset: str, **wanted: Any) -> Mapping[str, Any]:
    wanted = {"slice": ["all", ""], "view": "response", "signal": "faithfulness"} | wanted
    found: list[Mapping[str, Any]] = [
        one
        for one in content["figures"]
        if (one["scorer"], one["dataset"]) == (scorer, dataset) and all(one[k] == v for k, v in wanted.items())
    ]
    assert len(found) == 1, [(one["signal"], one["slice"], one["view"]) for one in found]
    return found[0]


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("accuracy")
    write_tiny_sets(folder / "data")
    result = run(folder, "--scorers=constant,unigram_coverage,local_faithfulness,local_support,local_citations")
    assert result.exit_code == 0, result.output
    return folder


def test_figures_are_those_of_the_made_up_labels(measured: Path) -> None:
    content = report(measured)
    good = figure(content, "unigram_coverage", "ragtruth")
    assert good["auroc"]["value"] == 1.0
    assert good["flagging"]["f1"]["value"] == 1.0
    assert (good["rows"], good["faulty"], good["groups"], good["scored"]) == (12, 6, 6, 12)
    assert good["milliseconds"] > 0
    chance = figure(content, "constant", "ragtruth")
    assert chance["auroc"] == {"value": 0.5, "low": 0.5, "high": 0.5}
    assert chance["brier"] == 0.25
    assert chance["calibration_error"] == pytest.approx(0.0)


def test_who_wrote_the_answers_is_worth_nothing_within_task_and_generator(measured: Path) -> None:
    """In these sets each writer only ever writes good or bad answers, so no pair is left to be ordered."""
    assert figure(report(measured), "unigram_coverage", "ragtruth")["within"]["value"] is None


def test_each_threshold_says_where_it_was_chosen(measured: Path) -> None:
    content = report(measured)
    chosen = {
        name: figure(content, "unigram_coverage", name, **more)["thresholds"]["chosen_on"]
        for name, more in {
            "ragtruth": {},
            "qags": {},
            "wice": {},
            "mfava": {"view": "sentence"},
            "clapnq": {"signal": "context_relevance"},
        }.items()
    }
    assert chosen == {
        "ragtruth": "dev of ragtruth",
        "qags": "dev of ragtruth",
        "wice": "dev of wice",
        "mfava": "dev of ragtruth",
        "clapnq": "fixed at 0.5: no dev file of the family",
    }


def test_claims_and_sentences_are_measured_by_character(measured: Path) -> None:
    spans = {(one["scorer"], one["dataset"]): one for one in report(measured)["spans"]}
    claims = spans["local_faithfulness", "ragtruth"]
    assert claims["predicted_from"] == "claims not supported, or the parts of them that are pointed at"
    assert claims["scores"]["precision"]["value"] == 1.0
    assert claims["scores"]["recall"]["value"] > 0.0
    sentences = spans["unigram_coverage", "mfava"]
    assert sentences["predicted_from"] == "sentences flagged, dev of ragtruth"
    assert sentences["scores"]["recall"]["value"] == 1.0


def test_citations_are_measured_as_citations_and_as_claims(measured: Path) -> None:
    content = report(measured)
    for scorer in ("local_support", "local_citations"):
        assert figure(content, scorer, "wice", signal="citation_accuracy")["auroc"]["value"] == 1.0
    assert figure(content, "local_faithfulness", "wice", signal="faithfulness, worst claim")["auroc"]["value"] == 1.0


def test_shipped_outputs_are_measured_on_the_same_rows(measured: Path) -> None:
    content = report(measured)
    assert figure(content, "oracle (shipped)", "qags")["rows"] == figure(content, "constant", "qags")["rows"]


def test_preferences_leave_ties_of_people_out(measured: Path) -> None:
    found = [one for one in report(measured)["preferences"] if one["scorer"] == "unigram_coverage"]
    assert [(one["pairs"], one["scored"]) for one in found] == [(3, 3)]
    assert found[0]["accuracy"]["value"] == pytest.approx(2 / 3)


def test_the_macro_average_names_the_sets_that_it_is_over(measured: Path) -> None:
    found = {(one["scorer"], one["signal"]): one for one in report(measured)["macro"]}
    assert found["constant", "faithfulness"]["auroc"]["value"] == 0.5
    assert set(found["constant", "faithfulness"]["sets"]) == {"ragtruth", "qags", "mfava", "wice"}
    assert found["local_support", "citation_accuracy"]["sets"] == ["wice"]


def test_sets_that_are_not_there_are_named(measured: Path) -> None:
    assert report(measured)["not_run"]["faithbench"] == "its folder is not there"


def test_the_page_shows_every_set_and_no_row_of_it(measured: Path) -> None:
    page = (measured / "out" / "accuracy.md").read_text(encoding="utf-8")
    for heading in (
        "AUROC at a glance",
        "### mfava, by sentence",
        "## Spans",
        "## Preference",
        "What others published",
    ):
        assert heading in page
    for text in (GOOD, BAD, "writer-of"):
        assert text not in page
        assert text not in json.dumps(report(measured))


def test_a_second_run_scores_nothing_anew_and_says_the_same(measured: Path) -> None:
    before = report(measured)
    kept = {path: path.read_bytes() for path in (measured / "cache").rglob("*.jsonl")}
    result = run(measured, "--scorers=constant,unigram_coverage,local_faithfulness,local_support,local_citations")
    assert result.exit_code == 0, result.output
    assert report(measured) == before
    assert {path: path.read_bytes() for path in (measured / "cache").rglob("*.jsonl")} == kept


def test_the_judge_is_measured_like_any_scorer(tmp_path: Path) -> None:
    write_tiny_sets(tmp_path / "data")
    with running_judge_server() as server:
        config = tmp_path / "judge.yaml"
        config.write_text(f"model: careful\nbase_url: {server.base_url}\n", encoding="utf-8")
        result = run(tmp_path, "--scorers=judge", "--sets=ragtruth,clapnq", "--limit=4", f"--judge={config}")
    assert result.exit_code == 0, result.output
    content = report(tmp_path)
    assert figure(content, "judge", "ragtruth")["scored"] > 0
    assert figure(content, "judge", "clapnq", signal="context_relevance")["not_applicable"] == {}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--scorers=nonesuch"], "there is no scorer 'nonesuch'"),
        (["--scorers="], "--scorers names none"),
        (["--sets=nonesuch"], "there is no set 'nonesuch'"),
        (["--scorers=judge"], "--judge FILE"),
        (["--scorers=judge", "--judge={folder}/absent.yaml"], "no judge configuration"),
        (["--sets=begin"], "begin/test_shared.jsonl"),
        (["--data={folder}/absent"], "there are no sets at"),
    ],
)
def test_wrong_input_is_refused_with_the_remedy(tmp_path: Path, arguments: Sequence[str], message: str) -> None:
    write_tiny_sets(tmp_path / "data")
    result = run(tmp_path, *(argument.format(folder=tmp_path) for argument in arguments))
    assert result.exit_code == 2
    assert message in " ".join(result.output.split())


def test_without_a_command_the_commands_are_listed() -> None:
    result = CliRunner().invoke(app, [])
    assert result.exit_code == 0
    assert "accuracy" in result.output


def test_every_published_figure_has_a_source_and_lies_in_range() -> None:
    for table in published_tables():
        assert table.set in BY_NAME
        assert any(sign in table.source for sign in ("arXiv", "https://", "Model card", "PyPI package"))
        assert all(0 < value < 1 for values in table.systems().values() for value in values.values())


# The score book ---------------------------------------------------------------------------------------------------


@dataclass
class Counting:
    """Marks one claim in each answer; raises on answers that say so."""

    name: str = "counting"
    version: str = "1"
    keys: tuple[MetricKey, ...] = (MetricKey.FAITHFULNESS,)
    seen: list[str] = field(default_factory=list)

    def score(self, readings: Sequence[Reading], deadline: Deadline) -> list[Mapping[MetricKey, Outcome]]:
        return [{MetricKey.FAITHFULNESS: self._score(reading)} for reading in readings]

    def _score(self, reading: Reading) -> Outcome:
        answer = reading.answer
        if "explode" in answer:
            raise RuntimeError(answer)
        self.seen.append(reading.interaction.id)
        if "greet" in answer:
            return NotApplicable(Reason.NO_CLAIMS)
        if "late" in answer:
            return Failed(FailureKind.TIMEOUT)
        claim = Claim(answer[:7], 0, 7, Verdict.NOT_FOUND, 0.25, stretches=((0, 3),))
        return Scored(0.5, claims=(claim, Claim(answer[8:], 8, len(answer), Verdict.SUPPORTED)))


def scored_set(folder: Path, answers: Sequence[str], scorer: Counting) -> CaseScorer:
    rows = [row(f"{n}-x", faulty=n % 2 == 0, answer=answer, spans=[]) for n, answer in enumerate(answers)]
    write_set(folder, "ragtruth", "test_shared.jsonl", rows)
    return CaseScorer(Rater(scorer, "print"), ScoreBook(folder / "book"))


def test_a_stopped_measurement_goes_on_where_it_was_stopped(tmp_path: Path) -> None:
    first = Counting()
    scorer = scored_set(tmp_path, ["Returns are free."] * 5, first)
    labelled = load_test(tmp_path, BY_NAME["ragtruth"])
    before = scorer.score(labelled, Family.FAITHFULNESS, View.RESPONSE, Form.PLAIN)
    assert len(first.seen) == 5
    (kept,) = (tmp_path / "book").rglob("*.jsonl")
    lines = kept.read_text(encoding="utf-8").splitlines(keepends=True)
    kept.write_text("".join(lines[:3]) + lines[3][:20], encoding="utf-8")  # cut in the middle of a line
    second = Counting()
    again = CaseScorer(Rater(second, "print"), ScoreBook(tmp_path / "book"))
    after = again.score(labelled, Family.FAITHFULNESS, View.RESPONSE, Form.PLAIN)
    assert second.seen == ["2-x", "3-x", "4-x"]
    assert [one.results for one in after] == [one.results for one in before]
    third = Counting()
    CaseScorer(Rater(third, "print"), ScoreBook(tmp_path / "book")).score(
        labelled, Family.FAITHFULNESS, View.RESPONSE, Form.PLAIN
    )
    assert third.seen == []


def test_scores_are_not_kept_beyond_another_state_of_code_or_data(tmp_path: Path) -> None:
    scorer = scored_set(tmp_path, ["Returns are free."], Counting())
    labelled = load_test(tmp_path, BY_NAME["ragtruth"])
    scorer.score(labelled, Family.FAITHFULNESS, View.RESPONSE, Form.PLAIN)
    other_code = Counting()
    CaseScorer(Rater(other_code, "other"), ScoreBook(tmp_path / "book")).score(
        labelled, Family.FAITHFULNESS, View.RESPONSE, Form.PLAIN
    )
    assert other_code.seen == ["0-x"]
    other_data = Counting()
    changed = scored_set(tmp_path, ["Returns are never free."], other_data)
    changed.score(load_test(tmp_path, BY_NAME["ragtruth"]), Family.FAITHFULNESS, View.RESPONSE, Form.PLAIN)
    assert other_data.seen == ["0-x"]


def test_one_answer_that_breaks_a_scorer_fails_alone(tmp_path: Path) -> None:
    scorer = scored_set(tmp_path, ["Returns are free.", "Returns explode.", "We greet you.", "Too late."], Counting())
    scored = scorer.score(load_test(tmp_path, BY_NAME["ragtruth"]), Family.FAITHFULNESS, View.RESPONSE, Form.PLAIN)
    assert [(one.result(FAITHFULNESS).why, one.result(FAITHFULNESS).failed) for one in scored] == [
        (None, False),
        ("internal_error", True),
        ("no_claims", False),
        ("timeout", True),
    ]
    assert [one.suspicion(FAITHFULNESS) for one in scored] == [0.5, None, None, None]
    assert scored[0].suspicion(WORST) == 0.75


def test_a_sentence_gets_the_claims_of_the_whole_answer_that_touch_it(tmp_path: Path) -> None:
    counting = Counting()
    scorer = scored_set(tmp_path, ["Returns are free. They end in May."], counting)
    labelled = load_test(tmp_path, BY_NAME["ragtruth"])
    sentences = scorer.score(labelled, Family.FAITHFULNESS, View.SENTENCE, Form.PLAIN)
    assert counting.seen == ["0-x"]
    assert [one.suspicion(WORST) for one in sentences] == [0.75, 0.0]
    assert [one.suspicion(FAITHFULNESS) for one in sentences] == [0.5, 0.0]
