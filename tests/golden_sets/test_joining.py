"""An interaction finds its golden item by id, else by the question, and never the wrong one."""

from ragsonde.golden.joining import join
from tests.builders import interaction
from tests.golden_sets.golden_items import item


def test_ids_come_first_then_questions_in_any_writing() -> None:
    first = item("one", question="What does it cost?")
    second = item("two", question="Wie groß ist der Ｌaden?")
    found = join(
        [
            interaction(id="one", question="something else"),
            interaction(id="x", question="  wie GROSS ist\nder laden? "),
            interaction(id="y", question="Who?"),
        ],
        [first, second, item("three", question="Unasked?")],
    )
    assert found.items == {"one": first, "x": second}
    assert [stranger.id for stranger in found.strangers] == ["y"]
    assert [missing.id for missing in found.unanswered] == ["three"]


def test_a_question_of_several_items_is_matched_by_id_only() -> None:
    items = [item("one"), item("two")]
    found = join([interaction(id="x", question=items[0].question), interaction(id="two")], items)
    assert found.items == {"two": items[1]}


def test_what_the_item_knows_is_filled_in() -> None:
    gold = [{"document_id": "a"}, {"document_id": "b", "section": "b2"}]
    (filled,) = join([interaction(id="i")], [item("i", reference=None, key_facts=["F.", "G."], gold=gold)]).interactions
    assert filled.reference == "F.\nG."
    assert filled.relevant_ids == ("a", "b2")
    (unanswerable,) = join([interaction(id="i", reference="old")], [item("i", unanswerable=True)]).interactions
    assert unanswerable.reference is None
