"""How much a model for entailment should count beside the detector.

    python -m bench.entailment.fit --model DIR [--data DIR]            print what each weight gives
    python -m bench.entailment.fit --model DIR [--data DIR] --write    and write ragsonde.json beside the model

Dev files only. The detector is fitted anew for each fold, so that neither has seen the answers; the model's log odds
are calibrated on RAGTruth's claims as the detector's are (see bench/detector). The weight is the one with the best mean
AUROC over sets and tasks.
"""

import argparse
import os
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.progress import track
from sklearn.metrics import roc_auc_score

from bench.accuracy.data import Case
from bench.detector.examples import Example, ExampleMaker, labelled_cases
from bench.detector.fit import held_out, rate_prose
from bench.detector.fitting import Floats, calibration
from ragsonde.collector.errors import ConfigError
from ragsonde.scorers.entailment import Entailment, EntailmentConfig, open_entailment
from ragsonde.scorers.entailment.entailment import CALIBRATION, Calibration
from ragsonde.scorers.faithfulness.alignment import Evidence
from ragsonde.scorers.faithfulness.analysis import AnalysisCache
from ragsonde.scorers.faithfulness.observation import Observer
from ragsonde.scorers.faithfulness.premises import hypothesis, premise
from ragsonde.scorers.reading import Reading
from ragsonde.scorers.text.segmentation import split_sentences

_WEIGHTS = tuple(step / 10 for step in range(11))


class Asked:
    """The log odds that a model gives to the claims of labelled answers."""

    def __init__(self, entailment: Entailment) -> None:
        self._entailment = entailment
        self._cache = AnalysisCache(max_characters=4_000_000)

    def of(self, case: Case) -> Floats:
        """One value a claim, in order: log odds that the contexts entail it; 0 where the claim is too long to ask."""
        reading = Reading(case.interaction)
        texts = [document.text or "" for document in reading.documents or ()]
        analysed = [self._cache.analysed(text, partial(split_sentences, text)) for text in texts]
        evidence = Evidence(analysed, case.interaction.question or "")
        observer = Observer(evidence, reading.language)
        return np.array([self._log_odds(claim.plain, observer, evidence) for claim in reading.claims])

    def _log_odds(self, claim: str, observer: Observer, evidence: Evidence) -> float:
        stated = hypothesis(claim, evidence.question)
        if (room := self._entailment.room(stated)) <= 0:
            return 0.0
        model = self._entailment.model
        near = premise(claim, observer.observe(claim).alignment, evidence, room, model.tokens)
        return model.log_odds(near, stated)


def best_weight(examples: Sequence[Example], ours: Sequence[Floats], theirs: Sequence[Floats]) -> float:
    """Print AUROC of answers by their worst claim for each weight; the weight whose mean is best, the least of equals.

    Both sides are calibrated log odds of a fault, one a claim.
    """
    tasks = [_task(example) for example in examples]
    names = sorted(set(tasks))
    means: dict[float, float] = {}
    print("weight  " + "".join(f"{name:>18}" for name in names) + f"{'mean':>8}")
    for weight in _WEIGHTS:
        worst = [float(((1 - weight) * own + weight * said).max()) for own, said in zip(ours, theirs, strict=True)]
        found = [
            roc_auc_score(
                [example.faulty for example, task in zip(examples, tasks, strict=True) if task == name],
                [value for value, task in zip(worst, tasks, strict=True) if task == name],
            )
            for name in names
        ]
        means[weight] = float(np.mean(found))
        print(f"{weight:6.1f}  " + "".join(f"{value:18.3f}" for value in found) + f"{means[weight]:8.3f}")
    return max(means, key=lambda weight: (means[weight], -weight))


def _task(example: Example) -> str:
    return f"{example.source} {example.task}" if example.source == "ragtruth" else example.source


def _calibrated(examples: Sequence[Example], faults: Sequence[Floats]) -> tuple[float, float, list[Floats]]:
    """Scale and shift, and the log odds of a fault after them."""
    platt = calibration(examples, faults, "ragtruth")
    scale, shift = platt["scale"], platt["shift"]
    return scale, shift, [scale * values + shift for values in faults]


def fit(entailment: Entailment, cases: Sequence[Case]) -> Calibration:
    """Calibrate a model on labelled answers, and choose its weight."""
    maker = ExampleMaker()
    pairs = [(case, example) for case in cases if (example := maker.from_case(case)) is not None]
    examples = [example for _, example in pairs]
    _, _, ours = _calibrated(examples, [rated.together for rated in held_out(examples, rate_prose)])
    asked = Asked(entailment)
    progress = track(pairs, "asking the model", console=Console(stderr=True))
    scale, shift, theirs = _calibrated(examples, [-asked.of(case) for case, _ in progress])
    if scale <= 0:
        raise ConfigError("what the model calls entailed is more often unsupported: check entailment.supported_label")
    weight = best_weight(examples, ours, theirs)
    return Calibration(model_sha256=entailment.model.digest, scale=scale, shift=-shift, weight=weight)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", type=Path, required=True, help="directory of the exported model")
    parser.add_argument("--file", default="model.onnx", help="the graph within it")
    parser.add_argument("--data", type=Path, default=os.environ.get("RAGSONDE_BENCH_DATA", "../shared/bench"))
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    config = EntailmentConfig(model_dir=arguments.model, file=arguments.file, threads=arguments.threads)
    try:
        fitted = fit(open_entailment(config), list(labelled_cases(Path(arguments.data))))
    except ConfigError as error:
        parser.error(str(error))
    print(f"best mean at weight {fitted.weight:g}: {fitted.model_dump_json()}")
    if arguments.write:
        path = arguments.model / CALIBRATION
        path.write_text(fitted.model_dump_json(indent=2) + "\n", encoding="utf-8")
        print(f"written: {path}")


if __name__ == "__main__":
    main()
