"""Each baseline measures what it says, in any script, and is a scorer like any other."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.accuracy.baselines import PLAIN, Baseline, Closeness, embedding_max, ngram_coverage, rouge_l
from ragsonde.collector.clock import Deadline
from ragsonde.scorers.reading import Reading
from ragsonde.scorers.score import MetricKey, NotApplicable, Outcome, Reason, Scored
from tests.builders import interaction
from tests.embedders import TrigramEmbedder

CLOSENESS: dict[str, Closeness] = {**PLAIN, "embedding_max": embedding_max(TrigramEmbedder())}
COMPARING = sorted(set(CLOSENESS) - {"constant", "length"})


def outcome(baseline: Baseline, key: MetricKey, **values: object) -> Outcome:
    return baseline.score([Reading(interaction(**values))], Deadline(1.0))[0][key]


@pytest.mark.parametrize("name", COMPARING)
@pytest.mark.parametrize(
    ("context", "right", "wrong"),
    [
        ("Returns are free within 30 days.", "Returns are free within 30 days.", "Dogs bark at night."),
        ("退货在三十天内免费。", "退货在三十天内免费。", "狗在夜里叫。"),
        ("Возврат бесплатен в течение 30 дней.", "Возврат бесплатен в течение 30 дней.", "Собаки лают ночью."),
        ("คืนสินค้าได้ภายในสามสิบวัน", "คืนสินค้าได้ภายในสามสิบวัน", "หมาเห่าตอนกลางคืน"),
    ],
)
def test_what_the_context_says_is_closer_than_what_it_does_not(name: str, context: str, right: str, wrong: str) -> None:
    closeness = CLOSENESS[name]
    assert closeness(right, [context]) == pytest.approx(1.0, abs=1e-6)
    assert closeness(wrong, [context]) < 0.8


def test_coverage_is_the_share_of_ngrams_that_the_evidence_holds() -> None:
    assert ngram_coverage(1)("one two three four", ["Two, one"]) == 0.5
    assert ngram_coverage(2)("one two three four", ["one two", "three four"]) == pytest.approx(2 / 3)
    assert ngram_coverage(2)("one", ["one two"]) == 1.0


def naive_subsequence(first: Sequence[str], second: Sequence[str]) -> int:
    lengths = [[0] * (len(second) + 1) for _ in range(len(first) + 1)]
    for i, mine in enumerate(first):
        for j, other in enumerate(second):
            lengths[i + 1][j + 1] = lengths[i][j] + 1 if mine == other else max(lengths[i][j + 1], lengths[i + 1][j])
    return lengths[-1][-1]


words = st.lists(st.sampled_from(["a", "b", "c", "d"]), min_size=1, max_size=25)


@given(words, words)
def test_rouge_l_precision_is_the_longest_common_subsequence_over_the_length(
    first: list[str], second: list[str]
) -> None:
    expected = naive_subsequence(first, second) / len(first)
    assert rouge_l(" ".join(first), [" ".join(second)]) == pytest.approx(expected)


@given(
    st.sampled_from(sorted(CLOSENESS)), st.text(min_size=1, max_size=60), st.lists(st.text(), min_size=1, max_size=3)
)
def test_any_text_gets_a_value_between_nought_and_one(name: str, text: str, evidence: list[str]) -> None:
    found = outcome(
        Baseline(name, CLOSENESS[name]), MetricKey.FAITHFULNESS, answer=text, contexts=tuple(evidence), question="q"
    )
    assert isinstance(found, Scored) or not text.strip()


def test_a_baseline_says_why_it_has_no_value() -> None:
    baseline = Baseline("rouge_l", rouge_l)
    assert outcome(baseline, MetricKey.FAITHFULNESS, answer=" ") == NotApplicable(Reason.EMPTY_ANSWER)
    no_contexts = outcome(baseline, MetricKey.FAITHFULNESS, contexts=None)
    assert no_contexts == NotApplicable(Reason.CONTEXTS_NOT_CAPTURED)
    no_question = outcome(baseline, MetricKey.ANSWER_RELEVANCE, question=None)
    assert no_question == NotApplicable(Reason.NO_QUESTION)


def test_relevance_compares_the_question() -> None:
    baseline = Baseline("unigram_coverage", ngram_coverage(1))
    values = {"question": "when do returns end", "answer": "Returns end on Monday", "contexts": ("when do they",)}
    assert outcome(baseline, MetricKey.ANSWER_RELEVANCE, **values) == Scored(0.5)
    assert outcome(baseline, MetricKey.CONTEXT_RELEVANCE, **values) == Scored(0.5)
