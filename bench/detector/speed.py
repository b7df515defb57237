"""How long the detector takes: ``python -m bench.detector.speed [--data DIR]``, on RAGTruth's dev answers.

Processor time of one thread, the best of a few tries, so that other work on the machine counts little. Each answer is
scored with every context new, as in the worst traffic, and then once more with every context seen. What is kept of
whole texts (an answer's words, its language) is forgotten before each try; what is kept of single words is not.
Garbage is collected as seldom as in the sidecar.
"""

import argparse
import os
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median

from bench.accuracy.data import load_dev
from bench.accuracy.sets import BY_NAME
from ragsonde.collector.clock import Deadline
from ragsonde.garbage import collect_less_often
from ragsonde.scorers.detector import Detector
from ragsonde.scorers.faithfulness import AnalysisCache, FaithfulnessScorer
from ragsonde.scorers.faithfulness.alignment import Evidence
from ragsonde.scorers.faithfulness.observation import Observer
from ragsonde.scorers.faithfulness.words import split_words
from ragsonde.scorers.reading import Reading
from ragsonde.scorers.text import language
from ragsonde.scorers.text.cues import fold_for_cues, words_for_cues
from ragsonde.scorers.text.latin import latin_words
from ragsonde.scorers.text.segmentation import split_sentences

_KEPT_OF_TEXTS = (split_words, fold_for_cues, words_for_cues, latin_words, language._detect)  # noqa: SLF001
_TRIES = 3
_WARMING = 10
"""Answers scored before, which load word lists."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=os.environ.get("RAGSONDE_BENCH_DATA", "../shared/bench"))
    collect_less_often()
    cases = load_dev(Path(parser.parse_args().data), BY_NAME["ragtruth"]).cases
    taken: dict[str, list[float]] = {}
    for number, case in enumerate((*cases[:_WARMING], *cases)):
        if not Reading(case.interaction).claims:
            continue
        seen = FaithfulnessScorer()
        seen.score([Reading(case.interaction)], Deadline(10))
        costs = {
            "the answer read into claims": _best(lambda: Reading(case.interaction).claims),  # noqa: B023
            "the model itself": _best(_model(Reading(case.interaction))),
            "local_faithfulness, contexts new": _best(partial(_score, FaithfulnessScorer, Reading(case.interaction))),
            "local_faithfulness, contexts seen": _best(partial(_score, lambda: seen, Reading(case.interaction))),  # noqa: B023
        }
        if number >= _WARMING:
            for part, seconds in costs.items():
                taken.setdefault(part, []).append(seconds)
    for part, seconds_each in taken.items():
        print(f"{part}: median {1e3 * median(seconds_each):.2f} ms an answer")


def _best(act: Callable[[], object]) -> float:
    best = float("inf")
    for _ in range(_TRIES):
        for kept in _KEPT_OF_TEXTS:
            kept.cache_clear()
        began = time.process_time()
        act()
        best = min(best, time.process_time() - began)
    return best


def _score(scorer: Callable[[], FaithfulnessScorer], reading: Reading) -> None:
    scorer().score([Reading(reading.interaction)], Deadline(10))


def _model(reading: Reading) -> Callable[[], object]:
    """The rating of an answer's claims, their features at hand."""
    texts = [document.text or "" for document in reading.documents or ()]
    analysed = [AnalysisCache().analysed(text, partial(split_sentences, text)) for text in texts]
    observer = Observer(Evidence(analysed, reading.interaction.question or ""), reading.language)
    claims = [claim.plain for claim in reading.claims]
    features, whole = [observer.observe(claim).features for claim in claims], observer.whole(claims)
    return partial(Detector().rate, features, whole)


if __name__ == "__main__":
    main()
