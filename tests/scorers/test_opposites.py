"""What turns a claim round, and what only looks like it."""

import pytest

from ragsonde.scorers.score import Verdict
from tests.scorers.reading_builders import verdicts


@pytest.mark.parametrize(
    ("context", "answer"),
    [
        ("The ticket is non-refundable.", "The ticket is refundable."),
        ("Restart the server after the update.", "Restart the server before the update."),
        ("After the update, restart the server.", "Restart the server before the update."),
        ("Nach dem Update den Server neu starten.", "Vor dem Update den Server neu starten."),
        ("The fee was reduced in May.", "The fee was increased in May."),
    ],
)
def test_the_opposite_is_a_contradiction(context: str, answer: str) -> None:
    assert verdicts(context, answer) == [Verdict.CONTRADICTED]


@pytest.mark.parametrize(
    ("context", "answer"),
    [
        ("Membership is not only for students but also for staff.", "Membership is for students."),
        ("I couldn't be more excited about the launch.", "He is excited about the launch."),
        (
            "The pilot had barely over 600 hours of flight time.",
            "The pilot had a little over 600 hours of flight time.",
        ),
        (
            "Wouldn't at least one instructor have noticed the fault?",
            "At least one instructor would have noticed the fault.",
        ),
        ("The firm was founded without Wayne, who sold his share for $800.", "Wayne sold his share for $800."),
        ("As the altitude increases, the air pressure decreases.", "At high altitude the air pressure is reduced."),
        ("Restart the server after the update.", "Install the update before you restart the server."),
        ("After the update, restart the server.", "Restart the server after the update."),
        ("Treat it with nonsteroidal drugs.", "Treat it with non-steroidal drugs."),
        ("Fry the beef in a non-stick pan, then stir.", "Fry the beef in a pan, then stir."),
    ],
)
def test_what_only_looks_like_the_opposite_is_supported(context: str, answer: str) -> None:
    assert verdicts(context, answer) == [Verdict.SUPPORTED]


def test_an_answer_that_gives_the_values_of_all_cases_hides_none() -> None:
    context = "At 3 pm there is a 42% chance of rain. At 6 pm there is a 58% chance of rain."
    both = "There is a 42% chance of rain. Later there is a 58% chance of rain."
    assert verdicts(context, both) == [Verdict.SUPPORTED, Verdict.SUPPORTED]


def test_the_numbers_of_an_answers_own_steps_are_no_facts() -> None:
    context = "4. Collect the cream in a bowl over a week. 5. Churn the cream with ice and water."
    answer = "Step 1: Collect the cream in a bowl over a week. Step 2: Churn the cream with ice and water."
    assert set(verdicts(context, answer)) == {Verdict.SUPPORTED}
    assert Verdict.SUPPORTED not in verdicts("Step 4: Churn the cream with ice.", "Step 7: Churn the cream with ice.")
