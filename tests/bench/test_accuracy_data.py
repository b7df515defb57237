"""Labels stay out of sight of scorers, and test files out of reach of whatever chooses something."""

import ast
import json
from pathlib import Path

import pytest

from bench.accuracy.data import Case, Split, cited, limited, load_dev, load_test, sentence_cases
from bench.accuracy.sets import BY_NAME
from bench.accuracy.thresholds import FIXED, NEVER, choose
from ragsonde.collector.errors import ConfigError
from ragsonde.collector.model import Capture
from tests.bench.accuracy_sets import BAD, GOOD, claim_row, pair_row, relevance_rows, row, write_set

ROOT = Path(__file__).resolve().parents[2]


def cases_of(folder: Path, name: str) -> tuple[Case, ...]:
    return load_test(folder, BY_NAME[name]).cases


def test_a_scorer_never_sees_who_wrote_the_answer_nor_any_label(tmp_path: Path) -> None:
    write_set(tmp_path, "ragtruth", "test_shared.jsonl", [row("1-a", faulty=True)])
    case = cases_of(tmp_path, "ragtruth")[0]
    assert case.generator == "writer-of-bad-answers"
    assert case.interaction.model is None
    shown = repr(case.interaction)
    assert "writer-of" not in shown
    assert "Evident Conflict" not in shown
    assert "ragtruth" not in shown


def test_the_answer_of_a_context_relevance_case_is_withheld_alike_in_both_classes(tmp_path: Path) -> None:
    """The files give an answer in relevant rows only: whether there is one would be the label."""
    write_set(tmp_path, "clapnq", "test_shared.jsonl", relevance_rows("1"))
    answers = {case.interaction.answer for case in cases_of(tmp_path, "clapnq") if case.family == "context_relevance"}
    assert len(answers) == 1


def test_a_set_without_contexts_is_not_a_retrieval_that_found_nothing(tmp_path: Path) -> None:
    write_set(tmp_path, "ragtruth", "test_shared.jsonl", [row("1", faulty=False, contexts=[])])
    interaction = cases_of(tmp_path, "ragtruth")[0].interaction
    assert interaction.contexts is None
    assert interaction.capture is Capture.CONTEXTS_NOT_CAPTURED


def test_markers_of_another_numbering_are_taken_out_of_claims(tmp_path: Path) -> None:
    write_set(tmp_path, "wice", "test_shared.jsonl", [claim_row("1", faulty=False)])
    assert cases_of(tmp_path, "wice")[0].interaction.answer == GOOD


def test_a_cited_claim_cites_its_one_document_in_each_sentence(tmp_path: Path) -> None:
    answer = "Returns take 30 days. Refunds are paid by card!"
    write_set(
        tmp_path, "wice", "test_shared.jsonl", [claim_row("1", faulty=False, answer=answer, contexts=["One.", "Two."])]
    )
    shown = cited(cases_of(tmp_path, "wice")[0].interaction)
    assert shown.answer == "Returns take 30 days [1]. Refunds are paid by card [1]!"
    assert shown.contexts is not None
    assert [document.text for document in shown.contexts] == ["One.\n\nTwo."]


def test_a_sentence_is_faulty_when_a_span_overlaps_it(tmp_path: Path) -> None:
    write_set(tmp_path, "mfava", "test_shared.jsonl", [row("1", faulty=True)])
    sentences = sentence_cases(cases_of(tmp_path, "mfava")[0])
    assert [(one.interaction.answer, one.faulty) for one in sentences] == [
        ("Refunds are paid by card.", False),
        (BAD, True),
    ]
    assert len({one.id for one in sentences}) == 2


def test_a_subjective_span_does_not_count_in_the_strict_view(tmp_path: Path) -> None:
    spans = [{"start": 0, "end": 7, "text": "Refunds", "type": "subjective"}]
    write_set(tmp_path, "mfava", "test_shared.jsonl", [row("1", faulty=True, spans=spans)])
    first = sentence_cases(cases_of(tmp_path, "mfava")[0])[0]
    assert (first.faulty, first.strictly_faulty) == (True, False)


def test_benign_spans_are_not_faults(tmp_path: Path) -> None:
    spans = [{"start": 0, "end": 7, "type": "Benign"}, {"start": 8, "end": 11, "type": "Unwanted/Unwanted.Intrinsic"}]
    record = row("1", faulty=True, spans=spans, label_raw={"worst": "Questionable", "best": "Consistent"})
    write_set(tmp_path, "faithbench", "test_shared.jsonl", [record])
    case = cases_of(tmp_path, "faithbench")[0]
    assert [(span.start, span.end) for span in case.spans or ()] == [(8, 11)]
    assert case.strictly_faulty is False


@pytest.mark.parametrize(
    ("shipped", "suspicion"),
    [
        (0.25, 0.75),
        (1, 0.0),
        ({"probs": 0.25}, 0.75),
        ({"label": 1, "probs": 80.0}, 0.2),
        ({"label": 0, "probs": 80.0}, 0.8),
        ({"label": 1, "probs": [0.9, 0.3]}, 0.7),
        ({"label": 0}, 1.0),
        (None, None),
    ],
)
def test_outputs_of_other_detectors_become_suspicion(tmp_path: Path, shipped: object, suspicion: float | None) -> None:
    record = row("1", faulty=True, published_detector_scores={"detector": shipped})
    write_set(tmp_path, "qags", "test_shared.jsonl", [record])
    found = cases_of(tmp_path, "qags")[0].published.get("detector")
    assert found == (None if suspicion is None else pytest.approx(suspicion))


