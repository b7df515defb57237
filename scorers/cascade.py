"""The second look: draws interactions for a judge, asks it on threads of its own, and hands everything on.

Local scorers see every kept interaction; a judge costs money, so it sees a share: a base share of all traffic, and
larger shares where its verdict is worth most (the local scorers' grey band, low scores, refusals). Each interaction
carries the probability of its draw, so that sums over judged interactions stay unbiased (see the sampler). A judge that
is slow, full or down delays nobody else: what is not drawn goes on at once, and what is drawn goes on without a verdict
when none comes.
"""

import contextlib
import logging
import queue
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Protocol, cast

from pydantic import Field, model_validator

from ragsonde.collector.clock import Clock, Deadline
from ragsonde.collector.config import Config
from ragsonde.collector.model import SamplingDecision
from ragsonde.collector.sampler import Probability, unit_hash
from ragsonde.collector.telemetry import EventListener, InFlight, ignore_events
from ragsonde.scorers.diagnosis import DiagnosisConfig, diagnose
from ragsonde.scorers.engine import ScoredSink
from ragsonde.scorers.reading import Reading
from ragsonde.scorers.score import (
    Failed,
    FailureKind,
    Judgement,
    MetricKey,
    NotApplicable,
    Outcome,
    Reason,
    Scored,
    ScoredInteraction,
)

_log = logging.getLogger(__name__)

_NO_VERDICT = frozenset({Reason.SAMPLED_OUT, Reason.OVER_BUDGET})


class JudgeSamplingConfig(Config):
    """Which of the kept interactions a judge looks at. Of the rules that apply, the highest probability decides."""

    probability: Probability = 0.05
    """Share of all traffic, in (0, 1]. It also is the unbiased base for rates. Default 0.05."""
    grey_probability: Probability = 0.5
    """Share of the interactions in the grey band. Default 0.5."""
    grey_low: Annotated[float, Field(ge=0.0, le=1.0)] = 0.35
    """Lower end of the grey band: the probability, 0 to 1, of the local scorer's least certain claim. Default 0.35."""
    grey_high: Annotated[float, Field(ge=0.0, le=1.0)] = 0.65
    """Upper end of the grey band. Default 0.65."""
    low_score_probability: Probability = 0.2
    """Share of the interactions that the local scorer calls unfaithful (below 0.5), or cannot compare because the
    documents are in another language. Default 0.2."""
    refusal_probability: Probability = 0.2
    """Share of the answers that abstain. Default 0.2."""
    negative_feedback_probability: Probability = 1.0
    """Share of the interactions with bad feedback of the user. Default 1."""

    @model_validator(mode="after")
    def _ordered(self) -> "JudgeSamplingConfig":
        if self.grey_low > self.grey_high:
            raise ValueError("grey_low must not be above grey_high")
        return self


class JudgePolicy:
    """Decides who is judged.

    The draw uses the sampler's hash with its salt, so what is judged at 1 % is also judged at 5 %, on every replica,
    and an interaction that was kept with probability p is judged with the smaller one of p and the rule's.
    """

    def __init__(self, config: JudgeSamplingConfig, salt: str) -> None:
        self._config = config
        self._salt = salt

    def decide(self, scored: ScoredInteraction) -> SamplingDecision:
        """Decide on one interaction, from what the local scorers found."""
        probability, stratum = max(self._rules(scored))
        probability = min(probability, scored.decision.probability)
        interaction = scored.interaction
        drawn = unit_hash(interaction.trace_id or interaction.id, self._salt) < probability
        return SamplingDecision(kept=drawn, probability=probability, stratum=stratum)

    def _rules(self, scored: ScoredInteraction) -> list[tuple[float, str]]:
        config, feedback = self._config, scored.interaction.feedback
        rules = [(config.probability, "base")]
        if feedback is not None and feedback < 0:
            rules.append((config.negative_feedback_probability, "negative_feedback"))
        if scored.refusal:
            rules.append((config.refusal_probability, "refusal"))
        faithfulness = scored.scores.get(MetricKey.FAITHFULNESS)
        if isinstance(faithfulness, Scored):
            probabilities = [claim.probability for claim in faithfulness.claims if claim.probability is not None]
            if any(config.grey_low <= probability <= config.grey_high for probability in probabilities):
                rules.append((config.grey_probability, "grey_band"))
            if faithfulness.value < 0.5:
                rules.append((config.low_score_probability, "low_score"))
        elif isinstance(faithfulness, NotApplicable) and faithfulness.reason is Reason.OTHER_LANGUAGE:
            rules.append((config.low_score_probability, "other_language"))
        return rules


class Judge(Protocol):
    """What the stage asks: a scorer, and what it finds by the user's own rubrics."""

    @property
    def keys(self) -> tuple[MetricKey, ...]:
        """The metrics that it gives outcomes for."""
        ...

    @property
    def version(self) -> str:
        """Prompts and model."""
        ...

    def score(self, readings: Sequence[Reading], deadline: Deadline) -> list[Mapping[MetricKey, Outcome]]:
        """Judge a batch."""
        ...

    def score_rubrics(self, readings: Sequence[Reading], deadline: Deadline) -> list[Mapping[str, Outcome]]:
        """Judge a batch by the user's rubrics."""
        ...

    def close(self) -> None:
        """Free connections and threads."""
        ...


