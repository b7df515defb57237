"""Values that hold in one case only, and answers that do or do not say in which."""

import pytest

from ragsonde.collector.clock import Deadline
from ragsonde.collector.model import Document
from ragsonde.scorers.faithfulness import FaithfulnessScorer
from ragsonde.scorers.score import MetricKey, Scored
from tests.scorers.reading_builders import reading

PLANS = "| Plan | Price | Seats |\n|---|---|---|\n| Basic | 10 EUR | 5 |\n| Pro | 20 EUR | 10 |"
VERSIONS = ["In version 2 the limit is 100 requests.", "In version 3 the limit is 500 requests."]
YEARS = ["Until 2020 the fee was 10 euros.", "Since 2021 the fee is 15 euros."]
SEASONS = ["Im Sommer ist bis 20 Uhr geöffnet.", "Im Winter ist bis 17 Uhr geöffnet."]
COUNTRIES = ["In der Schweiz gilt eine Garantie von 24 Monaten.", "In Österreich gilt eine Garantie von 36 Monaten."]
TICKETS = ["学生票30元。", "成人票60元。"]
STORAGE = ["The basic plan has 5 GB.", "The pro plan has 50 GB."]  # "pro" is grammar, but not in English
SHIPPING = ["Shipping takes 3 days.", "Express shipping takes 1 day."]
FORECAST = (
    "9am: The forecast for Hull is 48 degrees and sunny. There is 46 percent chance of rain and 7 mph winds. "
    "12am: The forecast for Hull is 55 degrees and cloudy. There is 41 percent chance of rain and 11 mph winds. "
    "3pm: The forecast for Hull is 62 degrees and cloudy. There is 67 percent chance of rain and 6 mph winds. "
    "6pm: The forecast for Hull is 51 degrees and cloudy. There is 59 percent chance of rain and 9 mph winds."
)


def outcome(contexts: list[str], answer: str, question: str) -> Scored:
    documents = [Document(text=text, rank=rank, id=str(rank)) for rank, text in enumerate(contexts, 1)]
    (outcomes,) = FaithfulnessScorer().score([reading(answer, documents, question=question)], Deadline(10))
    found = outcomes[MetricKey.FAITHFULNESS]
    assert isinstance(found, Scored)
    return found


@pytest.mark.parametrize(
    ("contexts", "answer", "question"),
    [
        (VERSIONS, "The limit is 500 requests.", "What is the limit?"),
        ([" ".join(VERSIONS)], "The limit is 500 requests.", "What is the limit?"),
        (YEARS, "The fee is 10 euros.", "What is the fee?"),
        (SEASONS, "Es ist bis 20 Uhr geöffnet.", "Bis wann ist geöffnet?"),
        (COUNTRIES, "Die Garantie gilt 36 Monate.", "Wie lange gilt die Garantie?"),
        (TICKETS, "门票60元。", "门票多少钱?"),
        (["ตั๋วนักเรียนราคา 30 บาท", "ตั๋วผู้ใหญ่ราคา 60 บาท"], "ตั๋วราคา 60 บาท", "ตั๋วราคาเท่าไร"),
        (SHIPPING, "Shipping takes 1 day.", "How long does shipping take?"),
        ([PLANS], "The price is 20 EUR.", "What is the price?"),
        (STORAGE, "You get 50 GB of storage.", "How much storage do I get?"),
    ],
)
def test_the_value_of_one_case_is_ambiguous_where_no_case_is_named(
    contexts: list[str], answer: str, question: str
) -> None:
    assert outcome(contexts, answer, question).label == "ambiguous"


@pytest.mark.parametrize(
    ("contexts", "answer", "question"),
    [
        (VERSIONS, "In version 3 the limit is 500 requests.", "What is the limit?"),
        (VERSIONS, "The limit is 500 requests.", "What is the limit in version 3?"),
        (VERSIONS, "The limit is 100 requests in version 2 and 500 requests in version 3.", "What is the limit?"),
        (YEARS, "The fee was 10 euros until 2020.", "What is the fee?"),
        (SEASONS, "Im Sommer ist bis 20 Uhr geöffnet.", "Bis wann ist geöffnet?"),
        (COUNTRIES, "In Österreich gilt die Garantie 36 Monate.", "Wie lange gilt die Garantie?"),
        (TICKETS, "成人票60元。", "门票多少钱?"),
        (TICKETS, "学生票30元，成人票60元。", "门票多少钱?"),
        (STORAGE, "The pro plan gives you 50 GB.", "How much storage do I get?"),
        (STORAGE, "You get 50 GB of storage.", "How much storage do I get with pro?"),
        ([PLANS], "The professional plan costs 20 EUR.", "What is the price?"),
        ([PLANS], "The price is 20 EUR.", "What is the price of Pro?"),
        ([PLANS], "The plan with 10 seats costs 20 EUR.", "What is the price?"),
    ],
)
def test_naming_the_case_in_any_way_ends_the_ambiguity(contexts: list[str], answer: str, question: str) -> None:
    assert outcome(contexts, answer, question).value == 1.0


@pytest.mark.parametrize(
    ("contexts", "answer"),
    [
        (SHIPPING, "Shipping takes 3 days."),
        (["The tower is 300 metres tall.", "The old tower was 45 metres tall."], "The tower is 300 metres tall."),
        (["The pool is 25 metres long.", "The pool is 2 metres deep."], "The pool is 25 metres long."),
        (["成人票60元。", "停车费20元。"], "成人票60元。"),
        (["The castle is old. It took 3 years. The church took 5 years."], "The castle is old. It took 3 years."),
    ],
)
def test_what_is_said_without_a_case_may_be_repeated_without_one(contexts: list[str], answer: str) -> None:
    assert outcome(contexts, answer, "What do you know?").value == 1.0


def test_the_values_of_a_series_need_no_case_each() -> None:
    answer = "At 9am it will be 48 degrees, sunny with a 46 percent chance of rain. There will be 7 mph winds."
    assert outcome([FORECAST], answer, "weather in hull").value == 1.0
