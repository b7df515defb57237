from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from ragsonde.collector.assignor import share_out

members = st.lists(st.text("abcdef", min_size=1, max_size=3), min_size=1, max_size=6, unique=True)


@given(st.integers(0, 30), members, st.data())
def test_every_number_has_one_member_and_loads_differ_by_one_at_most(
    count: int, names: list[str], data: st.DataObject
) -> None:
    owners = data.draw(st.dictionaries(st.integers(0, 30), st.sampled_from([*names, "gone"])))
    shared = share_out(range(count), names, owners)
    assert set(shared) == set(range(count))
    loads = Counter(dict.fromkeys(names, 0))
    loads.update(shared.values())
    assert max(loads.values()) - min(loads.values()) <= 1


@given(st.integers(0, 30), members)
def test_sharing_out_again_moves_nothing(count: int, names: list[str]) -> None:
    shared = share_out(range(count), names, {})
    assert share_out(range(count), names, shared) == shared


def test_a_new_member_takes_only_its_share() -> None:
    before = share_out(range(8), ["a", "b"], {})
    after = share_out(range(8), ["a", "b", "c"], before)
    moved = {number for number in before if before[number] != after[number]}
    assert {after[number] for number in moved} == {"c"}
    assert len(moved) == 2


def test_a_member_that_left_gives_its_numbers_to_the_others() -> None:
    before = share_out(range(8), ["a", "b", "c"], {})
    after = share_out(range(8), ["a", "b"], before)
    kept = {number for number, member in before.items() if member != "c"}
    assert all(after[number] == before[number] for number in kept)
