"""Every form of the report says the same, and none can be broken by what an answer holds."""

import csv
import io
import re
from pathlib import Path
from xml.etree import ElementTree as ET

import orjson
import pytest
from hypothesis import given, settings
from rich.console import Console

from ragsonde.collector.errors import ConfigError
from ragsonde.evaluation.config import EvaluationConfig
from ragsonde.evaluation.page import histogram, to_html
from ragsonde.evaluation.report import Origin, Report, make_report
from ragsonde.evaluation.run_file import compare_with, read_baseline, to_json
from ragsonde.evaluation.tables import to_csv, to_junit
from ragsonde.evaluation.terminal import to_terminal
from ragsonde.scorers.score import MetricKey, NotApplicable, Reason, Scored, ScoredInteraction
from tests.evaluation.evaluating import answer, gold, session
from tests.exporters.scored import scored, scored_interactions

ORIGIN = Origin(("answers.jsonl",), "golden.jsonl", 0.0, "1", {"judge": "1"})
HOSTILE = '=HYPERLINK("x") <script>alert(1)</script> {{7*7}} \x00\x1b ]]> \ud800'


def report(*given: ScoredInteraction, **values: float) -> Report:
    config = EvaluationConfig.model_validate({"thresholds": values or {"faithfulness": 0.9}})
    return make_report(ORIGIN, given, config)


def shown(given: Report) -> str:
    console = Console(width=200, file=io.StringIO())
    console.print(to_terminal(given))
    return console.file.getvalue()  # type: ignore[attr-defined,no-any-return]


def test_hostile_texts_stay_texts_in_every_form() -> None:
    given = report(scored("a", question=HOSTILE, answer=HOSTILE, faithfulness=0.5))
    page = to_html(given)
    assert "<script>" not in page
    assert "49" not in re.findall(r"<bdi>.*?</bdi>", page, re.DOTALL)[0]
    row = list(csv.reader(io.StringIO(to_csv(given))))[1]
    assert row[1].startswith("'=HYPERLINK")
    ET.fromstring(to_junit(given))
    assert orjson.loads(to_json(given))["items"][0]["question"].startswith("=HYPERLINK")


@settings(max_examples=30)  # each example renders a whole page
@given(scored_interactions)
def test_any_scored_interaction_can_be_reported(given: ScoredInteraction) -> None:
    found = report(given)
    assert to_html(found).startswith("<!doctype html>")
    assert len(orjson.loads(to_json(found))["items"]) == 1
    assert len(list(csv.reader(io.StringIO(to_csv(found))))) == 2
    ET.fromstring(to_junit(found))
    assert shown(found).strip().endswith(("passed", "failed"))


def test_the_page_needs_nothing_from_elsewhere() -> None:
    page = to_html(report(scored("a")))
    assert not re.search(r"(?:src|href)\s*=|url\(|@import|<script", page)
    assert "prefers-color-scheme: dark" in page


def test_a_missed_threshold_is_told_in_every_form() -> None:
    given = report(
        scored("a", faithfulness=0.0), scored("b", scores={MetricKey.FAITHFULNESS: NotApplicable(Reason.REFUSAL)})
    )
    assert not given.passed
    assert "✕ missed" in to_html(given)
    assert "faithfulness: the mean is 0.000, below 0.90" in shown(given)
    suite = ET.fromstring(to_junit(given))[0]
    assert (suite.attrib["tests"], suite.attrib["failures"]) == ("1", "1")
    saved = orjson.loads(to_json(given))
    assert not saved["passed"]
    assert saved["metrics"]["faithfulness"]["not_applicable"] == {"refusal": 1}
    assert saved["items"][1]["unscored"] == {"faithfulness": "refusal"}


def test_a_run_that_measures_nothing_does_not_pass_a_build() -> None:
    given = report(scored("a", scores={MetricKey.FAITHFULNESS: NotApplicable(Reason.REFUSAL)}))
    assert not given.passed
    assert 'message="none of the metrics' in to_junit(given).decode()


def test_a_regression_fails_the_run_although_its_thresholds_are_met(tmp_path: Path) -> None:
    good = report(*(scored(f"i{n}", scores={MetricKey.FAITHFULNESS: Scored(1.0)}) for n in range(20)))
    path = tmp_path / "report.json"
    path.write_bytes(to_json(good))
    lower = tuple(scored(f"i{n}", scores={MetricKey.FAITHFULNESS: Scored(0.92 + n / 1000)}) for n in range(20))
    import numpy as np

    baseline = read_baseline(path)
    comparison = compare_with(baseline, lower, {"judge": "2"}, np.random.default_rng(0), 0.05)
    found = make_report(
        ORIGIN, lower, EvaluationConfig(thresholds={MetricKey.FAITHFULNESS: 0.9}), comparison=comparison
    )
    assert found.gate.passed
    assert not found.passed
    assert "other versions of judge" in comparison.warnings[0]
    assert "▼ worse" in to_html(found)
    assert "▼ worse" in shown(found)
    assert b'testsuite name="comparison" tests="1" failures="1"' in to_junit(found)


def test_what_is_no_report_is_no_baseline(tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    path.write_text('{"schema_version": 1}')
    with pytest.raises(ConfigError, match=r"no evaluation report.*items.*report\.json"):
        read_baseline(path)
    path.write_bytes(to_json(report(scored())).replace(b'"schema_version": 1', b'"schema_version": 9'))
    with pytest.raises(ConfigError, match="schema_version 9"):
        read_baseline(path)


def test_histograms_count_every_value_once() -> None:
    values = [number / 100 for number in range(101)]
    bars = histogram(values)
    assert [bar.count for bar in bars] == [10] * 9 + [11]


def test_groups_are_told_apart_where_the_golden_items_tell_them(tmp_path: Path) -> None:
    items = [gold("a", difficulty="easy"), gold("b", "warranty", difficulty="hard")]
    given = [answer("a"), answer("b", "warranty", "The warranty is nine years.")]
    found = session().evaluate(given, tmp_path / "results.jsonl", golden=items)
    means = {(mean.value, mean.key): mean.estimate.mean for mean in found.groups}
    assert means["easy", MetricKey.FAITHFULNESS] == 1.0
    assert means["hard", MetricKey.FAITHFULNESS] == 0.0
    assert "difficulty: hard" in to_html(found)
