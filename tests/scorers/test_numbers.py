"""Numbers and quantities in text of any language."""

import math

import pytest
from babel import numbers as cldr
from hypothesis import given
from hypothesis import strategies as st

from ragsonde.scorers.facts import Quantity, find_measurements
from ragsonde.scorers.facts.number_words import read_cjk
from ragsonde.scorers.facts.numbers import find_numerals, read_values, same_value

LOCALES = ["en", "de", "fr", "es", "it", "pt", "pl", "cs", "bs", "ru", "tr", "ms", "zh", "hi", "sv", "ar_EG", "fa"]


def only(text: str) -> Quantity:
    (quantity,) = find_measurements(text).without_asides().quantities
    return quantity


@given(st.sampled_from(LOCALES), st.integers(0, 10**12))
def test_a_whole_number_formatted_in_any_locale_is_read_back(locale: str, number: int) -> None:
    text = cldr.format_decimal(number, locale=locale, numbering_system="default")
    (numeral,) = find_numerals(text)
    assert any(same_value(value, number) for value in numeral.values), (text, numeral.values)


@given(st.sampled_from(LOCALES), st.decimals(-10_000, 10_000, places=2))
def test_a_decimal_formatted_in_any_locale_is_read_back(locale: str, number: float) -> None:
    text = (
        cldr.format_decimal(number, locale=locale, numbering_system="default")
        .replace("\u200e", "")
        .replace("\u061c", "")
    )
    (numeral,) = find_numerals(text)
    assert any(same_value(value, float(number)) for value in numeral.values), (text, numeral.values)


@given(st.text(max_size=200))
def test_any_text_gives_ordered_disjoint_facts_that_stand_in_it(text: str) -> None:
    facts = find_measurements(text)
    for fact in facts.all():
        assert text[fact.start : fact.end] == fact.text
    for before, after in zip(facts.quantities, facts.quantities[1:], strict=False):
        assert before.end <= after.start
    assert all(math.isfinite(value) for quantity in facts.quantities for value in quantity.values)


@given(st.text(alphabet="0123456789.,' \u00a0-–%½/", max_size=40))
def test_any_heap_of_digits_and_separators_is_read_without_error(text: str) -> None:
    assert all(numeral.values for numeral in find_numerals(text))


