"""``python -m bench.estimator``: run from the root of the repository."""

import math
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from rich.console import Console
from rich.progress import track

from bench.estimator.study import SCENARIOS, TRAFFIC, Finding, Performance, study

_HEAD = """# Does the interval of the corrected rate hold the truth?

`{command}`

{replications} replications a row (a coverage near 95 % is known to ±{error:.1f} points), {traffic} interactions each,
of which strata are scored with their own probability *p* and a few of the scored are labelled. The truth is the rate
of faults in all the traffic. *Corrected* is `ragsonde rate`: predictions of the judge set right by the labels. *Labels*
uses the labels without the judge, *judge* the judge without labels. All intervals are 95 % ones.

"""
_COLUMNS = (
    *("traffic", "judge", "labels drawn", "labels", "faults"),
    *("corrected: coverage", "width", "labels: coverage", "width", "judge: coverage", "bias"),
)
_FOOT = """
The corrected interval holds the truth as often as it says, 94 to 96 times in a hundred, whatever the judge's bias; the
judge's own mean almost never does, because more traffic makes its interval narrower and not less wrong. Where the
labels are drawn so that all traffic is labelled alike (q in proportion to 1/p) a hundred labels are enough.

The misses are not even: with rare faults the interval lies above the truth more often than below, for where no fault
was seen nothing tells a rate of some tenths of a percent from one of zero. The labels without the judge are for
comparison; their interval is up to three points short where three faults are to be expected, or where a few labels of a
stratum of much weight decide.
"""


def main(
    replications: Annotated[int, typer.Option(min=10)] = 4000,
    seed: int = 2311,
    out: Annotated[Path, typer.Option()] = Path("bench/estimator/RESULTS.md"),
) -> None:
    """Measure the coverage and the width of the corrected rate's interval."""
    console = Console(stderr=True)
    chances = np.random.default_rng(seed).spawn(len(SCENARIOS))
    rows = [
        _row(study(scenario, replications, chance))
        for scenario, chance in track(list(zip(SCENARIOS, chances, strict=True)), "simulating", console=console)
    ]
    command = f"python -m bench.estimator --replications {replications} --seed {seed}"
    error = 196 * math.sqrt(0.95 * 0.05 / replications)
    head = _HEAD.format(command=command, replications=replications, error=error, traffic=TRAFFIC)
    table = f"| {' | '.join(_COLUMNS)} |\n|{' --- |' * len(_COLUMNS)}\n"
    out.write_text(head + table + "".join(rows) + _FOOT, encoding="utf-8")
    console.print(f"written: {out}")


def _row(finding: Finding) -> str:
    scenario = finding.scenario
    cells = [
        scenario.traffic,
        scenario.judge.name,
        scenario.labelling.value,
        str(scenario.labels),
        f"{finding.truth:.1%}",
        _coverage(finding.corrected),
        f"{finding.corrected.width:.3f}",
        _coverage(finding.labels_alone),
        f"{finding.labels_alone.width:.3f}",
        _coverage(finding.judge_alone),
        f"{finding.judge_alone.bias:+.3f}",
    ]
    return f"| {' | '.join(cells)} |\n"


def _coverage(performance: Performance) -> str:
    return f"{performance.coverage:.1%}"


if __name__ == "__main__":
    typer.run(main)
