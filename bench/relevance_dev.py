"""Fit and measure the calibration of the local relevance scorer.

    python bench/relevance_dev.py DIR            cross-validate on the dev files under DIR and the own cases
    python bench/relevance_dev.py DIR --write    and write the calibration into the package
    python bench/relevance_dev.py DIR --measure  AUROC of the shipped calibration on test_shared.jsonl (never fit on it)

DIR holds one folder a data set with JSON lines: question, contexts, answer, group and labels. No data set labels the
sentences that a question needs, so labels are made: a context sentence that shares most of its words with several
faithful answers (ragtruth) or with a relevant claim (expertqa) is needed, one that shares few is not, and the passage
without its needed sentences does not hold the answer. ``relevance_cases.jsonl`` beside this file has cases written for
the purpose, in many languages, with exact labels; they weigh most.
"""

import argparse
import json
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GroupKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from ragsonde.scorers.embedding import EmbeddingConfig, OnnxEmbedder, TextKind
from ragsonde.scorers.relevance.calibration import Calibration, LogisticModel, default_calibration, write_calibration
from ragsonde.scorers.relevance.features import (
    ANSWER_FEATURES,
    PASSAGE_FEATURES,
    SENTENCE_FEATURES,
    Passage,
    Question,
    answer_features,
    neutral_sentences,
    passage_features,
    sentence_features,
)
from ragsonde.scorers.relevance.text import coverage, has_word, terms, without_markup
from ragsonde.scorers.text.segmentation import split_sentences

HERE = Path(__file__).parent
TARGET = HERE.parent / "scorers" / "relevance" / "calibration.json"
PROVENANCE = (
    "bench/relevance_dev.py: logistic regression on bench/relevance_cases.jsonl (written for the purpose) and labels "
    "made from the dev splits of ragtruth (qa) and expertqa; see its docstring"
)
Labelled = tuple[str, bool | None]


@dataclass(frozen=True)
class Item:
    source: str
    question: str
    documents: list[list[Labelled]]
    language: str = "en"
    topic: str | None = None
    short_answers: list[str] = field(default_factory=list)

    def sentences(self) -> list[Labelled]:
        return [sentence for document in self.documents for sentence in document]


class Vectors:
    def __init__(self) -> None:
        self._embedder = OnnxEmbedder(EmbeddingConfig(threads=2, cache_entries=200_000))
        self.name = self._embedder.name

    def passages(self, texts: Sequence[str]) -> list[Passage]:
        return [Passage(t, v) for t, v in zip(texts, self._embedder.embed(texts, TextKind.PASSAGE), strict=True)]

    def questions(self, texts: Sequence[str]) -> dict[str, Question]:
        unique = list(dict.fromkeys(texts))
        embedded = self._embedder.embed(unique, TextKind.QUERY)
        neutral = self._embedder.embed(neutral_sentences(), TextKind.PASSAGE)
        return {text: Question.of(text, vector, neutral) for text, vector in zip(unique, embedded, strict=True)}


@dataclass
class Examples:
    rows: list[tuple[float, ...]] = field(default_factory=list)
    labels: list[bool] = field(default_factory=list)
    groups: list[str] = field(default_factory=list)
    kinds: list[str] = field(default_factory=list)

    def add(self, row: tuple[float, ...], *, label: bool, group: str, kind: str) -> None:
        self.rows.append(row)
        self.labels.append(label)
        self.groups.append(group)
        self.kinds.append(kind)


def load(path: Path) -> list[dict]:  # type: ignore[type-arg]
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def sentences_of(text: str) -> list[str]:
    return [s.text.strip() for s in split_sentences(without_markup(text)) if has_word(s.text)]


# Items ------------------------------------------------------------------------------------------------------


