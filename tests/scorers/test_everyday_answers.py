"""Answers as assistants of shops, offices and libraries give them: put in other words, or with one thing wrong."""

import pytest

from ragsonde.scorers.score import Verdict
from tests.scorers.reading_builders import judged_claims

FEES = """| Service | Fee |
|---|---|
| Local parcel, sent | $4 |
| Local parcel, received | $0 |
| Foreign parcel, sent | $9 |
| Foreign parcel, received | $2 |"""
DESK = "Tickets are required from Monday to Thursday; on Fridays you can walk in."
FEE = "A passport costs $130. It takes 6 weeks, or 2 weeks with express service for an additional $60."
SIZES = """| Size | Width | Height |
|---|---|---|
| S | 40 cm | 60 cm |
| M | 45 cm | 70 cm |
| L | 50 cm | 80 cm |"""
SALES = "| Model | 2022 | 2023 |\n|---|---|---|\n| Alpha | 120 | 150 |\n| Beta | 80 | 95 |"
ZONES = "| Zone | Adult | Child |\n|---|---|---|\n| A | 2.50 | 1.20 |\n| B | 3.80 | 1.90 |"
SEASONS = "A double room is €95 in low season and €150 in high season."
OFFICE = "The office is open Monday to Friday. It is closed on 1 May."
COVER = "The policy covers fire. It does not cover theft."


@pytest.mark.parametrize(
    ("context", "answer"),
    [
        (
            "Members get 24 days of leave a year, which is 2 days a month.",
            "Members get 24 days of leave a year (2 days per month).",
        ),
        ("Hand the form in at least two weeks in advance.", "Hand the form in no later than two weeks before."),
        ("Buchungen sind mindestens 24 Stunden vorher nötig.", "Buchungen sind spätestens 24 Stunden vorher nötig."),
        ("Hay que reservar al menos 24 horas antes.", "Hay que reservar como muy tarde 24 horas antes."),
        (FEES, "A foreign parcel that is sent costs $9."),
        ("Die Anmeldung endet am 31. März.", "Die Anmeldung endet am 31.03."),
        ("The course ends on 31 March.", "The course ends on 31/03."),
        ("The desk is open on Tuesdays, 2–4 pm.", "The desk is open on Tuesdays from 14:00 to 16:00."),
        ("The desk is open daily, 10–2 pm.", "The desk is open daily from 10 am to 2 pm."),
        ("全国一律550円です。", "それ以外は全国一律550円です。"),
        (DESK, "You can walk in without a ticket on Fridays."),
        (FEE, "Express service costs $60 more."),
        ("A copy costs $0.28 a page.", "A copy costs 28 cents a page."),
        ("员工满十年后有10天年假。", "员工满10年后有10天年假。"),
        ("The offer ends in May 2027.", "The offer ends in 05/2027."),
        ("The museum is closed on 24 and 25 December.", "The museum is closed on December 24."),
        ("Das Museum ist am 24., 25. und 26. Dezember geschlossen.", "Am 24.12. ist das Museum geschlossen."),
        ("试用期为一个月。", "试用期为1个月。"),
        ("Ben Rusk and Tom Beck knew each other.", "The two men knew each other."),
        (
            "The shop closes at 18:00, except on Wednesdays, when it closes at 21:00.",
            "On Wednesdays it closes at 21:00.",
        ),
        (
            "O museu abre às 10h e fecha às 18h, exceto às quartas-feiras, quando fecha às 21h.",
            "Às quartas-feiras o museu fecha às 21h.",
        ),
        (SEASONS, "Low season: €95."),
        (SEASONS, "- Low season: €95\n- High season: €150"),
        (SEASONS, "In high season, a double room is €150."),
        (
            "La chambre double coûte 95 € la nuit en basse saison et 140 € en haute saison.",
            "En haute saison, la chambre double coûte 140 € la nuit.",
        ),
        ("Students pay 5 euros, adults 9 euros.", "**Adults:** 9 euros"),
        (ZONES, "B costs 3.80 for an adult."),
        (ZONES, "A ticket for zone B is 1.90 for a child."),
        (SIZES, "Size M is 45 cm wide."),
        (SIZES, "The height of size L is 80 cm."),
        (SALES, "In 2023 Alpha sold 150."),
        (OFFICE, "The office is closed on 1 May."),
        (OFFICE, "The office is open on Mondays."),
        ("定制商品不接受退货。", "定制商品不能退货。"),
        ("Entry is free of charge for students.", "Students are not charged."),
        ("The pool is open in summer. It is closed in winter.", "The pool is closed in winter."),
        ("Kinder unter 6 Jahren fahren kostenlos. Ein Tagesticket kostet 9 Euro.", "Ein Tagesticket kostet 9 Euro."),
    ],
)
def test_what_is_said_in_another_way_is_supported(context: str, answer: str) -> None:
    for claim in judged_claims([context], answer):
        assert claim.verdict is Verdict.SUPPORTED, (claim.text, claim.reason)


