"""Fit the model that the detector ships.

    python -m bench.detector.fit [--data DIR] [--cache DIR]             check on held-out answers, write nothing
    python -m bench.detector.fit [--data DIR] [--cache DIR] --write     and write scorers/detector/model.json

Prose: two logistic regressions, one over claims and one over answers. Records: boosted trees (scikit-learn). Features
may only pull the way that their meaning says. Fitted to four dev files and to made answers; every random choice is
seeded. Checked twice: on groups held out (5 folds; none is split), and on whole sources held out, which tells more of
traffic that nobody labelled. Examples are kept in the cache, so that a stopped run goes on. Needs the dev dependencies;
the shipped model needs none of them.
"""

import argparse
import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GroupKFold

from bench.detector.examples import (
    Example,
    ExampleMaker,
    kept,
    labelled_cases,
    made_examples,
    made_listings,
    own_passages,
    passages_of,
)
from bench.detector.fitting import (
    Floats,
    Weights,
    answer_design,
    at,
    blinded,
    boosted,
    calibration,
    claim_design,
    exported_linear,
    exported_trees,
    linear,
    row_of_answer,
    rows_of_claims,
)
from ragsonde.scorers.detector.features import ANSWER, CLAIM
from ragsonde.scorers.detector.linear import Linear
from ragsonde.scorers.detector.model import FORMAT, pooled, read_model

MODEL = Path(__file__).parent.parent.parent / "scorers" / "detector" / "model.json"
VERSION = "2"
LANGUAGES = ("en",)
"""Of the answers that people labelled."""
PROSE_CLAIMS: Weights = {"ragtruth": 1.0, "begin": 0.4, "wice": 0.4, "expertqa": 0.1, "own": 0.1, "altered": 0.1}
PROSE_ANSWERS: Weights = {"ragtruth": 1.0, "begin": 0.4, "wice": 0.6, "expertqa": 0.1}
RECORD: Weights = {"listings": 1.0, "ragtruth": 0.7, "begin": 0.2, "wice": 0.2, "altered": 0.1}
_PENALTY = {"claims": 0.1, "answers": 0.2}
SHARE = {"prose": 0.4, "record": 0.3}
"""The say of the answer as a whole. With it the worst claim of an answer tells more of the answer."""
COUNTS = {"listings": 1200, "own": 800, "altered": 1500}
"""How many answers of each kind are made."""
_SOURCES = ("ragtruth", "begin", "wice", "expertqa")
Parts = Sequence[Example]


class Rated(NamedTuple):
    """The log odds of a fault for each claim of an answer."""

    alone: Floats
    together: Floats


Rater = Callable[[Example], Rated]


def prose(examples: Parts) -> tuple[Linear, Linear]:
    """The regressions over claims and over answers."""
    claims = claim_design(examples, PROSE_CLAIMS)
    rows = replace(claims, x=rows_of_claims(claims.x))
    answers = answer_design(examples, PROSE_ANSWERS)
    return linear(rows, CLAIM, _PENALTY["claims"]), linear(answers, ANSWER, _PENALTY["answers"])


def rate_prose(examples: Parts) -> Rater:
    """Fit to some examples; rate the claims of others, by themselves and in the light of their answer."""
    claim, answer = prose(examples)

    def rate(example: Example) -> Rated:
        own = at(claim, rows_of_claims(np.array(example.vectors)))
        return Rated(own, (1 - SHARE["prose"]) * own + SHARE["prose"] * answer.at(row_of_answer(example)))

    return rate


def rate_record(examples: Parts) -> Rater:
    """The same for records."""
    model = boosted(claim_design(examples, RECORD))

    def rate(example: Example) -> Rated:
        own: Floats = model.decision_function(blinded(np.array(example.vectors)))
        return Rated(own, (1 - SHARE["record"]) * own + SHARE["record"] * pooled(list(own)))

    return rate


def held_out(examples: Parts, fit: Callable[[Parts], Rater], *, folds: int = 5) -> list[Rated]:
    """The rating of each claim by a model that saw no answer of its group."""
    found: list[Rated] = [Rated(np.empty(0), np.empty(0))] * len(examples)
    for fitted, checked in folds_of(examples, folds):
        rate = fit([examples[place] for place in fitted])
        for place in checked:
            found[place] = rate(examples[place])
    return found