def own_cases() -> tuple[list[Item], list[tuple[str, str]]]:
    rows = load(HERE / "relevance_cases.jsonl")
    items = [
        Item("own", r["question"], [[(t, n) for t, n in r["sentences"]]], r["language"], r["topic"], r["short_answers"])
        for r in rows
        if "question" in r
    ]
    return items, [(row["language"], text) for row in rows for text in row.get("remarks", ())]


def grouped(rows: list[dict]) -> dict[str, list[dict]]:  # type: ignore[type-arg]
    groups: dict[str, list[dict]] = {}  # type: ignore[type-arg]
    for row in rows:
        groups.setdefault(row["question"], []).append(row)
    return groups


def ragtruth_items(directory: Path) -> Iterator[Item]:
    rows = [row for row in load(directory / "ragtruth" / "dev.jsonl") if row["task"] == "faithfulness/qa"]
    for question, answers in grouped(rows).items():
        faithful = [terms(row["answer"]) for row in answers if not row["hallucinated"]]
        if len(faithful) < 2:
            continue

        def needed(sentence: str, faithful: Sequence = faithful) -> bool | None:  # type: ignore[type-arg]
            shares = [coverage(terms(sentence), answer) for answer in faithful]
            if max(shares) >= 0.75 and sum(shares) / len(shares) >= 0.5:
                return True
            return False if max(shares) <= 0.4 else None

        documents = [[(text, needed(text)) for text in sentences_of(context)] for context in answers[0]["contexts"]]
        yield Item("ragtruth", question, documents)


def expertqa_items(directory: Path) -> Iterator[Item]:
    for question, rows in grouped(load(directory / "expertqa" / "dev.jsonl")).items():
        claims = [terms(row["answer"]) for row in rows]

        def needed(sentence: str, claims: Sequence = claims) -> bool | None:  # type: ignore[type-arg]
            words = terms(sentence)
            share = max(max(coverage(claim, words), coverage(words, claim)) for claim in claims)
            return True if share >= 0.65 and len(words) > 5 else False if share <= 0.25 else None

        contexts = dict.fromkeys(re.sub(r"^\[\d+\]\s*\S+\s*", "", text) for row in rows for text in row["contexts"])
        documents = [
            [(text, needed(text)) for text in sentences_of(context)[:25]] for context in contexts if len(context) >= 200
        ]
        if documents:
            yield Item("expertqa", question, documents[:4])


# Examples ---------------------------------------------------------------------------------------------------


def others(item: Item, items: Sequence[Item], rng: random.Random, count: int) -> list[Item]:
    """Items about something else; two own cases share their topics too often."""
    fitting = [other for other in items if other.question != item.question and other.source != "own"]
    return rng.sample(fitting, count)


def sentence_examples(items: Sequence[Item], questions: dict[str, Question], vectors: Vectors) -> Examples:
    rng, examples = random.Random(0), Examples()
    for item in items:
        labelled = item.sentences()
        question = questions[item.question]
        passages = vectors.passages([text for text, _ in labelled])
        for passage, (_, label) in zip(passages, labelled, strict=True):
            if label is not None:
                row = sentence_features(question, passage)
                examples.add(row, label=label, group=item.question, kind=item.source)
        for other in others(item, items, rng, 3):
            texts = [text for text, _ in rng.choice(other.documents)]
            for passage in vectors.passages(texts[:4]):
                examples.add(
                    sentence_features(question, passage), label=False, group=item.question, kind="other question"
                )
    return examples


def passage_examples(items: Sequence[Item], questions: dict[str, Question], vectors: Vectors) -> Examples:
    rng, examples = random.Random(0), Examples()
    for item in items:
        question = questions[item.question]
        for document in (document for document in item.documents if document):
            if any(label for _, label in document):
                row = passage_features(question, vectors.passages([text for text, _ in document]))
                examples.add(row, label=True, group=item.question, kind=item.source)
            rest = [text for text, label in document if label is False]
            if len(rest) >= (1 if item.source == "own" else 2):
                row = passage_features(question, vectors.passages(rest))
                examples.add(row, label=False, group=item.question, kind=item.source)
        for other in others(item, items, rng, 2):
            texts = [text for text, _ in rng.choice(other.documents)][:15]
            row = passage_features(question, vectors.passages(texts))
            examples.add(row, label=False, group=item.question, kind="other question")
    return examples


