"""Verdicts on single claims: facts, negation, length, noise."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragsonde.scorers.faithfulness.alignment import Evidence
from ragsonde.scorers.faithfulness.analysis import AnalysisCache
from ragsonde.scorers.faithfulness.verdicts import ClaimCheck, Judgement
from ragsonde.scorers.score import Verdict
from ragsonde.scorers.text.language import detect_language
from ragsonde.scorers.text.segmentation import split_sentences

CACHE = AnalysisCache()
SUPPORTED, CONTRADICTED, NOT_FOUND = Verdict.SUPPORTED, Verdict.CONTRADICTED, Verdict.NOT_FOUND


def judge(claim: str, *contexts: str, question: str = "") -> Judgement:
    documents = [CACHE.analysed(text, lambda text=text: split_sentences(text)) for text in contexts]
    return ClaimCheck(Evidence(documents, question), language=detect_language(claim)).judge(claim)


@pytest.mark.parametrize(
    ("context", "claim"),
    [
        ("Das Gerät darf nicht im Freien betrieben werden.", "Das Gerät darf im Freien betrieben werden."),
        ("Устройство нельзя использовать на улице.", "Устройство можно использовать на улице."),
        ("该设备不能在户外使用。", "该设备可以在户外使用。"),
        ("Uređaj se ne smije koristiti na otvorenom.", "Uređaj se smije koristiti na otvorenom."),
        ("Peranti ini tidak boleh digunakan di luar.", "Peranti ini boleh digunakan di luar."),
        ("Shipping costs are not refundable.", "Shipping costs are refundable."),
        ("Shipping costs are refundable.", "Shipping costs are not refundable."),
        ("Shipping costs are nonrefundable.", "Shipping costs are refundable."),
        ("Revenue rose by 12% in 2020.", "Revenue fell by 12% in 2020."),
        ("Smoking is allowed on the terrace.", "Smoking is prohibited on the terrace."),
    ],
)
def test_the_opposite_of_a_passage_is_a_contradiction(context: str, claim: str) -> None:
    assert judge(claim, context).verdict is CONTRADICTED
    assert judge(context, context).verdict is SUPPORTED


@pytest.mark.parametrize(
    ("context", "claim"),
    [
        ("The ferry to Vis leaves at 10.", "The ferry to Vis leaves at 11."),
        ("Boarding is at gate 5 for all passengers.", "Boarding is at gate 7."),
        ("The rules are in chapter 3 of the manual.", "The rules are in chapter 4 of the manual."),
        ("Der Zug fährt um 8 von Gleis 4.", "Der Zug fährt um 8 von Gleis 5."),
        ("Поезд отправляется с пути 4.", "Поезд отправляется с пути 6."),
        ("Pociąg odjeżdża z peronu 2.", "Pociąg odjeżdża z peronu 3."),
        ("Vlak polazi s perona 2.", "Vlak polazi s perona 3."),
        ("Kereta api berlepas dari platform 2.", "Kereta api berlepas dari platform 3."),
        ("El autobús sale a las 8.", "El autobús sale a las 9."),
        ("The match ended 2 to 1.", "The match ended 3 to 1."),
    ],
)
def test_a_small_number_after_the_same_words_is_compared(context: str, claim: str) -> None:
    assert judge(claim, context).verdict is CONTRADICTED
    assert judge(context, context).verdict is SUPPORTED


@pytest.mark.parametrize(
    ("context", "claim"),
    [
        ("Rooms 3, 4 and 5 are closed.", "Room 4 is closed."),
        ("Boarding is at gate 5. Gate 7 is closed.", "Boarding is at gate 5."),
        ("You can pay by card, by invoice or in cash.", "There are 3 ways to pay: card, invoice or cash."),
        (
            "The guide lists kayaking, hiking and cycling.",
            "The guide lists 3 activities: kayaking, hiking and cycling.",
        ),
    ],
)
def test_a_number_of_a_list_and_one_that_counts_it_are_borne_out(context: str, claim: str) -> None:
    assert judge(claim, context).verdict is SUPPORTED


@pytest.mark.parametrize(
    ("context", "claim", "verdict"),
    [
        ("The dose is 1.250 mg.", "The dose is 1,250 mg.", CONTRADICTED),
        ("Die Strecke ist 1,250 km lang.", "Die Strecke ist 1.250 km lang.", CONTRADICTED),
        ("The tank holds 1,200 litres.", "The tank holds 1.2 litres.", CONTRADICTED),
        ("El depósito contiene 1.200 litros.", "El depósito contiene 1,200 litros.", SUPPORTED),
        ("The tank holds 1,200 litres.", "Der Tank fasst 1.200 Liter.", SUPPORTED),
        ("Das Gehalt beträgt 1.234,56 Euro.", "Das Gehalt beträgt 1,234.56 Euro.", SUPPORTED),
    ],
)
def test_thousands_are_no_decimals_within_one_language(context: str, claim: str, verdict: Verdict) -> None:
    assert judge(claim, context).verdict is verdict


@pytest.mark.parametrize(
    ("context", "claim"),
    [
        ("Ratio of flour to water is 1:3.", "Ratio of flour to water is 3:1."),
        ("The score was 2:1.", "The score was 1:2."),
        ("Team A won 3–1.", "Team A won 3–2."),
        ("Bayern beat Dortmund 2:1.", "Bayern beat Dortmund 2:0."),
        ("Take one tablet three times a day.", "Take three tablets once a day."),
        ("Mix 1 part bleach with 9 parts water.", "Mix 9 parts bleach with 1 part water."),
        ("Use 2 cups of sugar and 1 cup of flour.", "Use 1 cup of sugar."),
        ("Give 5 mg of Alvox and 10 mg of Brenta.", "Give 10 mg of Alvox."),
    ],
)
def test_numbers_that_change_places_are_a_contradiction(context: str, claim: str) -> None:
    assert judge(claim, context).verdict is CONTRADICTED


@pytest.mark.parametrize(
    ("context", "claim"),
    [
        ("Ratio of flour to water is 1:3.", "The ratio of flour to water is 1 to 3."),
        ("Bayern beat Dortmund 2:1.", "Dortmund lost to Bayern 1:2."),
        ("Pages 10-15 cover this.", "Pages 10–15 cover this."),
        ("Mix 1 part bleach with 9 parts water.", "Mix 9 parts water with 1 part bleach."),
        ("Give 5 mg of Alvox and 10 mg of Brenta.", "Give 10 mg of Brenta."),
        ("Sear for 3 minutes a side. Cook the edges for 1 min per side.", "Sear for 3 minutes per side."),
        ("Tolerance is plus or minus 5 degrees.", "Tolerance is ±5 degrees."),
    ],
)
def test_numbers_that_stay_with_what_they_count_are_borne_out(context: str, claim: str) -> None:
    assert judge(claim, context).verdict is SUPPORTED


def test_two_negations_cancel() -> None:
    assert (
        judge("It is possible to cancel the order.", "It is not impossible to cancel the order.").verdict is SUPPORTED
    )


@pytest.mark.parametrize(
    ("context", "claim", "verdict"),
    [
        ("The meeting is on 3 March 2021 at 14:30.", "The meeting is on 2021-03-03 at 2:30 pm.", SUPPORTED),
        ("The meeting is on 3 March 2021.", "The meeting is on 4 March 2021.", CONTRADICTED),
        ("The meeting is on 3 March 2021 at 14:30.", "The meeting is on 3 March 2021 at 3:30 pm.", CONTRADICTED),
        ("The distance is 1 km.", "The distance is 1000 m.", SUPPORTED),
        ("The distance is 1 km.", "The distance is 1000 km.", CONTRADICTED),
        ("The offer is valid for 2 weeks.", "The offer is valid for 14 days.", SUPPORTED),
        ("The offer is valid for 30 days.", "The offer is valid for 30 months.", CONTRADICTED),
        ("The shop is open on Monday and Friday.", "The shop is open on Monday and Tuesday.", CONTRADICTED),
        ("The RTX-4080 has 16 GB of memory.", "The RTX-4090 has 16 GB of memory.", CONTRADICTED),
        ("Basic costs 10 EUR, Pro costs 20 EUR.", "Basic costs 20 EUR.", CONTRADICTED),
        ("Basic costs 10 EUR, Pro costs 20 EUR.", "Pro costs 20 EUR.", SUPPORTED),
        ("Anna Berg won the race in 2 hours 5 minutes.", "Anna Berg won the race in 125 minutes.", SUPPORTED),
        ("Anna Berg won the race.", "Maria Berg won the race.", NOT_FOUND),
        ("The World Health Organization issued a warning.", "The WHO issued a warning.", SUPPORTED),
        ("The company employs 5,000 people.", "The company employs 6,000 people.", CONTRADICTED),
        ("Revenue was 3.4 billion euros.", "Revenue was €3.4bn.", SUPPORTED),
    ],
)
def test_facts_decide(context: str, claim: str, verdict: Verdict) -> None:
    assert judge(claim, context).verdict is verdict


def test_the_question_lends_its_words_but_does_not_support() -> None:
    question = "What is the fee for students?"
    assert judge("The fee for students is 20 EUR.", "The charge is 20 EUR.", question=question).verdict is SUPPORTED
    assert judge("The fee for students is high.", "Fees for students.", question=question).verdict is NOT_FOUND


def test_a_bare_yes_or_no_stands_for_the_question() -> None:
    context, question = "You can return a product within 30 days.", "Can I return a product?"
    assert judge("Yes.", context, question=question).verdict is SUPPORTED
    assert judge("No.", context, question=question).verdict is CONTRADICTED


def test_a_claim_may_draw_on_two_sentences_of_one_document() -> None:
    context = "The tower was built by Gustave Eiffel. It opened in Paris in 1889. Entry costs 20 EUR."
    assert judge("The tower built by Gustave Eiffel opened in 1889.", context).verdict is SUPPORTED


@pytest.mark.parametrize("tag", ["<p>{}</p>", '<a href="https://example.org/x">{}</a>', "**{}**", "> {}"])
def test_markup_around_the_passage_does_not_matter(tag: str) -> None:
    context = tag.format("Owls fly silently thanks to soft feathers.")
    assert judge("Owls fly silently thanks to soft feathers.", context).verdict is SUPPORTED


# Length --------------------------------------------------------------------------------------------------------


def padding(characters: int, seed: int) -> str:
    """Sentences of made-up words: a long context about nothing."""
    chance = random.Random(seed)
    sentences: list[str] = []
    while sum(map(len, sentences)) < characters:
        words = ["".join(chance.choices("aeioubdfgklmnprst", k=chance.randint(3, 9))) for _ in range(12)]
        sentences.append(" ".join(words).capitalize() + f" {chance.randint(2, 900)}. ")
    return "".join(sentences)


TOWER = "The Eiffel Tower was finished in 1889 and is 330 metres tall."


@pytest.mark.parametrize("characters", [0, 208, 2_080, 4_160, 50_000])
@pytest.mark.parametrize(
    ("claim", "verdict"),
    [
        ("The Eiffel Tower was finished in 1889.", SUPPORTED),
        ("The Eiffel Tower is 330 m tall.", SUPPORTED),
        ("The Eiffel Tower was finished in 1899.", CONTRADICTED),
        ("The Eiffel Tower is 300 m tall.", CONTRADICTED),
        ("The Eiffel Tower belongs to Jean Moreau.", NOT_FOUND),
    ],
)
def test_padding_around_the_passage_does_not_change_the_verdict(characters: int, claim: str, verdict: Verdict) -> None:
    context = f"{padding(characters // 2, 1)}{TOWER} {padding(characters // 2, 2)}"
    found = judge(claim, context)
    assert found.verdict is verdict
    if found.window is not None and verdict is not NOT_FOUND:
        (shown,) = split_sentences(context)[found.window.first : found.window.last + 1]
        assert shown.text == TOWER


# Any text ------------------------------------------------------------------------------------------------------


words = st.text(st.characters(exclude_categories=["Cs"]), max_size=80)


@settings(max_examples=150)
@given(words, st.lists(words, max_size=3), words)
def test_any_claim_gets_a_verdict_and_a_probability(claim: str, contexts: list[str], question: str) -> None:
    found = judge(claim, *contexts, question=question)
    assert 0.0 <= found.probability <= 1.0
    assert found.reason


@given(st.sampled_from([3, 7, 12, 28, 45, 90]), st.sampled_from(["days", "EUR", "kg", "%"]))
def test_a_sentence_supports_itself_and_contradicts_the_same_with_another_number(number: int, unit: str) -> None:
    sentence = "The customer must return the parcel within {} {} of delivery."
    context = sentence.format(number, unit)
    assert judge(context, context).verdict is SUPPORTED
    assert judge(sentence.format(number + 1, unit), context).verdict is CONTRADICTED