@pytest.mark.parametrize(
    ("body", "values"),
    [
        ("1.200", (1200.0, 1.2)),
        ("1,200", (1200.0, 1.2)),
        ("1.200,50", (1200.5,)),
        ("1,200.50", (1200.5,)),
        ("12'500", (12500.0,)),
        ("12 500,5", (12500.5,)),
        ("1,23,456", (123456.0,)),
        ("0.125", (0.125,)),
        ("1.5", (1.5,)),
        ("1,234,567", (1234567.0,)),
    ],
)
def test_separators_give_every_reading_that_they_allow(body: str, values: tuple[float, ...]) -> None:
    assert read_values(body) == values


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("1,5 %", "1.5%"),
        ("≤ 1,5 %", "≤ 1.5%"),
        ("٣٠ يوم", "30 days"),
        ("१२ दिन", "12 days"),
        ("1 km", "1000 m"),
        ("2 weeks", "14 Tagen"),
        ("30-day", "30 дней"),
        ("30 dana", "30 天"),
        ("15 hari", "15 dni"),
        ("€1,200.50", "1.200,50 EUR"),
        ("5 Mio. Euro", "5 million euros"),
        ("3,5 тыс. рублей", "3500 руб."),
        ("1.2亿元", "120 million yuan"),
        ("5 juta", "5 million"),
        ("$5m", "5 million dollars"),
        ("百分之五", "5%"),
        ("%5", "yüzde 5".replace("yüzde 5", "5 %")),
        ("三千五百万", "35 000 000"),
        ("twenty-five days", "25 days"),
        ("einundzwanzig Tage", "21 days"),
        ("двадцать пять дней", "25 days"),
        ("1½ hours", "90 minutes"),
        ("6-1/2 months", "six and a half months"),
        ("2 hours 5 minutes", "125 min"),
        ("1 year and 6 months", "18 months"),
        ("15 vacation days", "15 days"),
        ("1.5 million", "1 482 000"),
        ("212 °F", "100 °C"),
        ("300 degrees", "300 °F"),
        ("2 billion", "2 Milliarden"),
        ("2 Billionen", "2 trillion"),
        ("10 zł", "PLN 10"),
        ("20 KM", "20 BAM"),
        ("1,200 litres", "1.200 Liter"),
        ("1.200 kg", "1.2 kg"),
        ("2.500 kg", "2,5 t"),
        ("٤٫٣ مليون", "4.3 million"),
        ("6 aydır", "6 months"),
        ("40 avrodur", "40 €"),
        ("5 km'dir", "5 km"),
        ("40 درهماً", "40 درهم"),
        ("12 mil euros", "12 000 euros"),
        ("5 mil. eura", "5 milijuna eura"),
        ("a million", "1,000,000"),
        ("half a million euros", "500,000 euros"),
        ("миллион", "1 млн"),
        ("10 mg per kg", "10 mg/kg"),
        ("10 mg/kg", "10 mg"),
        ("3 times a day", "3 times per day"),
        ("minus 5 degrees", "-5 degrees"),
        ("минус 5 градусов", "−5 градусов"),
        ("零下5度", "-5度"),
        ("moins 5 degrés", "5 degrés sous zéro"),
        ("version 2.0", "version 2"),
        ("1.10 EUR", "1.1 EUR"),
        ("1,200", "1 200"),
        ("0.5 g daily", "500 mg per day"),
        ("0,5 g täglich", "500 mg pro Tag"),
        ("0,5 г в день", "500 мг в сутки"),
        ("500 mg a day", "0.5 g"),
        ("50 km/h", "50 kilometres per hour"),
        ("50 km/h", "50 kilomètres à l'heure"),
        ("50 км/ч", "50 километров в час"),
        ("50公里/小时", "每小时50公里"),
        ("時速50キロ", "50 km/h"),
        ("50 km/s", "saatte 50 km"),
        ("10 lei", "10 RON"),
        ("100 Ft", "100 HUF"),
        ("20 funtów", "£20"),
        ("20 фунтов", "£20"),
        ("100 港元", "HK$100"),
        ("50 liradır", "50 TL"),
        ("5 ₪", "5 שקלים"),
        ("100 km/h", "100 Kilometer in der Stunde"),
        ("两个半小时", "2.5小时"),
        ("2 hectares", "20,000 square metres"),
        ("3万5千", "35,000"),
        ("1億2000万", "120,000,000"),
        ("3만 5천", "35,000"),
        ("ห้าร้อยบาท", "500 บาท"),
        ("สองล้านบาท", "2 ล้านบาท"),
        ("ยี่สิบเอ็ดคน", "21 คน"),
        ("九折", "10%的折扣"),
        ("七五折", "25% 折扣"),
        ("八折", "原价的80%"),
        ("2割引", "20% 割引"),
        ("半价", "五折"),
    ],
)
def test_the_same_amount_agrees_whatever_its_notation(one: str, other: str) -> None:
    assert only(one).agrees_with(only(other))
    assert only(other).agrees_with(only(one))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("69 million", "67 million"),
        ("≤ 1.1%", "≤ 1,5 %"),
        ("≤ 5 kg", "≥ 5 kg"),
        ("30 days", "30 months"),
        ("20 EUR", "20 USD"),
        ("5 km", "5 kg"),
        ("2 million", "1.6 million"),
        ("1,5 %", "15 %"),
        ("-5 °C", "5 °C"),
        ("三百", "三千"),
        ("fifteen", "50"),
        ("1,200 litres", "1.2 litres"),
        ("3.500 Euro", "3,5 Euro"),
        ("٤٫٣ مليون", "٤٫٨ مليون"),
        ("4,3 milyondur", "4,3 milyardır"),
        ("6 aydır", "6 yıldır"),
        ("40 liradır", "40 avrodur"),
        ("40 درهماً", "40 دولاراً"),
        ("40 บาท", "40 ดอลลาร์"),
        ("12 mil euros", "12 millones"),
        ("مليون", "مليار"),
        ("a million", "a billion"),
        ("10 mg/kg", "10 mg/l"),
        ("3 times a day", "3 times a week"),
        ("minus 5 degrees", "5 degrees"),
        ("5 degrees below zero", "5 degrees"),
        ("version 1.10", "version 1.1"),
        ("1,200", "1.2"),
        ("0.5 g daily", "500 mg per week"),
        ("0.5 g daily", "3.5 g"),
        ("50 km/h", "50 mph"),
        ("50 km/h", "50 km"),
        ("2 hectares", "2,000 square metres"),
        ("3万5千", "30,000"),
        ("สามร้อยบาท", "500 บาท"),
        ("九折", "90%的折扣"),
        ("九折", "20%的折扣"),
    ],
)
def test_different_amounts_do_not_agree(one: str, other: str) -> None:
    assert not only(one).agrees_with(only(other))