def test_a_pair_has_the_mean_of_its_votes(tmp_path: Path) -> None:
    write_set(tmp_path, "ragchecker_pref", "test_shared.jsonl", [pair_row("1", -2)])
    pair = load_test(tmp_path, BY_NAME["ragchecker_pref"]).pairs[0]
    assert pair.preference == -2
    assert pair.first.id != pair.second.id


def test_a_limit_takes_whole_groups_and_the_same_ones_each_time(tmp_path: Path) -> None:
    write_set(
        tmp_path, "ragtruth", "test_shared.jsonl", [row(f"{g}-{n}", faulty=n == 0) for g in range(9) for n in range(3)]
    )
    loaded = load_test(tmp_path, BY_NAME["ragtruth"])
    few = limited(loaded, 5).cases
    assert len(few) == 6
    assert {case.id for case in few} == {case.id for case in loaded.cases if case.group in {one.group for one in few}}
    assert few == limited(loaded, 5).cases
    assert limited(loaded, None) is loaded


def test_a_bad_line_is_named_with_file_line_and_field(tmp_path: Path) -> None:
    good = row("1", faulty=True)
    bad = {key: value for key, value in row("2", faulty=True).items() if key != "contexts"}
    write_set(tmp_path, "ragtruth", "test_shared.jsonl", [good, bad])
    with pytest.raises(ConfigError, match=r"ragtruth/test_shared\.jsonl, line 2: .*contexts"):
        load_test(tmp_path, BY_NAME["ragtruth"])


def test_an_id_that_stands_twice_is_refused(tmp_path: Path) -> None:
    write_set(tmp_path, "ragtruth", "test_shared.jsonl", [row("1", faulty=True), row("1", faulty=False)])
    with pytest.raises(ConfigError, match="'1' stands there twice"):
        load_test(tmp_path, BY_NAME["ragtruth"])


def test_a_missing_file_is_named_with_the_remedy(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"ragtruth/dev\.jsonl.*--data"):
        load_dev(tmp_path, BY_NAME["ragtruth"])


# Dev and test apart -----------------------------------------------------------------------------------------------


def test_thresholds_are_never_chosen_on_test_cases(tmp_path: Path) -> None:
    rows = [row("1", faulty=True), row("2", faulty=False)]
    for file in ("dev.jsonl", "test_shared.jsonl"):
        write_set(tmp_path, "ragtruth", file, rows)
    dev, test = (load(tmp_path, BY_NAME["ragtruth"]).cases for load in (load_dev, load_test))
    assert {case.split for case in dev} == {Split.DEV}
    assert choose([(dev[0], 0.9), (dev[1], 0.1)]).f1 == 0.9
    with pytest.raises(ValueError, match="not from a dev file"):
        choose([(dev[0], 0.9), (test[1], 0.1)])


def test_the_best_thresholds_of_dev_are_chosen_and_each_set_weighs_the_same(tmp_path: Path) -> None:
    write_set(tmp_path, "ragtruth", "dev.jsonl", [row(str(n), faulty=n % 2 == 0) for n in range(4)])
    cases = load_dev(tmp_path, BY_NAME["ragtruth"]).cases
    found = choose(list(zip(cases, (0.9, 0.6, 0.7, 0.1), strict=True)))
    assert found.f1 == 0.7
    assert found.balanced_accuracy == 0.7
    assert found.chosen_on == "dev of ragtruth"
    assert choose([(case, 0.0 if case.faulty else 1.0) for case in cases]).balanced_accuracy == NEVER
    assert choose([(case, 0.4) for case in cases if case.faulty]).f1 == FIXED


MAY_NAME_TEST_FILES = {
    Path("bench/accuracy/data.py"),  # load_test
    Path("bench/relevance_dev.py"),  # its --measure only reports
}


def test_no_other_module_names_the_test_files() -> None:
    folders = ("bench", "collector", "scorers", "exporters", "src/ragsonde")
    modules = {path.relative_to(ROOT) for folder in folders for path in (ROOT / folder).rglob("*.py")}
    naming = {path for path in modules if "test_shared" in (ROOT / path).read_text(encoding="utf-8")}
    assert naming - MAY_NAME_TEST_FILES == set()


def test_only_the_report_loads_test_files() -> None:
    callers = set()
    for path in (ROOT / "bench").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and any(alias.name == "load_test" for alias in node.names):
                callers.add(path.relative_to(ROOT / "bench").as_posix())
    assert callers == {"accuracy/report.py"}


def test_the_real_sets_can_be_read() -> None:
    """Runs where the sets are beside the repository; they are not part of it."""
    folder = ROOT.parent / "shared" / "bench"
    if not folder.is_dir():
        pytest.skip("the labelled sets are not beside the repository")
    for known in BY_NAME.values():
        loaded = load_test(folder, known)
        assert loaded.cases or loaded.pairs, known.name
        assert all((load_dev(folder, known).cases) for _ in range(known.has_dev)), known.name
        assert all(json.dumps(case.interaction.answer) for case in loaded.cases)
