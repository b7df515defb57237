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


@pytest.mark.parametrize(
    ("context", "answer"),
    [
        ("Результаты готовы не ранее чем через 2 дня.", "Результаты готовы не позднее чем через 2 дня."),
        (
            "Results are ready no earlier than 2 days after the test.",
            "Results are ready no later than 2 days after the test.",
        ),
        ("Die Ergebnisse liegen frühestens nach 2 Tagen vor.", "Die Ergebnisse liegen spätestens nach 2 Tagen vor."),
        ("Wyniki są gotowe nie wcześniej niż za 2 dni.", "Wyniki są gotowe nie później niż za 2 dni."),
        ("Výsledky jsou nejdříve za 2 dny.", "Výsledky jsou nejpozději za 2 dny."),
        ("Les résultats sont prêts au plus tôt dans 2 jours.", "Les résultats sont prêts au plus tard dans 2 jours."),
        ("Rezultati su gotovi najranije za 2 dana.", "Rezultati su gotovi najkasnije za 2 dana."),
        ("Sonuçlar en erken 2 gün içinde hazır olur.", "Sonuçlar en geç 2 gün içinde hazır olur."),
        ("结果最早2天出。", "结果最晚2天出。"),
        ("Las solicitudes se presentan del 1 al 30 de abril.", "Las solicitudes se presentan desde el 30 de abril."),
        ("Le dépôt se fait du 1 au 30 avril.", "Le dépôt se fait à partir du 30 avril."),
        ("Applications are taken from 1 to 30 April.", "Applications are taken from 30 April."),
        ("Anträge werden vom 1. bis 30. April angenommen.", "Anträge werden ab dem 30. April angenommen."),
        ("Le domande si presentano dal 1 al 30 aprile.", "Le domande si presentano dal 30 aprile."),
        ("Os pedidos são aceites de 1 a 30 de abril.", "Os pedidos são aceites a partir de 30 de abril."),
        ("Wnioski przyjmujemy od 1 do 30 kwietnia.", "Wnioski przyjmujemy od 30 kwietnia."),
        ("Заявки принимают с 1 по 30 апреля.", "Заявки принимают с 30 апреля."),
        ("The store opens at 9:00.", "The store is not open after 9:00."),
        ("The contract can be cancelled after the first year.", "The contract can be cancelled during the first year."),
        (
            "The contract can be cancelled after the first year.",
            "The contract cannot be cancelled after the first year.",
        ),
        (
            "La cuenta es gratuita para menores de 26 años; a partir de esa edad cuesta 3 euros al mes.",
            "A partir de los 26 años la cuenta es gratuita.",
        ),
    ],
)
def test_the_other_side_of_a_turning_point_is_not_borne_out(context: str, answer: str) -> None:
    assert Verdict.SUPPORTED not in verdicts(context, answer)


@pytest.mark.parametrize(
    ("context", "answer"),
    [
        ("Результаты готовы не ранее чем через 2 дня.", "Результаты готовы минимум через 2 дня."),
        ("Die Ergebnisse liegen spätestens nach 2 Tagen vor.", "Die Ergebnisse liegen innerhalb von 2 Tagen vor."),
        ("Wyniki są gotowe nie później niż za 2 dni.", "Wyniki są gotowe najpóźniej za 2 dni."),
        ("Las solicitudes se presentan del 1 al 30 de abril.", "Las solicitudes se presentan hasta el 30 de abril."),
        (
            "Las solicitudes se presentan del 1 al 30 de abril.",
            "Las solicitudes se presentan entre el 1 y el 30 de abril.",
        ),
        ("The store opens at 9:00.", "The store is not open before 9:00."),
        ("The store is not open before 9:00.", "The store opens at 9:00."),
        ("The show starts at 20:00.", "The show does not start before 20:00."),
        ("The gate closes at 22:00.", "The gate is not open after 22:00."),
        ("Der Laden öffnet um 9 Uhr.", "Der Laden ist nicht vor 9 Uhr geöffnet."),
        ("Le magasin ouvre à 9 h.", "Le magasin n'est pas ouvert avant 9 h."),
        ("La tienda abre a las 9:00.", "La tienda no abre antes de las 9:00."),
        ("Il negozio apre alle 9:00.", "Il negozio non apre prima delle 9:00."),
        ("A loja abre às 9:00.", "A loja não abre antes das 9:00."),
        ("De winkel opent om 9:00 uur.", "De winkel is niet open voor 9:00 uur."),
        ("Sklep otwiera się o 9:00.", "Sklep nie jest otwarty przed 9:00."),
        ("Obchod otevírá v 9:00.", "Obchod neotevírá před 9:00."),
        ("Магазин открывается в 9:00.", "Магазин не открывается до 9:00."),
        ("Trgovina se otvara u 9:00.", "Trgovina se ne otvara prije 9:00."),
        ("Mağaza saat 9:00'da açılır.", "Mağaza saat 9:00'dan önce açılmaz."),
        ("Kedai dibuka pada 9:00.", "Kedai tidak dibuka sebelum 9:00."),
        ("商店9点开门。", "商店9点前不开门。"),
        (
            "The contract can be cancelled after the first year.",
            "The contract cannot be cancelled during the first year.",
        ),
        ("Der Vertrag ist nach dem ersten Jahr kündbar.", "Der Vertrag ist während des ersten Jahres nicht kündbar."),
        (
            "Le contrat peut être résilié après la première année.",
            "Le contrat ne peut pas être résilié pendant la première année.",
        ),
        (
            "El contrato se puede cancelar después del primer año.",
            "El contrato no se puede cancelar durante el primer año.",
        ),
        ("Il contratto è rescindibile dopo il primo anno.", "Il contratto non è rescindibile durante il primo anno."),
        ("Umowę można rozwiązać po pierwszym roku.", "Umowy nie można rozwiązać podczas pierwszego roku."),
        (
            "La cuenta es gratuita para menores de 26 años; a partir de esa edad cuesta 3 euros al mes.",
            "A partir de los 26 años la cuenta cuesta 3 € mensuales.",
        ),
        (
            "The account is free for customers under 26; from that age it costs 3 euros a month.",
            "From the age of 26 the account costs 3 euros a month.",
        ),
        ("Das Konto ist für Kunden unter 26 kostenlos, danach kostet es 3 Euro.", "Ab 26 kostet das Konto 3 Euro."),
        ("Children under 6 travel free; older children pay 4 euros.", "Children from 6 pay 4 euros."),
        (
            "Storage is free for up to 7 days; after that it costs 5 euros a day.",
            "After 7 days storage costs 5 euros a day.",
        ),
        (
            "Le compte est gratuit pour les moins de 26 ans ; au-delà, il coûte 3 euros par mois.",
            "À partir de 26 ans, le compte coûte 3 euros par mois.",
        ),
        ("Konto jest bezpłatne dla osób poniżej 26 lat, potem kosztuje 3 euro.", "Od 26 lat konto kosztuje 3 euro."),
        ("До 7 дней хранение бесплатное, далее 5 евро в день.", "После 7 дней хранение стоит 5 евро в день."),
        ("You can cancel after 6 months.", "You cannot cancel before 6 months."),
        ("You may enter from 18.", "You may not enter under 18."),
        ("Eintritt ab 18 Jahren.", "Unter 18 Jahren kein Eintritt."),
    ],
)
def test_what_begins_or_ends_at_a_figure_agrees_with_its_denial_beyond(context: str, answer: str) -> None:
    assert set(verdicts(context, answer)) == {Verdict.SUPPORTED}
