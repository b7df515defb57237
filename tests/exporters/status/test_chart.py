from hypothesis import given
from hypothesis import strategies as st

from ragsonde.exporters.estimate import WeightedSums
from ragsonde.exporters.status.chart import HEIGHT, WIDTH, chart, points, rise

EMPTY = WeightedSums()


def answers(hallucinated: int, judged: int) -> WeightedSums:
    return WeightedSums(judged, judged, judged, hallucinated, hallucinated)


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)), max_size=40))
def test_everything_drawn_lies_on_the_plot(counts: list[tuple[int, int]]) -> None:
    drawn = chart(points(0.0, 60.0, [answers(min(pair), max(pair)) for pair in counts], EMPTY))
    for mark in drawn.marks:
        assert 0 <= mark.x <= WIDTH
        assert 0 <= mark.high_y <= mark.y <= mark.low_y <= HEIGHT
    for x, y, width, height in drawn.bars:
        assert 0 <= x <= x + width <= WIDTH + 1
        assert abs(y + height - HEIGHT) < 0.2


def test_a_step_without_judged_answers_is_a_gap_not_a_zero() -> None:
    given_points = points(0.0, 60.0, [answers(1, 20), answers(1, 20), EMPTY, answers(1, 20), answers(2, 20)], EMPTY)
    assert given_points[2].estimate is None
    drawn = chart(given_points)
    assert len(drawn.marks) == 4
    assert len(drawn.lines) == len(drawn.bands) == 2


def test_a_spike_stands_out_from_when_it_began() -> None:
    sums = [answers(1, 20)] * 10 + [answers(9, 20)] * 4
    assert [point.raised for point in points(0.0, 60.0, sums, EMPTY)] == [False] * 10 + [True] * 4
    found = rise(0.0, 60.0, sums, EMPTY)
    assert found is not None
    assert found.since == 600.0
    assert found.now.mean == 9 / 20
    assert found.before.mean == 1 / 20


def test_a_calm_step_within_a_spike_does_not_end_it() -> None:
    sums = [answers(1, 20)] * 10 + [answers(9, 20), answers(2, 20), answers(9, 20), answers(8, 20)]
    found = rise(0.0, 60.0, sums, EMPTY)
    assert found is not None
    assert found.since == 600.0


def test_a_spike_that_is_over_is_no_rise_any_more() -> None:
    assert rise(0.0, 60.0, [answers(1, 20)] * 10 + [answers(12, 20)] * 2 + [answers(1, 20)] * 6, EMPTY) is None


def test_two_bad_answers_out_of_three_at_night_are_no_spike() -> None:
    sums = [answers(1, 20)] * 10 + [EMPTY] * 5 + [answers(1, 3)]
    assert rise(0.0, 60.0, sums, EMPTY) is None
    assert rise(0.0, 60.0, [answers(0, 3), answers(2, 3)], EMPTY) is None


def test_an_empty_series_can_be_drawn() -> None:
    assert chart(points(0.0, 60.0, [EMPTY] * 5, EMPTY)).marks == ()


def test_a_spike_older_than_the_window_stands_out_from_the_time_before_it() -> None:
    sums = [answers(9, 20)] * 4
    assert rise(0.0, 60.0, sums, EMPTY) is None
    found = rise(0.0, 60.0, sums, answers(10, 200))
    assert found is not None
    assert found.since == 0.0
