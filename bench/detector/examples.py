"""What the model is fitted to: vectors of claims with labels, from the dev files and from made answers.

The dev files are read by ``bench.accuracy.data.load_dev``, and by nothing else; no code here can name a test file.
"""

import hashlib
import json
import pickle
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from bench.accuracy.data import Case, load_dev
from bench.accuracy.sets import BY_NAME
from bench.detector.alterations import Alterer, Passage
from bench.detector.listings import make_listings
from ragsonde.collector.model import Capture, Document, Interaction
from ragsonde.scorers.detector.features import FEATURES, vectors
from ragsonde.scorers.faithfulness.alignment import Evidence
from ragsonde.scorers.faithfulness.analysis import AnalysisCache
from ragsonde.scorers.faithfulness.observation import Observer
from ragsonde.scorers.reading import Reading
from ragsonde.scorers.text.segmentation import split_sentences

PEOPLE = ("ragtruth", "begin", "wice", "expertqa")
"""The sets whose dev labels are used: human, and under a licence that allows it (see the model card)."""
_ROOT = Path(__file__).parent.parent.parent
_CORPORA = _ROOT / "src" / "ragsonde" / "demo" / "corpus"
_CASES = _ROOT / "bench" / "relevance_cases.jsonl"
Stretches = Sequence[tuple[int, int]]


@dataclass(frozen=True)
class Example:
    """One answer."""

    source: str
    task: str
    group: str
    """Answers to one context share it; never split between fitting and checking."""
    faulty: bool
    vectors: list[tuple[float, ...]]
    """One a claim."""
    supported: list[bool | None]
    """By claim; None where only the answer as a whole is labelled, and it is faulty."""
    whole: tuple[float, ...] | None = None
    """The answer judged as one claim, where it has several and only the answer is labelled."""
    places: tuple[tuple[int, int], ...] = ()
    spans: tuple[tuple[int, int], ...] = ()
    """Where the claims, and the labelled faults, stand in the answer."""


class ExampleMaker:
    """Turns answers into examples, by way of the scorer's own reading and observation."""

    def __init__(self) -> None:
        self._cache = AnalysisCache(max_characters=4_000_000)

    def from_case(self, case: Case) -> Example | None:
        """An answer that people labelled; None where it states nothing."""
        spans = [(span.start, span.end) for span in case.spans] if case.spans is not None else None
        group = f"{case.dataset}/{case.group}"
        return self._example(case.interaction, case.dataset, case.task, group, spans, faulty=case.faulty)

    def made(
        self, contexts: Sequence[str], question: str, answer: str, faults: Stretches, source: str, task: str, group: str
    ) -> Example | None:
        """A made answer."""
        documents = tuple(Document(text=text, rank=rank) for rank, text in enumerate(contexts, start=1))
        name = hashlib.sha256(answer.encode()).hexdigest()[:16]
        interaction = Interaction(
            id=name, question=question or None, answer=answer, contexts=documents, capture=Capture.CAPTURED
        )
        return self._example(interaction, source, task, group, faults, faulty=bool(faults))

    def _example(
        self, interaction: Interaction, source: str, task: str, group: str, spans: Stretches | None, *, faulty: bool
    ) -> Example | None:
        reading = Reading(interaction)
        claims = reading.claims
        if not claims or not reading.documents:
            return None
        analysed = [
            self._cache.analysed(document.text or "", partial(split_sentences, document.text or ""))
            for document in reading.documents
        ]
        observer = Observer(Evidence(analysed, interaction.question or ""), reading.language)
        labels: list[bool | None]
        if spans is not None:
            labels = [not any(start < claim.end and claim.start < end for start, end in spans) for claim in claims]
        else:
            labels = [not faulty if not faulty or len(claims) == 1 else None for _ in claims]
        whole = None
        if spans is None and len(claims) > 1:
            whole = _vectors(observer, [reading.answer])[0]
        return Example(
            source, task, group, faulty, _vectors(observer, [claim.plain for claim in claims]), labels, whole,
            tuple((claim.start, claim.end) for claim in claims), tuple(spans or ()),
        )  # fmt: skip


def _vectors(observer: Observer, claims: Sequence[str]) -> list[tuple[float, ...]]:
    return vectors([observer.observe(claim).features for claim in claims], observer.whole(claims))


def labelled_cases(folder: Path) -> Iterator[Case]:
    """The answers of the dev files."""
    for name in PEOPLE:
        yield from load_dev(folder, BY_NAME[name]).cases


def passages_of(cases: Iterable[Case]) -> list[Passage]:
    """The contexts of labelled answers, each once."""
    found: dict[tuple[str, ...], Passage] = {}
    for case in cases:
        contexts = tuple(document.text or "" for document in case.interaction.contexts or ())
        if contexts:
            group = f"{case.dataset}/{case.group}"
            found.setdefault(contexts, Passage(contexts, case.interaction.question or "", group, case.language))
    return list(found.values())


def own_passages() -> list[Passage]:
    """The demo's corpora and the relevance cases, in several languages: written for this project."""
    found = []
    for path in sorted(_CORPORA.glob("*.json")):
        corpus = json.loads(path.read_text(encoding="utf-8"))
        for document in corpus["documents"]:
            group = f"demo/{document['id']}"
            found.append(Passage((" ".join(document["sentences"]),), "", group, corpus["language"]))
    for number, line in enumerate(_CASES.read_text(encoding="utf-8").splitlines()):
        case = json.loads(line)
        if "sentences" not in case:
            continue  # a case of another kind
        text = " ".join(sentence for sentence, _ in case["sentences"])
        found.append(Passage((text,), case["question"], f"cases/{number}", case["language"]))
    return found


def made_examples(passages: Sequence[Passage], source: str, count: int, seed: int) -> Iterator[Example]:
    """Altered answers to passages."""
    maker = ExampleMaker()
    for altered in Alterer(passages, seed).answers(count):
        p = altered.passage
        example = maker.made(p.contexts, p.question, altered.answer, altered.faults, source, p.language, p.group)
        if example is not None:
            yield example


def made_listings(count: int, seed: int) -> Iterator[Example]:
    """Descriptions of records."""
    maker = ExampleMaker()
    for number, listing in enumerate(make_listings(count, seed)):
        example = maker.made(
            [listing.context], listing.question, listing.answer, listing.faults, "listings", "record", f"list/{number}"
        )
        if example is not None:
            yield example


def kept(path: Path, make: Iterable[Example]) -> list[Example]:
    """Examples from a file of an earlier run with the same features, or made now and kept: a stopped run goes on."""
    if path.exists():
        features, examples = pickle.loads(path.read_bytes())  # our own file of an earlier run
        if features == FEATURES:
            return list(examples)
    examples = list(make)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(pickle.dumps((FEATURES, examples)))
    return examples