Pair = tuple[str, str, Sequence[str], bool, str]
"""Question, answer, context sentences, whether it addresses the question, kind."""


def own_pairs(items: Sequence[Item], remarks: Sequence[tuple[str, str]]) -> Iterator[Pair]:
    rng = random.Random(1)
    for item in items:
        question, context = item.question, [text for text, _ in item.sentences()]
        for text, needed in item.sentences():
            yield question, text, [], bool(needed), "own"
        for short in item.short_answers:
            yield question, short, [], True, "short"
            yield question, short, context, True, "short in contexts"
        different = [other for other in items if other.topic != item.topic or other.topic is None]
        different = [other for other in different if other.question != question]
        for other in rng.sample([other for other in different if other.short_answers], 2):
            yield question, rng.choice(other.short_answers), [], False, "short"
            yield question, other.sentences()[0][0], context, False, "other question"
        near = [text for language, text in remarks if language in (item.language, "en")]
        for remark in (rng.choice(near), rng.choice(remarks)[1]):
            yield question, remark, context, False, "remark"
        same = [o for o in items if item.topic and o.topic == item.topic and o.language != item.language]
        for other in rng.sample(same, min(2, len(same))):
            yield question, next(text for text, needed in other.sentences() if needed), [], True, "other language"
        foreign = rng.choice([other for other in different if other.language != item.language])
        yield question, foreign.sentences()[0][0], [], False, "other language"


def found_pairs(directory: Path) -> Iterator[Pair]:
    rng = random.Random(1)
    ragtruth = grouped([r for r in load(directory / "ragtruth" / "dev.jsonl") if r["task"] == "faithfulness/qa"])
    expertqa = grouped([r for r in load(directory / "expertqa" / "dev.jsonl") if r["answer_relevant"]])
    for name, groups, wrong in (("ragtruth", ragtruth, 3), ("expertqa", expertqa, 1)):
        answers = {q: [re.sub(r"\[\d+\]", "", row["answer"]).strip() for row in rows] for q, rows in groups.items()}
        for question, given in answers.items():
            for answer in rng.sample(given, min(2, len(given))):
                yield question, answer, [], True, name
            for other in rng.sample([other for other in answers if other != question], wrong):
                yield question, rng.choice(answers[other]), [], False, name


def answer_row(question: Question, answer: str, context: Sequence[str], vectors: Vectors) -> tuple[float, ...]:
    (whole,) = vectors.passages([answer])
    parts = vectors.passages([s.text.strip() for s in split_sentences(answer) if has_word(s.text)])
    return answer_features(question, whole, parts, vectors.passages(context))


def answer_examples(pairs: Sequence[Pair], questions: dict[str, Question], vectors: Vectors) -> Examples:
    vectors.passages([text for _, answer, context, _, _ in pairs for text in (answer, *context)])
    examples = Examples()
    for question, answer, context, label, kind in pairs:
        row = answer_row(questions[question], answer, context, vectors)
        examples.add(row, label=label, group=question, kind=kind)
    return examples


# Fitting ----------------------------------------------------------------------------------------------------


