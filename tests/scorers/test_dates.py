"""Dates, times and weekdays in text of any language."""

from datetime import date, time

import pytest
from babel import dates as cldr
from hypothesis import given
from hypothesis import strategies as st

from ragsonde.scorers.facts import agrees, find_measurements
from ragsonde.scorers.facts.dates import Date, find_dates, find_times, find_weekdays

LOCALES = [
    "en",
    "en_GB",
    "de",
    "fr",
    "es",
    "it",
    "pt",
    "pl",
    "cs",
    "bs",
    "hr",
    "ru",
    "uk",
    "tr",
    "ms",
    "id",
    "zh",
    "ja",
    "sv",
    "nl",
]


@given(st.sampled_from(LOCALES), st.dates(date(1700, 1, 1), date(2150, 12, 31)))
def test_a_long_date_of_any_locale_is_read_back(locale: str, day: date) -> None:
    text = cldr.format_date(day, format="long", locale=locale)
    assert any((day.year, day.month, day.day) in found.readings for found in find_dates(text)), text


@given(st.dates(date(1000, 1, 1), date(2999, 12, 31)))
def test_an_iso_date_is_read_back(day: date) -> None:
    (found,) = find_dates(f"on {day.isoformat()}.")
    assert found.readings == ((day.year, day.month, day.day),)


@given(st.times())
def test_a_time_of_day_is_read_back(moment: time) -> None:
    (found,) = find_times(f"at {moment:%H:%M} sharp")
    assert moment.hour * 60 + moment.minute in found.minutes


@pytest.mark.parametrize("locale", LOCALES)
def test_every_full_weekday_name_is_known(locale: str) -> None:
    for number in range(7):
        name = cldr.format_date(date(2024, 1, 1 + number), "EEEE", locale=locale)
        if "-" in name or " " in name:
            continue
        assert [found.number for found in find_weekdays(name)] == [number], name


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("12 March 2010", "2010-03-12"),
        ("12. März 2010", "12.03.2010"),
        ("12 марта 2010 года", "March 12, 2010"),
        ("5. maja 2021.", "5 May 2021"),
        ("le 1er janvier 1999", "1.1.1999"),
        ("2010年3月12日", "12.3.2010"),
        ("3/4/2020", "4 March 2020"),
        ("3/4/2020", "3 April 2020"),
        ("marzec 2010", "March 2010"),
        ("seit 03/2010", "March 2010"),
        ("03/2010", "12 March 2010"),
        ("on March 12", "12 March 2010"),
    ],
)
def test_the_same_day_agrees_in_any_notation(one: str, other: str) -> None:
    (claimed,), (given_date,) = find_dates(one), find_dates(other)
    assert claimed.agrees_with(given_date)


def test_a_date_asks_for_all_that_it_gives() -> None:
    month, day = find_dates("March 2010")[0], find_dates("12 March 2010")[0]
    assert month.agrees_with(day)
    assert not day.agrees_with(month)
    assert not day.contradicts(month)
    assert day.contradicts(find_dates("13 March 2010")[0])


def test_a_date_bears_out_its_year_and_no_other() -> None:
    (year,), (other_year,) = find_measurements("in 2010").quantities, find_measurements("in 2011").quantities
    (day,) = find_measurements("12 March 2010").dates
    assert agrees(year, day)
    assert not agrees(other_year, day)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("14:30", "2:30 pm", True),
        ("14.30 Uhr", "14:30", True),
        ("9 a.m.", "9:00", True),
        ("9 p.m.", "09:00", False),
        ("10:15", "10:45", False),
    ],
)
def test_times_agree_over_notations(one: str, other: str, same: bool) -> None:
    (left,), (right,) = find_times(one), find_times(other)
    assert bool(left.minutes & right.minutes) is same


def test_weekdays_agree_over_languages() -> None:
    for text in ("Wednesday", "Wednesdays", "Rabu", "среду", "Mittwoch", "srijedom", "周三", "水曜日", "Środa"):
        assert [found.number for found in find_weekdays(text)] == [2], text


