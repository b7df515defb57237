"""Names that a claim gives in the place of others: each clause of a sentence has its own."""

import pytest

from ragsonde.scorers.score import Verdict
from tests.scorers.reading_builders import judged_claims, verdicts

FILM = "The film was directed by Ana Ruiz and produced by Tom Beck."
TRAIN = "The train leaves Basel at 9:04 and arrives in Zürich at 9:58."
LIFE = "Smith was born in Leeds, studied in York and worked for Acme in Hull."
FIRM = "The company was founded in Oslo by Nils Berg, moved to Bergen in 1999 and is now led by Eva Dahl."
MEETING = "Merkel met Macron in Paris and discussed the budget with Scholz."


@pytest.mark.parametrize(
    ("context", "answer"),
    [
        (FILM, "The film was directed by Tom Beck."),
        (FILM, "The film was produced by Ana Ruiz."),
        (TRAIN, "The train arrives in Basel at 9:58."),
        (LIFE, "Smith studied in Leeds."),
        (LIFE, "Smith was born in York."),
        (FIRM, "The company is led by Nils Berg."),
        (FIRM, "The company was founded by Eva Dahl."),
        ("Le pont fut dessiné par Jean Morel et construit par Paul Girard.", "Le pont fut dessiné par Paul Girard."),
        ("La novela fue escrita por Marta Gil y traducida por Luis Vega.", "La novela fue escrita por Luis Vega."),
        ("Il treno parte da Milano alle 8 e arriva a Torino alle 9.", "Il treno arriva a Milano alle 9."),
    ],
)
def test_a_name_of_another_clause_is_not_supported(context: str, answer: str) -> None:
    assert Verdict.SUPPORTED not in verdicts(context, answer)


@pytest.mark.parametrize(
    ("context", "answer"),
    [
        (FILM, "The film was directed by Ana Ruiz."),
        (FILM, "The film was produced by Tom Beck."),
        (TRAIN, "The train arrives in Zürich at 9:58."),
        (LIFE, "Smith worked in Hull."),
        (FIRM, "The company was founded by Nils Berg in Oslo."),
        (MEETING, "Merkel discussed the budget with Scholz."),
        (MEETING, "Merkel discussed the budget in Paris."),
        ("Anna met Ben in Paris and Carla in Rome.", "Anna met Carla."),
        ("Ana Ruiz directed the film and produced it with Tom Beck.", "Ana Ruiz produced the film."),
        ("Der Film wurde von Ana Ruiz gedreht und von Tom Beck produziert.", "Tom Beck produzierte den Film."),
    ],
)
def test_a_name_of_the_same_clause_is_supported(context: str, answer: str) -> None:
    assert verdicts(context, answer) == [Verdict.SUPPORTED]


def test_the_reason_gives_the_name_that_the_contexts_have_in_that_place() -> None:
    (claim,) = judged_claims([FILM], "The film was directed by Tom Beck.")
    assert "Ana Ruiz" in (claim.reason or "")
