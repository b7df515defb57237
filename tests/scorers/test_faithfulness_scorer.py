"""The local faithfulness scorer as the engine calls it: outcomes, values, claims and quotes, in many languages."""

from collections.abc import Mapping, Sequence

import pytest

from ragsonde.collector.clock import Deadline
from ragsonde.collector.model import Capture, Document, Interaction
from ragsonde.scorers.faithfulness import FaithfulnessScorer
from ragsonde.scorers.reading import Reading
from ragsonde.scorers.score import Claim, MetricKey, NotApplicable, Outcome, Reason, Scored, Verdict
from tests.builders import interaction

FAITHFUL, USED, RECALLED = MetricKey.FAITHFULNESS, MetricKey.CONTEXT_UTILISATION, MetricKey.CONTEXT_RECALL
SCORER = FaithfulnessScorer()
SUPPORTED, CONTRADICTED, NOT_FOUND = Verdict.SUPPORTED, Verdict.CONTRADICTED, Verdict.NOT_FOUND


def score_one(given: Interaction) -> Mapping[MetricKey, Outcome]:
    return SCORER.score([Reading(given)], Deadline(10))[0]


def faithfulness(contexts: Sequence[str | Document], answer: str, question: str | None = None) -> Scored:
    outcome = score_one(interaction(contexts=tuple(contexts), answer=answer, question=question))[FAITHFUL]
    assert isinstance(outcome, Scored), outcome
    return outcome


def verdicts(contexts: Sequence[str], answer: str, question: str | None = None) -> list[Verdict]:
    return [claim.verdict for claim in faithfulness(contexts, answer, question).claims]


def reason_of(outcome: Outcome) -> Reason:
    assert isinstance(outcome, NotApplicable), outcome
    return outcome.reason


# Worked examples ----------------------------------------------------------------------------------------------


def test_russian_one_of_three_claims_is_supported() -> None:
    outcome = faithfulness(
        ["ООО «Вектор» основано в 2010 году. Компания занимается поставкой оборудования."],
        "Компания основана в 2010 году. В ней работает 5000 сотрудников. Офис находится в Москве.",
        "Расскажи о компании",
    )
    assert outcome.value == pytest.approx(1 / 3)
    assert [claim.verdict for claim in outcome.claims] == [SUPPORTED, NOT_FOUND, NOT_FOUND]


ENGLISH = (
    "Employees get 15 vacation days a year. Remote work is possible on Wednesday and Friday. The CEO is Ahmad Zaki."
)
MALAY = (
    "Pekerja mendapat 15 hari cuti setiap tahun. Kerja jarak jauh dibenarkan pada hari Rabu dan Jumaat. "
    "Ketua Pegawai Eksekutif ialah Ahmad Zaki."
)


@pytest.mark.parametrize(
    ("context", "answer"),
    [
        (
            "Employees receive 15 vacation days per year. Remote work is allowed on Wednesday and Friday.",
            ENGLISH,
        ),
        (
            "Pekerja menerima 15 hari cuti setahun. Bekerja dari jauh dibenarkan pada hari Rabu dan Jumaat.",
            MALAY,
        ),
        (
            "Pekerja menerima 15 hari cuti setahun. Bekerja dari jauh dibenarkan pada hari Rabu dan Jumaat.",
            ENGLISH,
        ),
    ],
    ids=["English", "Malay", "English answer from Malay contexts"],
)
def test_an_invented_executive_costs_one_claim_of_three(context: str, answer: str) -> None:
    assert faithfulness([context], answer).value == pytest.approx(2 / 3)


def test_another_number_of_millions_is_a_contradiction_that_says_both() -> None:
    outcome = faithfulness(["The population of France is 67 million."], "The population of France is 69 million.")
    assert (outcome.value, outcome.label) == (0.0, "contradicted")
    (claim,) = outcome.claims
    assert claim.verdict is CONTRADICTED
    assert claim.reason is not None
    assert "69 million" in claim.reason
    assert "67 million" in claim.reason


def test_a_limit_agrees_over_decimal_comma_and_another_limit_does_not() -> None:
    context = "Die Norm begrenzt den Wert auf ≤ 1,5 %."
    assert verdicts([context], "Die Norm begrenzt den Wert auf ≤ 1.5%.") == [SUPPORTED]
    assert verdicts([context], "Die Norm begrenzt den Wert auf ≤ 1.1%.") == [CONTRADICTED]


def test_a_condition_that_narrows_a_general_limit_is_no_invention() -> None:
    answer = "Der Grenzwert ist ≤ 1.5% bei Blechen unter 1,6 mm Dicke. Ab 1.6 mm gilt der Grenzwert ≤ 1.1%."
    first, second = verdicts(["Der Anteil ist begrenzt: Grenzwert ≤ 1,5 % bei Blechen."], answer)
    assert first is SUPPORTED
    assert second is not SUPPORTED