def fit(title: str, examples: Examples, names: Sequence[str], weights: dict[str, float]) -> LogisticModel:
    rows, labels = np.array(examples.rows), np.array(examples.labels)
    kinds = np.array(examples.kinds)
    sample_weight = np.array([weights.get(kind, 1.0) for kind in examples.kinds])
    model = make_pipeline(StandardScaler(), LogisticRegression())
    given = {"logisticregression__sample_weight": sample_weight}
    found = cross_val_predict(
        model, rows, labels, groups=examples.groups, cv=GroupKFold(5), method="predict_proba", params=given
    )[:, 1]
    print(f"{title}: {len(labels)} examples")
    for kind in dict.fromkeys(examples.kinds):
        report(f"  {kind}", labels[kinds == kind], found[kinds == kind])
    model.fit(rows, labels, **given)
    scaler, regression = model[0], model[-1]
    coefficients = regression.coef_[0] / scaler.scale_
    intercept = float(regression.intercept_[0] - coefficients @ scaler.mean_)
    print("  ", dict(zip(names, coefficients.round(2).tolist(), strict=True)), round(intercept, 2))
    return LogisticModel(intercept, tuple(coefficients.tolist()))


def report(title: str, labels: NDArray[np.bool_], found: NDArray[np.float64]) -> None:
    right = ((found >= 0.5) == labels).mean()
    both = 0 < labels.sum() < len(labels)
    auroc = f"AUROC {roc_auc_score(labels, found):.3f}" if both else ""
    balanced = ((found[labels] >= 0.5).mean() + (found[~labels] < 0.5).mean()) / 2 if both else right
    print(f"{title:44} n {len(labels):5} accuracy {right:.3f} balanced {balanced:.3f} {auroc}")


def calibrate(directory: Path, *, write: bool) -> None:
    vectors = Vectors()
    own, remarks = own_cases()
    items = [*own, *ragtruth_items(directory), *expertqa_items(directory)]
    pairs = [*own_pairs(own, remarks), *found_pairs(directory)]
    questions = vectors.questions([item.question for item in items] + [pair[0] for pair in pairs])
    vectors.passages([text for item in items for text, _ in item.sentences()])
    light = {"own": 8.0, "ragtruth": 0.3, "other question": 0.1}
    sentence = fit("sentence", sentence_examples(items, questions, vectors), SENTENCE_FEATURES, light)
    passage = fit("passage", passage_examples(items, questions, vectors), PASSAGE_FEATURES, {"own": 4.0})
    answer = fit(
        "answer", answer_examples(pairs, questions, vectors), ANSWER_FEATURES, {"remark": 1.5, "expertqa": 0.5}
    )
    if write:
        made = Calibration("1", vectors.name, sentence, passage, answer)
        TARGET.write_text(write_calibration(made, PROVENANCE), "utf-8")


# Measuring --------------------------------------------------------------------------------------------------


def measure(directory: Path) -> None:
    vectors, calibration = Vectors(), default_calibration()
    results: dict[str, list[tuple[bool, float]]] = {}
    for name in ("clapnq", "xquad", "rgb", "alce_utility", "haluquestqa"):
        rows = load(directory / name / "test_shared.jsonl")
        questions = vectors.questions([row["question"] for row in rows if row["question"]])
        for row in rows:
            question = questions[row["question"]]
            documents = [vectors.passages(sentences_of(text)) for text in row["contexts"]]
            if row["task"] == "context_relevance":
                held = [calibration.passage.probability(passage_features(question, d)) for d in documents if d]
                label, value = row["context_relevant"], max(held, default=0.0)
            elif row["task"] == "answer_relevance":
                context = [] if name == "haluquestqa" else [p.text for document in documents for p in document]
                features = answer_row(question, row["answer"], context, vectors)
                label, value = row["answer_relevant"], calibration.answer.probability(features)
            else:
                continue
            for key in (f"{name} {row['task']}", f"{name} {row['task']} {row['language']} {row['model'] or ''}"):
                results.setdefault(key, []).append((label, value))
    for key, pairs in sorted(results.items()):
        report(key, np.array([label for label, _ in pairs]), np.array([value for _, value in pairs]))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", type=Path)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--measure", action="store_true")
    chosen = parser.parse_args()
    if chosen.measure:
        measure(chosen.directory)
    else:
        calibrate(chosen.directory, write=chosen.write)
