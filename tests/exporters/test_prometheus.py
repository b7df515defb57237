from collections.abc import Iterable
from dataclasses import replace

import pytest
from prometheus_client import REGISTRY
from prometheus_client.openmetrics.exposition import generate_latest
from prometheus_client.openmetrics.parser import text_string_to_metric_families
from prometheus_client.samples import Sample

from ragsonde.collector.clock import Deadline
from ragsonde.collector.model import Capture, SamplingDecision
from ragsonde.exporters.instruments import Instruments
from ragsonde.exporters.labels import LabelPolicy, LabelsConfig
from ragsonde.exporters.prometheus import PrometheusExporter
from ragsonde.scorers.score import (
    Citation,
    DiagnosisLabel,
    Failed,
    FailureKind,
    Judgement,
    MetricKey,
    NotApplicable,
    Reason,
    Scored,
    ScoredInteraction,
    Verdict,
)
from tests.exporters.scored import claim, scored
from tests.exporters.test_labels import HOSTILE

KEY = MetricKey.FAITHFULNESS


class Exported:
    """Exports, and reads back what a scrape would see."""

    def __init__(self, **labels: object) -> None:
        self.instruments = Instruments()
        self.exporter = PrometheusExporter(self.instruments, LabelPolicy(LabelsConfig(**labels)))

    def __call__(self, *batch: ScoredInteraction) -> "Exported":
        self.exporter.export(batch, Deadline(1))
        return self

    def samples(self) -> Iterable[Sample]:
        text = generate_latest(self.instruments).decode()
        return [sample for family in text_string_to_metric_families(text) for sample in family.samples]

    def total(self, name: str, **labels: str) -> float:
        """The sum over all series with these labels; a missing series is an error, not a 0."""
        found = [s.value for s in self.samples() if s.name == name and labels.items() <= s.labels.items()]
        assert found, f"no series of {name} with {labels}"
        return sum(found)

    def has(self, name: str, **labels: str) -> bool:
        return any(s.name == name and labels.items() <= s.labels.items() for s in self.samples())


def test_sums_are_weighted_by_the_inverse_of_the_probability() -> None:
    exported = Exported()(scored("a", faithfulness=0.5, probability=0.1), scored("b", faithfulness=1.0))
    assert exported.total("ragsonde_score_weighted_sum_total", metric="faithfulness") == pytest.approx(6.0)
    assert exported.total("ragsonde_score_weighted_squares_total", metric="faithfulness") == pytest.approx(3.5)
    assert exported.total("ragsonde_score_weights_total", metric="faithfulness") == pytest.approx(11.0)
    assert exported.total("ragsonde_score_squared_weights_total", metric="faithfulness") == pytest.approx(101.0)
    assert exported.total("ragsonde_hallucination_weighted_sum_total") == pytest.approx(10.0)
    assert exported.total("ragsonde_interactions_total") == 2
    assert exported.total("ragsonde_interactions_weighted_total") == pytest.approx(11.0)
    assert exported.total("ragsonde_interactions_squared_weights_total") == pytest.approx(101.0)


@pytest.mark.parametrize(("language", "validation"), [("en", "validated"), ("zh", "not_validated"), ("und", "unknown")])
def test_a_language_without_human_labels_is_visible_as_a_label(language: str, validation: str) -> None:
    exported = Exported()(scored("a", language=language))
    assert exported.total("ragsonde_local_answers_total", language=language, validation=validation) == 1


def test_no_verdict_enters_no_average_and_is_counted_by_reason() -> None:
    exported = Exported()(
        scored("a", scores={KEY: NotApplicable(Reason.REFUSAL)}, refusal=True),
        scored("b", scores={KEY: Failed(FailureKind.TRUNCATED)}),
        scored("c", scores={KEY: NotApplicable(Reason.CONTEXTS_NOT_CAPTURED)}, capture=Capture.CONTEXTS_NOT_CAPTURED),
    )
    assert not exported.has("ragsonde_score_weights_total")
    assert not exported.has("ragsonde_hallucination_weights_total")
    assert not exported.has("ragsonde_score_ratio_count")
    outcomes = "ragsonde_outcomes_total"
    assert exported.total(outcomes, outcome="not_applicable", reason="refusal") == 1
    assert exported.total(outcomes, outcome="failed", reason="truncated") == 1
    assert exported.total(outcomes, reason="contexts_not_captured") == 1
    # A refusal has nothing to check; a failure and missing contexts could have been known.
    assert exported.total("ragsonde_eligible_total", metric="faithfulness") == 2
    assert exported.total("ragsonde_answers_total", result="not_judged") == 3


