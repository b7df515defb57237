"""The merged mode: one call per interaction finds everything out; further calls only where contexts are too long."""

import asyncio
from collections.abc import Mapping, Sequence

from ragsonde.collector.clock import Deadline
from ragsonde.scorers.judge.concurrency import all_of
from ragsonde.scorers.judge.coverage import verify_coverage
from ragsonde.scorers.judge.errors import ClaimsMissingError, ExtractorEmptyError, JudgeError
from ragsonde.scorers.judge.fence import DrawNonce, draw_nonce
from ragsonde.scorers.judge.grounding import Grounding
from ragsonde.scorers.judge.judge import Judge
from ragsonde.scorers.judge.judgement import MERGED_KEYS, Judgement, merged_outcomes
from ragsonde.scorers.judge.replies import MergedReply, WindowReply, reply_schema
from ragsonde.scorers.judge.verify import verify_documents, verify_numbers, verify_tags
from ragsonde.scorers.judge.windows import Window, exchange_blocks, fit_windows, numbered, read_tag, sentence_tags
from ragsonde.scorers.reading import Reading
from ragsonde.scorers.score import MetricKey, NotApplicable, Outcome, Reason

MERGED_RUBRICS = ("merged", "window")
_CLAIMS_SHARE = 2.0
"""Room that claims take in a further window, as a multiple of the answer they restate."""
_CLAIMS_TOKENS = 256
"""Room for their numbers, and for what makes them understandable on their own."""


class MergedJudge:
    """Judges one interaction at a time.

    Args:
        judge: who is asked.
        draw: source of the calls' random words.
    """

    keys = MERGED_KEYS

    def __init__(self, judge: Judge, *, draw: DrawNonce = draw_nonce) -> None:
        self._judge = judge
        self._draw = draw

    async def outcomes(self, reading: Reading, deadline: Deadline) -> Mapping[MetricKey, Outcome]:
        """The outcome of each key. What goes wrong with the judge fails all of them alike."""
        reason = reading.unscorable(needs_contexts=False)
        if reason is None and reading.not_scorable_answer() is Reason.EMPTY_ANSWER:
            reason = Reason.EMPTY_ANSWER
        if reason is not None:
            return dict.fromkeys(self.keys, NotApplicable(reason))
        try:
            judgement, missing = await self._judgement(reading, deadline)
        except JudgeError as error:
            return dict.fromkeys(self.keys, error.outcome())
        return merged_outcomes(reading, judgement, missing.outcome() if missing is not None else None)

    async def _judgement(self, reading: Reading, deadline: Deadline) -> tuple[Judgement, ClaimsMissingError | None]:
        """What the judge found out, and what it left out of the claims, even when asked again."""
        # Reading and looking up texts takes the processor, so it is kept off the event loop.
        windows = await asyncio.to_thread(self._windows, reading)
        first, missing = await self._first(reading, windows[0], deadline)
        rest = await all_of([self._further(reading, window, first, deadline) for window in windows[1:]])
        return await asyncio.to_thread(_pooled, reading, first, rest), missing

    async def _first(
        self, reading: Reading, window: Window, deadline: Deadline
    ) -> tuple[MergedReply, ClaimsMissingError | None]:
        filled = self._judge.prompts.prompt("merged", reading.language).fill(
            {**exchange_blocks(reading), "documents": window.blocks()},
            schema=reply_schema(MergedReply),
            draw=self._draw,
        )

        incomplete: list[MergedReply] = []

        def verify(reply: MergedReply) -> None:
            verify_documents(reply.documents, window)
            verify_tags(reply.needed, window)
            if reply.abstains != "wholly":
                if reply.factual and not reply.claims:
                    raise ExtractorEmptyError('claims: empty, although "factual" is true')
                incomplete[:] = [reply]
                verify_coverage(reading, reply)

        try:
            return await self._judge.ask(filled, MergedReply, deadline=deadline, verify=verify), None
        except ClaimsMissingError as missing:  # what else it found out holds
            return incomplete[0], missing

    async def _further(self, reading: Reading, window: Window, first: MergedReply, deadline: Deadline) -> WindowReply:
        claims = numbered("claims", [claim.claim for claim in first.claims])
        filled = self._judge.prompts.prompt("window", reading.language).fill(
            {**exchange_blocks(reading), "documents": window.blocks(), "claims": claims},
            schema=reply_schema(WindowReply),
            draw=self._draw,
        )

        def verify(reply: WindowReply) -> None:
            verify_numbers("claims", [verdict.claim for verdict in reply.claims], len(first.claims))
            verify_documents(reply.documents, window)
            verify_tags(reply.needed, window)

        return await self._judge.ask(filled, WindowReply, deadline=deadline, verify=verify)

    def _windows(self, reading: Reading) -> tuple[Window, ...]:
        """The windows of the contexts, each leaving room for the whole answer and the claims it makes."""
        _ = reading.claims  # asked for when the reply comes, on the event loop
        return fit_windows(
            self._judge,
            self._judge.prompts.prompt("merged", reading.language),
            exchange_blocks(reading),
            reading,
            reserve_tokens=_CLAIMS_TOKENS + int(_CLAIMS_SHARE * self._judge.tokens(reading.answer)),
        )


def _pooled(reading: Reading, first: MergedReply, rest: Sequence[WindowReply]) -> Judgement:
    """What all windows found out, taken together."""
    grounding = Grounding(reading)
    claims = []
    for number, claim in enumerate(first.claims, start=1):
        statement = grounding.statement(claim.claim, claim.said)
        findings = [
            grounding.finding(claim.verdict, claim.evidence, claim.reason, claim=claim.claim, statement=statement)
        ]
        for reply in rest:
            found = next(verdict for verdict in reply.claims if verdict.claim == number)
            findings.append(
                grounding.finding(found.verdict, found.evidence, found.reason, claim=claim.claim, statement=statement)
            )
        claims.append(grounding.judged(claim.claim, claim.said, claim.cited, findings))
    replies: list[MergedReply | WindowReply] = [first, *rest]
    tags = sentence_tags(reading)
    relevant = {verdict.document for reply in replies for verdict in reply.documents if verdict.relevant}
    return Judgement(
        claims=tuple(claims),
        relevant=tuple(number in relevant for number in range(1, len(reading.documents or ()) + 1)),
        needed=len({read_tag(tag) for reply in replies for tag in reply.needed} & tags),
        sentences=len(tags),
        extent=first.answers_question,
        abstains=first.abstains,
        contexts_answer=any(reply.contexts_answer for reply in replies),
    )
