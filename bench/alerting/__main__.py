"""``python -m bench.alerting``: false alarms and delay to detection, by traffic and by size of the spike."""

import argparse
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bench.alerting.evaluation import Series
from bench.alerting.policies import fired, policies
from bench.alerting.traffic import MINUTES_PER_DAY, Scenario, simulate
from ragsonde.exporters.alerting.tunables import Tunables, load

RESULTS = Path(__file__).parent / "RESULTS.md"
VOLUMES = (50, 200, 1_000, 5_000, 20_000)
BASES = (0.04, 0.08)
SPIKES = (0.15, 0.25, 0.4, 0.7)
WARM_UP_DAYS = 2
MONTH_DAYS = 30
PATIENCE_DAYS = 1
SEED = 20260601

_HEAD = f"""# Alerts: false alarms and delay

Written by `{{command}}` (seed {SEED}). The expressions are those of the rendered rules, evaluated every minute
on simulated answers: Poisson arrivals by day and night (a tenth of the mean at 0 o'clock, nearly twice the mean at
noon), each answer hallucinated or not by itself. The objective is {{objective}}. The static thresholds are what is
usually set up: the mean over 5 minutes, held as long as `HallucinationSpike` ({{hold}}), and kept as long ({{keep}}).
"""
_FALSE_ALARMS = """## False alarms per month

Nothing is wrong: the share of bad answers stays within the objective. Mean of {months} months.
"""
_DELAYS = """
## Delay to detection

From {base} the share of bad answers rises at a random minute of the day, and stays. Median time to the first firing,
of {replications} spikes; in brackets the share of spikes seen within a day, where that is not all. An alert that often
fires without cause is also soon after a spike: read this table together with the one above.
"""


def false_alarms(tunables: Tunables, months: int) -> Iterator[tuple[str, Sequence[float]]]:
    """Yield a heading and, by alert, how often it begins to fire in a month in which nothing is wrong."""
    for base in BASES:
        for volume in VOLUMES:
            simulated = simulate(
                Scenario(volume, base),
                replications=months,
                days=WARM_UP_DAYS + MONTH_DAYS,
                spike_day=0,
                seed=SEED,
            )
            counts = []
            for firing in fired(tunables, simulated).values():
                begins = firing[:, 1:] & ~firing[:, :-1]
                counts.append(begins[:, WARM_UP_DAYS * MINUTES_PER_DAY :].sum() / months)
            yield f"{volume:,} a day, {base:.0%} bad", counts


def delays(tunables: Tunables, replications: int) -> Iterator[tuple[str, Sequence[str]]]:
    """Yield a heading and, by alert, the median minutes to the first firing, and the share seen within a day."""
    for volume in VOLUMES:
        for spike in SPIKES:
            simulated = simulate(
                Scenario(volume, BASES[0], spike),
                replications=replications,
                days=WARM_UP_DAYS + 1 + PATIENCE_DAYS,
                spike_day=WARM_UP_DAYS,
                seed=SEED,
            )
            cells = [_delay(firing, simulated.spike_minutes) for firing in fired(tunables, simulated).values()]
            yield f"{volume:,} a day, {spike:.0%} bad", cells


def _delay(firing: NDArray[np.bool_], starts: Series) -> str:
    times = np.arange(firing.shape[1])
    patience = PATIENCE_DAYS * MINUTES_PER_DAY
    within = (times >= starts[:, None]) & (times < starts[:, None] + patience)
    seen = (firing & within).any(axis=1)
    waited = np.where(seen, (firing & within).argmax(axis=1) - starts, np.inf)
    median = float(np.median(waited))
    if not seen.any():
        return "never"
    shown = "over a day" if np.isinf(median) else f"{median:.0f} min" if median < 120 else f"{median / 60:.1f} h"
    return shown if seen.all() else f"{shown} ({np.floor(100 * seen.mean()):.0f}%)"


def report(tunables: Tunables, months: int, replications: int, command: str) -> str:
    """Return the results as Markdown."""
    names = [policy.name.removeprefix("Ragsonde") for policy in policies(tunables)]
    fast = tunables.fast
    false = ((head, [f"{count:.2f}" for count in row]) for head, row in false_alarms(tunables, months))
    head = _HEAD.format(
        command=command, objective=f"{tunables.objectives.hallucination_ratio:.0%}", hold=fast.hold, keep=fast.keep
    )
    lines = [
        head,
        _FALSE_ALARMS.format(months=months),
        *_table("traffic", names, false),
        _DELAYS.format(base=f"{BASES[0]:.0%}", replications=replications),
        *_table("traffic", names, delays(tunables, replications)),
    ]
    return "\n".join(lines) + "\n"


def _table(first: str, names: Sequence[str], rows: Iterator[tuple[str, Sequence[str]]]) -> Iterator[str]:
    yield f"| {first} | {' | '.join(names)} |"
    yield f"| --- |{' ---: |' * len(names)}"
    for head, cells in rows:
        yield f"| {head} | {' | '.join(cells)} |"


def main() -> None:
    """Simulate, and write the results."""
    parser = argparse.ArgumentParser(prog="python -m bench.alerting", description=__doc__)
    parser.add_argument("--tunables", type=Path, help="YAML file; without it every tunable has its default")
    parser.add_argument("--months", type=int, default=20, help="months without a spike, for each row")
    parser.add_argument("--spikes", type=int, default=200, help="spikes for each row")
    parser.add_argument("--output", type=Path, default=RESULTS, help="file to write")
    arguments = parser.parse_args()
    tunables = load(arguments.tunables) if arguments.tunables is not None else Tunables()
    command = "python -m bench.alerting" + (f" --tunables {arguments.tunables.name}" if arguments.tunables else "")
    text = report(tunables, arguments.months, arguments.spikes, command)
    arguments.output.write_text(text, "utf-8")
    print(text, end=os.linesep)


if __name__ == "__main__":
    main()
