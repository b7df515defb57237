"""The demonstration is a real small RAG application whose ground truth is known."""

import json
import random
import threading
from collections import Counter
from typing import Any

import pytest
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from ragsonde.demo import (
    HALLUCINATIONS,
    LANGUAGES,
    DemoApp,
    Fault,
    Phase,
    Progress,
    Schedule,
    Traffic,
    load_corpora,
    load_corpus,
    run_traffic,
)
from ragsonde.demo.faults import falsified
from ragsonde.demo.retriever import Retriever, terms
from ragsonde.instrumentation import RagTracer
from ragsonde.redaction import Redactor
from tests.instrumentation.tracing import Recorded

SILENT = RagTracer()


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_corpus_is_complete_and_its_parts_fit(language: str) -> None:
    corpus = load_corpus(language)
    ids = {document.id for document in corpus.documents}
    text = "\n".join(document.text for document in corpus.documents)
    assert len(ids) == len(corpus.documents) >= 8
    assert len(corpus.questions) >= 12
    assert {question.document_id for question in corpus.questions} <= ids
    assert all(name in text for name, _ in corpus.names)
    assert all(phrase in text for phrase, _ in corpus.negations)
    assert not any(invention in text for invention in corpus.inventions)
    assert len(corpus.unanswerable) >= 4
    assert len(corpus.greetings) >= 2
    assert len(corpus.refusals) >= 2


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_question_is_answered_from_the_right_document_with_a_true_citation(language: str) -> None:
    corpus = load_corpus(language)
    documents = {document.id: document for document in corpus.documents}
    app = DemoApp(SILENT, corpora=[corpus])
    for question in corpus.questions:
        answered = app.answer(question.text)
        [sentence] = [
            sentence
            for sentence in documents[question.document_id].sentences
            if answered.text.startswith(sentence.rstrip("。."))
        ]
        rank = answered.retrieved_ids.index(question.document_id) + 1
        assert f"[{rank}]" in answered.text, sentence
        assert answered.fault is Fault.NONE


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_no_document_answers_is_refused_and_greetings_are_returned(language: str) -> None:
    corpus = load_corpus(language)
    app = DemoApp(SILENT, corpora=[corpus])
    for question in corpus.unanswerable:
        assert app.answer(question).text in corpus.refusals
    for greeting, reply in corpus.greetings:
        assert app.answer(greeting).text == reply


def test_the_language_of_a_question_is_found_by_its_documents() -> None:
    app = DemoApp(SILENT)
    for corpus in load_corpora():
        for question in corpus.questions:
            assert app.answer(question.text).language == corpus.language


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("fault", HALLUCINATIONS)
def test_a_hallucination_says_what_no_document_says(language: str, fault: Fault) -> None:
    corpus = load_corpus(language)
    everything = " ".join(document.text for document in corpus.documents)
    chance = random.Random(1)
    holds = 0
    for document in corpus.documents:
        for sentence in document.sentences:
            false = falsified(sentence, fault, corpus, chance)
            if false is not None:
                holds += 1
                assert false != sentence
                assert false not in everything
    assert holds >= 3


def test_each_fault_that_is_not_a_hallucination_has_its_own_mark() -> None:
    corpus = load_corpus("en")
    app = DemoApp(SILENT, corpora=[corpus])
    question = corpus.questions[1]
    documents = {document.id: document for document in corpus.documents}

    refused = app.answer(question.text, fault=Fault.UNJUSTIFIED_REFUSAL)
    assert refused.text in corpus.refusals
    assert question.document_id in refused.retrieved_ids

    astray = app.answer(question.text, fault=Fault.OFF_TOPIC)
    assert astray.text.split(" [")[0] not in documents[question.document_id].text
    assert astray.text.split(" [")[0] in " ".join(document.text for document in corpus.documents)

    missed = app.answer(question.text, fault=Fault.RETRIEVAL_MISS, withheld_id=question.document_id)
    assert question.document_id not in missed.retrieved_ids
    assert missed.fault is Fault.RETRIEVAL_MISS

    cited = app.answer(question.text, fault=Fault.WRONG_CITATION)
    rank = int(cited.text.split("[")[1].split("]")[0])
    assert cited.retrieved_ids[rank - 1] != question.document_id


def test_an_answer_is_recorded_as_a_whole_interaction_without_its_ground_truth() -> None:
    recorded = Recorded()
    app = DemoApp(recorded.tracer())
    answered = app.answer("Ile kosztuje ubezpieczenie roweru?", fault=Fault.CHANGED_NUMBER, feedback=-1)
    root = recorded.attributes("invoke_workflow")
    assert root["ragsonde.question"] == answered.question
    assert root["ragsonde.answer"] == answered.text
    assert root["ragsonde.feedback"] == -1.0
    documents = recorded.json("retrieval demo-pl", "gen_ai.retrieval.documents")
    assert [document["id"] for document in documents] == list(answered.retrieved_ids)
    assert all(document["content"] for document in documents)
    context = recorded.span("invoke_workflow").context
    assert context is not None
    assert answered.trace_id == f"{context.trace_id:032x}"
    spans = json.dumps([json.loads(span.to_json()) for span in recorded.spans], ensure_ascii=False)
    assert not any(str(fault) in spans for fault in Fault if fault is not Fault.NONE)


