"""Puts one filled-in prompt to the judge and gives back a typed reply: cache, call, reading, one repair."""

import asyncio
import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from pydantic import ValidationError

from ragsonde.collector.clock import Clock, Deadline, SystemClock
from ragsonde.collector.telemetry import EventListener, JudgeCalled, JudgeReplyRejected, JudgeStatus, ignore_events
from ragsonde.scorers.judge.cache import ResultCache
from ragsonde.scorers.judge.client import JudgeClient
from ragsonde.scorers.judge.errors import ContextOverflowError, InvalidReplyError, JudgeError, TruncatedError
from ragsonde.scorers.judge.fence import neutralise
from ragsonde.scorers.judge.prompt import FilledPrompt
from ragsonde.scorers.judge.prompts import read_prompts
from ragsonde.scorers.judge.replies import Reply
from ragsonde.scorers.judge.reply import PlantedJson, parse_reply
from ragsonde.scorers.judge.tokens import estimate_tokens
from ragsonde.scorers.judge.wire import ChatPrompt

R = TypeVar("R", bound=Reply)

_MAX_ECHO = 4000
"""Characters of an unusable reply that are shown to the judge again."""


class Judge:
    """A judge that replies in types.

    Args:
        client: how the judge is reached.
        cache: where replies are kept.
        clock: measures the deadline of a question.
        listener: takes a JudgeReplyRejected for each reply that cannot be used, and a JudgeCalled for each that came
            from the cache; the client's go to its own listener.

    Raises:
        ConfigError: a prompt file of the operator's cannot be used.
    """

    def __init__(
        self,
        client: JudgeClient,
        *,
        cache: ResultCache,
        clock: Clock | None = None,
        listener: EventListener = ignore_events,
    ) -> None:
        self.config = client.config
        self.prompts = read_prompts(client.config.prompts)
        self._client = client
        self._cache = cache
        self._clock = clock or SystemClock()
        self._listener = listener

    def fits(self, chat: ChatPrompt) -> bool:
        """Whether the prompt and the longest reply fit the model's window, by a cautious estimate."""
        return self.tokens(chat.text()) + self.config.max_output_tokens <= self.config.context_window_tokens

    def tokens(self, text: str) -> int:
        """Estimated tokens."""
        return estimate_tokens(text, self.config.token_scale)

    async def ask(
        self,
        prompt: FilledPrompt,
        model: type[R],
        *,
        deadline: Deadline,
        verify: Callable[[R], None] | None = None,
    ) -> R:
        """The judge's reply to ``prompt``.

        A reply that cannot be used is answered once with what is wrong with it; a cut one with the request to be
        brief and twice the room. What comes then is final.

        Args:
            prompt: the question.
            model: the reply's type.
            deadline: shared with whatever else the caller asks.
            verify: further conditions on the reply; raises InvalidReplyError naming the fault.

        Raises:
            JudgeError: one of its leaves; see ``errors``.
        """
        if not self.fits(prompt.chat):
            raise ContextOverflowError("question, answer and instructions do not fit the model's window")
        key = self._key(prompt)
        cached = await asyncio.to_thread(self._recall, key, model, prompt.chat.schema_name)
        if cached is not None:
            return cached
        total = Deadline(min(deadline.remaining_seconds(), self.config.timeouts.total_seconds), self._clock)
        read = partial(parse_reply, model=model, check=prompt.check, planted=PlantedJson(prompt.texts), verify=verify)
        reply = await self._attempt(prompt.chat, read, total)
        if isinstance(reply, _Unusable):
            reply = await self._again(prompt.chat, reply, read, total)
        if self.config.cache.max_entries:
            await asyncio.to_thread(self._cache.put, key, reply.model_dump_json())
        return reply

    async def embed(self, texts: Sequence[str], *, deadline: Deadline) -> tuple[tuple[float, ...], ...]:
        """One vector for each text.

        Raises:
            JudgeError: one of its leaves; see ``errors``.
        """
        embeddings = await self._client.embed(texts, seconds=deadline.remaining_seconds())
        return embeddings.vectors

    async def aclose(self) -> None:
        """Close the client's connections and the cache."""
        await self._client.aclose()
        self._cache.close()

    async def _attempt(self, chat: ChatPrompt, read: "partial[R]", total: Deadline) -> "R | _Unusable":
        """One reply, or what is wrong with it."""
        text = ""
        try:
            completion = await self._client.complete(chat, seconds=total.remaining_seconds())
            text = completion.text
            return read(text, cut=completion.cut)
        except (InvalidReplyError, TruncatedError) as fault:
            status = JudgeStatus.TRUNCATED if isinstance(fault, TruncatedError) else JudgeStatus.INVALID_REPLY
            self._listener(JudgeReplyRejected(self.config.model, chat.schema_name, status, final=bool(chat.turns)))
            return _Unusable(text, fault)

    async def _again(self, chat: ChatPrompt, unusable: "_Unusable", read: "partial[R]", total: Deadline) -> R:
        """The reply to the repair; what was wrong at first says more than why it could not be asked again."""
        try:
            reply = await self._attempt(_repair(chat, unusable), read, total)
        except JudgeError as error:
            raise unusable.fault from error
        if isinstance(reply, _Unusable):
            raise reply.fault
        return reply

    def _key(self, prompt: FilledPrompt) -> str:
        config = self.config
        parts = [
            prompt.content_key,
            config.api,
            config.base_url,
            config.model,
            config.temperature,
            config.seed,
            config.max_output_tokens,
        ]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()

    def _recall(self, key: str, model: type[R], name: str) -> R | None:
        text = self._cache.get(key) if self.config.cache.max_entries else None
        if text is None:
            return None
        try:
            reply = model.model_validate_json(text)
        except ValidationError:
            return None  # written by another version
        self._listener(JudgeCalled(JudgeStatus.CACHED, self.config.model, name, 0.0, 0, 0, 0.0, cached=True))
        return reply


@dataclass(frozen=True, slots=True)
class _Unusable:
    """A reply that cannot be used, and why."""

    text: str
    fault: InvalidReplyError | TruncatedError


def _repair(chat: ChatPrompt, unusable: _Unusable) -> ChatPrompt:
    """The question once more. The unusable reply is shown where there is one; a cut one is not, being long."""
    if isinstance(unusable.fault, TruncatedError):
        request = "Your reply was cut off. Reply again with one complete JSON object; keep every text short."
        return chat.again("(reply cut off)", request, output_scale=2)
    request = (
        f"Your reply could not be used: {unusable.fault}. Reply again with one JSON object that has every field asked "
        "for, and nothing else."
    )
    return chat.again(neutralise(unusable.text[:_MAX_ECHO]) or "(no reply)", request)
