"""Has a real model judge the exchanges of ``bench.judge_cost``, and counts how each judgement ended."""

import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from subprocess import PIPE, Popen

from bench.judge_cost.measure import SHAPES, interactions
from ragsonde.collector.clock import Deadline
from ragsonde.collector.model import Interaction
from ragsonde.collector.telemetry import Event, JudgeCalled, JudgeReplyRejected
from ragsonde.scorers.judge.config import JudgeConfig, Structure
from ragsonde.scorers.judge.scorer import JudgeScorer, build_judge
from ragsonde.scorers.reading import Reading
from ragsonde.scorers.score import Claim, Failed, MetricKey, Outcome, Scored

WINDOW_TOKENS = 4096
_SECONDS = 600.0
_SHORT_SHAPES = SHAPES[:3]


@dataclass(frozen=True, slots=True)
class Result:
    """How the judgements of one way to ask ended."""

    interactions: int
    replies: int
    """Requests that the server answered, repairs included."""
    rejected: Mapping[str, int]
    """Replies that could not be used, by why."""
    outcomes: Mapping[str, int]
    """Of faithfulness, one an interaction: ``scored``, ``not_applicable: …`` or ``failed: …``."""
    verdicts: Mapping[str, int]
    """Of the claims, after their quotes were looked up."""
    raised: int
    """Judgements that ended in an exception; should be 0."""
    seconds: float


@contextmanager
def served(python: Path, threads: int) -> Iterator[str]:
    """Run ``serve.py`` by another interpreter; give the base URL.

    Raises:
        RuntimeError: it ended before it served; its own words are on standard error.
    """
    program = Path(__file__).with_name("serve.py")
    command = [str(python), str(program), str(WINDOW_TOKENS), str(threads)]
    with Popen(command, stdin=PIPE, stdout=PIPE, text=True) as process:
        try:
            line = next((line for line in process.stdout or () if line.startswith("address ")), None)
            if line is None:
                raise RuntimeError("the model server did not start: see above")
            yield f"{line.removeprefix('address ').strip()}/v1"
        finally:
            process.kill()


def measure(
    base_url: str, model: str, structure: Structure, *, count: int, output_tokens: int, say: Callable[[str], None]
) -> Result:
    """Judge ``count`` exchanges one by one, in merged mode, the reply's shape asked for as ``structure`` says."""
    events: list[Event] = []
    config = JudgeConfig.model_validate(
        {
            "model": model,
            "base_url": base_url,
            "structure": structure,
            "context_window_tokens": WINDOW_TOKENS,
            "max_output_tokens": output_tokens,
            "cache": {"max_entries": 0},
            "concurrency": {"initial": 1, "maximum": 1},
            "timeouts": {"read_seconds": _SECONDS, "total_seconds": _SECONDS},
        }
    )
    judge = JudgeScorer(build_judge(config, listener=events.append))
    outcomes, verdicts, raised = Counter[str](), Counter[str](), 0
    begun = time.monotonic()
    try:
        for number, interaction in enumerate(_some(count), start=1):
            try:
                (found,) = judge.score([Reading(interaction)], Deadline(_SECONDS))
            except Exception as error:  # noqa: BLE001 - what the bench is there to find
                say(f"{structure}: {interaction.id} raised {error!r}")
                raised += 1
                continue
            outcome = found[MetricKey.FAITHFULNESS]
            outcomes[_named(outcome)] += 1
            verdicts.update(str(claim.verdict) for claim in _claims(outcome))
            say(f"{structure}: {number} of {count}, {interaction.id}: {_named(outcome)}")
    finally:
        judge.close()
    return Result(
        interactions=count,
        replies=sum(isinstance(event, JudgeCalled) for event in events),
        rejected=Counter(str(event.status) for event in events if isinstance(event, JudgeReplyRejected)),
        outcomes=outcomes,
        verdicts=verdicts,
        raised=raised,
        seconds=time.monotonic() - begun,
    )


def _some(count: int) -> Sequence[Interaction]:
    every = [interaction for shape in _SHORT_SHAPES for interaction in interactions(shape)]
    return [every[number % len(every)] for number in range(count)]


def _claims(outcome: Outcome) -> tuple[Claim, ...]:
    return outcome.claims if isinstance(outcome, Scored) else ()


def _named(outcome: Outcome) -> str:
    if isinstance(outcome, Scored):
        return "scored"
    return f"failed: {outcome.kind}" if isinstance(outcome, Failed) else f"not applicable: {outcome.reason}"
