"""What is free and what has a price: a claim that gives one thing the terms of another is contradicted."""

import pytest

from ragsonde.scorers.score import Verdict
from tests.scorers.reading_builders import judged_claims, verdicts

CHILDREN = "Adults pay 8 euros, children enter free."
KINDER = "Eintritt: Erwachsene 8 Euro, für Kinder ist der Eintritt kostenlos."
WIFI = "WLAN ist kostenlos. Das Frühstück kostet 15 Euro."
DEJEUNER = "Le petit-déjeuner coûte 15 euros. Le wifi est gratuit."
DESAYUNO = "El desayuno cuesta 15 euros. El wifi es gratuito."
JAPANESE = "料金は大人800円、小学生以下は無料です。"
CHINESE = "成人票80元，儿童免费。"
PLANS = "The basic plan is free. The team plan costs 20 dollars a month."
PARKING = "Parking is free for guests; others pay 5 euros."


@pytest.mark.parametrize(
    ("context", "answer"),
    [
        (CHILDREN, "Children pay 8 euros."),
        (CHILDREN, "Adults enter free."),
        (KINDER, "Der Eintritt für Kinder kostet 8 Euro."),
        (WIFI, "Das Frühstück ist kostenlos."),
        (DEJEUNER, "Le petit-déjeuner est gratuit."),
        (DESAYUNO, "El wifi cuesta 15 euros."),
        (JAPANESE, "小学生以下は800円です。"),
        (CHINESE, "儿童票80元。"),
        (CHINESE, "成人免费。"),
        (PLANS, "The basic plan costs 20 dollars a month."),
        ("Parking costs 3 euros. Entry is free.", "Entry costs 3 euros."),
        ("The museum is free on Mondays and costs 12 euros on other days.", "The museum costs 12 euros on Mondays."),
    ],
)
def test_the_price_of_one_thing_is_not_that_of_a_free_one(context: str, answer: str) -> None:
    (claim,) = judged_claims([context], answer)
    assert claim.verdict is not Verdict.SUPPORTED
    assert "of this the contexts say" in (claim.reason or "")


@pytest.mark.parametrize(
    ("context", "answer"),
    [
        (CHILDREN, "Adults pay 8 euros."),
        (CHILDREN, "Children enter for free."),
        (KINDER, "Kinder haben kostenlosen Eintritt."),
        (WIFI, "Das Frühstück kostet 15 Euro."),
        (DESAYUNO, "El wifi es gratis."),
        (JAPANESE, "大人は800円です。"),
        (CHINESE, "儿童免费入场。"),
        (PLANS, "There is a free plan."),
        (PLANS, "The basic plan is available for free."),
        (PARKING, "Parking costs 5 euros for others."),
        (PARKING, "Guests park for free."),
        ("Entry costs 12 euros. Children under 6 are free.", "Entry costs 12 euros, but children under 6 are free."),
        ("Entry costs 12 euros. Children under 6 are free.", "You pay 12 euros for entry."),
        ("Standard shipping costs 5 euros; shipping above 50 euros is free.", "Shipping is free above 50 euros."),
        ("Storage is free for up to 7 days; after that it costs 5 euros a day.", "After 7 days storage costs 5 euros."),
        ("The pizza is 12 dollars and gluten free.", "The pizza costs 12 dollars."),
        ("Entry is free, except for the tower, which costs 4 euros.", "The tower costs 4 euros."),
    ],
)
def test_what_is_free_and_what_is_paid_is_told_as_the_contexts_tell_it(context: str, answer: str) -> None:
    assert set(verdicts(context, answer)) == {Verdict.SUPPORTED}
