"""Which words of a claim the contexts do not bear out: a claim is a sentence, and a fault mostly a part of it.

Only what is unlikely enough is pointed at, and of it only the clauses whose words are mostly missing, or in which a
fact or a field of a record speaks against the claim. The thresholds are from RAGTruth's dev answers, for records from
made listings.
"""

from collections.abc import Iterable, Iterator
from dataclasses import astuple, replace
from itertools import pairwise

import regex

from ragsonde.scorers.detector.record_checks import RecordCheck, RecordFindings
from ragsonde.scorers.faithfulness.alignment import Alignment, Evidence
from ragsonde.scorers.faithfulness.objections import Objection, ObjectionKind
from ragsonde.scorers.faithfulness.words import Word, is_content, split_words

_UNLIKELY, _UNLIKELY_OF_RECORD = 0.35, 0.2
"""Probability below which an unsupported claim is pointed at for its words. Told in words of its own, as a record is, a
right claim lacks many words too."""
_MOSTLY = 0.5
"""Mean suspicion of a clause's content words from which it is pointed at."""
_FACT, _ABSENT, _FAR = 1.5, 1.0, 0.5
"""Suspicion of a word of a fact that differs, of one that is in no context, and of one that is only elsewhere."""
_LINKS = (
    "and|or|but|with|while|including|und|oder|aber|mit|et|ou|mais|avec|y|o|pero|con|e|ma|com|i|oraz|ale|z|и|а|но|с|та|"
    "але|dan|tetapi|dengan|ve|ama|ile|en|maar|met|ili|s"
)
_CUT = regex.compile(rf"[,;:—–()、，；：]+(?:\s|(?=\p{{Han}}))|(?<=\s)(?:{_LINKS})(?=\s)")
_EDGES = " \t\n,;:—–()、，；：."


def unsupported_stretches(
    claim: str,
    alignment: Alignment,
    objections: Iterable[Objection],
    evidence: Evidence,
    records: RecordCheck | None,
    probability: float,
) -> tuple[tuple[int, int], ...]:
    """Where the worst clauses of an unsupported claim stand, as offsets into it.

    ``probability`` is that of support. Where it is not low enough, only the facts that differ or are missing.
    """
    clauses = list(_clauses(claim))
    if records is not None:
        told = [clause for clause in clauses if _speaks_against(records.find(claim[slice(*clause)]))]
        if told:
            return _joined(told)
    places = [_place(claim, objection.fact) for objection in objections if objection.kind is not ObjectionKind.DOUBTFUL]
    facts = sorted({place for place in places if place[1]})
    if probability >= (_UNLIKELY if records is None else _UNLIKELY_OF_RECORD):
        return _joined(facts)
    words = [word for word in split_words(claim) if is_content(word.key)]
    suspicions = [
        (word.start, _suspicion(word, alignment, evidence, in_fact=any(a <= word.start < b for a, b in facts)))
        for word in words
    ]
    scores = [_mean(s for at, s in suspicions if start <= at < end) for start, end in clauses]
    chosen = [clause for clause, score in zip(clauses, scores, strict=True) if score >= _MOSTLY]
    return _joined(chosen or [clauses[scores.index(max(scores))]])


def _clauses(claim: str) -> Iterator[tuple[int, int]]:
    """The parts of a claim between punctuation and linking words, without white space; the whole where none is left."""
    cuts = [0, *(match.start() for match in _CUT.finditer(claim)), len(claim)]
    found = False
    for start, end in pairwise(cuts):
        part = claim[start:end]
        if inner := part.strip(_EDGES):
            found = True
            first = start + part.index(inner)
            yield first, first + len(inner)
    if not found:
        yield 0, len(claim)


def _suspicion(word: Word, alignment: Alignment, evidence: Evidence, *, in_fact: bool) -> float:
    if in_fact:
        return _FACT
    if evidence.holds(word.key) < 0.5:
        return 0.0 if evidence.asked(word.key) else _ABSENT
    near = (window for window in (alignment.window, alignment.companion) if window is not None)
    return 0.0 if any(evidence.strength_in(word.key, window) >= 0.5 for window in near) else _FAR


def _place(claim: str, fact: str) -> tuple[int, int]:
    start = claim.find(fact) if fact else -1
    return (start, start + len(fact)) if start >= 0 else (0, 0)


def _mean(values: Iterable[float]) -> float:
    found = list(values)
    return sum(found) / len(found) if found else 0.0


def _speaks_against(found: RecordFindings) -> bool:
    return any(astuple(replace(found, borne_out=0)))


def _joined(stretches: list[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """Neighbours with little between them as one."""
    joined = stretches[:1]
    for start, end in stretches[1:]:
        if start - joined[-1][1] <= 2:
            joined[-1] = joined[-1][0], max(end, joined[-1][1])
        else:
            joined.append((start, end))
    return tuple(joined)
