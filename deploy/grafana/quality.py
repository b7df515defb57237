"""Is the RAG good? Shares and means with their 95 % intervals, and where the fault lies."""

from grafana_foundation_sdk.builders.dashboard import CustomVariable, Dashboard
from grafana_foundation_sdk.models.dashboard import VariableOption

from deploy.grafana.panels import (
    COUNT,
    PER_SECOND,
    RATE,
    RATIO,
    SECONDS,
    AnyPanel,
    Query,
    Section,
    dashboard,
    distribution,
    filled,
    lines,
    number,
    rate,
    values_of,
)
from ragsonde.exporters.alerting.recording import HALLUCINATION, SCORE
from ragsonde.exporters.alerting.tunables import Tunables

APP = 'app=~"$app"'
BY_SCORER = f'{APP}, scorer=~"$scorer"'
BY_METRIC = f'{BY_SCORER}, metric=~"$metric"'
WINDOW = "${window}"
"The chosen window: ranges use it, and so do the names of recording rules."


def quality() -> Dashboard:
    """Return the dashboard. It reads the recording rules of ``deploy/prometheus/rules.yaml``."""
    board = dashboard(
        "ragsonde-quality",
        "Ragsonde: is the RAG good",
        "Shares and means are estimates for the whole traffic; dashed lines are the ends of their 95 % intervals. "
        "What is not known stays empty.",
        other="ragsonde-sidecar",
        other_title="Is the sidecar well",
    )
    board = (
        board.with_variable(values_of("app", "app", "ragsonde_interactions_total", "Application"))
        .with_variable(values_of("scorer", "scorer", "ragsonde_hallucination_weights_total", "Scorer"))
        .with_variable(values_of("metric", "metric", "ragsonde_score_weights_total", "Metric"))
        .with_variable(_windows())
    )
    return filled(board, _now(), _hallucination(), _people(), _scores(), _faults(), _claims(), _coverage(), _traffic())


def _recorded(rule: str, selector: str) -> str:
    return f"{rule}{WINDOW}{{{selector}}}"


def _interval(rule: str, selector: str, legend: str, *, value: str = "rate") -> tuple[Query, ...]:
    """Return a recorded share or mean and the ends of its interval."""
    return (
        Query(_recorded(f"{rule}:{value}", selector), legend),
        Query(_recorded(f"{rule}:lower", selector), f"{legend} at least", dashed=True),
        Query(_recorded(f"{rule}:upper", selector), f"{legend} at most", dashed=True),
    )


def _increase(name: str, by: str, selector: str) -> str:
    return f"sum by ({by}) (increase({name}{{{selector}}}[{WINDOW}]))"


def _count(name: str, by: str, selector: str, legend: str = "") -> Query:
    """Return what a counter counted in the window, by some of its labels."""
    label = legend or " ".join(f"{{{{{one.strip()}}}}}" for one in by.split(","))
    return Query(_increase(name, by, selector), label)


def _windows() -> CustomVariable:
    windows = Tunables().windows
    first = VariableOption(text="1h", value="1h", selected=True)
    return CustomVariable("window").label("Window").values(",".join(windows)).current(first)


def _now() -> Section:
    return Section(
        "Now",
        number(
            "Hallucinated answers",
            "Share of judged answers with a claim that the retrieved contexts do not support.",
            Query(_recorded(f"{HALLUCINATION}:rate", BY_SCORER), "{{app}} {{scorer}}"),
            unit=RATIO,
        ),
        number(
            "At least",
            "Lower end of the 95 % interval: alerts fire on it.",
            Query(_recorded(f"{HALLUCINATION}:lower", BY_SCORER), "{{app}} {{scorer}}"),
            unit=RATIO,
        ),
        number(
            "Evidence",
            "Effective sample size: how many unweighted answers would tell as much.",
            Query(_recorded(f"{HALLUCINATION}:size", BY_SCORER), "{{app}} {{scorer}}"),
        ),
        number(
            "Coverage of faithfulness",
            "Share of interactions with a score among those for which faithfulness has a meaning.",
            Query(_recorded(f"{SCORE}:coverage", f'{BY_SCORER}, metric="faithfulness"'), "{{app}}"),
            unit=RATIO,
        ),
        number(
            "Traffic",
            "Interactions per second that the scored ones stand for.",
            Query(f"sum by (app) (rate(ragsonde_interactions_weighted_total{{{APP}}}[{WINDOW}]))", "{{app}}"),
            unit=PER_SECOND,
        ),
        number(
            "Last scored",
            "Seconds since an interaction was last scored.",
            Query(f"time() - max by (app) (ragsonde_last_scored_timestamp_seconds{{{APP}}})", "{{app}}"),
            unit=SECONDS,
        ),
    )