@pytest.mark.parametrize(
    "answer", ["John Goodenough", "John Goodenough.", "Lithium battery density is John Goodenough."]
)
def test_a_name_for_a_topic_that_the_context_only_repeats_is_unsupported(answer: str) -> None:
    outcome = faithfulness(["Lithium battery density. Lithium battery density."], answer, "Lithium battery density")
    assert outcome.value == 0.0


def test_chinese_sentences_give_claims_and_a_replaced_city_is_seen() -> None:
    context = "公司成立于2010年，总部位于上海。员工人数为五千人。"
    outcome = faithfulness([context], "公司成立于2010年。总部位于北京！员工人数为5000人。", "介绍一下公司")
    assert [claim.verdict for claim in outcome.claims] == [SUPPORTED, NOT_FOUND, SUPPORTED]


@pytest.mark.parametrize(
    ("context", "answer"),
    [
        (
            "Klienci mogą zwrócić zakupiony towar w ciągu 14 dni od otrzymania przesyłki.",
            "Zakupione towary można zwrócić w terminie 14 dni od otrzymania przesyłki.",
        ),
        (
            "Zaposlenici imaju pravo na 20 dana godišnjeg odmora. Zahtjev se podnosi rukovodiocu.",
            "Zaposleniku pripada godišnji odmor od 20 dana. Zahtjevi se podnose rukovodiocima.",
        ),
        ("Firmu založil v roce 1998 Karel Novotný v Brně.", "Karel Novotný založil firmu v Brně roku 1998."),
        ("Kayıt ücreti 500 TL'dir ve 30 gün içinde ödenir.", "Ücret 30 günde ödenmelidir."),
        ("رسوم التسجيل ٥٠٠ ريال وتدفع خلال ٣٠ يوما.", "تدفع رسوم التسجيل خلال 30 يوما."),
        ("日本の首都は東京です。人口は約1400万人です。", "人口は約1400万人です。"),
        ("ค่าธรรมเนียมการสมัครคือ 500 บาท", "ค่าธรรมเนียมการสมัครคือ 500 บาท"),
        ("Sjedište firme je u Sarajevu.", "Сједиште фирме је у Сарајеву."),
        ("Vacation days are granted yearly: 15 days.", "15 days of vacation are granted yearly."),
    ],
    ids=["Polish", "Bosnian", "Czech", "Turkish", "Arabic", "Japanese", "Thai", "Serbian alphabets", "English"],
)
def test_paraphrases_with_inflection_are_supported(context: str, answer: str) -> None:
    assert set(verdicts([context], answer)) == {SUPPORTED}


# Short answers -------------------------------------------------------------------------------------------------


SHOP = ["Paris is the capital of France.", "You can return a product within 30 days of purchase."]


@pytest.mark.parametrize(
    ("question", "answer", "value"),
    [
        ("What is the capital of France?", "Paris", 1.0),
        ("What is the capital of France?", "London", 0.0),
        ("How long can I return a product?", "30 days", 1.0),
        ("How long can I return a product?", "60 days", 0.0),
        ("Can I return a product?", "Yes, within 30 days.", 1.0),
        ("Can I return a product?", "Yes, within 60 days.", 0.0),
    ],
)
def test_short_answers_are_read_together_with_the_question(question: str, answer: str, value: float) -> None:
    assert faithfulness(SHOP, answer, question).value == value


# Ambiguity -----------------------------------------------------------------------------------------------------


REGIONS = ["In the EU, the return window is 20 days.", "In the US, the return window is 30 days."]


def test_a_value_for_one_of_two_regions_is_ambiguous_and_the_reason_names_them() -> None:
    outcome = faithfulness(REGIONS, "The return window is 30 days.", "How long is the return window?")
    assert outcome.label == "ambiguous"
    assert outcome.value < 1.0
    (claim,) = outcome.claims
    assert claim.reason is not None
    assert all(word in claim.reason for word in ("EU", "US", "20 days", "30 days"))


def test_naming_the_region_in_answer_or_question_ends_the_ambiguity() -> None:
    assert faithfulness(REGIONS, "In the US, the return window is 30 days.").value == 1.0
    assert (
        faithfulness(REGIONS, "The return window is 30 days.", "How long is the return window in the US?").value == 1.0
    )


def test_the_value_of_the_region_that_was_not_asked_for_is_a_contradiction() -> None:
    outcome = faithfulness(REGIONS, "The return window is 30 days.", "How long is the return window in the EU?")
    assert [claim.verdict for claim in outcome.claims] == [CONTRADICTED]


