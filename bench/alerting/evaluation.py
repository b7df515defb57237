"""Evaluates PromQL over many simulated months at once, for one application and one scorer.

A vector of PromQL is an array here, replications by minutes, and NaN where PromQL has no sample. With a single series
on every side, matching by labels and summing over them change nothing, so ``on``, ``group_left`` and ``sum by`` may be
passed over. ``increase`` is the plain difference: Prometheus' extrapolation to the edges of a window is left out.
"""

from collections.abc import Callable, Collection, Mapping
from datetime import timedelta
from typing import Any

import numpy as np
import promql_parser as promql
from numpy.typing import NDArray

Series = NDArray[np.float64]

_ARITHMETIC: Mapping[str, Callable[[Series, Series], Series]] = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "/": np.divide,
    "^": np.power,
}
_COMPARISONS: Mapping[str, Callable[[Series, Series], NDArray[np.bool_]]] = {
    ">": np.greater,
    "<": np.less,
    ">=": np.greater_equal,
    "<=": np.less_equal,
    "==": np.equal,
    "!=": np.not_equal,
}


class Evaluator:
    """Knows counters, by their increments per minute, what has been recorded from them, and which series are absent."""

    def __init__(self, increments: Mapping[str, Series], absent: Collection[str] = ()) -> None:
        self._shape = next(iter(increments.values())).shape
        self._totals = {name: np.pad(np.cumsum(each, axis=1), ((0, 0), (1, 0))) for name, each in increments.items()}
        self._recorded: dict[str, Series] = {name: np.array(np.nan) for name in absent}

    def record(self, name: str, expression: str) -> None:
        """Evaluate a recording rule and keep the result; where the name is known already, add it as another series."""
        found = self(expression)
        known = self._recorded.get(name)
        self._recorded[name] = found if known is None else np.where(np.isnan(known), found, known)

    def __call__(self, expression: str) -> Series:
        """Evaluate an expression at every minute.

        Raises:
            KeyError: it reads a series that is neither simulated nor recorded.
            NotImplementedError: it uses what the rules did not when this was written.
        """
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.broadcast_to(self._value(promql.parse(expression)), self._shape)

    def _value(self, node: Any) -> Series:
        match node:
            case promql.ParenExpr() | promql.AggregateExpr() if str(getattr(node, "op", "sum")) in {"sum", "max"}:
                return self._value(node.expr)
            case promql.AggregateExpr() if str(node.op) == "group":
                return np.where(np.isnan(self._value(node.expr)), np.nan, 1.0)
            case promql.NumberLiteral():
                return np.array(node.val)
            case promql.VectorSelector():
                return _earlier(self._recorded[str(node.name)], node.offset)
            case promql.Call():
                return self._call(node)
            case promql.BinaryExpr():
                return _combined(str(node.op), self._value(node.lhs), self._value(node.rhs))
        raise NotImplementedError(f"no evaluation for {node.prettify()}")

    def _call(self, node: Any) -> Series:
        name, arguments = node.func.name, node.args
        match name:
            case "increase":
                selector = arguments[0]
                totals, width = self._totals[selector.vector_selector.name], _minutes(selector.range)
                before = np.pad(totals, ((0, 0), (width, 0)))[:, : totals.shape[1]]
                return _earlier((totals - before)[:, 1:], selector.vector_selector.offset)
            case "clamp_min":
                return np.maximum(*map(self._value, arguments))
            case "clamp_max":
                return np.minimum(*map(self._value, arguments))
            case "sqrt":
                return np.sqrt(self._value(arguments[0]))
            case "vector":
                return self._value(arguments[0])
        raise NotImplementedError(f"no evaluation for {name}()")


def _combined(op: str, left: Series, right: Series) -> Series:
    if op in _ARITHMETIC:
        return _ARITHMETIC[op](left, right)
    if op in _COMPARISONS:
        return np.where(_COMPARISONS[op](left, right), left, np.nan)
    if op == "and":
        return np.where(np.isnan(right), np.nan, left)
    if op == "unless":
        return np.where(np.isnan(right), left, np.nan)
    if op == "or":
        return np.where(np.isnan(left), right, left)
    raise NotImplementedError(f"no evaluation for the operator {op}")


def _earlier(values: Series, offset: timedelta | None) -> Series:
    minutes = _minutes(offset) if offset is not None else 0
    if minutes == 0:
        return values
    return np.pad(values, ((0, 0), (minutes, 0)), constant_values=np.nan)[:, : values.shape[1]]


def _minutes(duration: timedelta) -> int:
    return round(duration.total_seconds() / 60)


def firing(expression: Series, hold: int, keep: int) -> NDArray[np.bool_]:
    """Return when an alert fires: after ``hold`` minutes without a break, and for ``keep`` minutes beyond the end."""
    active = ~np.isnan(expression)
    held = active.copy()
    for shift in range(1, hold + 1):
        held[:, shift:] &= active[:, :-shift]
        held[:, :shift] = False
    return _since_last(held) <= keep


def _since_last(seen: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return the minutes since the last True, a large number where there has been none."""
    times = np.arange(seen.shape[1])
    last = np.maximum.accumulate(np.where(seen, times, -(10**9)), axis=1)
    return times - last
