"""What a model for entailment costs: ``python -m bench.entailment.speed [--model DIR] [--data DIR]``.

On RAGTruth's dev answers, processor time of one thread, with contexts new and then seen; and which share of it the
model takes.
Without ``--model`` an untrained one of all-MiniLM-L6's shape is made.
"""

import argparse
import os
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from bench.accuracy.data import Case, load_dev
from bench.accuracy.sets import BY_NAME
from bench.entailment.untrained import write_untrained
from ragsonde.collector.clock import Deadline
from ragsonde.garbage import collect_less_often
from ragsonde.scorers.entailment import Entailment, EntailmentConfig, EntailmentModel, open_entailment
from ragsonde.scorers.faithfulness import FaithfulnessScorer
from ragsonde.scorers.reading import Reading


class Timed:
    """A model, and the processor time that it took."""

    def __init__(self, model: EntailmentModel) -> None:
        self._model = model
        self.seconds = 0.0
        self.pairs = 0
        self.lengths = 0

    @property
    def version(self) -> str:
        """The model's."""
        return self._model.version

    @property
    def digest(self) -> str:
        """The model's."""
        return self._model.digest

    def tokens(self, text: str) -> int:
        """The model's."""
        return self._model.tokens(text)

    def room(self, claim: str) -> int:
        """The model's."""
        return self._model.room(claim)

    def log_odds(self, premise: str, claim: str) -> float:
        """The model's, timed."""
        began = time.process_time()
        odds = self._model.log_odds(premise, claim)
        self.seconds += time.process_time() - began
        self.pairs += 1
        self.lengths += self.tokens(premise) + self.tokens(claim)
        return odds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", type=Path)
    parser.add_argument("--data", type=Path, default=os.environ.get("RAGSONDE_BENCH_DATA", "../shared/bench"))
    arguments = parser.parse_args()
    collect_less_often()
    cases = [c for c in load_dev(Path(arguments.data), BY_NAME["ragtruth"]).cases if Reading(c.interaction).claims]
    with TemporaryDirectory() as folder:
        texts = [text for case in cases for text in _texts(case)]
        model = arguments.model or write_untrained(Path(folder), texts)
        opened = open_entailment(EntailmentConfig(model_dir=model))
        timed = Timed(opened.model)
        entailment = Entailment(timed, opened.calibration, opened.evidence_tokens)
        report(cases, lambda: FaithfulnessScorer(entailment=entailment), timed)


def _texts(case: Case) -> list[str]:
    return [case.interaction.answer or "", *(document.text or "" for document in case.interaction.contexts or ())]


def report(cases: list[Case], make: Callable[[], FaithfulnessScorer], timed: Timed) -> None:
    """Print the median over the answers, and the model's share of all time, with contexts new and seen before."""
    taken: dict[str, list[float]] = {"new": [], "seen": []}
    by_model = dict.fromkeys(taken, 0.0)
    for case in cases:
        scorer = make()
        for contexts, seconds in taken.items():
            before, began = timed.seconds, time.process_time()
            scorer.score([Reading(case.interaction)], Deadline(60))
            seconds.append(time.process_time() - began)
            by_model[contexts] += timed.seconds - before
    for contexts, seconds in taken.items():
        print(f"local_faithfulness with a model for entailment, contexts {contexts}:")
        print(f"  median {1e3 * median(seconds):.0f} ms an answer")
        print(f"  the model's share of all processor time: {by_model[contexts] / sum(seconds):.1%}")
    answers = sum(map(len, taken.values()))
    print(f"pairs: {timed.pairs / answers:.1f} an answer, {timed.lengths / timed.pairs:.0f} tokens each")


if __name__ == "__main__":
    main()
