"""Reads the labelled sets. What is scored and what is known of it are kept apart, and so are dev and test.

``load_dev`` is for whatever chooses a threshold or fits a weight; ``load_test`` for the report and nothing else. Both
mark what they return, and ``thresholds`` refuses test cases.
"""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import pairwise
from pathlib import Path
from typing import Any

from bench.accuracy.sets import BenchSet, Family
from ragsonde.collector.errors import ConfigError
from ragsonde.collector.model import Capture, Document, Interaction
from ragsonde.scorers.text.segmentation import split_sentences

_WITHHELD = "(answer withheld)"
"""The answer of a case that asks about contexts alone: the files give one in relevant rows only."""
_MARKERS = re.compile(r"\s*\[\d{1,3}(?:\s*[,\N{EN DASH}-]\s*\d{1,3})*\]")
CITED = " [1]"
"""The marker that ``cited`` sets."""
_STOPS = " \t\n.!?。！？"
_MIN_SENTENCE = 3


class Split(StrEnum):
    """Which file a case comes from."""

    DEV = "dev"
    TEST = "test"


_FILES = {Split.DEV: "dev.jsonl", Split.TEST: "test_shared.jsonl"}


@dataclass(frozen=True, slots=True)
class LabelledSpan:
    """A stretch of the answer that people marked as not supported."""

    start: int
    end: int
    strict: bool


@dataclass(frozen=True, slots=True)
class Case:
    """One unit with a label. Only ``interaction`` is ever shown to a scorer."""

    id: str
    dataset: str
    split: Split
    family: Family
    task: str
    language: str
    group: str
    """The source it was made from; cases of one group are not independent."""
    interaction: Interaction
    faulty: bool
    """The label: the positive class is the fault."""
    strictly_faulty: bool | None = None
    """The label in the narrower reading; None where the set has none."""
    spans: tuple[LabelledSpan, ...] | None = None
    generator: str | None = None
    """Who wrote the answer. Groups the report; a scorer that knew it would do well for the wrong reason."""
    origin: str | None = None
    """The data set that a compilation took it from."""
    published: Mapping[str, float] = field(default_factory=dict)
    """Suspicion, 0 to 1, by detectors whose outputs the authors shipped with the record."""
    place: tuple[int, int] | None = None
    """Where a sentence stands in the answer of ``parent``."""
    parent: str | None = None


@dataclass(frozen=True, slots=True)
class Pair:
    """Two answers to one question."""

    id: str
    group: str
    first: Interaction
    second: Interaction
    preference: float
    """Mean over the annotators: negative where the first is better, positive where the second is, 0 for a tie."""


@dataclass(frozen=True, slots=True)
class Labelled:
    """One file of one set."""

    dataset: str
    split: Split
    digest: str
    """SHA-256 of the file, so that kept scores never outlive the data they were made on."""
    cases: tuple[Case, ...]
    pairs: tuple[Pair, ...] = ()


def load_dev(folder: Path, known: BenchSet) -> Labelled:
    """Read the file for choosing thresholds.

    Raises:
        ConfigError: the file is missing, or a line of it cannot be read.
    """
    return _load(folder, known, Split.DEV)


def load_test(folder: Path, known: BenchSet) -> Labelled:
    """Read the file for the report; nothing may be chosen by it.

    Raises:
        ConfigError: the file is missing, or a line of it cannot be read.
    """
    return _load(folder, known, Split.TEST)


def limited(labelled: Labelled, limit: int | None) -> Labelled:
    """Return at most about ``limit`` cases of each family and language, whole groups, the same ones each time."""
    if limit is None:
        return labelled
    order = sorted({c.group for c in labelled.cases}, key=lambda g: hashlib.sha256(g.encode()).digest())
    kept: list[Case] = []
    for kind in dict.fromkeys((case.family, case.language) for case in labelled.cases):
        mine = [case for case in labelled.cases if (case.family, case.language) == kind]
        taken: set[str] = set()
        for group in order:
            if sum(case.group in taken for case in mine) < limit:
                taken.add(group)
        kept += [case for case in mine if case.group in taken]
    return replace(labelled, cases=tuple(kept), pairs=labelled.pairs[:limit])


def sentence_cases(case: Case) -> list[Case]:
    """The sentences of an answer as cases: a sentence is faulty when a labelled span overlaps it."""
    answer = case.interaction.answer or ""
    cases = []
    for number, sentence in enumerate(split_sentences(answer, case.language)):
        if len(sentence.text.strip()) < _MIN_SENTENCE:
            continue
        hits = [span for span in case.spans or () if span.start < sentence.end and sentence.start < span.end]
        identity = f"{case.id}#{number}"
        cases.append(
            replace(
                case,
                id=identity,
                interaction=replace(case.interaction, id=identity, answer=sentence.text),
                faulty=bool(hits),
                strictly_faulty=any(span.strict for span in hits),
                spans=None,
                place=(sentence.start, sentence.end),
                parent=case.id,
            )
        )
    return cases


def cited(interaction: Interaction) -> Interaction:
    """The same claim as a citing answer: one document, and each sentence of the answer cites it."""
    answer = interaction.answer or ""
    pieces, at = [], 0
    for sentence in split_sentences(answer):
        end = sentence.start + len(sentence.text.rstrip(_STOPS))
        pieces.append(answer[at:end] + CITED)
        at = end
    pieces.append(answer[at:])
    contexts = interaction.contexts
    if contexts:
        joined = "\n\n".join(document.text or "" for document in contexts)
        contexts = (Document(text=joined, rank=1, id="1"),)
    return replace(interaction, answer="".join(pieces), contexts=contexts)


