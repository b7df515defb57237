"""A pytest plugin: hold an application's answers to a golden set against thresholds, as `ragsonde evaluate` does.

::

    @pytest.mark.golden_set("tests/golden.jsonl", thresholds={"faithfulness": 0.9, "answer_correctness": 0.7})
    def test_release(golden_evaluation):
        golden_evaluation.check(ask)

``ask`` takes a question and returns an answer with its contexts: a mapping with ``answer`` and ``contexts`` (strings or
``{"id", "text"}``), a pair of the two, or the answer alone.
"""

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from ragsonde.collector.model import Interaction
    from ragsonde.evaluation.report import Report
    from ragsonde.golden.item import GoldenItem

MARK = "golden_set"
_WORST_SHOWN = 5

Application = Callable[[str], Any]


def pytest_configure(config: pytest.Config) -> None:
    """Make the mark known."""
    config.addinivalue_line(
        "markers",
        f"{MARK}(path, thresholds=None, config=None): the golden set that the `golden_evaluation` fixture evaluates; "
        "thresholds by metric, else those of the configuration file, else the defaults",
    )


@dataclass(frozen=True, slots=True)
class GoldenEvaluation:
    """Evaluates an application over a golden set."""

    golden: Path
    thresholds: Mapping[str, float] | None
    config: Path | None
    folder: Path
    """Where results are kept."""

    def run(self, application: Application) -> "Report":
        """Ask the application every question of the set and return the report.

        What the application raises on a question is its own failure: it is not caught.

        Raises:
            ConfigError: the golden set or the configuration is not valid.
        """
        from ragsonde.cli.evaluate import session  # noqa: PLC0415 - a test run without golden sets stays light
        from ragsonde.golden.files import read_valid_set  # noqa: PLC0415 - as above
        from ragsonde.settings import load  # noqa: PLC0415 - as above

        given = {} if self.thresholds is None else {"evaluation": {"thresholds": dict(self.thresholds)}}
        settings = load(self.config, given)
        items = read_valid_set(self.golden).items
        interactions = [_interaction(item, application(item.question)) for item in items]
        return session(settings).evaluate(
            interactions, self.folder / "results.jsonl", golden=items, golden_name=str(self.golden)
        )

    def check(self, application: Application) -> "Report":
        """As ``run``; the test fails where a threshold is missed, and says which items are the worst."""
        report = self.run(application)
        if not report.passed:
            pytest.fail(explain(report), pytrace=False)
        return report


@pytest.fixture
def golden_evaluation(request: pytest.FixtureRequest, tmp_path: Path) -> GoldenEvaluation:
    """The evaluation that the test's ``golden_set`` mark describes."""
    mark = request.node.get_closest_marker(MARK)
    if mark is None or not mark.args:
        pytest.fail(f'golden_evaluation needs @pytest.mark.{MARK}("path/of/golden.jsonl")', pytrace=False)
    root = request.config.rootpath
    config = mark.kwargs.get("config")
    return GoldenEvaluation(
        golden=root / mark.args[0],
        thresholds=mark.kwargs.get("thresholds"),
        config=None if config is None else root / config,
        folder=tmp_path,
    )


def explain(report: "Report") -> str:
    """Say which thresholds were missed, by how much, and on which items."""
    from ragsonde.evaluation.report import worst_first  # noqa: PLC0415 - as above
    from ragsonde.scorers.score import Scored  # noqa: PLC0415 - as above

    lines = ["the golden set's thresholds are not met:"]
    lines += [f"  {check.key}: {check.explanation}" for check in report.gate.checks if check.failed]
    if len(lines) == 1:
        lines.append("  none of the metrics with a threshold could be measured")
    lines.append("worst items:")
    keys = [check.key for check in report.gate.checks]
    for known in worst_first(report, _WORST_SHOWN):
        values = [f"{key} {outcome.value:.2f}" for key in keys if isinstance(outcome := known.scores.get(key), Scored)]
        lines.append(f"  {known.interaction.id}: {known.interaction.question}")
        lines.append(f"    {', '.join(values) or 'nothing scored'}; {known.diagnosis.because}")
        lines.append(f"    answer: {(known.interaction.answer or '')[:300]}")
    return "\n".join(lines)


def _interaction(item: "GoldenItem", reply: Any) -> "Interaction":
    from ragsonde.collector.interaction_row import interaction_from_row, meant, unknown_keys  # noqa: PLC0415 - as above

    if isinstance(reply, str) or reply is None:
        reply = {"answer": reply}
    elif isinstance(reply, tuple) and len(reply) == 2:
        reply = {"answer": reply[0], "contexts": list(reply[1])}
    if not isinstance(reply, Mapping):
        raise TypeError(
            f"the application returned {type(reply).__name__} for {item.id}; return an answer, (answer, contexts), or "
            "a mapping with answer and contexts"
        )
    for key in unknown_keys(reply):
        warnings.warn(f"the application's reply has the key {key}, which is not known{meant(key)}", stacklevel=1)
    return interaction_from_row({**reply, "id": item.id, "question": item.question})
