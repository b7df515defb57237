"""A quote proves a claim only if it bears on it."""

from collections.abc import Sequence

import pytest

from ragsonde.collector.model import Document, Interaction
from ragsonde.scorers.judge.grounding import Finding, Grounding
from ragsonde.scorers.judge.replies import Evidence
from ragsonde.scorers.reading import Reading
from ragsonde.scorers.score import Verdict


def found(claim: str, contexts: Sequence[str], quotes: Sequence[str], question: str) -> Finding:
    documents = tuple(Document(text, rank) for rank, text in enumerate(contexts, start=1))
    grounding = Grounding(Reading(Interaction("i-1", question, claim, documents)))
    evidence = [Evidence(document=1, quote=quote) for quote in quotes]
    return grounding.finding("supported", evidence, "", claim=claim, statement=claim)


@pytest.mark.parametrize(
    ("claim", "contexts", "quotes", "question"),
    [
        ("The clay is from Mars.", ["The kiln reaches 1240 degrees."], ["The"], "What is said?"),
        (
            "The clay is from Mars.",
            ["The kiln reaches 1240 degrees. The glaze contains cobalt oxide."],
            ["The kiln reaches"],
            "What is said?",
        ),
        ("The kiln reaches 1240.", ["The kiln reaches 1240.5 degrees."], ["The kiln reaches 1240"], "What is said?"),
        ("The kiln reaches 1300 degrees.", ["The kiln reaches 1240 degrees."], ["The kiln reaches"], "What is said?"),
        (
            "The kiln reaches 300 degrees.",
            ["The kiln reaches 1240 degrees. The desk costs 300 euros."],
            ["The kiln reaches"],
            "What is said?",
        ),
        (
            "The kiln reaches 1300 degrees.",
            ["The kiln reaches 1240 degrees."],
            ["The kiln reaches 1240 degrees."],
            "What is said?",
        ),
        ("Der Ton ist vom Mars.", ["Der Ofen erreicht 1240 Grad."], ["Der Ofen erreicht"], "What is said?"),
        ("Der Ton ist vom Mars.", ["Der Ofen erreicht 1240 Grad."], ["Der"], "What is said?"),
        ("Глина с Марса.", ["Печь достигает 1240 градусов."], ["Печь достигает"], "What is said?"),
        ("黏土来自火星。", ["窑炉温度达到1240度。"], ["窑炉温度达到"], "What is said?"),
        ("Kil Mars'tan geliyor.", ["Fırın 1240 dereceye ulaşır."], ["Fırın"], "What is said?"),
        ("Glina jest z Marsa.", ["Piec osiąga 1240 stopni."], ["Piec osiąga"], "What is said?"),
        ("It opened in 1932.", ["The bridge opened in 1923."], ["The bridge opened"], "What is said?"),
        ("The fee is 20 euros.", ["The fee is 12 euros. Parking costs 20 euros."], ["The fee is"], "What is said?"),
        ("The office opens at 10:00.", ["The office opens at 9:00."], ["The office opens"], "What is said?"),
        ("Глина с Марса.", ["Печь достигает 1240 градусов."], ["и"], "What is said?"),
    ],
)
def test_a_quote_that_shares_neither_words_nor_numbers_with_the_claim_proves_nothing(
    claim: str, contexts: Sequence[str], quotes: Sequence[str], question: str
) -> None:
    finding = found(claim, contexts, quotes, question)
    assert finding.verdict is Verdict.UNVERIFIED
    assert finding.quote is None
    assert finding.documents == frozenset()
    assert finding.reason


