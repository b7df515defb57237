"""The plugin evaluates an application over a golden set and fails with a text that says what to look at."""

import json

import pytest

# The numerical libraries cannot be loaded twice: here before pytester restores the loaded modules.
import ragsonde.cli.evaluate
import ragsonde.evaluation.session  # noqa: F401

pytest_plugins = ["pytester"]

GOLDEN = {
    "id": "returns",
    "question": "How long can I return an item?",
    "reference": "Items can be returned within 30 days.",
}
CONFIG = "scoring: {scorers: [local_faithfulness]}\n"

TEST = """
import pytest

CONTEXTS = ["Items can be returned within 30 days."]

@pytest.mark.golden_set("golden.jsonl", thresholds={{"faithfulness": 0.9}}, config="ragsonde.yaml")
def test_release(golden_evaluation):
    golden_evaluation.check(lambda question: {reply})
"""


@pytest.fixture(autouse=True)
def only_this_plugin(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether the package is installed with its entry point or not, the plugin is loaded once."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")


@pytest.fixture
def outcome(pytester: pytest.Pytester, request: pytest.FixtureRequest) -> pytest.RunResult:
    (pytester.path / "golden.jsonl").write_text(json.dumps(GOLDEN) + "\n")
    (pytester.path / "ragsonde.yaml").write_text(CONFIG)
    pytester.makepyfile(TEST.format(reply=request.param))
    return pytester.runpytest_inprocess("-p", "ragsonde.pytest_plugin", "--strict-markers")


@pytest.mark.parametrize(
    "outcome",
    ['("Items can be returned within 30 days.", CONTEXTS)', '{"answer": "Within 30 days.", "contexts": CONTEXTS}'],
    indirect=True,
)
def test_a_good_application_passes(outcome: pytest.RunResult) -> None:
    outcome.assert_outcomes(passed=1)


@pytest.mark.parametrize("outcome", ['("Items can be returned within 60 days.", CONTEXTS)'], indirect=True)
def test_a_bad_one_fails_with_thresholds_and_worst_items(outcome: pytest.RunResult) -> None:
    outcome.assert_outcomes(failed=1)
    outcome.stdout.fnmatch_lines(
        [
            "*thresholds are not met:",
            "*faithfulness: the mean is 0.000, below 0.90",
            "*returns: How long can I return an item?",
            "*answer: Items can be returned within 60 days.",
        ]
    )
    outcome.stdout.no_fnmatch_line("*pytest_plugin.py*")


@pytest.mark.parametrize("outcome", ['"Within 30 days."'], indirect=True)
def test_an_answer_without_contexts_is_not_measured_and_does_not_pass(outcome: pytest.RunResult) -> None:
    outcome.assert_outcomes(failed=1)
    outcome.stdout.fnmatch_lines(["*faithfulness: only 0 of 1 items have a score (contexts_not_captured: 1)*"])


@pytest.mark.parametrize("outcome", ["42"], indirect=True)
def test_a_reply_of_another_kind_is_named(outcome: pytest.RunResult) -> None:
    outcome.assert_outcomes(failed=1)
    outcome.stdout.fnmatch_lines(["*the application returned int for returns*"])


@pytest.mark.parametrize("outcome", ['{"answer": "Within 30 days.", "context": CONTEXTS}'], indirect=True)
def test_a_key_that_is_not_known_is_warned_of(outcome: pytest.RunResult) -> None:
    outcome.assert_outcomes(failed=1)
    outcome.stdout.fnmatch_lines(["*the key context, which is not known, perhaps contexts?"])


def test_a_test_without_the_mark_is_told_of_it(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("def test_release(golden_evaluation): pass")
    result = pytester.runpytest_inprocess("-p", "ragsonde.pytest_plugin")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*golden_evaluation needs @pytest.mark.golden_set*"])
