"""Bounds of figures and dates: found where words make one, and opposite ones kept apart."""

import tomllib
from importlib.resources import files

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragsonde.scorers.facts import find_measurements
from ragsonde.scorers.facts.bounds import bound_of, opposed
from ragsonde.scorers.score import Verdict
from tests.scorers.reading_builders import verdicts

TABLE = tomllib.loads(files("ragsonde.scorers.facts").joinpath("bounds.toml").read_text("utf-8"))
SECTIONS = {(b, False): TABLE[b] for b in ("min", "max", "from", "until")} | {
    (bound, True): section for bound, section in TABLE["dates"].items()
}
PHRASES = [
    pytest.param(bound, date, kind, phrase.strip(), id=phrase.strip())
    for (bound, date), section in SECTIONS.items()
    for kind, lines in section.items()
    for line in lines
    for phrase in line.split("|")
    if phrase.strip()
]


@pytest.mark.parametrize(("bound", "date", "kind", "phrase"), PHRASES)
def test_each_phrase_makes_its_bound_where_it_stands(bound: str, date: bool, kind: str, phrase: str) -> None:
    text = {
        "before": f"... {phrase} 6 ...",
        "unspaced": f"... {phrase}6 ...",
        "after": f"... 6 {phrase}, ...",
        "unspaced_after": f"... 6{phrase}。...",
    }[kind]
    at = text.index("6")
    assert bound_of(text, at, at + 1, date=date) == bound


@given(st.text(max_size=80), st.integers(0, 80), st.booleans())
def test_any_text_has_one_of_the_bounds_or_none(text: str, at: int, date: bool) -> None:
    at = min(at, len(text))
    assert bound_of(text, at, at, date=date) in {"", "min", "max", "from", "until"}


@pytest.mark.parametrize(
    ("text", "bound"),
    [
        ("not older than 6", "max"),
        ("must not be under 6", "min"),
        ("nicht unter 6 Jahren", "min"),
        ("не младше 6 лет", "min"),
        ("не должно превышать 6 мг", "max"),
        ("no menores de 6 años", "min"),
        ("no under 6s", "max"),
        ("djeca mlađima od 6 godina", "max"),
        ("6 yaşından küçük", "max"),
        ("6 yaşına kadar", "until"),
        ("6 kadar", ""),
        ("at least € 6", "min"),
        ("6+", "min"),
        ("6 years of age or older", "min"),
        ("6 or less than 9", ""),
        ("at eleven; over 6 weeks", "min"),
        ("under the age of 6", "max"),
        ("至少需要6人", "min"),
        ("收到6封", ""),
        ("6人以上", "min"),
        ("с 6 комнатами", ""),
        ("rose by 6 %", ""),
    ],
)
def test_words_around_a_figure_make_it_a_bound_or_not(text: str, bound: str) -> None:
    at = text.index("6")
    assert [found.bound for found in find_measurements(text).quantities if found.start <= at < found.end] == [bound]


def test_only_bounds_of_two_directions_are_opposed() -> None:
    assert opposed("min", "until")
    assert opposed("from", "max")
    assert not opposed("min", "from")
    assert not opposed("max", "")


OPPOSITE = [
    ("Children under 6 travel free.", "Children over 6 travel free."),
    ("Kinder unter 6 Jahren fahren kostenlos.", "Kinder ab 6 Jahren fahren kostenlos."),
    ("Les enfants de moins de 6 ans voyagent gratuitement.", "Les enfants de plus de 6 ans voyagent gratuitement."),
    ("I bambini sotto i 6 anni viaggiano gratis.", "I bambini sopra i 6 anni viaggiano gratis."),
    ("Kinderen jonger dan 6 jaar reizen gratis.", "Kinderen ouder dan 6 jaar reizen gratis."),
    ("Dzieci do 6 lat jeżdżą za darmo.", "Dzieci od 6 lat jeżdżą za darmo."),
    ("Děti mladší než 6 let jezdí zdarma.", "Děti starší než 6 let jezdí zdarma."),
    ("Дети до 6 лет ездят бесплатно.", "Дети от 6 лет ездят бесплатно."),
    ("Djeca mlađa od 6 godina putuju besplatno.", "Djeca starija od 6 godina putuju besplatno."),
    ("6 yaşından küçük çocuklar ücretsizdir.", "6 yaşından büyük çocuklar ücretsizdir."),
    ("Kanak-kanak bawah 6 tahun percuma.", "Kanak-kanak atas 6 tahun percuma."),
    ("会议至少需要3人参加才能召开。", "会议最多需要3人参加才能召开。"),
    ("6歳未満は無料です。", "6歳以上は無料です。"),
    ("الأطفال دون 6 سنوات مجاناً.", "الأطفال فوق 6 سنوات مجاناً."),
    ("เด็กอายุต่ำกว่า 6 ปีขึ้นฟรี", "เด็กอายุมากกว่า 6 ปีขึ้นฟรี"),
    ("Members must be 18 or older.", "Members must be 18 or younger."),
    ("Children under 6 pay 10 EUR.", "Children over 6 pay 10 EUR."),
    ("Kinder von 6 bis 12 Jahren zahlen die Hälfte.", "Kinder von 6 bis 14 Jahren zahlen die Hälfte."),
    ("Kart 65 yaş üstü için ücretsizdir.", "Kart 65 yaş altı için ücretsizdir."),
    ("The offer is valid until 5 May.", "The offer is valid from 5 May."),
    ("L'offre est valable jusqu'au 5 mai.", "L'offre est valable à partir du 5 mai."),
    ("Предложение действует до 5 мая.", "Предложение действует с 5 мая."),
    ("Teklif 5 Mayıs'a kadar geçerlidir.", "Teklif 5 Mayıs'tan itibaren geçerlidir."),
    ("优惠有效期至5月5日。", "优惠从5月5日起有效。"),
    ("The desk is open until 5 pm.", "The desk is open from 5 pm."),
    ("The road is closed until Friday.", "The road is closed from Friday."),
    ("He was director until 2019.", "He was director from 2019."),
]
SAME = [
    ("Children under 6 travel free.", "Children younger than 6 travel free."),
    ("You must be at least 18 to enter.", "You must be 18 or older to enter."),
    ("Дети до 6 лет ездят бесплатно.", "Дети младше 6 лет ездят бесплатно."),
    ("The museum is open from 9:00 to 17:00.", "The museum is open 9:00-17:00."),
    ("Over 6 weeks the team built the bridge.", "The team built the bridge within 6 weeks."),
    ("The value must not exceed 5 mg.", "The value is at most 5 mg."),
    ("Kazna od 50 eura.", "Kazna je 50 eura."),
    ("The offer is valid until 5 May.", "The offer is valid through 5 May."),
    ("The offer is valid from 1 May to 5 May.", "The offer is valid until 5 May."),
    ("Работаем с 9 до 17.", "Работаем до 17."),
    ("18岁以上人士可参加。", "年满18岁人士可参加。"),
    ("Children under 6 travel free, those over 6 pay half.", "Children over 6 pay half."),
]


@pytest.mark.parametrize(("context", "answer"), OPPOSITE)
def test_a_bound_turned_round_is_a_contradiction(context: str, answer: str) -> None:
    assert verdicts(context, answer) == [Verdict.CONTRADICTED]


@pytest.mark.parametrize(("context", "answer"), SAME)
def test_the_same_bound_in_other_words_is_supported(context: str, answer: str) -> None:
    assert verdicts(context, answer) == [Verdict.SUPPORTED]
