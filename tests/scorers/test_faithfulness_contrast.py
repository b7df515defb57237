"""Claims that have nearly all words of a passage and say something else, beside those that say the same."""

import pytest

from ragsonde.scorers.faithfulness.alignment import Evidence
from ragsonde.scorers.faithfulness.analysis import AnalysedText
from ragsonde.scorers.faithfulness.verdicts import ClaimCheck
from ragsonde.scorers.score import Verdict
from ragsonde.scorers.text.language import detect_language
from ragsonde.scorers.text.segmentation import split_sentences

PLANS = "| Plan | Price | Seats |\n|---|---|---|\n| Basic | 10 EUR | 5 |\n| Pro | 20 EUR | 10 |"


def verdict(claim: str, context: str) -> Verdict:
    evidence = Evidence([AnalysedText(context, split_sentences(context))], "")
    return ClaimCheck(evidence, language=detect_language(claim)).judge(claim).verdict


@pytest.mark.parametrize(
    ("context", "claim"),
    [
        pytest.param("Some of the members voted for the plan.", "All of the members voted for the plan.", id="some"),
        pytest.param("Most patients recovered within a week.", "All patients recovered within a week.", id="most"),
        pytest.param(
            "Viele Mitarbeiter arbeiten im Homeoffice.", "Alle Mitarbeiter arbeiten im Homeoffice.", id="viele"
        ),
        pytest.param("Algunos empleados trabajan desde casa.", "Todos los empleados trabajan desde casa.", id="es"),
        pytest.param("Некоторые сотрудники работают из дома.", "Все сотрудники работают из дома.", id="ru"),
        pytest.param("部分员工在家工作。", "所有员工在家工作。", id="zh"),
        pytest.param("Only managers may approve invoices.", "All employees may approve invoices.", id="only-managers"),
        pytest.param(
            "Refunds are granted only if the item is unopened.", "Refunds are granted for all items.", id="only-if"
        ),
    ],
)
def test_a_claim_of_all_is_not_borne_out_by_a_passage_on_some(context: str, claim: str) -> None:
    assert verdict(claim, context) is Verdict.CONTRADICTED


@pytest.mark.parametrize(
    ("context", "claim"),
    [
        ("Members, all of whom are volunteers, meet weekly. Some members travel far.", "All members are volunteers."),
        ("Only managers may approve invoices.", "Invoices may be approved only by managers."),
        ("Only managers may approve invoices.", "Nobody but managers may approve invoices."),
        ("Every student receives a card. The card can only be used in the library.", "Every student receives a card."),
        ("Ligaments connect bones to each other only.", "Ligaments connect bones to each other."),
        ("Some rooms have a view. All rooms have a bath.", "All rooms have a bath."),
    ],
)
def test_a_claim_of_all_stands_where_the_passage_says_so_too(context: str, claim: str) -> None:
    assert verdict(claim, context) is Verdict.SUPPORTED


@pytest.mark.parametrize(
    ("context", "claim"),
    [
        ("Acme sued Bolt over the patent in 2019.", "Bolt sued Acme over the patent in 2019."),
        ("Acme sued Bolt over the patent in 2019.", "Acme was sued by Bolt over the patent in 2019."),
        ("Copper is heavier than zinc.", "Zinc is heavier than copper."),
        ("Trains run from Leeds to Hull.", "Trains run from Hull to Leeds."),
        ("Global Foods Ltd bought Green Farms in May.", "Green Farms bought Global Foods Ltd in May."),
    ],
)
def test_parts_that_change_places_say_something_else(context: str, claim: str) -> None:
    assert verdict(claim, context) is Verdict.CONTRADICTED


@pytest.mark.parametrize(
    ("context", "claim"),
    [
        ("Acme sued Bolt over the patent in 2019.", "Bolt was sued by Acme over the patent in 2019."),
        ("Bolt was acquired by Acme in 2019.", "Acme acquired Bolt in 2019."),
        ("Acme competes with Bolt.", "Bolt competes with Acme."),
        ("Paris is the capital of France.", "The capital of France is Paris."),
        ("Собаку укусил человек.", "Человек укусил собаку."),
    ],
)
def test_parts_that_change_places_without_changing_what_is_said_are_left_alone(context: str, claim: str) -> None:
    assert verdict(claim, context) is Verdict.SUPPORTED


@pytest.mark.parametrize(
    ("claim", "expected"),
    [
        ("The Pro plan has 10 seats.", Verdict.SUPPORTED),
        ("The Pro plan has 5 seats.", Verdict.CONTRADICTED),
        ("The Basic plan costs 20 EUR.", Verdict.CONTRADICTED),
        ("The Basic plan costs 10 EUR and the Pro plan costs 20 EUR.", Verdict.SUPPORTED),
    ],
)
def test_a_figure_belongs_to_its_row_of_a_table(claim: str, expected: Verdict) -> None:
    assert verdict(claim, PLANS) is expected


