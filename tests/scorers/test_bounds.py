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
        ("no under 6s", "min"),
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
    ("Bags must not weigh more than 32 kg.", "Bags must weigh more than 32 kg."),
    ("Bags must not weigh more than 32 kg.", "Bags must not weigh less than 32 kg."),
    ("Do not store above 25 °C.", "Do not store below 25 °C."),
    ("Do not store the tablets above 25 °C.", "Store the tablets above 25 °C."),
    ("Refunds are given within 14 days.", "No refunds are given within 14 days."),
    ("Сумка должна весить не более 10 кг.", "Сумка должна весить больше 10 кг."),
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
    ("Bags may weigh at most 32 kg.", "Bags may not weigh more than 32 kg."),
    ("Deliveries take up to 7 days.", "Deliveries do not take longer than 7 days."),
    ("Check-in is from 15:00.", "Check-in is not possible before 15:00."),
    ("Check-out is until 11:00.", "You cannot check out after 11:00."),
    ("Do not store above 25 °C.", "Store below 25 °C."),
    ("Refunds are given within 14 days.", "No refunds are given after 14 days."),
    ("Applicants must be at least 17.", "Applicants must not be under 17."),
    ("Der Eintritt ist bis 18 Uhr möglich.", "Nach 18 Uhr ist kein Eintritt möglich."),
    ("Le sac doit peser au plus 10 kg.", "Le sac ne doit pas peser plus de 10 kg."),
    ("La bolsa debe pesar como máximo 10 kg.", "La bolsa no debe pesar más de 10 kg."),
    ("La borsa può pesare al massimo 10 kg.", "La borsa non può pesare più di 10 kg."),
    ("De tas mag hoogstens 10 kg wegen.", "De tas mag niet meer dan 10 kg wegen."),
    ("Torba może ważyć najwyżej 10 kg.", "Torba nie może ważyć więcej niż 10 kg."),
    ("Taška smí vážit nejvýše 10 kg.", "Taška nesmí vážit více než 10 kg."),
    ("Сумка должна весить не более 10 кг.", "Сумка не должна весить больше 10 кг."),
    ("Анализы принимают до 11:00.", "Анализы не принимают после 11:00."),
    ("Çanta en fazla 10 kg olabilir.", "Çanta 10 kg'dan fazla olamaz."),
]


@pytest.mark.parametrize(("context", "answer"), OPPOSITE)
def test_a_bound_turned_round_is_a_contradiction(context: str, answer: str) -> None:
    assert verdicts(context, answer) == [Verdict.CONTRADICTED]


@pytest.mark.parametrize(("context", "answer"), SAME)
def test_the_same_bound_in_other_words_is_supported(context: str, answer: str) -> None:
    assert verdicts(context, answer) == [Verdict.SUPPORTED]