# Outcomes ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ({"answer": ""}, Reason.EMPTY_ANSWER),
        ({"answer": "N/A"}, Reason.EMPTY_ANSWER),
        ({"answer": "I don't know."}, Reason.REFUSAL),
        ({"answer": "Nie wiem."}, Reason.REFUSAL),
        ({"answer": "I don't know.", "contexts": ()}, Reason.REFUSAL),
        ({"answer": "Hello! How can I help you?"}, Reason.NO_CLAIMS),
        ({"answer": None}, Reason.INCOMPLETE),
        ({"contexts": None}, Reason.CONTEXTS_NOT_CAPTURED),
        ({"capture": Capture.CONTENT_NOT_CAPTURED}, Reason.CONTENT_NOT_CAPTURED),
        ({"contexts": (Document(text=None, rank=1, id="a"),)}, Reason.CONTEXTS_NOT_CAPTURED),
    ],
)
def test_what_cannot_be_scored_says_why(values: Mapping[str, object], reason: Reason) -> None:
    assert reason_of(score_one(interaction(**values))[FAITHFUL]) is reason


@pytest.mark.parametrize("contexts", [(), ("",), ("", " \n")])
def test_facts_without_any_context_are_ungrounded(contexts: tuple[str, ...]) -> None:
    scores = score_one(interaction(contexts=contexts, answer="The tower was finished in 1889. It is 330 m high."))
    outcome = scores[FAITHFUL]
    assert isinstance(outcome, Scored)
    assert (outcome.value, outcome.label) == (0.0, "ungrounded")
    assert [claim.verdict for claim in outcome.claims] == [NOT_FOUND, NOT_FOUND]
    assert reason_of(scores[USED]) is Reason.NO_CONTEXT


def test_facts_beside_a_refusal_are_scored() -> None:
    outcome = faithfulness(
        ["The museum opens at 9:00 and was built in 1901."],
        "I don't know the entrance fee. The museum was built in 1901. It opens at 9 am.",
        "What is the entrance fee?",
    )
    assert outcome.value == 1.0
    assert len(outcome.claims) == 2


def test_a_batch_gives_one_mapping_a_reading_in_order() -> None:
    readings = [Reading(interaction(answer=a)) for a in ("You can return it within 30 days.", "", "Within 60 days.")]
    first, second, third = SCORER.score(readings, Deadline(10))
    assert first[FAITHFUL] != third[FAITHFUL]
    assert reason_of(second[FAITHFUL]) is Reason.EMPTY_ANSWER
    assert all(set(scores) == set(SCORER.keys) for scores in (first, second, third))


# Quotes --------------------------------------------------------------------------------------------------------


def test_quotes_stand_verbatim_in_the_documents_that_are_named() -> None:
    documents = (
        Document(text="Intro.\n\nReturns are   free within 30 days. Ask us.", rank=1, id="a"),
        Document(text="Shipping takes 3–5 days.", rank=2),
    )
    claims = faithfulness(documents, "Returns are free within 30 days. Shipping takes 3-5 days.").claims
    assert [claim.context_ids for claim in claims] == [("a",), ("2",)]
    for claim, document in zip(claims, documents, strict=True):
        assert claim.quote
        assert claim.quote in (document.text or "")


def test_claims_are_cut_out_of_the_answer() -> None:
    answer = "Hi! Returns are free within 30 days. The CEO is Ann Lee."
    for claim in faithfulness(["Returns are free within 30 days."], answer).claims:
        assert isinstance(claim, Claim)
        assert answer[claim.start : claim.end] == claim.text
        assert claim.probability is not None
        assert 0.0 <= claim.probability <= 1.0
        assert claim.reason


# Utilisation and recall ----------------------------------------------------------------------------------------


def test_utilisation_is_the_share_of_documents_that_support_a_claim() -> None:
    contexts = (
        "Returns are free within 30 days.",
        "Our office is in Graz.",
        "Returns are free within 30 days of purchase.",
    )
    outcome = score_one(interaction(contexts=contexts, answer="Returns are free within 30 days."))[USED]
    assert isinstance(outcome, Scored)
    assert outcome.value == pytest.approx(2 / 3)


def test_recall_is_the_share_of_the_reference_that_the_contexts_hold() -> None:
    scores = score_one(
        interaction(
            contexts=("Returns are free within 30 days.",),
            answer="I don't know.",
            reference="Returns are free within 30 days. Refunds are paid by bank transfer.",
        )
    )
    outcome = scores[RECALLED]
    assert isinstance(outcome, Scored)
    assert outcome.value == 0.5
    assert reason_of(scores[FAITHFUL]) is Reason.REFUSAL


def test_recall_needs_a_reference_and_is_0_where_nothing_was_retrieved() -> None:
    assert reason_of(score_one(interaction())[RECALLED]) is Reason.NO_REFERENCE
    empty = score_one(interaction(contexts=(), reference="Returns are free within 30 days."))[RECALLED]
    assert isinstance(empty, Scored)
    assert (empty.value, empty.label) == (0.0, "no_context")
    assert (
        reason_of(score_one(interaction(contexts=None, reference="30 days."))[RECALLED]) is Reason.CONTEXTS_NOT_CAPTURED
    )