def _load(folder: Path, known: BenchSet, split: Split) -> Labelled:
    path = folder / known.name / _FILES[split]
    try:
        content = path.read_bytes()
    except OSError as error:
        raise ConfigError(
            f"cannot read {path}: {error.strerror}; name the directory of the sets with --data or RAGSONDE_BENCH_DATA"
        ) from error
    cases: list[Case] = []
    pairs: list[Pair] = []
    for number, line in enumerate(content.splitlines(), start=1):
        try:
            record = json.loads(line)
            if record["task"] == Family.PREFERENCE:
                pairs.append(_pair(record))
            else:
                cases += _cases(record, known, split)
        except (ValueError, KeyError, TypeError) as error:
            raise ConfigError(f"{path}, line {number}: {type(error).__name__}: {error}; restore the file") from error
    ids = sorted(case.id for case in cases)
    if twice := next((one for one, other in pairwise(ids) if one == other), None):
        raise ConfigError(f"{path}: the id {twice!r} stands there twice; ids name the kept scores")
    return Labelled(known.name, split, hashlib.sha256(content).hexdigest(), tuple(cases), tuple(pairs))


_LABELS = {
    Family.FAITHFULNESS: ("hallucinated", True),
    Family.CITATION: ("citation_supported", False),
    Family.CONTEXT_RELEVANCE: ("context_relevant", False),
    Family.ANSWER_RELEVANCE: ("answer_relevant", False),
}
"""The field that holds the label of a family, and its value in the positive class."""


def _cases(record: Mapping[str, Any], known: BenchSet, split: Split) -> Iterator[Case]:
    family_name, _, task = record["task"].partition("/")
    family = Family(family_name)
    name, fault = _LABELS[family]
    if family not in known.families or record[name] is None:
        return
    yield Case(
        id=record["id"],
        dataset=known.name,
        split=split,
        family=family,
        task=task or family_name,
        language=record["language"],
        group=str(record["group"]),
        interaction=_interaction(record, _answer(record, family), record["id"]),
        faulty=record[name] is fault,
        strictly_faulty=_strictly(record, known),
        spans=_spans(record, known) if known.spans else None,
        generator=record["model"],
        origin=record.get("src_dataset"),
        published=_published(record.get("published_detector_scores") or {}),
    )


def _answer(record: Mapping[str, Any], family: Family) -> str:
    if family is Family.CONTEXT_RELEVANCE:
        return _WITHHELD
    answer: str = record["answer"]
    return _MARKERS.sub("", answer) if family is Family.CITATION else answer


def _interaction(record: Mapping[str, Any], answer: str, identity: str, reference: str | None = None) -> Interaction:
    """What a scorer sees. Without ``model``: the writer's name alone predicts the label better than many scorers."""
    question = record["question"]
    contexts = tuple(Document(text=text, rank=rank) for rank, text in enumerate(record["contexts"], start=1))
    return Interaction(
        id=identity,
        question=None if question in ("", "[]") else question,
        answer=answer,
        contexts=contexts or None,
        capture=Capture.CAPTURED if contexts else Capture.CONTEXTS_NOT_CAPTURED,
        reference=reference,
    )


def _pair(record: Mapping[str, Any]) -> Pair:
    votes = [vote["overall"] for vote in record["label_raw"]]
    first, second = (
        _interaction(record, record[name], f"{record['id']}:{name}", record["gt_answer"])
        for name in ("answer_a", "answer_b")
    )
    return Pair(record["id"], str(record["group"]), first, second, sum(votes) / len(votes))


def _strictly(record: Mapping[str, Any], known: BenchSet) -> bool | None:
    if known.name == "faithbench":
        return bool(record["label_raw"]["worst"] == "Unwanted")
    return None


def _spans(record: Mapping[str, Any], known: BenchSet) -> tuple[LabelledSpan, ...]:
    spans: Sequence[Mapping[str, Any]] = record["spans"] or ()
    if known.name == "faithbench":  # its annotators mark benign stretches too
        spans = [span for span in spans if "Unwanted" in span["type"] or "Questionable" in span["type"]]
    return tuple(LabelledSpan(span["start"], span["end"], span.get("type") != "subjective") for span in spans)


def _published(outputs: Mapping[str, Any]) -> dict[str, float]:
    """Suspicion by each detector, from the outputs in the forms that the authors shipped them in."""
    consistency = {name: _consistency(output) for name, output in outputs.items()}
    return {name: 1.0 - min(1.0, max(0.0, value)) for name, value in consistency.items() if value is not None}


def _consistency(output: object) -> float | None:
    """One output as consistency, 0 to 1: plain, or with ``label`` and ``probs`` (storysumm)."""
    if isinstance(output, int | float):
        return float(output)
    if not isinstance(output, Mapping):
        return None
    label, graded = output.get("label"), output.get("probs")
    if isinstance(graded, list):  # by sentence: the worst decides
        return float(min(graded))
    if isinstance(graded, int | float):
        # with a label beside it, a percentage of confidence in that label
        return float(graded) if label is None else (graded if label else 100.0 - graded) / 100.0
    return None if label is None else float(label)
