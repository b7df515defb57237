"""Two edits of a set are compared and put together, and nothing is settled silently."""

from hypothesis import given

from ragsonde.golden.diff import WHOLE_ITEM, FieldChange, diff, merge
from ragsonde.golden.item import GoldenItem
from tests.golden_sets.golden_items import item, sets

Set = dict[str, GoldenItem]


def one(**values: object) -> Set:
    return {"returns": item(**values)}


@given(sets)
def test_a_set_differs_in_nothing_from_itself(given: Set) -> None:
    assert not diff(given, given)
    assert merge(given, given).conflicts == ()
    assert {known.id: known for known in merge(given, given).items} == given


@given(sets, sets)
def test_merging_loses_no_item_and_tells_of_every_difference(ours: Set, theirs: Set) -> None:
    merged = merge(ours, theirs)
    assert {known.id for known in merged.items} == ours.keys() | theirs.keys()
    differing = {change.id for change in diff(ours, theirs).changed}
    assert {conflict.id for conflict in merged.conflicts} == differing


@given(sets, sets)
def test_a_side_that_did_nothing_yields_to_the_other(base: Set, theirs: Set) -> None:
    merged = merge(base, theirs, base)
    assert merged.conflicts == ()
    assert {known.id: known for known in merged.items} == theirs


def test_a_changed_field_is_shown_with_both_values() -> None:
    (change,) = diff(one(), one(difficulty="hard")).changed
    assert change.fields == (FieldChange("difficulty", None, "hard"),)


def test_edits_of_different_fields_go_together() -> None:
    (merged,) = merge(one(difficulty="hard"), one(risk="high"), one()).items
    assert (merged.difficulty, merged.risk) == ("hard", "high")


def test_edits_of_one_field_are_a_conflict_and_ours_is_kept() -> None:
    found = merge(one(difficulty="hard"), one(difficulty="easy"), one())
    assert [(c.field, c.ours, c.theirs, c.base) for c in found.conflicts] == [("difficulty", "hard", "easy", None)]
    assert found.items[0].difficulty == "hard"


def test_an_item_removed_here_and_edited_there_is_a_conflict() -> None:
    found = merge({}, one(difficulty="hard"), one())
    assert [(c.field, c.ours, c.theirs) for c in found.conflicts] == [(WHOLE_ITEM, "removed", "edited")]
    assert merge({}, one(), one()).items == ()


def test_edits_that_are_valid_apart_only_are_a_conflict() -> None:
    found = merge(one(unanswerable=True), one(key_facts=["30 days."]), one())
    assert [conflict.field for conflict in found.conflicts] == [WHOLE_ITEM]