def test_metric_against_a_reference_has_no_meaning_without_one_even_where_nothing_was_captured() -> None:
    unseen = {key: NotApplicable(Reason.CONTENT_NOT_CAPTURED) for key in (KEY, MetricKey.MRR, MetricKey.CONTEXT_RECALL)}
    exported = Exported()(
        scored("a", scores=unseen),
        scored("b", scores=unseen, relevant_ids=("returns",)),
        scored("c", scores=unseen, reference="Within 30 days."),
    )
    eligible = "ragsonde_eligible_total"
    assert exported.total(eligible, metric="faithfulness") == 3
    assert exported.total(eligible, metric="mrr") == 1
    assert exported.total(eligible, metric="context_recall") == 1


@pytest.mark.parametrize(
    ("verdicts", "result"),
    [
        ((Verdict.SUPPORTED, Verdict.SUPPORTED), "grounded"),
        ((Verdict.SUPPORTED, Verdict.NOT_FOUND), "hallucinated"),
        ((Verdict.CONTRADICTED,), "hallucinated"),
        ((Verdict.UNVERIFIED,), "hallucinated"),
    ],
)
def test_an_answer_is_hallucinated_when_any_claim_is_not_supported(verdicts: tuple[Verdict, ...], result: str) -> None:
    exported = Exported()(scored(faithfulness=0.5, verdicts=verdicts, model="gpt-4o"))
    assert exported.total("ragsonde_answers_total", result=result, model="gpt-4o") == 1
    for verdict in set(verdicts):
        assert exported.total("ragsonde_claims_total", verdict=verdict) == verdicts.count(verdict)


def test_citations_are_counted_by_kind_and_never_called_fabricated_when_contexts_are_unknown() -> None:
    citations = (
        Citation("[1]", 0, 3, "1", "doc-1", supported=True),
        Citation("[2]", 4, 7, "2", "doc-2", supported=False),
        Citation("[9]", 8, 11, "9", None),
        Citation("[3]", 12, 15, "3", "doc-3"),
    )
    accuracy = {MetricKey.CITATION_ACCURACY: Scored(0.5, citations=citations)}
    exported = Exported()(scored("a", scores=accuracy))
    kinds = ("supported", "unsupported", "fabricated", "unjudged")
    assert [exported.total("ragsonde_citations_total", kind=kind) for kind in kinds] == [1, 1, 1, 1]

    presence = {MetricKey.CITATION_PRESENCE: Scored(1.0, citations=(Citation("[9]", 8, 11, "9", None),))}
    unknown = Exported()(scored("b", scores=presence, contexts=None))
    assert unknown.total("ragsonde_citations_total", kind="unjudged") == 1
    assert not unknown.has("ragsonde_citations_total", kind="fabricated")


def test_refusals_are_counted_by_whether_they_were_right() -> None:
    correctness = MetricKey.REFUSAL_CORRECTNESS
    exported = Exported()(
        scored("a", refusal=True, scores={correctness: Scored(1.0)}),
        scored("b", refusal=True, scores={correctness: Scored(0.0)}, diagnosis=DiagnosisLabel.UNJUSTIFIED_REFUSAL),
        scored("c", refusal=True, scores={}),
        scored("d", refusal=False, scores={correctness: Scored(0.0)}),
        scored("e", refusal=None, scores={}),
    )
    kinds = ("justified", "unjustified", "unjudged")
    assert [exported.total("ragsonde_refusals_total", kind=kind) for kind in kinds] == [1, 1, 1]
    assert exported.total("ragsonde_diagnoses_total", diagnosis="unjustified_refusal") == 1


def test_a_redelivered_interaction_is_not_counted_twice() -> None:
    exported = Exported()(scored("a"))(scored("a"), scored("b"))
    assert exported.total("ragsonde_interactions_total") == 2
    assert exported.total("ragsonde_redelivered_total") == 1


def test_a_rescored_interaction_adds_to_its_own_counter_only() -> None:
    exported = Exported()(scored("a"))
    before = {(s.name, tuple(s.labels.items())): s.value for s in exported.samples()}
    exported(scored("a", faithfulness=0.0, rescored=True, scored_at=2_000.0))
    after = {(s.name, tuple(s.labels.items())): s.value for s in exported.samples()}
    assert {key for key in after if after[key] != before.get(key)} == {("ragsonde_rescored_total", (("app", "shop"),))}


def test_an_interaction_that_was_not_kept_adds_nothing() -> None:
    kept = scored("a")
    dropped = ScoredInteraction(
        kept.interaction, type(kept.decision)(kept=False, probability=0.1), kept.scores, kept.diagnosis, True, False
    )
    assert not Exported()(dropped).has("ragsonde_interactions_total")