@given(st.text(max_size=100))
def test_any_text_gives_dates_that_stand_in_it(text: str) -> None:
    for found in find_dates(text):
        assert isinstance(found, Date)
        assert text[found.start : found.end] == found.text


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Open from 9:00 to 17:00.", "Open from 9 to 17."),
        ("Otwarte od 8:00 do 20:00.", "Otwarte od 8 do 20."),
        ("Работает с 8:00 до 20:00.", "Работает с 8 до 20 часов."),
        ("Le train part à 8 h 15.", "Le train part à 8h15."),
        ("La réunion commence à 14 h 30.", "La réunion commence à 14:30."),
        ("Le train part à 8h00.", "Le train part à 8 heures."),
        ("De trein vertrekt om 8:00.", "De trein vertrekt om 8 uur."),
        ("Vlak odjíždí v 8:00.", "Vlak odjíždí v 8 hodin."),
        ("Voz polazi u 8:00.", "Voz polazi u 8 sati."),
        ("列车8点30分出发。", "列车8:30出发。"),
        ("列车下午3点出发。", "列车15:00出发。"),
        ("会议在14:30开始。", "会议下午两点半开始。"),
        ("電車は8時30分に出ます。", "電車は8:30に出ます。"),
        ("회의는 오후 3시에 시작합니다.", "회의는 15:00에 시작합니다."),
        ("Lunch is at 12:00.", "Lunch is at noon."),
        ("Lunch is at midday.", "Lunch is at noon."),
        ("Die Feier endet um Mitternacht.", "Die Feier endet um 24 Uhr."),
        ("Le repas est servi à midi.", "Le repas est servi à 12:00."),
        ("Обед в полдень.", "Обед в 12:00."),
        ("Obiad jest w południe.", "Obiad jest o 12:00."),
        ("Oběd je v poledne.", "Oběd je ve 12:00."),
        ("Kapija se zatvara u ponoć.", "Kapija se zatvara u 0:00."),
        ("午餐在正午。", "午餐在12:00。"),
        ("The talk starts at half past two.", "The talk starts at 14:30."),
        ("Der Vortrag beginnt um halb drei.", "Der Vortrag beginnt um 14:30 Uhr."),
        ("De lezing begint om half drie.", "De lezing begint om 14:30."),
        ("La charla empieza a las dos y media.", "La charla empieza a las 14:30."),
        ("Лекция начинается в половине третьего.", "Лекция начинается в 14:30."),
        ("Wykład zaczyna się o wpół do trzeciej.", "Wykład zaczyna się o 14:30."),
        ("Přednáška začíná v půl třetí.", "Přednáška začíná ve 14:30."),
        ("Predavanje počinje u pola tri.", "Predavanje počinje u 14:30."),
        ("ประชุมบ่ายสองโมงครึ่ง", "ประชุม 14.30 น."),
        ("ร้านปิดสองทุ่ม", "ร้านปิด 20:00"),
    ],
)
def test_a_time_of_day_agrees_with_another_way_of_writing_it(one: str, other: str) -> None:
    given, told = find_measurements(one).all(), find_measurements(other).all()
    assert told
    assert all(any(agrees(fact, like) for like in given) for fact in told)
    assert all(any(agrees(like, fact) for like in told) for fact in given)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Open from 9:00.", "Open from 10."),
        ("The team meets at 9:00.", "The team has 9 players."),
        ("The shop opens at 8:00.", "The shop is open for 8 hours."),
        ("Der Laden öffnet um 8:00.", "Der Laden ist 8 Stunden offen."),
        ("列车8点30分出发。", "列车8:00出发。"),
        ("用时3小时。", "3点开始。"),
        ("会議は3時間かかります。", "会議は3:00に始まります。"),
        ("Lunch is at noon.", "Lunch is at 0:00."),
        ("The talk starts at half past two.", "The talk starts at 15:30."),
        ("Magasin fermé après midi.", "Le magasin ferme à 12:00."),
        ("В 3 часа после полудня.", "В 12:00."),
        ("They led in the second half three to one.", "They led at 14:30."),
    ],
)
def test_a_number_that_is_no_such_hour_does_not_agree_with_a_time_of_day(one: str, other: str) -> None:
    given, told = find_measurements(one).all(), find_measurements(other).all()
    assert not any(agrees(fact, like) for fact in told for like in given)


@pytest.mark.parametrize(
    ("thai", "english"), [("ปิดวันจันทร์", "Monday"), ("เปิดทุกวันพฤหัสบดี", "Thursday"), ("วันอาทิตย์นี้", "Sunday")]
)
def test_weekdays_of_thai_are_found_between_their_neighbours(thai: str, english: str) -> None:
    (found,), (known,) = find_weekdays(thai), find_weekdays(english)
    assert found.number == known.number


@pytest.mark.parametrize("text", ["the plan Pro 25", "Out 25 members voted", "Set 25 alarms"])
def test_a_short_month_of_a_language_that_names_the_day_first_is_none_before_a_number(text: str) -> None:
    assert not find_dates(text)


def test_an_english_short_month_before_a_day_is_a_date() -> None:
    assert [date.text for date in find_dates("on Feb 14")] == ["Feb 14"]