@pytest.mark.parametrize(
    ("claim", "contexts", "quotes", "question"),
    [
        (
            "Children of 5 travel free.",
            ["Children under 6 travel free."],
            ["Children under 6 travel free"],
            "Does a child of 5 pay?",
        ),
        (
            "Parcels of 5 kg are allowed.",
            ["Parcels up to 10 kg are allowed."],
            ["Parcels up to 10 kg are allowed"],
            "What is said?",
        ),
        (
            "The warranty is 2 years.",
            ["The warranty lasts 24 months."],
            ["The warranty lasts 24 months"],
            "What is said?",
        ),
        ("There are three options.", ["Options: red, green, blue."], ["red, green, blue"], "What is said?"),
        (
            "In 2020 revenue was 5 million.",
            ["| Year | Revenue |\n| 2020 | 5 million |"],
            ["5 million"],
            "What is said?",
        ),
        ("Model B has wifi.", ["| Model | wifi |\n| Model B | yes |"], ["yes"], "What is said?"),
        ("Admission for adults costs 5 euros.", ["Adults: 5 €\nChildren: 3 €"], ["5 €"], "What is said?"),
        (
            "In 2021 tickets cost 20 euros.",
            ["The 2021 season opened in May. Tickets cost 20 euros."],
            ["Tickets cost 20 euros"],
            "What is said?",
        ),
        (
            "The total is 30 euros.",
            ["Entry is 10 euros and the tour 20 euros."],
            ["Entry is 10 euros and the tour 20 euros"],
            "What is said?",
        ),
        (
            "Die Garantie beträgt zwei Jahre.",
            ["The warranty lasts two years."],
            ["The warranty lasts two years"],
            "What is said?",
        ),
        ("The warranty lasts 2 years.", ["保修期为两年。"], ["保修期为两年"], "What is said?"),
        ("Гарантия действует два года.", ["Гарантия: 2 года"], ["2 года"], "What is said?"),
        (
            "The kiln reaches 1,240 degrees.",
            ["The kiln reaches 1240 degrees."],
            ["The kiln reaches 1240 degrees."],
            "What is said?",
        ),
        ("It weighs 1.5 kg.", ["Gewicht: 1,5 kg"], ["1,5 kg"], "What is said?"),
        (
            "The 2019 model has airbags.",
            ["All models have airbags."],
            ["All models have airbags"],
            "Does the 2019 model have airbags?",
        ),
        (
            "You have 30 days and the refund is paid within 5 days.",
            ["Returns within 30 days.", "Refunds within 5 days."],
            ["Returns within 30 days", "Refunds within 5 days"],
            "What is said?",
        ),
        ("Pets are not allowed.", ["Pets: no"], ["no"], "What is said?"),
        (
            "The shop is open for 8 hours.",
            ["The shop is open from 9 to 17."],
            ["The shop is open from 9 to 17"],
            "What is said?",
        ),
        ("会议在上海举行。", ["会议将于五月在上海举行。"], ["在上海举行"], "What is said?"),
        (
            "Wstęp jest bezpłatny.",
            ["Bilety: wstęp wolny i bezpłatny dla dzieci."],
            ["wstęp wolny i bezpłatny"],
            "What is said?",
        ),
        (
            "The salary is between 40,000 and 50,000 euros.",
            ["Salary: 40 000 – 50 000 EUR"],
            ["40 000 – 50 000 EUR"],
            "What is said?",
        ),
        (
            "The bridge opened on 5 May 1932.",
            ["The bridge opened on 05.05.1932."],
            ["The bridge opened on 05.05.1932"],
            "What is said?",
        ),
        (
            "It was built in the 1990s.",
            ["It was built in the 1990s by Braun."],
            ["It was built in the 1990s"],
            "What is said?",
        ),
        ("Permohonan diproses dalam 14 hari.", ["Masa pemprosesan: 14 hari"], ["14 hari"], "What is said?"),
        (
            "İade süresi 14 gündür.",
            ["Ürünler 14 gün içinde iade edilebilir."],
            ["Ürünler 14 gün içinde iade edilebilir"],
            "What is said?",
        ),
        (
            "The deposit is two months' rent.",
            ["A deposit of two months' rent is due."],
            ["A deposit of two months' rent is due"],
            "What is said?",
        ),
        ("One of the doors is red.", ["A red door leads out."], ["A red door leads out"], "What is said?"),
        ("Die Frist beträgt vier Wochen.", ["Widerruf: 4 Wochen"], ["4 Wochen"], "What is said?"),
        ("الرسوم 40 درهماً.", ["الرسوم ٤٠ درهماً."], ["الرسوم ٤٠ درهماً"], "What is said?"),
        ("The museum opens at 10:00.", ["Opening hours: 10–18"], ["10–18"], "What is said?"),
        ("The shop is open for 8 hours.", ["Open 9:00-17:00"], ["9:00-17:00"], "What is said?"),
        ("The park is 3.5 hectares.", ["Area: 3,5 ha"], ["3,5 ha"], "What is said?"),
        (
            "Half of the rooms have a view.",
            ["50% of the rooms have a view."],
            ["50% of the rooms have a view"],
            "What is said?",
        ),
        (
            "Step 2: Heat the kiln to 1240 degrees (passage 1).",
            ["Heat the kiln to 1240 degrees."],
            ["Heat the kiln to 1240 degrees"],
            "What is said?",
        ),
    ],
)
def test_an_honest_quote_proves_its_claim_however_short_or_foreign_it_is(
    claim: str, contexts: Sequence[str], quotes: Sequence[str], question: str
) -> None:
    assert found(claim, contexts, quotes, question).verdict is Verdict.SUPPORTED


def test_the_reason_names_the_number_that_no_quote_bears_out() -> None:
    finding = found("The kiln reaches 1300 degrees.", ["The kiln reaches 1240 degrees."], ["The kiln reaches"], "?")
    assert "1300" in (finding.reason or "")
