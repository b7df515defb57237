"""The alerts that are compared: those of the rendered rules, and the usual threshold on a short mean."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import promql_parser
import yaml
from numpy.typing import NDArray

from bench.alerting.evaluation import Evaluator, firing
from bench.alerting.traffic import Simulated
from ragsonde.exporters.alerting.recording import DIAGNOSED, HALLUCINATION
from ragsonde.exporters.alerting.rendering import ALERTS_FILE, RULES_FILE, render
from ragsonde.exporters.alerting.tunables import Tunables

_ALERTS = "RagsondeHallucination"
_MEAN = "increase(ragsonde_hallucination_weighted_sum_total[5m]) / increase(ragsonde_hallucination_weights_total[5m])"


@dataclass(frozen=True, slots=True)
class Policy:
    """One alert."""

    name: str
    expression: str
    hold_minutes: int
    keep_minutes: int


def policies(tunables: Tunables) -> list[Policy]:
    """Return the hallucination alerts as rendered, then static thresholds with the same holds."""
    document = yaml.safe_load(render(tunables)[ALERTS_FILE])
    ours = [
        Policy(rule["alert"], rule["expr"], _minutes(rule["for"]), _minutes(rule["keep_firing_for"]))
        for group in document["groups"]
        for rule in group["rules"]
        if rule["alert"].startswith(_ALERTS)
    ]
    fast, objective = ours[0], tunables.objectives.hallucination_ratio
    static = [
        Policy(f"5-minute mean > {limit:.0%}", f"{_MEAN} > {limit:g}", fast.hold_minutes, fast.keep_minutes)
        for limit in (objective, tunables.fast.factor * objective)
    ]
    return ours + static


def _evaluator(tunables: Tunables, simulated: Simulated) -> Evaluator:
    """Return an evaluator that has recorded what the rules record about hallucination."""
    evaluator = Evaluator(simulated.increments, absent=(f"{DIAGNOSED}{tunables.windows[-1]}",))
    for name, expression in _recording_rules(tunables):
        evaluator.record(name, expression)
    return evaluator


def _recording_rules(tunables: Tunables) -> Iterator[tuple[str, str]]:
    document = yaml.safe_load(render(tunables)[RULES_FILE])
    for group in document["groups"]:
        for rule in group["rules"]:
            if rule["record"].startswith(f"{HALLUCINATION}:"):
                yield rule["record"], rule["expr"]


def fired(tunables: Tunables, simulated: Simulated) -> Mapping[str, NDArray[np.bool_]]:
    """Return when each alert fires, by its name."""
    evaluator = _evaluator(tunables, simulated)
    return {
        policy.name: firing(evaluator(policy.expression), policy.hold_minutes, policy.keep_minutes)
        for policy in policies(tunables)
    }


def _minutes(duration: str) -> int:
    return round(promql_parser.parse_duration(duration).total_seconds() / 60)