@dataclass(frozen=True, slots=True)
class _Job:
    scored: ScoredInteraction
    decision: SamplingDecision
    done: Callable[[], None]


class JudgeStage:
    """A sink between the scoring engine and the exporters. ``submit`` never blocks on the judge."""

    def __init__(
        self,
        name: str,
        judge: Judge,
        policy: JudgePolicy,
        sink: ScoredSink,
        *,
        diagnosis: DiagnosisConfig,
        workers: int,
        timeout_seconds: float,
        queue_size: int,
        clock: Clock,
        listener: EventListener = ignore_events,
    ) -> None:
        self._name = name
        self._judge = judge
        self._policy = policy
        self._sink = sink
        self._diagnosis = diagnosis
        self._workers = workers
        self._timeout_seconds = timeout_seconds
        self._clock = clock
        self._listener = listener
        self._jobs: queue.Queue[_Job | None] = queue.Queue(queue_size)
        self._threads: list[threading.Thread] = []

    def start(self) -> None:
        """Start the threads that ask. A second call does nothing."""
        if self._threads:
            return
        for number in range(self._workers):
            thread = threading.Thread(target=self._work, name=f"ragsonde-{self._name}-{number}", daemon=True)
            thread.start()
            self._threads.append(thread)

    def submit(self, scored: ScoredInteraction, done: Callable[[], None]) -> None:
        """Hand on what is not drawn; queue what is, or hand it on as failed where the queue is full."""
        decision = self._policy.decide(scored)
        if not decision.kept:
            self._hand_on(scored, decision, self._all(NotApplicable(Reason.SAMPLED_OUT)), done)
            return
        try:
            self._jobs.put_nowait(_Job(scored, decision, done))
        except queue.Full:
            failed = Failed(FailureKind.JUDGE_UNAVAILABLE, "too many interactions wait for the judge")
            self._hand_on(scored, decision, self._all(failed), done)
        self._listener(InFlight(self._name, self._jobs.qsize(), 0))

    def shutdown(self, deadline: Deadline) -> None:
        """Ask what is queued, up to the deadline, and close the judge. Safe when never started, and twice."""
        for _ in self._threads:
            with contextlib.suppress(queue.Full):  # what is left is not done, so it comes again after the restart
                self._jobs.put(None, timeout=max(0.01, deadline.remaining_seconds()))
        for thread in self._threads:
            thread.join(deadline.remaining_seconds())
        self._threads.clear()
        self._judge.close()

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            self._hand_on(job.scored, job.decision, self._outcomes(job.scored), job.done)

    def _outcomes(self, scored: ScoredInteraction) -> Mapping[MetricKey, Outcome]:
        reading = Reading(scored.interaction)
        reason = reading.unscorable(needs_contexts=False)
        if reason is not None:
            return self._all(NotApplicable(reason))
        deadline = Deadline(self._timeout_seconds, self._clock)
        try:
            (outcomes,) = self._judge.score([reading], deadline)
            (by_rubric,) = self._judge.score_rubrics([reading], deadline)
        except Exception as error:  # noqa: BLE001 - one interaction's fault must not end the thread
            _log.exception("judging interaction %s failed", scored.interaction.id)
            return self._all(Failed(FailureKind.INTERNAL_ERROR, type(error).__name__))
        # A rubric's name stands where a metric's does: both are label values and JSON keys.
        return {**outcomes, **cast("Mapping[MetricKey, Outcome]", by_rubric)}

    def _all(self, outcome: Outcome) -> Mapping[MetricKey, Outcome]:
        return dict.fromkeys(self._judge.keys, outcome)

    def _hand_on(
        self,
        scored: ScoredInteraction,
        decision: SamplingDecision,
        outcomes: Mapping[MetricKey, Outcome],
        done: Callable[[], None],
    ) -> None:
        judgement = Judgement(self._name, outcomes, decision)
        judged = add_judgement(scored, judgement, version=self._judge.version, diagnosis=self._diagnosis)
        self._sink.submit(judged, done)


def add_judgement(
    scored: ScoredInteraction, judgement: Judgement, *, version: str, diagnosis: DiagnosisConfig
) -> ScoredInteraction:
    """Return the interaction with a judgement: its verdicts replace the local ones, a missing verdict does not."""
    verdicts = {key: outcome for key, outcome in judgement.scores.items() if _is_verdict(outcome)}
    scores = {**judgement.scores, **scored.scores, **verdicts}
    return replace(
        scored,
        scores=scores,
        local_scores=scored.scores if scored.local_scores is None else scored.local_scores,
        judgements=(*scored.judgements, judgement),
        # Reading the answer anew takes milliseconds, and most interactions are not drawn: only for a verdict.
        diagnosis=diagnose(Reading(scored.interaction), scores, diagnosis) if verdicts else scored.diagnosis,
        scorer_versions={**scored.scorer_versions, judgement.scorer: version},
    )


def _is_verdict(outcome: Outcome) -> bool:
    if isinstance(outcome, NotApplicable):
        return outcome.reason not in _NO_VERDICT
    return isinstance(outcome, Scored)
