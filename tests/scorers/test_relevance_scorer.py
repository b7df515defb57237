"""The local relevance scorer on cases whose answer a reader would not doubt, in several languages."""

from collections.abc import Mapping, Sequence

import pytest

from ragsonde.collector.clock import Deadline
from ragsonde.collector.errors import ConfigError
from ragsonde.collector.model import Capture, Interaction
from ragsonde.scorers.reading import Reading
from ragsonde.scorers.relevance import RelevanceScorer, average_precision
from ragsonde.scorers.score import Failed, FailureKind, MetricKey, NotApplicable, Outcome, Reason, Scored
from tests.builders import interaction
from tests.embedders import MissingEmbedder, TrigramEmbedder, local_embedder

ANSWER = MetricKey.ANSWER_RELEVANCE
CONTEXT = MetricKey.CONTEXT_RELEVANCE
PRECISION = MetricKey.CONTEXT_PRECISION
REFUSAL = MetricKey.REFUSAL_CORRECTNESS
COW = "Cows are ruminants. The stomach of a cow has four compartments, so it is often said to have four stomachs."


def score(
    question: str | None, contexts: Sequence[str] | None, answer: str | None, capture: Capture = Capture.CAPTURED
) -> Mapping[MetricKey, Outcome]:
    given = interaction(question=question, contexts=contexts, answer=answer, capture=capture)
    return score_all([given])[0]


def score_all(interactions: Sequence[Interaction]) -> list[Mapping[MetricKey, Outcome]]:
    return RelevanceScorer(local_embedder()).score([Reading(given) for given in interactions], Deadline(600))


def value(outcome: Outcome) -> float:
    assert isinstance(outcome, Scored), outcome
    return outcome.value


@pytest.mark.parametrize(
    ("question", "price", "rest"),
    [
        (
            "How much does the phone cost?",
            "The phone costs 499 euros.",
            "Its camera is good. Delivery takes three days.",
        ),
        ("Сколько стоит телефон?", "Телефон стоит 30 000 рублей.", "У него хорошая камера. Доставка занимает три дня."),
        (
            "Berapakah harga telefon itu?",
            "Telefon itu berharga RM1,499.",
            "Kameranya 48 megapiksel. Penghantaran mengambil masa tiga hari.",
        ),
    ],
    ids=["en", "ru", "ms"],
)
def test_one_sentence_of_three_that_answers_gives_a_third(question: str, price: str, rest: str) -> None:
    assert value(score(question, [f"{price} {rest}"], price)[CONTEXT]) == pytest.approx(1 / 3)


def test_no_retrieved_text_has_no_relevance() -> None:
    for contexts in ([], [""], [" \n", "…"]):
        found = score("What is the fee?", contexts, "The fee is 20 euros.")[CONTEXT]

        assert isinstance(found, Scored)
        assert (found.value, found.label) == (0.0, "no_context")


def test_keyword_queries_stay_within_bounds() -> None:
    scores = score("comedy, family, film", ["The Lion King", "Toy Story", "Finding Nemo"], "Toy Story")

    assert all(0.0 <= value(scores[key]) <= 1.0 for key in (ANSWER, CONTEXT, PRECISION))


def test_only_the_text_between_tags_counts() -> None:
    page = (
        "<div><p>Owls fly silently because <a href='/feathers?fly=1'>their feathers are serrated</a>.</p>"
        "<script>var owl = 'how do owls fly';</script><p>The barn is <b>red</b>.</p></div>"
    )
    plain = ["Owls fly silently because their feathers are serrated.\n\nThe barn is red."]

    assert value(score("How do owls fly?", [page], "Silently.")[CONTEXT]) == 0.5
    assert value(score("How do owls fly?", plain, "Silently.")[CONTEXT]) == 0.5


def test_precision_falls_with_the_rank_of_the_document_that_answers() -> None:
    answering = "Paris is the capital of France."
    others = ["Lyon is known for its food.", "The Alps are a mountain range."]

    values = [
        value(score("What is the capital of France?", [*others[:at], answering, *others[at:]], "Paris.")[PRECISION])
        for at in range(3)
    ]

    assert values == pytest.approx([1.0, 1 / 2, 1 / 3])


@pytest.mark.parametrize(
    ("relevant", "expected"),
    [([], 0.0), ([False], 0.0), ([True, False, True], (1 + 2 / 3) / 2), ([False, True, True], (1 / 2 + 2 / 3) / 2)],
)
def test_average_precision_is_the_mean_of_the_precisions_at_relevant_ranks(
    relevant: list[bool], expected: float
) -> None:
    assert average_precision(relevant) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("question", "contexts", "answer"),
    [
        ("How long is the return window?", ["Items can be returned within 30 days."], "30 days"),
        ("How long is the return window?", None, "30 days"),
        ("How long can I return an item?", ["Items can be returned within 30 days."], "Die Frist beträgt 30 Tage."),
        ("Who founded the bakery?", ["The bakery was founded by Clara Osei."], "Clara Osei"),
        ("Is breakfast included?", ["Breakfast is included in every room price."], "Yes."),
        ("Сколько дней занимает доставка?", ["Доставка занимает три дня."], "Три дня"),
        ("Berapa hari masa penghantaran?", ["Penghantaran mengambil masa tiga hari."], "Tiga hari"),
        ("送货需要多少天？", ["送货需要三天。"], "三天"),
    ],
)
def test_a_short_or_foreign_answer_that_fits_is_relevant(
    question: str, contexts: list[str] | None, answer: str
) -> None:
    assert value(score(question, contexts, answer)[ANSWER]) >= 0.5


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("When was the bridge built?", "Happy holidays! I love going to the beach with my friends in summer!"),
        ("What is the capital of France?", "Bananas are rich in potassium."),
        ("Сколько стоит билет?", "Какой чудесный день для прогулки у моря!"),
        ("Ile trwa dostawa?", "Życzę wesołych świąt i dużo uśmiechu!"),
        ("送货需要多少天？", "今天天气真好，祝您假期愉快！"),
        ("Berapakah harga tiket?", "Selamat bercuti, semoga hari anda ceria!"),
    ],
)
def test_a_remark_beside_the_point_is_not_relevant(question: str, answer: str) -> None:
    assert value(score(question, ["The bridge was built in 1932."], answer)[ANSWER]) < 0.3


