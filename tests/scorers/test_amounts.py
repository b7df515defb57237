"""Amounts without a numeral: shares of a whole, how many times, how often, in which order."""

import re
import tomllib
from fractions import Fraction
from importlib.resources import files

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragsonde.scorers.facts import find_measurements
from ragsonde.scorers.facts.amounts import find_amounts
from ragsonde.scorers.facts.scan import Scan
from ragsonde.scorers.score import Verdict
from tests.scorers.reading_builders import verdicts

TABLE = tomllib.loads(files("ragsonde.scorers.facts").joinpath("amounts.toml").read_text("utf-8"))
PHRASES = [
    pytest.param(kind, value, *re.match("([^!>]*)(!?>)?(.*)", entry).groups(), id=entry)  # type: ignore[union-attr]
    for kind, values in TABLE.items()
    for value, entries in values.items()
    for entry in entries
]


@pytest.mark.parametrize(("kind", "value", "phrase", "sign", "following"), PHRASES)
def test_each_phrase_is_found_where_it_means_the_amount_and_only_there(
    kind: str, value: str, phrase: str, sign: str | None, following: str
) -> None:
    spaced = not re.search("[\u2e80-\u9fff\uac00-\ud7af]", phrase)
    gap, words = (" " if spaced else ""), following.split() or ["x"]
    for number, word in enumerate(words):
        other = "zz" if sign == "!>" else word
        text = f"... {phrase.strip()}{gap}{other} ..."
        found = [q for q in find_amounts(Scan(text)) if q.text == phrase.strip()]
        assert [(q.written, q.dimensions) for q in found] == [
            (
                (float(Fraction(value)),),
                {
                    {
                        "shares": "share",
                        "hours": "time",
                        "years": "months",
                        "intervals": "interval",
                        "frequencies": "interval",
                    }.get(kind, kind)
                },
            )
        ], text
        if sign is not None:
            barred = f"... {phrase.strip()}{gap}{words[number] if sign == '!>' else 'zz'} ..."
            assert not [q for q in find_amounts(Scan(barred)) if q.text == phrase.strip()], barred


@given(st.text())
def test_what_is_found_in_any_text_stands_there(text: str) -> None:
    for quantity in find_amounts(Scan(text)):
        assert text[quantity.start : quantity.end] == quantity.text


@given(st.integers(2, 99), st.integers(1, 98))
def test_chinese_shares_name_the_whole_first(whole: int, parts: int) -> None:
    (quantity,) = find_measurements(f"约{whole}分之{parts}的成员").quantities if parts < whole else (None,)
    if quantity is not None:
        assert quantity.values == (float(Fraction(parts, whole)),)
        assert quantity.dimensions == {"share"}


@pytest.mark.parametrize(
    "text",
    [
        "Once you have signed, nothing changes.",
        "The third party pays.",
        "In the first quarter of 2023 sales rose.",
        "It costs half a million.",
        "There were 5 males and 3 malls.",
        "这是一次性用品。",
        "Es ist Viertel nach acht.",
    ],
)
def test_words_that_mean_something_else_are_no_amounts(text: str) -> None:
    assert not {"share", "times"} & {d for q in find_measurements(text).quantities for d in q.dimensions}


