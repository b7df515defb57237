"""Numbers of several words are read whole or not at all."""

import pytest

from ragsonde.scorers.facts.compounds import compounds, glued_numbers
from ragsonde.scorers.facts.numbers import find_numerals, read_roman
from ragsonde.scorers.score import Verdict
from tests.scorers.reading_builders import verdicts


def test_a_number_of_several_words_is_never_read_as_one_of_them() -> None:
    read = 0
    for phrase, value in compounds().items():
        numerals = find_numerals(f"x {phrase} z")
        assert [numeral.values for numeral in numerals] in ([(float(value),)], []), phrase
        read += len(numerals)
    assert read > 0.9 * len(compounds())


def test_glued_numbers_are_read() -> None:
    for word, value in glued_numbers().items():
        assert [numeral.values for numeral in find_numerals(word)] == [(float(value),)], word


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("soixante-dix", [70]),
        ("quatre-vingt-dix-sept", [97]),
        ("treinta y cinco", [35]),
        ("on iki oda", [12]),
        ("on two occasions", [2]),
        ("yüz yirmi beş", [125]),
        ("cent vingt", [120]),
        ("trois cents places", [300]),
        ("deux cent cinquante euros", [250]),
        ("six cents euros", [600]),
        ("six cents at most", [6]),
        ("it costs two cents", [2]),
        ("trideset pet", [35]),
        ("dua belas", [12]),
        ("خمسة وثلاثون", [35]),
        ("тридцять п’ять", [35]),
        ("двадцать первый", [21]),
        ("двести тридцать", [230]),
        ("two hundred and fifty", [250]),
        ("nineteen eighty", []),
        ("two-three days", [2, 3]),
        ("ten, six", [10, 6]),
        ("百分之十二点五", [12.5]),
        ("三点五公里", [3.5]),
        ("XVIII век", [18]),
        ("au XIXe siècle", [19]),
        ("siglo XX", [20]),
        ("w XIX wieku", [19]),
        ("Louis XVIII came", []),
        ("IIX век", []),
    ],
)
def test_what_is_read_of_words_and_roman_centuries(text: str, values: list[float]) -> None:
    assert [numeral.values for numeral in find_numerals(text)] == [(float(value),) for value in values]


def test_roman_numerals_are_read_as_they_are_written() -> None:
    assert [read_roman(written) for written in ("IV", "IX", "XIV", "XXI", "VX", "IIII")] == [4, 9, 14, 21, 0, 0]


@pytest.mark.parametrize(
    ("context", "answer", "verdict"),
    [
        ("La salle compte soixante-dix places.", "La salle compte 70 places.", Verdict.SUPPORTED),
        ("La salle compte soixante-dix places.", "La salle compte 60 places.", Verdict.CONTRADICTED),
        ("La salle compte deux cent vingt-cinq places.", "La salle compte 225 places.", Verdict.SUPPORTED),
        ("Le loyer est de huit cents euros.", "Le loyer est de 800 €.", Verdict.SUPPORTED),
        ("Le loyer est de huit cents euros.", "Le loyer est de 700 €.", Verdict.CONTRADICTED),
        ("On iki oda var.", "12 oda var.", Verdict.SUPPORTED),
        ("The hall has two thousand five hundred seats.", "The hall has 2,500 seats.", Verdict.SUPPORTED),
        ("The hall has two thousand five hundred seats.", "The hall has 2,000 seats.", Verdict.CONTRADICTED),
        ("Ich bin drei Jahre alt.", "Ich bin 3 Jahre alt.", Verdict.SUPPORTED),
        ("Построен в XVIII веке.", "Построен в 18 веке.", Verdict.SUPPORTED),
        ("Zbudowany w XIX wieku.", "Zbudowany w 19 wieku.", Verdict.SUPPORTED),
        ("The shop opens at 9:30 am.", "The shop opens at 9.30.", Verdict.SUPPORTED),
        ("利率为百分之三点五。", "利率为3.5%。", Verdict.SUPPORTED),
    ],
)
def test_numbers_in_words_are_compared_with_figures(context: str, answer: str, verdict: Verdict) -> None:
    assert verdicts(context, answer) == [verdict]
