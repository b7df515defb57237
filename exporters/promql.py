"""PromQL over the exported sums: the mean, how large a sample it rests on, and the bounds of its interval.

The same algebra as ``estimate``; the tests hold the two together. The scorer is always kept apart: each
source of scores has drawn its own sample. Each recipe's name can serve as the name of a
recording rule, and later recipes build on earlier ones by that name.
"""

from dataclasses import dataclass

from ragsonde.exporters.estimate import PRIOR_OBSERVATIONS, VARIANCE_FLOOR

Z = "1.96"
"""Two-sided 95 %."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """One query, and what it gives."""

    name: str
    expression: str
    meaning: str


def increase(selector: str, by: str, window: str) -> str:
    """Return the increase of counters over a window, summed by labels."""
    return f"sum by ({by}) (increase({selector}[{window}]))"


def bounds(prefix: str, by: str, centre: str, size: str, what: str, suffix: str = "") -> tuple[Recipe, Recipe]:
    """Return Wilson's score interval around the recipe ``centre``, for a sample of the recipe ``size``."""
    z2 = f"{Z}^2"
    middle = f"{centre} + {z2} / (2 * {size})"
    half = f"{Z} * sqrt({centre} * (1 - {centre}) / {size} + {z2} / (4 * {size}^2))"
    return (
        Recipe(
            f"{prefix}:lower{suffix}",
            f"clamp_min(({middle} - {half}) / (1 + {z2} / {size}), 0)",
            f"Lower end of the 95 % interval of {what}, by {by}: what an alert for too high a value fires on.",
        ),
        Recipe(
            f"{prefix}:upper{suffix}",
            f"clamp_max(({middle} + {half}) / (1 + {z2} / {size}), 1)",
            f"Upper end of the 95 % interval of {what}, by {by}: what an alert for too low a value fires on.",
        ),
    )


def recipes(window: str = "1h", suffix: str = "") -> tuple[Recipe, ...]:
    """Return the queries over a window, each one after those that it builds on; ``suffix`` ends each name."""
    score, hallucination = "ragsonde_score", "ragsonde_hallucination"
    by_metric, by_app = "scorer, app, metric", "scorer, app"
    weights = increase(f"{score}_weights_total", by_metric, window)
    judged = increase(f"{hallucination}_weights_total", by_app, window)
    mean, size, variance, comparable = (
        f"app_metric:{score}:{part}{suffix}" for part in ("mean", "size", "var", "comparable")
    )
    rate, rate_size = f"app:{hallucination}:rate{suffix}", f"app:{hallucination}:size{suffix}"
    share = f"({variance} + {VARIANCE_FLOOR}) / ({mean} * (1 - {mean}) + {VARIANCE_FLOOR})"
    prior = f"{PRIOR_OBSERVATIONS:g}"
    return (
        Recipe(
            mean,
            f"{increase(f'{score}_weighted_sum_total', by_metric, window)} / {weights}",
            "Mean score by scorer, app and metric. Without traffic the result is empty or NaN, never 0.",
        ),
        Recipe(
            size,
            f"({weights})^2 / {increase(f'{score}_squared_weights_total', by_metric, window)}",
            "Effective sample size (Kish): how many unweighted scores would tell as much.",
        ),
        Recipe(
            variance,
            f"clamp_min({increase(f'{score}_weighted_squares_total', by_metric, window)} / {weights} - {mean}^2, 0)",
            "Variance of the scores.",
        ),
        Recipe(
            comparable,
            f"{size} * ({size} + {prior}) / ({size} * clamp_max({share}, 1) + {prior})",
            "How many yes-or-no observations would leave as much doubt: the size that Wilson's interval takes. The "
            "observed variance is drawn towards the largest possible one with the weight of four observations, so that "
            "a few equal scores do not pass for certainty.",
        ),
        *bounds(f"app_metric:{score}", "scorer, app and metric", mean, comparable, "the mean score", suffix),
        Recipe(
            rate,
            f"{increase(f'{hallucination}_weighted_sum_total', by_app, window)} / {judged}",
            "Hallucination rate by scorer and app: the share of judged answers with a claim that the contexts do not "
            "support.",
        ),
        Recipe(
            rate_size,
            f"({judged})^2 / {increase(f'{hallucination}_squared_weights_total', by_app, window)}",
            "Effective sample size of the hallucination rate.",
        ),
        *bounds(f"app:{hallucination}", "scorer and app", rate, rate_size, "the hallucination rate", suffix),
        Recipe(
            f"app_metric:{score}:coverage{suffix}",
            f'sum by ({by_metric}) (increase(ragsonde_outcomes_total{{outcome="scored"}}[{window}])) / '
            f"{increase('ragsonde_eligible_total', by_metric, window)}",
            "Coverage: the share of interactions with a score among those for which the metric has a meaning.",
        ),
    )


RECIPES = recipes()
"""The queries over one hour, as ``docs/metrics.md`` shows them."""
