from hypothesis import given
from hypothesis import strategies as st

from ragsonde.exporters.status.timeline import Tally, Timeline
from ragsonde.scorers.score import Failed, FailureKind, MetricKey, NotApplicable, Reason, ScoredInteraction
from tests.exporters.scored import scored, scored_interactions
from tests.exporters.status.traffic import judged

KEY = MetricKey.FAITHFULNESS


@given(st.lists(scored_interactions, max_size=6), st.integers(0, 6))
def test_merged_tallies_count_what_one_tally_would(given_ones: list[ScoredInteraction], cut: int) -> None:
    whole, first, second = Tally(), Tally(), Tally()
    for number, one in enumerate(given_ones):
        whole.add(one)
        (first if number < cut else second).add(one)
    first.merge(second)
    assert first.interactions == whole.interactions == sum(one.decision.kept for one in given_ones)
    assert first.outcomes == whole.outcomes
    assert first.diagnoses == whole.diagnoses
    assert {key: sums.count for key, sums in first.scores.items()} == {
        key: sums.count for key, sums in whole.scores.items()
    }


def test_what_could_not_be_told_enters_the_coverage_and_no_mean() -> None:
    tally = Tally()
    tally.add(scored("a", scores={KEY: Failed(FailureKind.TIMEOUT)}))
    tally.add(scored("b", scores={KEY: NotApplicable(Reason.REFUSAL)}))
    tally.add(scored("c", faithfulness=0.5))
    assert tally.eligible[KEY] == 2
    assert tally.scores[KEY].count == 1
    assert (tally.hallucinated, tally.hallucinations.count) == (1, 1)


def test_each_source_of_scores_has_sums_of_its_own_with_the_weights_of_its_own_sample() -> None:
    timeline = Timeline(10, 3600)
    for number in range(8):
        timeline.add(100, "shop", judged(scored(str(number), faithfulness=1.0), drawn=number < 2, faithfulness=0.0))
    local, judge = timeline.total(100, 110), timeline.total(100, 110, scorer="judge")
    assert (local.hallucinations.count, local.hallucinated, local.traffic) == (8, 0, 8.0)
    assert (judge.hallucinations.count, judge.hallucinated, judge.traffic) == (2, 2, 8.0)
    assert judge.interactions == 2
    assert judge.eligible[KEY] == 8
    assert judge.outcomes[KEY, "not_applicable", "sampled_out"] == 6
    assert timeline.total(100, 110, scorer="second_judge").outcomes == {}
    assert timeline.keys(100, 110) == {("shop", "local"), ("shop", "judge")}


def test_a_total_holds_the_buckets_of_its_stretch_only() -> None:
    timeline = Timeline(10, 3600)
    for time in (95, 100, 109, 110, 125):
        timeline.add(time, "shop", scored(str(time)))
    timeline.add(105, "help", scored("other"))
    assert timeline.total(100, 120, "shop").interactions == 3
    assert timeline.total(100, 120).interactions == 4
    assert {app: tally.interactions for app, tally in timeline.by_app(0, 1000).items()} == {"shop": 5, "help": 1}


def test_old_buckets_are_forgotten() -> None:
    timeline = Timeline(10, 100)
    timeline.add(5, "shop", scored("old"))
    timeline.add(50, "shop", scored("new"))
    timeline.forget_before(50)
    assert timeline.total(0, 1000).interactions == 1
