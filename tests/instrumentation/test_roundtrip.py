"""What the instrumentation writes is what the collector reads."""

from collections.abc import Callable

from opentelemetry.sdk.trace import SpanLimits

from ragsonde.collector.decoder import decode_bytes
from ragsonde.collector.extraction import extract
from ragsonde.collector.model import Capture, Interaction, Trace
from ragsonde.demo import LANGUAGES, DemoApp, load_corpus
from ragsonde.instrumentation import RagTracer
from ragsonde.instrumentation.kafka_messages import Message, messages_of
from tests.instrumentation.tracing import Recorded

QUESTION = "Ile wynosi udział własny?"
ANSWER = "Udział własny wynosi 300 zł [1]."


def interactions(recorded: Recorded) -> list[Interaction]:
    """Send the recorded spans through the bytes on the wire and the collector's reading of them."""
    found: list[Interaction] = []
    for message in messages_of(recorded.spans, 1_000_000):
        assert isinstance(message, Message)
        decoded = decode_bytes(message.value)
        found += extract(Trace(message.key.decode(), tuple(decoded.spans), tuple(decoded.logs))).interactions
    return found


def read_back(work: Callable[[RagTracer], None], *, limits: SpanLimits | None = None, **options: str) -> Interaction:
    recorded = Recorded(limits)
    work(recorded.tracer(**options))
    [interaction] = interactions(recorded)
    return interaction


def ask(rag: RagTracer) -> None:
    with rag.interaction(QUESTION, conversation_id="c-1") as turn:
        with turn.retrieval("udział własny", data_source="handbook") as retrieval:
            retrieval.documents([{"id": "u", "score": 2.5, "content": "Udział własny wynosi 300 zł."}, "Inny."])
        with turn.generation("m-1", provider="p", messages=f"Udział własny wynosi 300 zł.\n{QUESTION}") as call:
            call.output(ANSWER)
        turn.answer(ANSWER)
        turn.cite(["u"])
        turn.feedback(0.5)


def test_a_full_interaction_comes_back_whole() -> None:
    interaction = read_back(ask)
    assert interaction.capture is Capture.CAPTURED
    assert interaction.question == QUESTION
    assert interaction.answer == ANSWER
    assert interaction.contexts is not None
    assert [(document.id, document.text) for document in interaction.contexts] == [
        ("u", "Udział własny wynosi 300 zł."),
        (None, "Inny."),
    ]
    assert interaction.contexts[0].score == 2.5
    assert interaction.conversation_id == "c-1"
    assert interaction.model == "m-1"
    assert interaction.cited_ids == ("u",)
    assert interaction.feedback == 0.5


def test_switched_off_content_comes_back_as_not_captured() -> None:
    interaction = read_back(ask, capture="off")
    assert interaction.capture is Capture.CONTENT_NOT_CAPTURED
    assert interaction.question is None
    assert interaction.answer is None


def test_an_empty_retrieval_comes_back_as_no_documents_rather_than_unknown_ones() -> None:
    def ask_in_vain(rag: RagTracer) -> None:
        with rag.interaction(QUESTION) as turn:
            with turn.retrieval(QUESTION) as retrieval:
                retrieval.documents([])
            with turn.generation("m", messages=QUESTION) as call:
                call.output(ANSWER)

    interaction = read_back(ask_in_vain)
    assert interaction.capture is Capture.CAPTURED
    assert interaction.contexts == ()


def test_an_answer_that_its_reader_left_comes_back_as_incomplete() -> None:
    def leave(rag: RagTracer) -> None:
        with rag.interaction(QUESTION) as turn:
            stream = turn.stream(iter(["Udział ", "własny"]))
        next(stream)
        stream.close()

    assert read_back(leave).capture is Capture.INCOMPLETE


def test_content_over_the_length_limit_comes_back_as_incomplete() -> None:
    assert read_back(ask, limits=SpanLimits(max_span_attribute_length=30)).capture is Capture.INCOMPLETE


def test_halves_of_characters_that_a_stream_was_cut_in_cost_no_span() -> None:
    def stream_halves(rag: RagTracer) -> None:
        with rag.interaction("q \udc00", conversation_id="c\udc00") as turn:
            with turn.retrieval("\ud800", data_source="d\udc00") as retrieval:
                retrieval.documents(["text \udfff"])
            with turn.generation("m", messages="\ud800") as call:
                list(call.stream(["smile \ud83d", "\ude00", " half \ud83d"]))
            turn.cite(["\ud800"])

    interaction = read_back(stream_halves)
    assert interaction.answer == "smile \U0001f600 half \ufffd"
    assert interaction.question == "q \ufffd"
    assert interaction.contexts is not None


def test_a_decorated_pipeline_without_a_generation_span_comes_back_whole() -> None:
    def ask_plainly(rag: RagTracer) -> None:
        search = rag.trace_retrieval(lambda query: ["Udział własny wynosi 300 zł."])
        rag.trace_answer(lambda question: f"{search(question)[0]} [1]")(QUESTION)

    interaction = read_back(ask_plainly)
    assert interaction.capture is Capture.CAPTURED
    assert interaction.answer == "Udział własny wynosi 300 zł. [1]"


def test_every_language_of_the_demonstration_comes_back_whole() -> None:
    recorded = Recorded()
    app = DemoApp(recorded.tracer())
    asked = [app.answer(load_corpus(language).questions[0].text, language=language) for language in LANGUAGES]
    found = {interaction.trace_id: interaction for interaction in interactions(recorded)}
    assert len(found) == len(LANGUAGES)
    for answered in asked:
        interaction = found[answered.trace_id]
        assert interaction.capture is Capture.CAPTURED
        assert interaction.question == answered.question
        assert interaction.answer == answered.text
        assert interaction.contexts is not None
        assert tuple(document.id for document in interaction.contexts) == answered.retrieved_ids
