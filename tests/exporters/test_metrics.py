import ast
import math
import operator
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragsonde.collector.clock import Deadline
from ragsonde.exporters.estimate import WeightedSums, estimate
from ragsonde.exporters.instruments import Instruments
from ragsonde.exporters.labels import LabelPolicy, LabelsConfig
from ragsonde.exporters.metrics import CATALOGUE, MetricKind, to_markdown
from ragsonde.exporters.prometheus import PrometheusExporter
from ragsonde.exporters.promql import RECIPES
from tests.exporters.scored import scored

DOCUMENT = Path(__file__).parents[2] / "docs" / "metrics.md"


def test_the_document_is_the_catalogue() -> None:
    assert DOCUMENT.read_text(encoding="utf-8") == to_markdown(), (
        "write it anew: python -m ragsonde.exporters.metrics > docs/metrics.md"
    )


@pytest.mark.parametrize("metric", CATALOGUE, ids=lambda metric: metric.name)
def test_a_name_follows_the_conventions(metric) -> None:  # type: ignore[no-untyped-def]
    assert re.fullmatch(r"ragsonde(_[a-z]+)+", metric.name)
    assert metric.name.endswith("_total") == (metric.kind is MetricKind.COUNTER)
    assert f"_{metric.unit}" in metric.name or not metric.unit
    assert metric.help.endswith(".")
    assert bool(metric.buckets) == (metric.kind is MetricKind.HISTOGRAM)
    assert not {"trace_id", "id", "user", "question"} & set(metric.labels)


def test_names_are_distinct() -> None:
    names = [metric.name for metric in CATALOGUE]
    assert len(set(names)) == len(names)


# The documented PromQL, evaluated on what two replicas export -------------------------------------------------

FUNCTIONS: dict[str, Callable[..., float]] = {"sqrt": math.sqrt, "clamp_min": max, "clamp_max": min}
OPERATORS: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}


def evaluate(expression: str, exported: dict[str, float], recorded: dict[str, float]) -> float:
    """Work out the arithmetic of a recipe for one group: sums come from the export, names from earlier recipes."""

    def sum_of(match: re.Match[str]) -> str:
        selector = match.group(1)
        return repr(exported[selector])

    text = re.sub(r"sum by \([a-z, ]+\) \(increase\(([^\[]+)\[1h\]\)\)", sum_of, expression)
    for name in sorted(recorded, key=len, reverse=True):
        text = text.replace(name, repr(recorded[name]))
    return _value(ast.parse(text.replace("^", "**"), mode="eval").body)


def _value(node: ast.expr) -> float:
    match node:
        case ast.Constant(value=int() | float() as number):
            return number
        case ast.BinOp(left=left, op=op, right=right):
            return OPERATORS[type(op)](_value(left), _value(right))
        case ast.Call(func=ast.Name(id=name), args=args):
            return FUNCTIONS[name](*map(_value, args))
    raise ValueError(ast.dump(node))


def exported_sums(replicas: list[Instruments]) -> dict[str, float]:
    """What PromQL's sum over the replicas would see of one application's faithfulness."""
    found: dict[str, float] = {}
    for replica in replicas:
        for family in replica.collect():
            for sample in family.samples:
                if sample.labels.get("metric", "faithfulness") == "faithfulness":
                    found[sample.name] = found.get(sample.name, 0.0) + sample.value
                    if sample.labels.get("outcome") == "scored":
                        selector = f'{sample.name}{{outcome="scored"}}'
                        found[selector] = found.get(selector, 0.0) + sample.value
    return found


answers = st.lists(
    st.tuples(st.sampled_from([0.0, 0.25, 0.5, 1.0]), st.sampled_from([0.1, 0.5, 1.0]), st.booleans()),
    min_size=1,
    max_size=30,
)


@given(answers)
def test_the_documented_queries_give_the_estimate_over_all_replicas(
    given_answers: list[tuple[float, float, bool]],
) -> None:
    replicas = [Instruments(), Instruments()]
    exporters = [PrometheusExporter(replica, LabelPolicy(LabelsConfig())) for replica in replicas]
    scores, hallucinations = WeightedSums(), WeightedSums()
    for number, (value, probability, on_second) in enumerate(given_answers):
        exporters[on_second].export([scored(str(number), faithfulness=value, probability=probability)], Deadline(1))
        scores += WeightedSums.of(value, 1 / probability)
        hallucinations += WeightedSums.of(1.0 if value < 1 else 0.0, 1 / probability)

    exported, recorded = exported_sums(replicas), {}
    for recipe in RECIPES:
        recorded[recipe.name] = evaluate(recipe.expression, exported, recorded)

    for prefix, sums in (("app_metric:ragsonde_score", scores), ("app:ragsonde_hallucination", hallucinations)):
        expected = estimate(sums)
        assert expected is not None
        centre = "mean" if "score" in prefix else "rate"
        assert recorded[f"{prefix}:{centre}"] == pytest.approx(expected.mean, abs=1e-9)
        assert recorded[f"{prefix}:size"] == pytest.approx(expected.effective_size)
        assert recorded[f"{prefix}:lower"] == pytest.approx(expected.low, abs=1e-4)
        assert recorded[f"{prefix}:upper"] == pytest.approx(expected.high, abs=1e-4)
    assert recorded["app_metric:ragsonde_score:coverage"] == 1.0
