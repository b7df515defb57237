"""How long the detector takes: ``python -m bench.detector.speed [--data DIR]``, on RAGTruth's dev answers.

Processor time of one thread, so that other work on the machine counts little. Nothing is kept from one answer to the
next: every context is new, as in the worst traffic.
"""

import argparse
import os
import time
from functools import partial
from pathlib import Path
from statistics import median

from bench.accuracy.data import load_dev
from bench.accuracy.sets import BY_NAME
from ragsonde.collector.clock import Deadline
from ragsonde.scorers.detector import Detector
from ragsonde.scorers.detector.lexical import ContextIndex, lexical_features
from ragsonde.scorers.faithfulness import AnalysisCache, FaithfulnessScorer
from ragsonde.scorers.faithfulness.alignment import Evidence
from ragsonde.scorers.faithfulness.observation import Observer, tokens_of
from ragsonde.scorers.reading import Reading
from ragsonde.scorers.text.segmentation import split_sentences


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=os.environ.get("RAGSONDE_BENCH_DATA", "../shared/bench"))
    cases = load_dev(Path(parser.parse_args().data), BY_NAME["ragtruth"]).cases
    own: list[float] = []
    scorer: list[float] = []
    detector = Detector()
    for number, case in enumerate((*cases[:10], *cases)):  # the first few load word lists
        reading = Reading(case.interaction)
        claims = [claim.plain for claim in reading.claims]
        if not claims:
            continue
        texts = [document.text or "" for document in reading.documents or ()]
        analysed = [AnalysisCache().analysed(text, partial(split_sentences, text)) for text in texts]
        evidence = Evidence(analysed, case.interaction.question or "")
        observer = Observer(evidence, reading.language)
        features = [observer.observe(claim).features for claim in claims]
        began = time.process_time()
        index = ContextIndex(
            [
                [word.key for word in document.words_of(at, at)]
                for document in analysed
                for at in range(len(document.sentences))
            ]
        )
        for claim in claims:
            lexical_features(tokens_of(claim), index, evidence.asked)
        detector.support(features, observer.whole(claims))
        middle = time.process_time()
        fresh = Reading(case.interaction)
        FaithfulnessScorer(cache=AnalysisCache()).score([fresh], Deadline(10))
        if number >= 10:
            own.append(middle - began)
            scorer.append(time.process_time() - middle)
    print(f"detector (features and trees): median {1e3 * median(own):.1f} ms an answer")
    print(f"local_faithfulness, reading included: median {1e3 * median(scorer):.1f} ms")


if __name__ == "__main__":
    main()