def test_a_refusal_where_the_source_answers_is_unjustified() -> None:
    scores = score("How many stomachs does a cow have?", [COW], "The source does not say how many stomachs a cow has.")

    found = scores[REFUSAL]
    assert isinstance(found, Scored)
    assert (found.value, found.label) == (0.0, "unjustified")
    assert value(scores[ANSWER]) == 0.0


@pytest.mark.parametrize("contexts", [[], ["Returns are accepted within 30 days. Shipping is free over 50 euros."]])
def test_a_refusal_where_nothing_answers_is_justified(contexts: list[str]) -> None:
    scores = score("Does the app support dark mode on Linux?", contexts, "I don't know.")

    found = scores[REFUSAL]
    assert isinstance(found, Scored)
    assert (found.value, found.label) == (1.0, "justified")
    assert scores[ANSWER] == NotApplicable(Reason.REFUSAL)


def test_a_refusal_cannot_be_judged_without_its_contexts() -> None:
    scores = score("Does the app support dark mode?", None, "I don't know.")

    assert scores[REFUSAL] == NotApplicable(Reason.CONTEXTS_NOT_CAPTURED)
    assert scores[ANSWER] == NotApplicable(Reason.REFUSAL)


def test_an_answer_is_no_refusal() -> None:
    assert score("What is the fee?", ["The fee is 20 euros."], "20 euros.")[REFUSAL] == NotApplicable(Reason.NO_REFUSAL)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"question": None}, dict.fromkeys((ANSWER, CONTEXT, PRECISION, REFUSAL), Reason.NO_QUESTION)),
        ({"question": " ?! "}, dict.fromkeys((ANSWER, CONTEXT, PRECISION, REFUSAL), Reason.NO_QUESTION)),
        ({"answer": None}, dict.fromkeys((ANSWER, CONTEXT, PRECISION, REFUSAL), Reason.INCOMPLETE)),
        (
            {"capture": Capture.CONTENT_NOT_CAPTURED},
            dict.fromkeys((ANSWER, CONTEXT, PRECISION, REFUSAL), Reason.CONTENT_NOT_CAPTURED),
        ),
        ({"answer": "[]"}, {ANSWER: Reason.EMPTY_ANSWER}),
        ({"answer": "  "}, {ANSWER: Reason.EMPTY_ANSWER, REFUSAL: Reason.NO_REFUSAL}),
        ({"contexts": None}, {CONTEXT: Reason.CONTEXTS_NOT_CAPTURED, PRECISION: Reason.CONTEXTS_NOT_CAPTURED}),
        ({"contexts": []}, {PRECISION: Reason.NO_CONTEXT}),
    ],
)
def test_what_cannot_be_told_is_said_with_its_reason(
    given: dict[str, object], expected: dict[MetricKey, Reason]
) -> None:
    (scores,) = score_all([interaction(**given)])

    for key, reason in expected.items():
        outcome = scores[key]
        assert isinstance(outcome, NotApplicable)
        assert outcome.reason is reason


def test_a_batch_scores_like_its_parts() -> None:
    given = [
        interaction(question=f"How many rooms has hotel {n}?", answer=f"Hotel {n} has {n} rooms.") for n in range(20)
    ]

    assert score_all(given) == [score_all([one])[0] for one in given]


@pytest.mark.parametrize("embedder", [None, MissingEmbedder()])
def test_without_a_model_what_needs_none_is_still_said(embedder: MissingEmbedder | None) -> None:
    scorer = RelevanceScorer(embedder)
    readings = [Reading(interaction()), Reading(interaction(contexts=[], answer="I don't know."))]

    answered, refused = scorer.score(readings, Deadline(600))

    assert {key: getattr(outcome, "reason", None) for key, outcome in answered.items()} == {
        ANSWER: Reason.NO_MODEL,
        CONTEXT: Reason.NO_MODEL,
        PRECISION: Reason.NO_MODEL,
        REFUSAL: Reason.NO_REFUSAL,
    }
    assert value(refused[REFUSAL]) == 1.0
    assert value(refused[CONTEXT]) == 0.0


def test_no_time_left_is_a_timeout() -> None:
    (scores,) = RelevanceScorer(local_embedder()).score([Reading(interaction())], Deadline(0))

    for outcome in scores.values():
        assert isinstance(outcome, Failed)
        assert outcome.kind is FailureKind.TIMEOUT


def test_an_embedder_on_another_scale_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"calibrated for multilingual-e5-small, not for trigrams"):
        RelevanceScorer(TrigramEmbedder())