def _hallucination() -> Section:
    answers = "ragsonde_answers_weighted_total"
    bad = _increase(answers, "model", f'{BY_SCORER}, result="hallucinated"')
    judged = _increase(answers, "model", f'{BY_SCORER}, result!="not_judged"')
    bad_sum = _increase("ragsonde_hallucination_weighted_sum_total", "language", BY_SCORER)
    weights = _increase("ragsonde_hallucination_weights_total", "language", BY_SCORER)
    return Section(
        "Hallucination",
        lines(
            "Hallucinated answers",
            "Share of judged answers with a claim that the contexts do not support, its interval, the objective.",
            *_interval(HALLUCINATION, BY_SCORER, "{{app}} {{scorer}}"),
            Query(f"{HALLUCINATION}:objective{{{APP}}}", "{{app}} objective", dashed=True),
            unit=RATIO,
            span=12,
            most=1,
        ),
        lines(
            "By language",
            "Share of hallucinated answers by the language of the answer.",
            Query(f"{bad_sum} / {weights}", "{{language}}"),
            unit=RATIO,
            span=6,
            most=1,
        ),
        lines(
            "Languages checked by people",
            "Answers that the local scorers judged, by whether their probabilities were checked against people's "
            "labels in the answer's language. Where most are not validated, look at the judge or label some.",
            _count("ragsonde_local_answers_total", "validation", APP),
            unit=COUNT,
            span=6,
        ),
        lines(
            "By model",
            "Share of hallucinated answers by the model that generated them.",
            Query(f"({bad} or 0 * {judged}) / {judged}", "{{model}}"),
            unit=RATIO,
            span=6,
            most=1,
        ),
    )


def _people() -> Section:
    corrected = "max by (app, scorer) (ragsonde_hallucination_rate_{}{{{}}})"
    return Section(
        "What people say",
        lines(
            "Hallucinated answers, corrected by people's verdicts",
            "The rate without the scorer's systematic error (prediction-powered estimate), its 95 % interval, and the "
            "rate as the scorer itself sees it.",
            Query(corrected.format("estimate", BY_SCORER), "{{app}} {{scorer}} corrected"),
            Query(corrected.format("lower", BY_SCORER), "{{app}} {{scorer}} corrected, at least", dashed=True),
            Query(corrected.format("upper", BY_SCORER), "{{app}} {{scorer}} corrected, at most", dashed=True),
            Query(_recorded(f"{HALLUCINATION}:rate", BY_SCORER), "{{app}} {{scorer}} alone"),
            unit=RATIO,
            span=12,
            most=1,
        ),
        lines(
            "Agreement with people",
            "Cohen's kappa between a scorer's verdicts on answers and people's: 1 is full agreement, 0 no more than by "
            "chance, below 0 less than by chance.",
            Query(f"max by (app, scorer) (ragsonde_review_agreement{{{BY_SCORER}}})", "{{app}} {{scorer}}"),
            span=6,
            least=-1,
            most=1,
        ),
        lines(
            "Labels",
            "Labelled interactions that the agreement and the corrected rate rest on.",
            Query(f"max by (app, scorer) (ragsonde_review_labelled_interactions{{{BY_SCORER}}})", "{{app}} {{scorer}}"),
            span=6,
        ),
        lines(
            "Review queue",
            "Interactions in the queue for people, by state.",
            Query(f"max by (app, state) (ragsonde_review_queue_items{{{APP}}})", "{{app}} {{state}}"),
            span=24,
            stacked=True,
        ),
    )


def _scores() -> Section:
    return Section(
        "Scores: higher is better",
        lines(
            "$metric",
            "Mean score, its interval, and the floor where one is set.",
            *_interval(SCORE, BY_METRIC, "{{app}} {{scorer}}", value="mean"),
            Query(f'{SCORE}:floor{{{APP}, metric=~"$metric"}}', "{{app}} floor", dashed=True),
            unit=RATIO,
            most=1,
        )
        .repeat("metric")
        .repeat_direction("h")
        .max_per_row(3),
        lines(
            "Evidence",
            "Effective sample size of each mean.",
            Query(_recorded(f"{SCORE}:size", BY_METRIC), "{{app}} {{metric}} {{scorer}}"),
            span=12,
        ),
        distribution(
            "Scores as they were given",
            "Unweighted. Points are exemplars: each leads to the trace of an interaction.",
            Query(
                f"sum by (le) (increase(ragsonde_score_ratio_bucket{{{BY_METRIC}}}[{RATE}]))", "{{le}}", exemplars=True
            ),
        ),
    )


