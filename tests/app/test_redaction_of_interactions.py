import pytest
from pydantic import ValidationError

from ragsonde.collector.model import Document
from ragsonde.interaction_redaction import redaction_of
from ragsonde.settings import RedactionSettings
from tests.builders import interaction

PERSONAL = interaction(
    question="I am anna@example.org, card 4111 1111 1111 1111. When is my refund?",
    answer="The refund goes to anna@example.org on 3 May.",
    contexts=(
        Document(text="Refund of anna@example.org: 3 May.", rank=1, metadata={"owner": ["anna@example.org", 7]}),
        Document(text=None, rank=2, id="doc-2"),
    ),
    system_instructions="Serve bob@example.org.",
)


def test_one_value_gets_one_placeholder_in_question_contexts_and_answer() -> None:
    redacted = redaction_of(RedactionSettings())(PERSONAL)
    assert redacted.question == "I am [EMAIL_1], card [CARD_1]. When is my refund?"
    assert redacted.answer == "The refund goes to [EMAIL_1] on 3 May."
    first, second = redacted.contexts or ()
    assert first.text == "Refund of [EMAIL_1]: 3 May."
    assert first.metadata == {"owner": ["[EMAIL_1]", 7]}
    assert second.text is None
    assert redacted.system_instructions == "Serve [EMAIL_2]."


def test_an_id_that_holds_personal_data_is_redacted_and_the_same_wherever_it_stands() -> None:
    signed = (
        "https://files.example/c.pdf?X-Amz-Signature=fe5f80f77d5fa3beca038a248ff027d0445342fe2855ddc963176630326f1024"
    )
    mailbox = "anna@example.org/contract.pdf"
    plain = ("doc-1", "601234567", "550e8400-e29b-41d4-a716-446655440000")
    ids = (mailbox, signed, *plain)
    redacted = redaction_of(RedactionSettings())(
        interaction(
            question="What does it say?",
            answer=f"It ends in May (see {mailbox}).",
            contexts=tuple(Document("Ends in May.", rank, id=id_) for rank, id_ in enumerate(ids, 1)),
            cited_ids=(mailbox, "doc-1"),
            relevant_ids=(signed,),
        )
    )
    found = [document.id for document in redacted.contexts or ()]
    assert found[0] == "[EMAIL_1]/contract.pdf"
    assert found[1] == "https://files.example/c.pdf?X-Amz-Signature=[KEY_1]"
    assert tuple(found[2:]) == plain
    assert redacted.answer == "It ends in May (see [EMAIL_1]/contract.pdf)."
    assert (redacted.cited_ids, redacted.relevant_ids) == ((found[0], "doc-1"), (found[1],))


def test_redaction_can_be_switched_off_and_takes_patterns_of_ones_own() -> None:
    assert redaction_of(RedactionSettings(enabled=False))(PERSONAL) is PERSONAL
    own = redaction_of(RedactionSettings(patterns={"order": r"ORD-\d+"}))
    assert own(interaction(answer="Order ORD-123 is on its way.")).answer == "Order [ORDER_1] is on its way."


def test_a_pattern_that_is_no_pattern_is_refused_by_name() -> None:
    with pytest.raises(ValidationError, match=r"patterns\n.*order: missing \)"):
        RedactionSettings(patterns={"order": "("})