@pytest.mark.parametrize(
    ("context", "claim", "expected"),
    [
        ("Processing takes less than 5 days.", "Processing takes more than 5 days.", Verdict.CONTRADICTED),
        ("Die Lieferung dauert mindestens 5 Tage.", "Die Lieferung dauert höchstens 5 Tage.", Verdict.CONTRADICTED),
        ("La livraison prend plus de 5 jours.", "La livraison prend moins de 5 jours.", Verdict.CONTRADICTED),
        ("Доставка занимает не менее 5 дней.", "Доставка занимает менее 5 дней.", Verdict.CONTRADICTED),
        ("国内订单的配送时间至少5天。", "国内订单的配送时间最多5天。", Verdict.CONTRADICTED),
        ("Delivery takes at most 5 days.", "Delivery takes no more than 5 days.", Verdict.SUPPORTED),
        ("Delivery takes at most 5 days.", "Delivery takes up to 5 days.", Verdict.SUPPORTED),
        ("Die Lieferung dauert höchstens 5 Tage.", "Die Lieferung dauert nicht mehr als 5 Tage.", Verdict.SUPPORTED),
        ("Доставка занимает не более 5 дней.", "Доставка занимает не больше 5 дней.", Verdict.SUPPORTED),
        ("Tickets cost 5 EUR or more.", "Tickets cost at least 5 EUR.", Verdict.SUPPORTED),
    ],
)
def test_the_direction_of_a_bound_counts(context: str, claim: str, expected: Verdict) -> None:
    assert verdict(claim, context) is expected


@pytest.mark.parametrize(
    ("context", "claim"),
    [
        ("Les animaux ne sont pas autorisés.", "Les animaux sont autorisés."),
        ("Вход с собаками запрещён. Курить не разрешается.", "Курить разрешается."),
        ("ペットの飼育は認められています。喫煙は認められていません。", "喫煙は認められています。"),
        ("Smoking is forbidden.", "Smoking is allowed."),
        ("Roken is niet toegestaan.", "Roken is toegestaan."),
    ],
)
def test_a_short_statement_is_denied_by_one_word(context: str, claim: str) -> None:
    assert verdict(claim, context) is Verdict.CONTRADICTED


@pytest.mark.parametrize(
    ("context", "claim"),
    [
        ("Smoking is forbidden.", "Smoking is not allowed."),
        ("Ne fumez pas dans le bâtiment. Les animaux sont autorisés.", "Les animaux sont autorisés."),
        ("ペットの飼育は認められています。喫煙は認められていません。", "ペットの飼育は認められています。"),
    ],
)
def test_a_negation_of_something_else_denies_nothing(context: str, claim: str) -> None:
    assert verdict(claim, context) is Verdict.SUPPORTED


def test_a_figure_in_another_notation_is_not_missed() -> None:
    assert verdict("We are open from 09:00 to 18:00.", "We open at 9 a.m. and close at 6 p.m.") is Verdict.SUPPORTED
    assert verdict("We are open from 09:00 to 20:00.", "We open at 9 a.m. and close at 6 p.m.") is not Verdict.SUPPORTED


def test_a_year_belongs_to_the_word_before_it() -> None:
    context = "Napoleon was born in 1769 and died in 1821."
    assert verdict("Napoleon was born in 1821.", context) is Verdict.CONTRADICTED
    assert verdict("Napoleon died in 1821.", context) is Verdict.SUPPORTED


@pytest.mark.parametrize(
    ("context", "claim"),
    [
        ("Hunde sind erlaubt. Katzen sind verboten.", "Katzen sind erlaubt."),
        ("Собаки разрешены. Кошки запрещены.", "Кошки разрешены."),
        ("Los perros están permitidos. Los gatos están prohibidos.", "Los gatos están permitidos."),
        ("Water damage is covered. Theft is excluded.", "Theft is covered."),
    ],
)
def test_the_rule_of_a_neighbouring_sentence_is_not_borne_out(context: str, claim: str) -> None:
    assert verdict(claim, context) is Verdict.CONTRADICTED


@pytest.mark.parametrize(
    ("context", "claim"),
    [
        ("Hunde sind erlaubt. Katzen sind verboten.", "Hunde sind erlaubt."),
        ("Hunde sind erlaubt. Katzen sind verboten.", "Katzen sind verboten."),
        ("Dogs are allowed in the park. Dogs are banned in the halls.", "Dogs are allowed in the park."),
    ],
)
def test_a_rule_of_its_own_beside_another_is_supported(context: str, claim: str) -> None:
    assert verdict(claim, context) is Verdict.SUPPORTED