@pytest.mark.parametrize(
    ("context", "answer"),
    [
        ("Hand the form in at least two weeks in advance.", "Hand the form in at most two weeks in advance."),
        (
            "Hand the form in no later than two weeks after the end.",
            "Hand the form in at least two weeks after the end.",
        ),
        (FEES, "A parcel costs $9."),
        ("Die Anmeldung endet am 31. März.", "Die Anmeldung endet am 30.03."),
        ("The desk is open on Tuesdays, 2–4 pm.", "The desk is open on Tuesdays from 15:00 to 16:00."),
        ("A copy costs $0.28 a page.", "A copy costs 38 cents a page."),
        ("员工满十年后有10天年假。", "员工满12年后有10天年假。"),
        (FEE, "A passport costs $60."),
        (COVER, "The policy covers theft."),
        ("Die Police deckt Feuer. Sie deckt keinen Diebstahl.", "Die Police deckt Diebstahl."),
        ("The landlord must provide a statement.", "The tenant must provide a statement."),
        ("The light turns red when it is ready.", "The light turns green when it is ready."),
        ("Der Vermieter zahlt die Reparatur.", "Der Mieter zahlt die Reparatur."),
        (SIZES, "The height of size M is 45 cm."),
        (SIZES, "The width of size M is 40 cm."),
        (SALES, "In 2023 Beta sold 80."),
        (
            "| Zone | Adult | Child |\n|---|---|---|\n| A | 2.50 | 1.20 |\n| B | 3.80 | 1.90 |",
            "In zone A an adult pays 1.20.",
        ),
        (OFFICE, "The office is open on 1 May."),
        ("Das Amt ist werktags geöffnet. Es ist am 24. Dezember geschlossen.", "Am 24. Dezember ist das Amt geöffnet."),
        ("The plan covers dental care. Orthodontics is excluded.", "The plan covers orthodontics."),
        ("The service stops at midnight. It does not run on Sundays.", "The service runs on Sundays."),
        ("The link in the e-mail expires after 30 minutes.", "The link never expires."),
        ("定制商品不接受退货。", "定制商品可以退货。"),
        ("特价商品不支持退货。", "特价商品可以退货。"),
        ("Билет стоит 450 рублей. Дети до семи лет проходят бесплатно.", "Дети до семи лет платят 450 рублей."),
        ("Children under 5 travel free. All others pay 3 euros.", "Children under 5 pay 3 euros."),
    ],
)
def test_one_thing_that_is_wrong_is_not_supported(context: str, answer: str) -> None:
    assert Verdict.SUPPORTED not in [claim.verdict for claim in judged_claims([context], answer)]


def test_what_another_sentence_denies_of_the_same_is_contradicted() -> None:
    (claim,) = judged_claims([COVER], "The policy covers theft.")
    assert claim.verdict is Verdict.CONTRADICTED
    assert "It does not cover theft" in (claim.reason or "")
    (other,) = judged_claims(["The policy covers fire. It does not cover theft."], "The policy covers fire.")
    assert other.verdict is Verdict.SUPPORTED