def _faults() -> Section:
    return Section(
        "Where the fault lies",
        lines(
            "Diagnosis",
            "Interactions per second, as estimated for the whole traffic, by where the fault lies.",
            rate("ragsonde_diagnoses_weighted_total", "diagnosis", APP),
            unit=PER_SECOND,
            stacked=True,
        ),
        _share(
            "app:ragsonde_retrieval_fault",
            "Retrieval at fault",
            "Share of diagnosed interactions whose fault lies with retrieval.",
        ),
        _share(
            "app:ragsonde_unjustified_refusal",
            "Unjustified refusals",
            "Share of diagnosed interactions that refuse although the contexts hold the answer.",
        ),
        lines(
            "Refusals",
            "Answers that abstain, wholly or in part, per second.",
            rate("ragsonde_refusals_weighted_total", "kind", APP),
            unit=PER_SECOND,
            stacked=True,
            span=12,
        ),
        lines(
            "Counted diagnoses and refusals",
            "In the window, unweighted.",
            _count("ragsonde_diagnoses_total", "diagnosis", APP),
            _count("ragsonde_refusals_total", "kind", APP, "refusal {{kind}}"),
            span=12,
        ),
    )


def _share(rule: str, title: str, meaning: str) -> AnyPanel:
    objective = Query(f"{rule}:objective{{{APP}}}", "{{app}} objective", dashed=True)
    return lines(title, meaning, *_interval(rule, APP, "{{app}}"), objective, unit=RATIO, most=1)


def _claims() -> Section:
    return Section(
        "Claims and citations",
        lines(
            "Claims by verdict",
            "Claims per second, as estimated for the whole traffic.",
            rate("ragsonde_claims_weighted_total", "verdict, scorer", BY_SCORER),
            unit=PER_SECOND,
            stacked=True,
        ),
        lines(
            "Contradicted claims",
            "Share of claims that the contexts contradict.",
            *_interval("app:ragsonde_contradicted_claims", BY_SCORER, "{{app}} {{scorer}}"),
            Query(f"app:ragsonde_contradicted_claims:objective{{{APP}}}", "{{app}} objective", dashed=True),
            unit=RATIO,
            most=1,
        ),
        lines(
            "Citations by kind",
            "Citations per second, as estimated for the whole traffic. Fabricated: no such document was retrieved.",
            rate("ragsonde_citations_weighted_total", "kind, scorer", BY_SCORER),
            unit=PER_SECOND,
            stacked=True,
        ),
        lines(
            "Counted claims", "Claims in the window, unweighted.", _count("ragsonde_claims_total", "verdict", BY_SCORER)
        ),
        lines(
            "Counted citations",
            "Citations in the window, unweighted.",
            _count("ragsonde_citations_total", "kind", BY_SCORER),
        ),
        lines(
            "Counted answers",
            "Answers in the window by grounding, unweighted.",
            _count("ragsonde_answers_total", "result", BY_SCORER),
        ),
        lines(
            "Where two judges agree",
            "Answers in the window that both judges gave a verdict on, by the first and the second one's. Where they "
            "disagree, the first judge is in doubt, not the application.",
            _count("ragsonde_judge_pairs_total", "first, second", APP, "first {{first}}, second {{second}}"),
            span=24,
        ),
    )


def _coverage() -> Section:
    outcomes = "ragsonde_outcomes_total"
    return Section(
        "What could be scored",
        lines(
            "Coverage",
            "Share of interactions with a score among those for which the metric has a meaning.",
            Query(_recorded(f"{SCORE}:coverage", BY_METRIC), "{{app}} {{metric}} {{scorer}}"),
            unit=RATIO,
            most=1,
        ),
        lines(
            "Not applicable, by reason",
            "Interactions in the window for which a metric has no meaning; they are in no mean.",
            _count(outcomes, "metric, reason", f'{BY_METRIC}, outcome="not_applicable"'),
        ),
        lines(
            "Failed, by kind",
            "Interactions in the window that a scorer could not score; they are in no mean.",
            _count(outcomes, "metric, reason", f'{BY_METRIC}, outcome="failed"'),
        ),
    )


def _traffic() -> Section:
    return Section(
        "Traffic",
        lines(
            "Interactions by capture",
            "Per second, as estimated for the whole traffic, by how much of them the telemetry carried.",
            rate("ragsonde_interactions_weighted_total", "app, capture", APP),
            unit=PER_SECOND,
        ),
        lines(
            "Scored interactions",
            "Per second, counted, not weighted.",
            rate("ragsonde_interactions_total", "app", APP),
            unit=PER_SECOND,
        ),
        lines(
            "Languages",
            "Answers whose grounding was judged, in the window, as estimated for the whole traffic.",
            _count("ragsonde_hallucination_weights_total", "language", BY_SCORER),
            stacked=True,
        ),
        lines(
            "Scored anew and redelivered",
            "Scored anew because a late span came; come again after a restart and not counted.",
            rate("ragsonde_rescored_total", "app", APP, "{{app}} scored anew"),
            rate("ragsonde_redelivered_total", "app", APP, "{{app}} redelivered"),
            unit=PER_SECOND,
            span=12,
        ),
        lines(
            "Metrics with a meaning",
            "Interactions in the window for which each metric has a meaning.",
            _count("ragsonde_eligible_total", "metric", BY_METRIC),
            unit=COUNT,
            span=12,
        ),
    )
