"""How the detector is made: the same seed the same examples, labels where the faults are, no test file in reach."""

import ast
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from bench.detector.alterations import Alterer
from bench.detector.examples import ExampleMaker, made_listings, own_passages
from bench.detector.fit import folds_of
from bench.detector.fitting import Design, blinded, boosted, exported_trees, linear, row_of_answer, rows_of_claims
from bench.detector.listings import make_listings
from ragsonde.scorers.detector.features import ANSWER, CLAIM, FEATURES, direction
from ragsonde.scorers.detector.records import read_record
from ragsonde.scorers.detector.trees import read_forest

BENCH = Path(__file__).parent.parent.parent / "bench"
FITTING = sorted(path for folder in ("detector", "entailment") for path in (BENCH / folder).glob("*.py"))


def test_the_same_seed_gives_the_same_listings_and_another_seed_others() -> None:
    assert list(make_listings(5, 3)) == list(make_listings(5, 3)) != list(make_listings(5, 4))


def test_listings_are_records_with_gaps_and_faults_within_the_answer() -> None:
    listings = list(make_listings(60, 1))
    assert all(read_record(listing.context) is not None for listing in listings)
    assert any("null" in listing.context for listing in listings)
    assert any("None" in x.context for x in listings)
    assert {bool(listing.faults) for listing in listings} == {True, False}
    for listing in listings:
        assert all(0 <= start < end <= len(listing.answer) for start, end in listing.faults)


def test_altered_answers_mark_the_sentence_that_is_wrong_in_every_language() -> None:
    passages = own_passages()
    answers = list(Alterer(passages, 5).answers(150))
    assert answers == list(Alterer(passages, 5).answers(150))
    assert {altered.passage.language for altered in answers if altered.faults} >= {"en", "de", "ru", "pl", "bs", "zh"}
    for altered in answers:
        source = " ".join(altered.passage.contexts)
        for start, end in altered.faults:
            assert altered.answer[start:end] not in source


def test_examples_hold_a_vector_and_a_label_for_each_claim() -> None:
    examples = list(made_listings(6, 2))
    assert len(examples) == 6
    for example in examples:
        assert len(example.vectors) == len(example.supported) == len(example.places)
        assert all(len(vector) == len(FEATURES) for vector in example.vectors)
        assert example.faulty is (False in example.supported)


def test_an_answer_that_states_nothing_is_no_example() -> None:
    assert ExampleMaker().made(["A context."], "Why?", "I don't know.", (), "own", "en", "g") is None


@pytest.mark.parametrize("path", FITTING, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_nothing_that_fits_a_model_can_read_a_test_file(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    imported = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    names = {alias.name for node in imported for alias in node.names}
    modules = {node.module or "" for node in imported}
    modules |= {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    assert "load_test" not in names
    assert "Split" not in names
    assert not modules & {"bench.accuracy.report", "bench.accuracy"}, "the report reads the test files"
    strings = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    assert not any("test_shared" in value or value.endswith("test.jsonl") for value in strings)


def test_only_the_loader_of_dev_files_opens_the_sets(tmp_path: Path) -> None:
    from bench.detector.examples import PEOPLE, labelled_cases

    record = {
        "id": "1", "dataset": "x", "task": "faithfulness/qa", "language": "en", "split": "dev", "model": "m",
        "question": "Q?", "contexts": ["The sky is blue."], "answer": "It is blue.", "hallucinated": False, "spans": [],
        "group": "g", "citation_supported": True,
    }  # fmt: skip
    for name in PEOPLE:
        (tmp_path / name).mkdir()
        task = "citation" if name in ("wice", "expertqa") else "faithfulness/qa"
        (tmp_path / name / "dev.jsonl").write_text(json.dumps(record | {"task": task, "id": name}) + "\n")
        (tmp_path / name / "test_shared.jsonl").write_text("not to be read\n")
    assert [case.dataset for case in labelled_cases(tmp_path)] == list(PEOPLE)


def test_exported_trees_say_what_scikit_learn_says() -> None:
    draw = np.random.default_rng(4)
    x = np.round(draw.uniform(0, 1, (400, len(FEATURES))), 2)
    faulty = x[:, FEATURES.index("own.pairs")] + 0.2 * x[:, FEATURES.index("place.context_words")] < 0.6
    data = Design(blinded(x), faulty, np.ones(len(x)))
    model = boosted(data)
    forest = read_forest(json.loads(json.dumps(exported_trees(model))))
    expected = model.decision_function(data.x)
    assert [forest.at(list(row)) for row in data.x] == pytest.approx(expected.tolist(), abs=1e-2)


def test_a_regression_finds_what_decides_and_never_pulls_the_wrong_way() -> None:
    draw = np.random.default_rng(5)
    names = ("own.covered", "own.missing", "own.pairs")
    x = draw.uniform(0, 1, (600, 3))
    faulty = x[:, 1] - x[:, 0] + 0.5 * x[:, 2] > 0.25  # more pairs, more faults: against their meaning
    found = linear(Design(x, faulty, np.ones(len(x))), names, 0.01)
    assert all(weight * direction(name) >= 0 for name, weight in zip(names, found.weights, strict=True))
    assert found.weights[0] < -1 < 1 < found.weights[1]
    assert found.weights[2] == 0.0


def test_rows_are_made_of_the_vectors_of_an_example() -> None:
    for example in made_listings(3, 2):
        assert rows_of_claims(np.array(example.vectors)).shape == (len(example.vectors), len(CLAIM))
        assert len(row_of_answer(example)) == len(ANSWER)


def test_no_answer_is_rated_by_a_model_that_saw_its_group() -> None:
    seen: list[set[str]] = []
    examples = list(made_listings(12, 9))
    examples = [replace(e, group=f"g{n % 4}") for n, e in enumerate(examples)]
    for fitted, checked in folds_of(examples, 2):
        seen.append({examples[at].group for at in checked})
        assert not {examples[at].group for at in fitted} & seen[-1]
    assert set().union(*seen) == {"g0", "g1", "g2", "g3"}