@pytest.mark.parametrize("text", ["B12", "x86_64", "RTX4090", "arr_2"])
def test_digits_within_a_code_are_no_number(text: str) -> None:
    assert not find_numerals(text)


@pytest.mark.parametrize("text", ["ห้ามเข้า", "เขาสามารถว่ายน้ำได้", "สัมพันธ์", "เก้าอี้", "เรียบร้อย", "折叠椅"])
def test_part_of_another_word_is_no_number(text: str) -> None:
    assert not find_measurements(text)


@pytest.mark.parametrize("text", ["the 2019-2020 season", "the 2019/20 season", "the 2019–20 season"])
def test_a_season_has_two_years(text: str) -> None:
    assert [quantity.year for quantity in find_measurements(text).quantities] == [2019, 2020]


def test_other_figures_after_a_year_are_no_second_year() -> None:
    assert [quantity.written[0] for quantity in find_measurements("pages 2019-21").quantities] == [2019, 21]


def test_both_ends_of_a_range_have_its_unit() -> None:
    low, high = find_measurements("delivery takes 3–5 days").quantities
    assert low.dimensions == high.dimensions == {"time"}


def test_the_nineties_are_no_seconds() -> None:
    (quantity,) = find_measurements("in the 1990s").quantities
    assert quantity.year == 1990


@pytest.mark.parametrize(
    ("text", "dimensions"),
    [
        ("at eleven in summer", set()),
        ("at 9 in the morning", set()),
        ("5 in long", {"length"}),
        ("5 v Praze", set()),
        ("5 A", {"current"}),
        ("12V", {"voltage"}),
        ("5 tin cans", set()),
        ("2 kg a person", {"mass"}),
        ("10 mg/kg", {"mass", "mass/mass"}),
        ("40 hours a week", {"time", "time/time"}),
    ],
)
def test_a_word_of_grammar_is_no_unit_and_a_ratio_is_one(text: str, dimensions: set[str]) -> None:
    assert only(text).dimensions == dimensions


@pytest.mark.parametrize("text", ["several million people", "a couple of million", "millions of people"])
def test_an_unknown_number_of_millions_is_no_million(text: str) -> None:
    assert not find_measurements(text).quantities


@given(st.integers(1, 9999))
def test_chinese_numerals_are_read_back(number: int) -> None:
    assert read_cjk(spell_chinese(number)) == number
    assert read_cjk(spell_chinese(number) + "万") == number * 10_000


def spell_chinese(number: int) -> str:
    """A number up to 9999 in Chinese, zeros between digits written once."""
    signs = "零一二三四五六七八九"
    spelled = ""
    for unit, size in (("千", 1000), ("百", 100), ("十", 10), ("", 1)):
        digit = number // size % 10
        if digit:
            spelled += signs[digit] + unit
        elif spelled and not spelled.endswith("零") and number % size:
            spelled += "零"
    return spelled
