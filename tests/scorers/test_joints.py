import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragsonde.scorers.text.joints import split_facts
from ragsonde.scorers.text.language import detect_language


def parts(sentence: str) -> list[str]:
    return [sentence[start:end] for start, end in split_facts(sentence, detect_language(sentence))]


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        (
            "Компания основана в 2010 году, в ней работает 5000 сотрудников, офис находится в Москве.",
            ["Компания основана в 2010 году", "в ней работает 5000 сотрудников", "офис находится в Москве."],
        ),
        (
            (
                "Pekerja mendapat 15 hari cuti, boleh bekerja dari rumah pada Rabu dan Jumaat, "
                "dan ketuanya ialah Ahmad Razak."
            ),
            [
                "Pekerja mendapat 15 hari cuti",
                "boleh bekerja dari rumah pada Rabu dan Jumaat",
                "ketuanya ialah Ahmad Razak.",
            ],
        ),
        ("该公司成立于2010年，员工有5000名，总部设在北京。", ["该公司成立于2010年", "员工有5000名", "总部设在北京。"]),
        (
            "The value is 1.5% below 1.6 mm thickness and 1.1% from 1.6 mm up.",
            ["The value is 1.5% below 1.6 mm thickness", "1.1% from 1.6 mm up."],
        ),
        (
            "Na zwrot masz 30 dni i pieniądze otrzymasz w ciągu 5 dni.",
            ["Na zwrot masz 30 dni", "pieniądze otrzymasz w ciągu 5 dni."],
        ),
        (
            "Die Garantie gilt 2 Jahre und die Reparatur dauert 10 Tage.",
            ["Die Garantie gilt 2 Jahre", "die Reparatur dauert 10 Tage."],
        ),
        (
            "Záruka platí 2 roky a oprava trvá nejvýše 10 dní.",
            ["Záruka platí 2 roky", "oprava trvá nejvýše 10 dní."],
        ),
        (
            "El billete cuesta 12 euros y el viaje dura 3 horas.",
            ["El billete cuesta 12 euros", "el viaje dura 3 horas."],
        ),
    ],
)
def test_facts_that_are_strung_together_come_apart(sentence: str, expected: list[str]) -> None:
    assert parts(sentence) == expected


@pytest.mark.parametrize(
    "sentence",
    [
        "It takes between 10 and 20 days.",
        "The fee is 1,5 and 2 EUR.",
        "It is open on 5, 6 and 7 May.",
        "Paris, the capital of France, has 2.1 million inhabitants.",
        "Peter Smith and John Brown founded it in 1999.",
        "On 3 May 2024, the company hired 50 people.",
        "If you return it within 30 days, you get 20 EUR.",
        "It costs 5,000 EUR, taxes included.",
        "Customers may return any unused item within 30 days of delivery.",
        "Salt, pepper, oil and 2 eggs.",
        "You get 21 days of paid vacation a year (1.75 days per month).",
        "Bringing your dog costs £15 a night [2].",
        "El trayecto dura 12 minutos en metro, en coche 20 minutos.",
        "O prazo para a entrega demora de 2 a 3 dias úteis.",
        "In 2010 il y a 3 musées.",
    ],
)
def test_one_fact_stays_whole(sentence: str) -> None:
    assert parts(sentence) == [sentence]


@given(st.text(alphabet="ab A12,;.和，、 and", max_size=80))
def test_parts_are_in_order_and_lose_no_figure(sentence: str) -> None:
    spans = split_facts(sentence, "und")
    assert all(start <= end for start, end in spans)
    assert all(end <= start for (_, end), (start, _) in itertools.pairwise(spans))
    kept = "".join(sentence[start:end] for start, end in spans)
    assert [c for c in kept if c.isdigit()] == [c for c in sentence if c.isdigit()]
