"""Fit and measure the weights of the local faithfulness scorer on human labels.

    python bench/faithfulness_dev.py DIR               cross-validate on the dev files under DIR, print AUROC
    python bench/faithfulness_dev.py DIR --write       and write the weights into the package
    python bench/faithfulness_dev.py DIR --measure F   AUROC of the shipped weights on files named F, never fitted

DIR holds one folder a data set (begin, wice, expertqa, ragtruth) with JSON lines: question, contexts, answer,
hallucinated, spans, group. A ragtruth answer is cut into sentences, each labelled by its spans; the others are one
claim.
"""

import argparse
import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.optimize import minimize
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GroupKFold

from ragsonde.scorers.faithfulness.alignment import Evidence
from ragsonde.scorers.faithfulness.analysis import AnalysisCache
from ragsonde.scorers.faithfulness.probability import _FOR, FEATURES, Weights, probability
from ragsonde.scorers.faithfulness.verdicts import ClaimCheck, Judgement
from ragsonde.scorers.text.segmentation import split_sentences

SETS = ("begin", "wice", "expertqa", "ragtruth")
FITTED = ("begin", "wice", "ragtruth")
"""expertqa is measured only: an expert's view of the claim itself, not of the passage, is most of its label."""
WEIGHTS = Path(__file__).parent.parent / "scorers" / "faithfulness" / "weights.json"
NOTHING = (0.0,) * len(FEATURES)


@dataclass(frozen=True)
class Row:
    dataset: str
    task: str
    answer: str
    group: str
    judgements: list[Judgement]
    supported: list[bool]

    @property
    def faithful(self) -> bool:
        return all(self.supported)


def read_rows(folder: Path, name: str) -> Iterator[Row]:
    cache = AnalysisCache()
    for dataset in SETS:
        for line in (folder / dataset / name).read_text(encoding="utf-8").splitlines():
            record = json.loads(line)
            analysed = [cache.analysed(c, lambda c=c: split_sentences(c)) for c in record["contexts"]]
            check = ClaimCheck(Evidence(analysed, record["question"] or ""), language=record["language"])
            spans = record["spans"] or []
            if dataset == "ragtruth":
                claims = [s for s in split_sentences(record["answer"], record["language"]) if len(s.text.strip()) > 2]
                supported = [not any(p["start"] < s.end and s.start < p["end"] for p in spans) for s in claims]
                judged = [check.judge(claim.text) for claim in claims]
            else:
                judged, supported = [check.judge(record["answer"])], [not record["hallucinated"]]
            if judged:
                yield Row(dataset, record["task"], record["id"], f"{dataset}/{record['group']}", judged, supported)


def design(rows: list[Row]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Features, labels and weights of all claims: every data set, and within it every label, weighs the same."""
    rows = [row for row in rows if row.dataset in FITTED]
    x = np.array([j.features or NOTHING for row in rows for j in row.judgements])
    y = np.array([label for row in rows for label in row.supported], dtype=float)
    source = np.array([row.dataset for row in rows for _ in row.judgements])
    weight = np.zeros(len(y))
    for dataset in FITTED:
        for label in (0.0, 1.0):
            chosen = (source == dataset) & (y == label)
            weight[chosen] = 1.0 / max(1, chosen.sum())
    return x, y, weight / weight.sum()


def fit(rows: list[Row], ridge: float = 1e-3) -> Weights:
    """Weighted logistic regression whose weights have the sign that their meaning demands."""
    x, y, weight = design(rows)

    def loss(theta: np.ndarray) -> tuple[float, np.ndarray]:
        z = theta[0] + x @ theta[1:]
        p = 1 / (1 + np.exp(-np.clip(z, -30, 30)))
        value = -(weight * (y * np.log(p + 1e-12) + (1 - y) * np.log(1 - p + 1e-12))).sum()
        error = weight * (p - y)
        gradient = np.concatenate([[error.sum()], x.T @ error])
        gradient[1:] += ridge * theta[1:]
        return value + ridge / 2 * (theta[1:] ** 2).sum(), gradient

    bounds = [(None, None)] + [(0, None)] * _FOR + [(None, 0)] * (len(FEATURES) - _FOR)
    found = minimize(loss, np.zeros(1 + len(FEATURES)), jac=True, bounds=bounds, method="L-BFGS-B")
    theta = [round(float(value), 4) + 0.0 for value in found.x]
    return Weights(theta[0], tuple(theta[1:]), "")


def scores(rows: list[Row], weights: Weights | None) -> np.ndarray:
    """One number an answer: the probability of its least likely claim. None of the weights: the shipped verdicts."""
    if weights is None:
        return np.array([min(j.probability for j in row.judgements) for row in rows])
    return np.array([min(probability(j.features or NOTHING, weights) for j in row.judgements) for row in rows])


def report(title: str, rows: list[Row], values: np.ndarray) -> None:
    print(title)
    tasks = sorted({(row.dataset, "") for row in rows} | {(row.dataset, row.task) for row in rows})
    for dataset, task in tasks:
        at = [n for n, row in enumerate(rows) if row.dataset == dataset and task in ("", row.task)]
        labels = [rows[n].faithful for n in at]
        verdicts = [values[n] >= 0.5 for n in at]
        if len(set(labels)) == 2:
            right = [
                np.mean([v == side for v, label in zip(verdicts, labels, strict=True) if label == side])
                for side in (True, False)
            ]
            auroc = roc_auc_score(labels, values[at])
            print(
                f"  {dataset:9} {task or 'all':26} n={len(at):5} AUROC {auroc:.3f}  balanced acc. {np.mean(right):.3f}"
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--measure", metavar="FILE")
    arguments = parser.parse_args()
    began = time.perf_counter()
    rows = list(read_rows(arguments.folder, arguments.measure or "dev.jsonl"))
    print(f"{len(rows)} answers, {1e3 * (time.perf_counter() - began) / len(rows):.1f} ms each")
    report("shipped weights and vetoes", rows, scores(rows, None))
    if arguments.measure:
        return
    held_out = np.zeros(len(rows))
    for train, test in GroupKFold(5).split(rows, groups=[row.group for row in rows]):
        weights = fit([rows[n] for n in train])
        held_out[test] = scores([rows[n] for n in test], weights)
    report("5-fold by group, refitted weights, no vetoes", rows, held_out)
    final = fit(rows)
    print(json.dumps({"intercept": final.intercept, **dict(zip(FEATURES, final.weights, strict=True))}, indent=1))
    if arguments.write:
        note = "dev splits of begin, wice, ragtruth (by sentence); data sets and labels weighted alike"
        table = {
            "fitted_on": note,
            "intercept": final.intercept,
            "weights": dict(zip(FEATURES, final.weights, strict=True)),
        }
        WEIGHTS.write_text(json.dumps(table, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
