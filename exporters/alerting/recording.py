"""The recording rules: every recipe over every window, shares with their bounds, objectives as series, and cost."""

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from ragsonde.exporters.alerting.tunables import Floors, Objectives, Tunables
from ragsonde.exporters.promql import Recipe, bounds, increase, recipes
from ragsonde.scorers.score import DiagnosisLabel, Verdict

Rule = dict[str, Any]
Group = dict[str, Any]

HALLUCINATION = "app:ragsonde_hallucination"
CONTRADICTED = "app:ragsonde_contradicted_claims"
RETRIEVAL_FAULT = "app:ragsonde_retrieval_fault"
UNJUSTIFIED_REFUSAL = "app:ragsonde_unjustified_refusal"
SCORE = "app_metric:ragsonde_score"
DIAGNOSED = "app:ragsonde_diagnosed:size"

_SHARES: Mapping[str, str] = {
    HALLUCINATION: "hallucination_ratio",
    CONTRADICTED: "contradicted_claims_ratio",
    RETRIEVAL_FAULT: "retrieval_fault_ratio",
    UNJUSTIFIED_REFUSAL: "unjustified_refusal_ratio",
}
"""The recorded shares, and the field of the objectives that limits each."""


def recording_groups(tunables: Tunables) -> list[Group]:
    """Return the groups of recording rules, each rule after those of its group that it builds on."""
    groups: list[Group] = [
        {
            "name": f"ragsonde-quality-{window}",
            "interval": _interval(window),
            "rules": [_rule(recipe) for recipe in (*recipes(window, window), *_shares(window))],
        }
        for window in tunables.windows
    ]
    groups.append({"name": "ragsonde-cost", "interval": "1m", "rules": [_rule(r) for r in _costs(tunables.windows)]})
    groups.append({"name": "ragsonde-objectives", "interval": "1m", "rules": list(_objectives(tunables))})
    return groups


def _rule(recipe: Recipe) -> Rule:
    return {"record": recipe.name, "expr": recipe.expression}


def _interval(window: str) -> str:
    """Long windows move slowly, and cost more."""
    amount, unit = int(window[:-1]), window[-1]
    minutes = amount * {"m": 1, "h": 60, "d": 1440}[unit]
    return "2m" if minutes > 60 else "1m"


def _share(prefix: str, by: str, bad: str, known: str, size: str, *, suffix: str, what: str) -> tuple[Recipe, ...]:
    """A share of weighted counts; a kind that has never been seen counts as 0 where others have."""
    rate = f"{prefix}:rate{suffix}"
    return (
        Recipe(rate, f"({bad} or 0 * {known}) / {known}", f"Share of {what}."),
        *bounds(prefix, by, rate, size, f"the share of {what}", suffix),
    )


def _shares(window: str) -> Iterator[Recipe]:
    """Shares whose sums carry no squares of their own: the answers they come from say how sure they are.

    Claims of one answer are alike, so a share of claims is taken to be no surer than one of as many answers.
    """
    claims = "ragsonde_claims_weighted_total"
    yield from _share(
        CONTRADICTED,
        "scorer, app",
        increase(f'{claims}{{verdict="{Verdict.CONTRADICTED}"}}', "scorer, app", window),
        increase(claims, "scorer, app", window),
        f"{HALLUCINATION}:size{window}",
        suffix=window,
        what="claims that the contexts contradict",
    )
    diagnoses = "ragsonde_diagnoses_weighted_total"
    known = increase(f'{diagnoses}{{diagnosis!="{DiagnosisLabel.UNKNOWN}"}}', "app", window)
    interactions = increase("ragsonde_interactions_weighted_total", "app", window)
    squares = increase("ragsonde_interactions_squared_weights_total", "app", window)
    size = f"{DIAGNOSED}{window}"
    yield Recipe(
        size,
        f"{interactions} * {known} / {squares}",
        "Effective sample size of shares of diagnosed interactions: that of all interactions, times the share with a "
        "diagnosis.",
    )
    faults = f"{DiagnosisLabel.RETRIEVAL_MISS}|{DiagnosisLabel.RETRIEVAL_NOISE}"
    for prefix, selector, what in (
        (RETRIEVAL_FAULT, f'{diagnoses}{{diagnosis=~"{faults}"}}', "interactions whose fault lies with retrieval"),
        (
            UNJUSTIFIED_REFUSAL,
            f'{diagnoses}{{diagnosis="{DiagnosisLabel.UNJUSTIFIED_REFUSAL}"}}',
            "interactions that refuse although the contexts hold the answer",
        ),
    ):
        yield from _share(prefix, "app", increase(selector, "app", window), known, size, suffix=window, what=what)


def _costs(windows: tuple[str, ...]) -> Iterator[Recipe]:
    for window in windows:
        yield Recipe(
            f"model:ragsonde_judge_cost:sum{window}",
            increase("ragsonde_judge_cost_total", "model", window),
            "Money that the judge took.",
        )
        yield Recipe(
            f"model_direction:ragsonde_judge_tokens:sum{window}",
            increase("ragsonde_judge_tokens_total", "model, direction", window),
            "Tokens that the judge took.",
        )
    yield Recipe(
        "model_kind:ragsonde_judge_budget:ratio",
        "max by (model, kind) (ragsonde_judge_budget_spent) / max by (model, kind) (ragsonde_judge_budget_limit)",
        "Share of today's budget that is spent; replicas that keep one budget all tell the same.",
    )


def _objectives(tunables: Tunables) -> Iterator[Rule]:
    """Yield each objective as a series by application, so that alerts and dashboards read the same one."""
    longest = tunables.windows[-1]
    for prefix, field in _SHARES.items():
        record = f"{prefix}:objective"
        own = {app: value for app, given in tunables.apps.items() if (value := _value(given, field)) is not None}
        yield from (_constant(record, value, app=app) for app, value in own.items())
        yield {"record": record, "expr": f"{_value(tunables.objectives, field):g} * {_seen_apps(longest, own)}"}
    for metric in Floors.model_fields:
        record = f"{SCORE}:floor"
        floors = {app: given.floors for app, given in tunables.apps.items() if metric in given.floors.model_fields_set}
        for app, given in floors.items():
            if (value := _value(given, metric)) is not None:
                yield _constant(record, value, app=app, metric=metric)
        default = _value(tunables.objectives.floors, metric)
        if default is not None:
            expression = f"{default:g} * {_seen_apps(longest, floors)}"
            yield {"record": record, "expr": expression, "labels": {"metric": metric}}


def _constant(record: str, value: float, **labels: str) -> Rule:
    return {"record": record, "expr": f"vector({value:g})", "labels": labels}


def _seen_apps(window: str, without: Collection[str]) -> str:
    """Return a 1 for every application with recent traffic, but for those named: they have a value of their own."""
    names = "|".join(re.sub(r"[.+]", r"[\g<0>]", app) for app in without)
    matcher = f'{{app!~"{names}"}}' if without else ""
    return f"group by (app) ({HALLUCINATION}:rate{window}{matcher} or {DIAGNOSED}{window}{matcher})"


def _value(values: Objectives | Floors, field: str) -> float | None:
    value: float | None = getattr(values, field)
    return value