def test_the_histogram_carries_the_trace_as_exemplar_and_nothing_that_is_no_trace_id() -> None:
    trace = "4bf92f3577b34da6a3ce929d0e0e4736"
    exported = Exported()(scored("a", faithfulness=0.3, trace_id=trace), scored("b", trace_id='x"} 1\n' * 100))
    exemplars = [s.exemplar.labels for s in exported.samples() if s.exemplar]
    assert exemplars == [{"trace_id": trace}]


@pytest.mark.parametrize("value", HOSTILE)
def test_a_hostile_label_value_collapses_and_the_page_still_parses(value: str) -> None:
    exported = Exported()(scored(app=value, environment=value, model=value, language=value))
    apps = {sample.labels["app"] for sample in exported.samples() if "app" in sample.labels}
    assert apps == {"other"}


def test_quotes_and_backslashes_in_an_allowed_name_survive_the_round_trip() -> None:
    name = 'odd "name" \\ here'
    exported = Exported(apps=(name,))(scored(app=name))
    assert exported.total("ragsonde_interactions_total", app=name) == 1


def test_the_number_of_series_is_bounded_whatever_comes_in() -> None:
    exported = Exported(max_apps=3, max_environments=2, max_models=2, max_scopes=5)
    for number in range(300):
        exported(
            scored(str(number), app=f"a{number}", environment=f"e{number}", model=f"m{number}", language=f"{number}")
        )
    sums = [s for s in exported.samples() if s.name == "ragsonde_score_weights_total"]
    assert len(sums) <= 5 + 4 * 4
    assert len([s for s in exported.samples() if s.name == "ragsonde_answers_total"]) <= 4 * 3 * 3


def test_no_created_samples_and_nothing_on_the_global_registry() -> None:
    before = {family.name for family in REGISTRY.collect()}
    exported = Exported()(scored())
    assert not [s for s in exported.samples() if s.name.endswith("_created")]
    assert {family.name for family in REGISTRY.collect()} == before


def test_two_exporters_in_one_process_do_not_meet() -> None:
    first, second = Exported()(scored("a")), Exported()
    assert first.has("ragsonde_interactions_total")
    assert not second.has("ragsonde_interactions_total")


def judged(value: float, probability: float, scorer: str = "judge") -> Judgement:
    verdict = Verdict.SUPPORTED if value == 1.0 else Verdict.NOT_FOUND
    scores = {KEY: Scored(value, claims=(claim(verdict=verdict),)), "politeness": Scored(0.75)}
    return Judgement(scorer, scores, SamplingDecision(True, probability))


def test_each_source_of_scores_has_sums_of_its_own_with_the_weight_of_its_own_draw() -> None:
    item = replace(scored("a", faithfulness=1.0, probability=0.5), judgements=(judged(0.0, 0.1),))
    exported = Exported()(item)
    sums, rate = "ragsonde_score_weights_total", "ragsonde_hallucination_weighted_sum_total"
    assert exported.total(sums, scorer="local", metric="faithfulness") == pytest.approx(2.0)
    assert exported.total(sums, scorer="judge", metric="faithfulness") == pytest.approx(10.0)
    assert exported.total(rate, scorer="local") == 0.0
    assert exported.total(rate, scorer="judge") == pytest.approx(10.0)
    assert exported.total("ragsonde_interactions_total") == 1


def test_a_rubric_of_the_users_own_is_a_metric_like_the_others() -> None:
    exported = Exported()(replace(scored("a"), judgements=(judged(1.0, 1.0),)))
    assert exported.total("ragsonde_score_weighted_sum_total", scorer="judge", metric="politeness") == 0.75
    assert exported.total("ragsonde_outcomes_total", metric="politeness", outcome="scored") == 1


def test_what_two_judges_say_of_one_answer_is_counted_as_a_pair() -> None:
    both = (judged(1.0, 1.0), judged(0.0, 1.0, "second_judge"))
    exported = Exported()(replace(scored("a"), judgements=both), replace(scored("b"), judgements=both[:1]))
    assert exported.total("ragsonde_judge_pairs_total", first="grounded", second="hallucinated") == 1
    assert exported.total("ragsonde_judge_pairs_total") == 1


def test_an_interaction_that_was_not_drawn_adds_to_no_sum_of_the_judge_but_to_its_coverage() -> None:
    unseen = Judgement("judge", {KEY: NotApplicable(Reason.SAMPLED_OUT)}, SamplingDecision(False, 0.1))
    exported = Exported()(replace(scored("a"), judgements=(unseen,)))
    assert not exported.has("ragsonde_score_weights_total", scorer="judge")
    assert exported.total("ragsonde_eligible_total", scorer="judge") == 1
    assert exported.total("ragsonde_outcomes_total", scorer="judge", reason="sampled_out") == 1