def test_the_same_seed_gives_the_same_traffic() -> None:
    def answers(seed: int) -> list[tuple[str, str, Fault]]:
        traffic = Traffic(DemoApp(SILENT, seed=seed), Schedule(), seed=seed)
        progress = [traffic.ask(float(moment)) for moment in range(60)]
        return [(one.last.question, one.last.text, one.last.fault) for one in progress]

    assert answers(3) == answers(3)
    assert answers(3) != answers(4)


def test_hallucinations_are_rare_outside_the_spike_and_common_inside() -> None:
    schedule = Schedule(spike_after_seconds=1000, spike_seconds=1000)
    traffic = Traffic(DemoApp(SILENT, seed=7), schedule, seed=7)
    ratio: dict[Phase, list[bool]] = {Phase.NORMAL: [], Phase.SPIKE: []}
    faults: Counter[Fault] = Counter()
    for moment in range(3000):
        progress = traffic.ask(float(moment))
        ratio[progress.phase].append(progress.last.fault in HALLUCINATIONS)
        faults[progress.last.fault] += 1
    assert len(ratio[Phase.SPIKE]) == 1000
    assert 0.01 < sum(ratio[Phase.NORMAL]) / 2000 < 0.07
    assert 0.37 < sum(ratio[Phase.SPIKE]) / 1000 < 0.53
    assert set(faults) == set(Fault)
    assert progress.hallucinated == sum(map(sum, ratio.values()))


class SteppedTime:
    """A clock that moves only when someone waits, and the event that they wait for."""

    def __init__(self) -> None:
        self.now = 100.0
        self.waits: list[float] = []

    def monotonic(self) -> float:
        return self.now

    def wait(self, seconds: float) -> bool:
        self.waits.append(seconds)
        self.now += seconds
        return len(self.waits) > 10


def test_questions_come_at_the_rate_of_the_script() -> None:
    moments: list[float] = []
    clock: Any = SteppedTime()
    traffic = Traffic(DemoApp(SILENT), Schedule(interactions_per_second=4))
    traffic.run(clock, lambda progress: moments.append(progress.elapsed_seconds), monotonic=clock.monotonic)
    assert moments == [number * 0.25 for number in range(10)]


def test_a_machine_that_falls_behind_asks_less_and_not_in_bursts() -> None:
    clock: Any = SteppedTime()
    traffic = Traffic(DemoApp(SILENT), Schedule(interactions_per_second=4))

    def slow(progress: Progress) -> None:
        clock.now += 5.0

    traffic.run(clock, slow, monotonic=clock.monotonic)
    assert clock.waits == [0.0] * 11


def test_traffic_sends_whole_traces_through_any_exporter_and_flushes_at_the_end() -> None:
    exporter = InMemorySpanExporter()
    stop = threading.Event()
    told: list[Progress] = []

    def note(progress: Progress) -> None:
        told.append(progress)
        if progress.sent == 14:
            stop.set()

    run_traffic(exporter, stop=stop, on_progress=note, seed=1, interactions_per_second=1000, spike_after_seconds=0)
    spans = exporter.get_finished_spans()
    assert [progress.sent for progress in told] == list(range(1, 15))
    assert told[-1].phase is Phase.SPIKE
    assert {progress.last.language for progress in told} == set(LANGUAGES)
    assert len(spans) == 3 * 14
    assert {f"{span.context.trace_id:032x}" for span in spans} == {progress.last.trace_id for progress in told}
    assert {span.resource.attributes["service.name"] for span in spans} == {"ragsonde-demo"}


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_redactor_finds_nothing_personal_in_the_corpus(language: str) -> None:
    redactor = Redactor()
    corpus = load_corpus(language)
    for document in corpus.documents:
        assert redactor(document.text) == document.text
    for question in corpus.questions:
        assert redactor(question.text) == question.text


def test_terms_join_inflected_forms_and_split_han_text() -> None:
    assert terms("Zgłoszenia, zgłoszenie!") == ["zgłos", "zgłos"]
    assert terms("保修期36个月") == ["保修", "修期", "36", "个月"]
    assert terms("") == []


def test_ranking_prefers_the_document_that_shares_rarer_words() -> None:
    corpus = load_corpus("en")
    [best, *_] = Retriever(corpus.documents).search("Which gift card can I buy?", 3)
    assert best.document.id == "en-giftcards"
    assert best.score > 0


def test_an_unknown_language_is_refused() -> None:
    with pytest.raises(ValueError, match="en, pl, de, ru, bs, ms, zh"):
        load_corpus("xx")
