"""The throughput measurement: what it scores has the size that it says, and every way is measured on the same."""

from bench.local_throughput.measure import Cost, interactions, measure


def test_interactions_have_contexts_of_the_size_asked_for_and_no_two_the_same() -> None:
    found = interactions(2000, 12, seed=3)
    assert len({i.answer for i in found}) > 6
    texts = [document.text or "" for i in found for document in i.contexts or ()]
    assert len(set(texts)) == len(texts)
    for interaction in found:
        contexts = interaction.contexts or ()
        assert 2000 <= sum(len(document.text or "") for document in contexts) <= 2000 + 12 * len(contexts)
    assert interactions(2000, 12, seed=3) == found


def test_every_way_is_measured_for_every_size() -> None:
    costs = measure((300, 900), count=2, rounds=1, with_encoder=False)
    assert {cost.size for cost in costs} == {300, 900}
    assert len({cost.way for cost in costs}) == len(costs) / 2 == 3
    assert all(cost.milliseconds > 0 for cost in costs)


def test_a_rate_is_the_inverse_of_a_cost() -> None:
    assert Cost(100, "x", 4.0).per_second == 250.0
