"""Passages that say a thing of one and its contrary of another: which of the two a claim speaks of."""

import tomllib
from pathlib import Path

import pytest

from ragsonde.scorers.score import Verdict
from tests.scorers.reading_builders import verdicts

_HOUSES = tomllib.loads((Path(__file__).parent / "data" / "house_rules.toml").read_text(encoding="utf-8"))


def _statements(kind: str) -> list[object]:
    return [
        pytest.param(house["rules"], statement, id=f"{code}-{number}")
        for code, house in _HOUSES.items()
        for number, statement in enumerate(house[kind])
    ]


@pytest.mark.parametrize(("rules", "statement"), _statements("told"))
def test_what_a_clause_says_of_its_own_subject_is_supported(rules: str, statement: str) -> None:
    assert verdicts(rules, statement) == [Verdict.SUPPORTED]


@pytest.mark.parametrize(("rules", "statement"), _statements("turned"))
def test_what_another_clause_says_of_another_subject_does_not_bear_it_out(rules: str, statement: str) -> None:
    assert Verdict.SUPPORTED not in verdicts(rules, statement)


@pytest.mark.parametrize(
    ("context", "claim"),
    [
        ("Hot and cold water are included.", "Hot water is included."),
        ("The device works both online and offline.", "The device works offline."),
        ("Access requires a public key and a private key.", "Access requires a private key."),
        ("Without a ticket, entry is not possible.", "Entry is possible only with a ticket."),
        ("The left lane is closed; the right lane is open.", "The right lane is open."),
    ],
)
def test_what_is_listed_side_by_side_is_no_clause_of_its_own(context: str, claim: str) -> None:
    assert verdicts(context, claim) == [Verdict.SUPPORTED]
