"""Claims put together of two statements that run alike, beside those that take from one of them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragsonde.scorers.facts import find_measurements
from ragsonde.scorers.faithfulness.pieces import read_clauses
from ragsonde.scorers.score import Verdict
from tests.scorers.reading_builders import judged_claims

_ROOMS = "Room A holds 20, room B 35 and room C 50 people."
_PAIRS = [
    pytest.param(_ROOMS, "Room B holds 20 people.", "Room B holds 35 people.", id="labels"),
    pytest.param("Hall 1 seats 60, hall 2 90.", "Hall 1 seats 90.", "Hall 2 seats 90.", id="numbered"),
    pytest.param("Plan A costs 10, plan B 25.", "Plan A costs 25, plan B 10.", "Plan B costs 25.", id="bare numbers"),
    pytest.param("Lena scored 14 and Ruth 9.", "Ruth scored 14.", "Lena scored 14.", id="left out verb"),
    pytest.param(
        "Paris hosts the summit in June and Rome in July.",
        "Rome hosts the summit in June.",
        "Rome hosts the summit in July.",
        id="months",
    ),
    pytest.param(
        "The CEO is Ana Holt. The CFO is Ben Rusk.", "The CFO is Ana Holt.", "The CFO is Ben Rusk.", id="names"
    ),
    pytest.param(
        "Error E4 means that the fan is blocked; error E7 means low refrigerant.",
        "Error E4 means low refrigerant.",
        "Error E7 means low refrigerant.",
        id="codes",
    ),
    pytest.param(
        "Standard delivery is free. Express delivery costs 9 euros.",
        "Express delivery is free.",
        "Standard delivery is free.",
        id="free",
    ),
    pytest.param(
        "The north pool is open all year. The south pool is open from May to September.",
        "The south pool is open all year.",
        "The north pool is open all year.",
        id="seasons",
    ),
    pytest.param(
        "Hunde sind erlaubt. Katzen sind verboten.", "Katzen sind erlaubt.", "Katzen sind verboten.", id="contraries"
    ),
    pytest.param(
        "Приём по будням с 8:00 до 20:00, в субботу до 15:00.",
        "В субботу приём до 20:00.",
        "В субботу приём до 15:00.",
        id="ru",
    ),
    pytest.param("В зале А 20 мест, в зале Б 35.", "В зале А 35 мест.", "В зале Б 35 мест.", id="ru labels"),
    pytest.param("A室20人，B室35人。", "A室35人。", "B室35人。", id="zh"),
    pytest.param(
        "Before the war the town had 900 people, after it 300.",
        "After the war the town had 900 people.",
        "After the war the town had 300 people.",
        id="before and after",
    ),
    pytest.param(
        "Employees without children may carry over 5 days of leave, employees with children 10 days.",
        "Employees with children may carry over 5 days.",
        "Employees with children may carry over ten days.",
        id="with and without",
    ),
    pytest.param(
        "Water in the main pool is kept at 27 degrees, in the plunge pool at 12 degrees.",
        "The main pool is at 12 degrees.",
        "The main pool is at 27 °C and the plunge pool at 12 °C.",
        id="units",
    ),
    pytest.param(
        "Tom wrote the report. Anna reviewed the report.",
        "Tom reviewed the report.",
        "Anna reviewed the report.",
        id="verbs",
    ),
    pytest.param(
        "Le forfait Basic coûte 10 euros, le forfait Pro 25 euros.",
        "Le forfait Basic coûte 25 euros.",
        "Le forfait Pro coûte 25 euros.",
        id="fr",
    ),
    pytest.param(
        "El tren a Sevilla sale a las 9:15 y el de Bilbao a las 10:40.",
        "El tren a Sevilla sale a las 10:40.",
        "El tren de Bilbao sale a las 10:40.",
        id="es",
    ),
    pytest.param(
        "Adults take two tablets daily. Children take one tablet daily.",
        "Children take two tablets daily.",
        "Children take one tablet a day.",
        id="number words",
    ),
    pytest.param(
        "Version 2.0 was released in May. Version 3.0 was released in October.",
        "Version 3.0 was released in May.",
        "Version 3.0 came out in October.",
        id="versions",
    ),
    pytest.param(
        "The API limit is 100 requests per minute for free users and 1,000 for paid users.",
        "Free users may send 1,000 requests per minute.",
        "Paid users may send 1,000 requests per minute.",
        id="with a word of its own",
    ),
    pytest.param(
        "Check-in starts at 15:00, check-out is until 11:00.",
        "Check-out is until 15:00.",
        "You can check in from 15:00 and must check out by 11:00.",
        id="hours",
    ),
]


def verdicts(contexts: str | list[str], claim: str) -> set[Verdict]:
    given = [contexts] if isinstance(contexts, str) else contexts
    return {judged.verdict for judged in judged_claims(given, claim)}


@pytest.mark.parametrize(("context", "mixed", "true"), _PAIRS)
def test_what_is_said_of_one_is_not_borne_out_of_the_other(context: str, mixed: str, true: str) -> None:
    assert Verdict.SUPPORTED not in verdicts(context, mixed)
    assert verdicts(context, true) == {Verdict.SUPPORTED}


@pytest.mark.parametrize(("context", "mixed", "true"), [pair for pair in _PAIRS if ". " in str(pair.values[0])])
def test_two_contexts_run_alike_as_two_sentences_do(context: str, mixed: str, true: str) -> None:
    contexts = [f"{sentence.rstrip('.')}." for sentence in context.split(". ")]
    assert Verdict.SUPPORTED not in verdicts(contexts, mixed)
    assert verdicts(contexts, true) == {Verdict.SUPPORTED}


@pytest.mark.parametrize(
    ("context", "claim"),
    [
        pytest.param("Room A holds 20, room B 35 and room C 20.", "Room C holds 20.", id="the same value twice"),
        pytest.param("The hall seats 90. The garden seats 40.", "The hall and the garden seat 90 and 40.", id="both"),
        pytest.param(
            "Let it simmer for 5 minutes. Add the beans and let them cook for 10 minutes.",
            "Let it simmer for 5 minutes, then let the beans cook for 10 minutes.",
            id="steps",
        ),
        pytest.param("Ana was born in Oslo in 1960 and died in 2011.", "Ana died in 2011.", id="carried subject"),
    ],
)
def test_a_claim_that_one_statement_bears_out_mixes_nothing(context: str, claim: str) -> None:
    assert verdicts(context, claim) == {Verdict.SUPPORTED}


def test_the_reason_names_what_is_said_of_the_other_and_what_of_this() -> None:
    (judged,) = judged_claims([_ROOMS], "Room B holds 20 people.")
    assert judged.reason is not None
    assert "20" in judged.reason
    assert "35" in judged.reason


@given(st.text(max_size=80))
def test_clauses_hold_every_content_word_of_a_text_once(text: str) -> None:
    measured = find_measurements(text).all()
    clauses = read_clauses(text, 0, len(text), measured)
    written = [piece.text for clause in clauses for piece in clause.pieces]
    at = 0
    for piece in written:
        at = text.index(piece, at) + len(piece)
    assert all(clause.telling for clause in clauses)


@given(st.lists(st.sampled_from(["Room A holds 20", "room B 35", "and", ",", "10:00", "室35人", "5 kg"]), max_size=8))
def test_a_clause_holds_its_own_pieces(parts: list[str]) -> None:
    text = " ".join(parts)
    for clause in read_clauses(text, 0, len(text), find_measurements(text).all()):
        assert all(clause.holds(piece) for piece in clause.pieces)
        assert clause.holds_all(clause)
