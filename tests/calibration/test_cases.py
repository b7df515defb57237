"""Labels meet the records they are about; each one that cannot be used is counted with its reason."""

from pathlib import Path

import pytest

from ragsonde.calibration.cases import LeftOut, answer_cases, answer_votes, by_scorer, claim_cases
from ragsonde.calibration.drift import circumstances, noted, warnings
from ragsonde.calibration.labels import read_labels
from ragsonde.collector.errors import ConfigError
from tests.calibration.labelled import by_id, judged, label
from tests.exporters.scored import scored
from tests.golden_sets.golden_items import write


def test_claims_meet_their_labels() -> None:
    known = by_id(judged("a", 0.9, 0.2), judged("b", 0.6))
    found = claim_cases(
        [
            label("a", "supported", claim=0, reviewer="ana"),
            label("a", "not_found", claim=1, reviewer="ana"),
            label("a", "contradicted", claim=1, reviewer="ben"),
            label("a", "unsure", claim=0, reviewer="ben"),
            label("a", "supported", claim=7),
            label("b", "supported", claim=0, claim_text="another claim"),
            label("gone", "supported", claim=0),
            label("b", "grounded"),
        ],
        known,
    )
    assert [(case.predicted, case.fault, round(case.score, 1)) for case in found.cases] == [
        (False, False, 0.1),
        (True, True, 0.8),
    ]
    assert found.left_out == {
        LeftOut.UNSURE: 1,
        LeftOut.NO_SUCH_CLAIM: 1,
        LeftOut.CLAIM_CHANGED: 1,
        LeftOut.NO_RECORD: 1,
    }
    assert not found.weighted


def test_an_answer_is_labelled_by_a_verdict_or_by_all_its_claims() -> None:
    assert answer_votes([label("a", "supported", claim=0)], 2) == {}
    assert answer_votes([label("a", "supported", claim=0), label("a", "supported", claim=1)], 2) == {"unnamed": False}
    assert answer_votes([label("a", "not_found", claim=0)], 2) == {"unnamed": True}
    assert answer_votes([label("a", "supported", claim=0), label("a", "unsure", claim=1)], 2) == {}
    assert answer_votes([label("a", "grounded"), label("a", "not_found", claim=0)], 2) == {"unnamed": False}


def test_ties_are_left_out_and_chances_weigh() -> None:
    known = by_id(judged("a", 0.9, probability=0.5), judged("b", 0.1), scored("c", faithfulness=None))
    labels = [
        label("a", "grounded", reviewer="ana", probability=0.1),
        label("b", "grounded", reviewer="ana", probability=1.0),
        label("b", "hallucinated", reviewer="ben", probability=1.0),
        label("c", "grounded"),
    ]
    found = answer_cases(labels, known)
    assert [(case.id, case.weight) for case in found.cases] == [("a", pytest.approx(20.0))]
    assert found.weighted
    assert found.left_out == {LeftOut.UNDECIDED: 1, LeftOut.NOT_JUDGED: 1}


def test_a_scorer_that_is_not_in_the_records_is_named() -> None:
    with pytest.raises(ConfigError, match=r"judge.*they hold local"):
        by_scorer(by_id(judged("a", 0.9)), "judge")


def test_labels_are_read_and_the_last_word_of_a_reviewer_counts(tmp_path: Path) -> None:
    path = write(
        tmp_path / "labels.jsonl",
        {"id": "a", "verdict": "grounded", "reviewer": "ana"},
        {"id": "a", "verdict": "hallucinated", "reviewer": "ana"},
        {"id": "a", "verdict": "maybe"},
        {"id": "a", "verdict": "grounded", "probability": 0},
    )
    found = read_labels(path)
    assert [(given.verdict.value, given.reviewer) for given in found.labels] == [("hallucinated", "ana")]
    assert found.repeated == 1
    assert [bad.place for bad in found.bad] == ["line 3", "line 4"]
    with pytest.raises(ConfigError, match="holds no label"):
        read_labels(write(tmp_path / "empty.jsonl"))


def test_changes_since_the_labels_are_warned_of() -> None:
    from dataclasses import replace

    first = replace(judged("a", 0.9, model="gpt-4.1"), scorer_versions={"judge": "1"})
    second = replace(judged("b", 0.9, model="gpt-4.1"), scorer_versions={"judge": "2"})
    before = noted(circumstances([first]))
    assert warnings(circumstances([first]), [], by_id(first), before) == []
    found = warnings(
        circumstances([first, second]), [label("b", scorer_versions={"judge": "1"})], by_id(first, second), before
    )
    assert len(found) == 3
    assert "several versions of judge (1, 2)" in found[0]
    assert "1 labels were given on records of other scorer versions" in found[1]
    assert "new: judge=2" in found[2]