SAME = [
    ("The course lasts an hour and a half.", "The course lasts 90 minutes."),
    ("Gecikme cezası günlük 2 liradır.", "Geciken her gün için 2 TL ceza alınır."),
    ("Take 500 mg daily.", "Take 0.5 g a day."),
    ("Der Kurs dauert anderthalb Stunden.", "Der Kurs dauert 1,5 Stunden."),
    ("Курс длится полтора часа.", "Курс длится 1,5 часа."),
    ("Le cours dure une heure et demie.", "Le cours dure 1,5 heure."),
    ("The course lasts two and a half hours.", "The course lasts 150 minutes."),
    ("The course lasts half an hour.", "The course lasts 30 minutes."),
    ("The bins are emptied every other week.", "The bins are emptied every two weeks."),
    ("Der Müll wird alle zwei Wochen abgeholt.", "Der Müll wird alle 2 Wochen abgeholt."),
    ("The backup runs daily.", "The backup runs every day."),
    ("The fee is 30 EUR per month, billed every year.", "The monthly fee is 30 EUR."),
    ("Take the tablet twice a day.", "Take the tablet two times a day."),
    ("Die Tablette wird zweimal täglich genommen.", "Die Tablette wird 2 Mal täglich genommen."),
    ("Принимайте таблетку дважды в день.", "Принимайте таблетку два раза в день."),
    ("About a third of the staff works remotely.", "About 33 % of the staff works remotely."),
    ("Two thirds of the members voted for it.", "67 percent of the members voted for it."),
    ("The fee is 1/2 of the price.", "The fee is half of the price."),
    ("三分之二的成员投了赞成票。", "67%的成员投了赞成票。"),
    ("一半的预算用于研究。", "50%的预算用于研究。"),
    ("Две трети участников проголосовали за.", "67 % участников проголосовали за."),
    ("Dwie trzecie członków głosowało za.", "67% członków głosowało za."),
    ("Polovina budžeta ide na istraživanje.", "50% budžeta ide na istraživanje."),
    (
        "Separuh daripada belanjawan digunakan untuk penyelidikan.",
        "50% daripada belanjawan digunakan untuk penyelidikan.",
    ),
    ("The system is checked once a year.", "The system is checked every year."),
    ("The outbreak affected 131 people.", "The outbreak affected over 130 people."),
    ("The outbreak affected 98 people.", "The outbreak affected nearly 100 people."),
    ("Es waren 131 Menschen betroffen.", "Es waren mehr als 130 Menschen betroffen."),
    ("Пострадали 131 человек.", "Пострадали более 130 человек."),
    ("The group had 5 males and 3 females.", "There were 5 males and 3 females in the group."),
]
OTHER = [
    ("The course lasts an hour and a half.", "The course lasts two hours."),
    ("Der Kurs dauert anderthalb Stunden.", "Der Kurs dauert zweieinhalb Stunden."),
    ("Курс длится полтора часа.", "Курс длится два часа."),
    ("The bins are emptied every other week.", "The bins are emptied every week."),
    ("Der Müll wird alle zwei Wochen abgeholt.", "Der Müll wird jede Woche abgeholt."),
    ("Le rapport paraît chaque mois.", "Le rapport paraît chaque semaine."),
    ("Raport ukazuje się co miesiąc.", "Raport ukazuje się co tydzień."),
    ("Rapor her ay yayımlanır.", "Rapor her hafta yayımlanır."),
    ("报告每月发布。", "报告每周发布。"),
    ("レポートは毎月発行されます。", "レポートは毎週発行されます。"),
    ("The outbreak affected 131 people.", "The outbreak affected more than 200 people."),
    ("The outbreak affected 98 people.", "The outbreak affected nearly 150 people."),
    ("The outbreak affected over 130 people.", "The outbreak affected 131 people."),
    ("Returns take at most 14 days.", "Returns take over 14 days."),
    ("Take the tablet twice a day.", "Take the tablet three times a day."),
    ("The backup runs once a week.", "The backup runs twice a week."),
    ("Die Tablette wird zweimal täglich genommen.", "Die Tablette wird dreimal täglich genommen."),
    ("每天服用两次。", "每天服用三次。"),
    ("Half of the budget goes to research.", "A quarter of the budget goes to research."),
    ("Two thirds of the members voted for it.", "Three quarters of the members voted for it."),
    ("Ein Drittel der Belegschaft arbeitet von zu Hause.", "Die Hälfte der Belegschaft arbeitet von zu Hause."),
    ("三分之二的成员投了赞成票。", "四分之三的成员投了赞成票。"),
    ("Две трети участников проголосовали за.", "Треть участников проголосовала за."),
    ("Polovina budžeta ide na istraživanje.", "Trećina budžeta ide na istraživanje."),
    ("The backup runs weekly.", "The backup runs daily."),
    ("Der Bericht erscheint monatlich.", "Der Bericht erscheint wöchentlich."),
    ("Отчёт выходит ежемесячно.", "Отчёт выходит еженедельно."),
    ("Sales doubled in 2023.", "Sales tripled in 2023."),
    ("The first train leaves at 6.", "The last train leaves at 6."),
    ("Meetings take place on the second Monday.", "Meetings take place on the third Monday."),
]


@pytest.mark.parametrize(("context", "answer"), SAME)
def test_the_same_amount_in_other_words_is_supported(context: str, answer: str) -> None:
    assert verdicts(context, answer)[0] is Verdict.SUPPORTED


@pytest.mark.parametrize(("context", "answer"), OTHER)
def test_another_amount_is_not(context: str, answer: str) -> None:
    assert verdicts(context, answer)[0] is Verdict.CONTRADICTED