def folds_of(examples: Parts, folds: int) -> Iterator[tuple[NDArray[np.int_], NDArray[np.int_]]]:
    """Which answers to fit to and which to check on, in turn; no group is split."""
    yield from GroupKFold(folds, shuffle=True, random_state=1).split(examples, groups=[e.group for e in examples])


def sources_held_out(examples: Parts, fit: Callable[[Parts], Rater]) -> Iterator[tuple[Example, Rated]]:
    """The answers of each labelled source, rated by a model that saw nothing of that source."""
    for source in _SOURCES:
        rate = fit([e for e in examples if e.source != source and not e.group.startswith(f"{source}/")])
        yield from ((e, rate(e)) for e in examples if e.source == source)


_TASKS: Mapping[str, Callable[[Example], bool]] = {
    "ragtruth qa": lambda e: e.source == "ragtruth" and e.task == "qa",
    "ragtruth summary": lambda e: e.source == "ragtruth" and e.task == "summary",
    **{name: (lambda e, name=name: e.source == name) for name in ("begin", "wice", "expertqa", *COUNTS)},
}


def report(title: str, rated: Sequence[tuple[Example, Rated]]) -> None:
    """Print AUROC by answer (its worst claim) and by claim."""
    print(title)
    for name, chosen in _TASKS.items():
        pairs = [(e, v.together) for e, v in rated if chosen(e)]
        claims = [(x, not s) for e, v in pairs for x, s in zip(v, e.supported, strict=True) if s is not None]
        if pairs:
            answers = roc_auc_score([e.faulty for e, _ in pairs], [v.max() for _, v in pairs])
            by_claim = roc_auc_score([label for _, label in claims], [x for x, _ in claims])
            print(f"  {name:17} n={len(pairs):5} AUROC answers {answers:.3f}, claims {by_claim:.3f}")


def gathered(data: Path, cache: Path) -> list[Example]:
    """All examples, kept from an earlier run where they can be."""
    cases = list(labelled_cases(data))
    maker = ExampleMaker()
    passages = [p for p in passages_of(cases) if not p.group.startswith("expertqa")]
    return [
        *kept(cache / "people.pkl", (e for case in cases if (e := maker.from_case(case)) is not None)),
        *kept(cache / "listings.pkl", made_listings(COUNTS["listings"], 1)),
        *kept(cache / "own.pkl", made_examples(own_passages(), "own", COUNTS["own"], 2)),
        *kept(cache / "altered.pkl", made_examples(passages, "altered", COUNTS["altered"], 3)),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=os.environ.get("RAGSONDE_BENCH_DATA", "../shared/bench"))
    parser.add_argument("--cache", type=Path, default=Path(".cache/detector"))
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    examples = gathered(Path(arguments.data), arguments.cache)
    table: dict[str, Any] = {"format": FORMAT, "version": VERSION, "languages": LANGUAGES}
    for name, fit, calibrated_on in (("prose", rate_prose, "ragtruth"), ("record", rate_record, "listings")):
        rated = held_out(examples, fit)
        alone = calibration(examples, [r.alone for r in rated], calibrated_on)
        together = calibration(examples, [r.together for r in rated], calibrated_on)
        report(f"{name}: groups held out, 5 folds", list(zip(examples, rated, strict=True)))
        report(f"{name}: sources held out", list(sources_held_out(examples, fit)))
        table[name] = {"share": SHARE[name], "together": together, "alone": alone}
    claim, answer = prose(examples)
    table["prose"] |= {"claim": exported_linear(claim, CLAIM), "answer": exported_linear(answer, ANSWER)}
    table["record"] |= exported_trees(boosted(claim_design(examples, RECORD)))
    read_model(json.loads(json.dumps(table)))
    if arguments.write:
        MODEL.write_text(json.dumps(table, separators=(",", ":")) + "\n", encoding="utf-8")
        print(f"written: {MODEL}, {MODEL.stat().st_size} bytes")


if __name__ == "__main__":
    main()
