"""An answer in another language than its contexts: what cannot be compared is said to be so, never called invented."""

import json
from collections.abc import Sequence
from itertools import permutations
from pathlib import Path

import pytest

from ragsonde import demo
from ragsonde.collector.clock import Deadline
from ragsonde.collector.model import Capture, Document, Interaction
from ragsonde.evaluation.correctness import AnswerCorrectness
from ragsonde.exporters.quality import UNSEEN_REASONS
from ragsonde.scorers.citations.scorer import CitationScorer
from ragsonde.scorers.faithfulness import FaithfulnessScorer, Support
from ragsonde.scorers.reading import Reading
from ragsonde.scorers.score import MetricKey, NotApplicable, Outcome, Reason, Scored, Verdict

CORPORA = {
    path.stem: json.loads(path.read_text("utf-8")) for path in (Path(demo.__file__).parent / "corpus").glob("*.json")
}
ENGLISH = "You can return shoes at any shop. The warranty covers the engine for three years."


def reading(contexts: Sequence[str], answer: str, reference: str | None = None) -> Reading:
    documents = tuple(Document(text=text, id=f"d{rank}", rank=rank) for rank, text in enumerate(contexts, start=1))
    return Reading(
        Interaction(
            id="one", question=None, answer=answer, reference=reference, contexts=documents, capture=Capture.CAPTURED
        )
    )


def scored(contexts: Sequence[str], answer: str, key: MetricKey = MetricKey.FAITHFULNESS) -> Outcome:
    (outcomes,) = FaithfulnessScorer().score([reading(contexts, answer, reference=answer)], Deadline(30))
    return outcomes[key]


def documents(language: str) -> list[str]:
    return [" ".join(document["sentences"]) for document in CORPORA[language]["documents"]]


@pytest.mark.parametrize(("spoken", "written"), list(permutations(sorted(CORPORA), 2)))
def test_only_a_fact_that_is_nowhere_speaks_against_a_claim_in_another_language(spoken: str, written: str) -> None:
    contexts = documents(written)
    for answer in documents(spoken):
        outcome = scored(contexts, answer)
        if isinstance(outcome, NotApplicable):
            assert outcome.reason is Reason.OTHER_LANGUAGE
            continue
        assert isinstance(outcome, Scored)
        for claim in outcome.claims:
            if claim.verdict is not Verdict.SUPPORTED:
                fact = (claim.reason or "").partition("“")[2].partition("”")[0]
                assert fact
                assert fact in claim.text
                assert all(answer[start:end] == fact for start, end in claim.stretches or ())


@pytest.mark.parametrize("language", sorted(CORPORA))
def test_an_answer_about_something_else_in_the_same_language_is_compared(language: str) -> None:
    *most, last = documents(language)
    for answer in most:
        assert isinstance(scored([last], answer), Scored)


@pytest.mark.parametrize(
    "answer",
    [
        "Schuhe können in jeder Filiale zurückgegeben werden.",
        "Вы можете вернуть обувь в любом магазине.",
        "Kasut boleh dipulangkan di mana-mana kedai.",
        "巴黎是法国的首都，位于塞纳河畔。",
        "يمكنك إرجاع الأحذية في أي متجر من متاجرنا.",
    ],
)
@pytest.mark.parametrize("key", [MetricKey.FAITHFULNESS, MetricKey.CONTEXT_RECALL, MetricKey.CONTEXT_UTILISATION])
def test_without_a_figure_nothing_can_be_told(answer: str, key: MetricKey) -> None:
    outcome = scored([ENGLISH], answer, key)
    assert isinstance(outcome, NotApplicable)
    assert outcome.reason is Reason.OTHER_LANGUAGE
    assert outcome.reason in UNSEEN_REASONS


@pytest.mark.parametrize(
    ("answer", "value"),
    [
        ("保修期为发动机三年。巴黎是法国的首都。", 1.0),
        ("保修期为发动机五年。巴黎是法国的首都。", 0.0),
        ("Die Garantie auf den Motor beträgt drei Jahre. Man kann Schuhe überall zurückgeben.", 1.0),
        ("Die Garantie auf den Motor beträgt vier Jahre. Man kann Schuhe überall zurückgeben.", 0.0),
        ("Директор компании Магомед Алиев.", 0.0),
    ],
)
def test_figures_and_full_names_are_compared_across_languages(answer: str, value: float) -> None:
    contexts = [ENGLISH] if "Магомед" not in answer else ["Kompanija prodaje obuću. Ovo Иван Петров voli."]
    outcome = scored(contexts, answer)
    assert isinstance(outcome, Scored)
    assert outcome.value == value


def test_what_was_left_out_is_said() -> None:
    outcome = scored([ENGLISH], "保修期为发动机三年。巴黎是法国的首都。")
    assert isinstance(outcome, Scored)
    assert len(outcome.claims) == 1
    assert "1 more could not be compared" in (outcome.explanation or "")


def test_a_citation_of_a_document_in_another_language_is_not_called_unsupported() -> None:
    scorer = CitationScorer(Support())
    (outcomes,) = scorer.score(
        [reading([ENGLISH], "Schuhe können in jeder Filiale zurückgegeben werden [1].")], Deadline(30)
    )
    for key in (MetricKey.CITATION_ACCURACY, MetricKey.CITATION_COVERAGE):
        outcome = outcomes[key]
        assert isinstance(outcome, NotApplicable)
        assert outcome.reason is Reason.OTHER_LANGUAGE


def test_coverage_is_of_the_statements_of_which_it_can_be_told() -> None:
    answer = "Schuhe können in jeder Filiale zurückgegeben werden [1]. Die Garantie auf den Motor gilt drei Jahre [1]."
    (outcomes,) = CitationScorer(Support()).score([reading([ENGLISH], answer)], Deadline(30))
    coverage, accuracy = outcomes[MetricKey.CITATION_COVERAGE], outcomes[MetricKey.CITATION_ACCURACY]
    assert isinstance(coverage, Scored)
    assert isinstance(accuracy, Scored)
    assert (coverage.value, accuracy.value) == (1.0, 1.0)
    assert [citation.supported for citation in accuracy.citations] == [None, True]


def test_correctness_against_a_reference_in_another_language_is_unknown() -> None:
    given = reading([ENGLISH], "Schuhe können in jeder Filiale zurückgegeben werden.", reference=ENGLISH)
    (outcomes,) = AnswerCorrectness().score([given], Deadline(30))
    outcome = outcomes[MetricKey.ANSWER_CORRECTNESS]
    assert isinstance(outcome, NotApplicable)
    assert outcome.reason is Reason.OTHER_LANGUAGE
