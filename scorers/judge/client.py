"""The judge over HTTP: limits, retries, breaker and budget around single requests."""

import asyncio
import os
import random
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

import tenacity

from ragsonde.collector.clock import Clock, Deadline, SystemClock
from ragsonde.collector.telemetry import (
    BreakerChanged,
    BreakerState,
    EventListener,
    JudgeCalled,
    JudgeConcurrencyChanged,
    JudgeStatus,
    ignore_events,
)
from ragsonde.scorers.judge import anthropic_api, openai_api
from ragsonde.scorers.judge.breaker import CircuitBreaker
from ragsonde.scorers.judge.budget import BudgetStore, Spend
from ragsonde.scorers.judge.budget_sql import open_budget_store
from ragsonde.scorers.judge.concurrency import AdaptiveLimiter
from ragsonde.scorers.judge.config import Api, JudgeConfig, Structure
from ragsonde.scorers.judge.credentials import secret_headers
from ragsonde.scorers.judge.endpoint import AsyncTransport, HttpEndpoint, HttpReply
from ragsonde.scorers.judge.errors import (
    BudgetUnavailableError,
    ContextOverflowError,
    InvalidReplyError,
    JudgeError,
    JudgeTimeoutError,
    JudgeUnavailableError,
    OverBudgetError,
    TruncatedError,
)
from ragsonde.scorers.judge.ledger import Ledger
from ragsonde.scorers.judge.prices import Price, cost, find_embedding_price, find_price
from ragsonde.scorers.judge.refusals import REFUSED_CONTENT, adapt, classify
from ragsonde.scorers.judge.tokens import estimate_tokens
from ragsonde.scorers.judge.wire import ChatPrompt, Completion, Dialect, Embeddings

R = TypeVar("R", Completion, Embeddings)

_MAX_PAUSE_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class _Exchange(Generic[R]):
    """One kind of request: how its body is made, how its reply is read, what it may cost at most."""

    name: str
    endpoint: HttpEndpoint
    breaker: CircuitBreaker
    path: str
    body: Callable[[Dialect], Mapping[str, object]]
    read: Callable[[object], R]
    input_tokens: int
    max_output_tokens: int
    price: Price | None

    def spend(self, input_tokens: int, output_tokens: int) -> Spend:
        """One request as a spend."""
        return Spend(1, input_tokens + output_tokens, cost(self.price, input_tokens, output_tokens) or 0.0)


class JudgeClient:
    """Asks one judge. All calls must be made on one event loop.

    Args:
        config: the judge.
        clock: measures deadlines, cool-downs and the budget's day.
        listener: takes JudgeCalled, BreakerChanged, JudgeConcurrencyChanged, BudgetSpent, BudgetExhausted.
        budget_store: keeps the daily spending, and stays the caller's; if None, the configured one is opened.
        transport: an httpx transport instead of the network.
        chance: draws the jitter.
        sleep: waits between attempts.
        environ: where ``api_key_env`` is looked up.

    Raises:
        ConfigError: the key cannot be found, a money budget is set without a known price, or the budget's store can
            never work.
    """

    def __init__(
        self,
        config: JudgeConfig,
        *,
        clock: Clock | None = None,
        listener: EventListener = ignore_events,
        budget_store: BudgetStore | None = None,
        transport: AsyncTransport | None = None,
        chance: random.Random | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        environ: Mapping[str, str] = os.environ,
    ) -> None:
        self.config = config
        self._clock = clock or SystemClock()
        self._listener = listener
        self._chance = chance or random.Random()  # noqa: S311  # jitter, not a secret
        self._sleep = sleep
        self._price = find_price(config)
        self._vectors_price = find_embedding_price(config)
        store = open_budget_store(config, environ) if budget_store is None else budget_store
        self._own_store = store if budget_store is None else None
        self._ledger = Ledger(config, store=store, clock=self._clock, listener=listener)
        self._limiter = AdaptiveLimiter(
            config.concurrency,
            clock=self._clock,
            sleep=sleep,
            on_change=lambda limit: listener(JudgeConcurrencyChanged(config.model, limit)),
        )
        anthropic = config.api is Api.ANTHROPIC
        self._steps = anthropic_api.STRUCTURES if anthropic else openai_api.STRUCTURES
        self._dialect = Dialect(self._steps[0] if config.structure == "auto" else Structure(config.structure))
        self._chat = HttpEndpoint(
            config,
            base_url=config.base_url,
            query=config.query,
            headers=dict([anthropic_api.VERSION_HEADER]) if anthropic else {},
            secrets=secret_headers(config, environ, default="x-api-key" if anthropic else "authorization"),
            transport=transport,
        )
        self._vectors = self._chat
        if config.embeddings is not None and config.embeddings.base_url is not None:
            self._vectors = HttpEndpoint(
                config,
                base_url=config.embeddings.base_url.rstrip("/"),
                query=config.embeddings.query,
                headers={},
                secrets=secret_headers(config.embeddings, environ, field="scoring.judge.embeddings"),
                transport=transport,
            )
        self._chat_breaker = self._new_breaker()
        self._vectors_breaker = self._new_breaker()
        listener(BreakerChanged(config.model, BreakerState.CLOSED))  # shown from the start, not from the first fault on

    async def complete(self, prompt: ChatPrompt, *, seconds: float) -> Completion:
        """One completion within ``seconds``.

        Raises:
            JudgeError: one of its leaves; see ``errors``.
        """
        config = self.config
        anthropic = config.api is Api.ANTHROPIC
        make = anthropic_api.messages_body if anthropic else openai_api.chat_body
        exchange = _Exchange(
            name=prompt.schema_name,
            endpoint=self._chat,
            breaker=self._chat_breaker,
            path=anthropic_api.MESSAGES_PATH if anthropic else openai_api.CHAT_PATH,
            body=lambda dialect: make(config, dialect, prompt),
            read=anthropic_api.read_message if anthropic else openai_api.read_chat,
            input_tokens=estimate_tokens(prompt.text(), config.token_scale),
            max_output_tokens=config.max_output_tokens * prompt.output_scale,
            price=self._price,
        )
        return await self._ask(exchange, Deadline(min(seconds, config.timeouts.total_seconds), self._clock))

    async def embed(self, texts: Sequence[str], *, seconds: float) -> Embeddings:
        """One vector for each text within ``seconds``.

        Raises:
            JudgeError: one of its leaves; see ``errors``.
            ValueError: no embeddings endpoint is configured.
        """
        config = self.config.embeddings
        if config is None:
            raise ValueError("scoring.judge.embeddings is not configured")
        model = config.model
        exchange = _Exchange(
            name="embeddings",
            endpoint=self._vectors,
            breaker=self._vectors_breaker,
            path=openai_api.EMBEDDINGS_PATH,
            body=lambda _dialect: openai_api.embeddings_body(model, texts),
            read=lambda payload: openai_api.read_embeddings(payload, len(texts)),
            input_tokens=sum(estimate_tokens(text, self.config.token_scale) for text in texts),
            max_output_tokens=0,
            price=self._vectors_price,
        )
        return await self._ask(exchange, Deadline(min(seconds, self.config.timeouts.total_seconds), self._clock))

    async def aclose(self) -> None:
        """Close all connections."""
        await self._ledger.drain()
        await self._chat.aclose()
        await self._vectors.aclose()
        if self._own_store is not None:
            self._own_store.close()

    async def _ask(self, exchange: _Exchange[R], deadline: Deadline) -> R:
        """Breaker and hard deadline around all attempts."""
        if deadline.expired():
            raise JudgeTimeoutError("no time was left to ask the judge")
        breaker = exchange.breaker
        try:
            probe = breaker.admit()
        except JudgeUnavailableError:
            self._emit(exchange, JudgeStatus.BREAKER_OPEN, 0.0)
            raise
        attempts = _Attempts()
        try:
            async with asyncio.timeout(deadline.remaining_seconds()):
                result = await self._with_retries(exchange, deadline, attempts)
        except TimeoutError:
            error = attempts.last or JudgeTimeoutError("no complete reply came before the deadline")
            if attempts.count:
                breaker.failed(str(error), permanent=False, probe=probe)
            else:
                breaker.abandoned(probe=probe)  # no place became free: that says nothing of the judge
            raise error from None
        except (JudgeUnavailableError, JudgeTimeoutError) as error:
            if isinstance(error, JudgeUnavailableError) and REFUSED_CONTENT in error.complaints:
                breaker.succeeded()  # it is up, and will not judge this text
            else:
                permanent = isinstance(error, JudgeUnavailableError) and error.permanent
                breaker.failed(str(error), permanent=permanent, probe=probe)
            raise
        except OverBudgetError:
            self._emit(exchange, JudgeStatus.OVER_BUDGET, 0.0)
            breaker.abandoned(probe=probe)
            raise
        except JudgeError:
            breaker.succeeded()  # it replied, if not as it should
            raise
        except BaseException:
            breaker.abandoned(probe=probe)
            raise
        breaker.succeeded()
        return result

    async def _with_retries(self, exchange: _Exchange[R], deadline: Deadline, attempts: "_Attempts") -> R:
        retrying = tenacity.AsyncRetrying(
            sleep=self._sleep,
            wait=self._wait_seconds,
            stop=lambda state: (
                state.attempt_number >= self.config.retries.max_attempts
                or state.upcoming_sleep >= deadline.remaining_seconds()
            ),
            retry=tenacity.retry_if_exception(
                lambda error: isinstance(error, JudgeUnavailableError) and error.retryable
            ),
            reraise=True,
        )
        result: R = await retrying(self._attempt, exchange, attempts)
        return result

    def _wait_seconds(self, state: tenacity.RetryCallState) -> float:
        """What the server asks for, slightly spread; else exponential backoff with full jitter."""
        error = state.outcome.exception() if state.outcome else None
        if isinstance(error, JudgeUnavailableError) and error.retry_after_seconds is not None:
            return error.retry_after_seconds + self._chance.uniform(0, 0.1 * error.retry_after_seconds)
        retries = self.config.retries
        doubled = retries.initial_seconds * 2.0 ** min(state.attempt_number, 30)
        return self._chance.uniform(0, min(doubled, retries.max_seconds))

    async def _attempt(self, exchange: _Exchange[R], attempts: "_Attempts") -> R:
        """One attempt; more than one request only while the server's dialect is being found out."""
        async with self._limiter.slot() as began:
            attempts.count += 1
            attempts.last = None
            dialect = self._dialect
            while True:
                try:
                    result = await self._request(exchange, dialect)
                except JudgeUnavailableError as error:
                    attempts.last = error
                    if error.overloaded:
                        self._limiter.overloaded(began, min(error.retry_after_seconds or 0.0, _MAX_PAUSE_SECONDS))
                    learns = exchange.breaker is self._chat_breaker and self.config.structure == "auto"
                    adapted = adapt(dialect, error, self._steps) if learns else None
                    if adapted is None:
                        raise
                    dialect = adapted
                else:
                    self._limiter.succeeded()
                    self._dialect = dialect
                    return result

    async def _request(self, exchange: _Exchange[R], dialect: Dialect) -> R:
        """One request, paid for and counted."""
        most = exchange.spend(exchange.input_tokens, exchange.max_output_tokens)
        try:
            reservation = await self._ledger.reserve(most)
        except BudgetUnavailableError:
            self._emit(exchange, JudgeStatus.BUDGET_UNAVAILABLE, 0.0)
            raise
        began = self._clock.monotonic()
        # Until the server has refused, it may have been at work, and may charge for it.
        spent, status = exchange.spend(exchange.input_tokens, 0), JudgeStatus.TIMEOUT
        tokens: tuple[int | None, int | None] = (None, None)
        try:
            reply = await exchange.endpoint.post(exchange.path, exchange.body(dialect))
            self._refuse(reply)
            result = exchange.read(reply.payload())
            tokens, spent, status = self._usage(exchange, result)
        except JudgeError as error:
            status = _status_of(error)
            refused = isinstance(error, JudgeUnavailableError) and not error.sent
            if refused or isinstance(error, ContextOverflowError):
                spent = Spend()
            raise
        finally:
            self._emit(exchange, status, self._clock.monotonic() - began, *tokens)
            self._ledger.settle(reservation, spent)
        return result

    def _refuse(self, reply: HttpReply) -> None:
        """Raise what a reply means that is no answer; some gateways hide a refusal inside a 200."""
        status = reply.status
        if status == 200 and '"error"' in reply.body[:2000]:
            payload = reply.payload()
            error = payload.get("error") if isinstance(payload, dict) else None
            if isinstance(error, dict):
                code = error.get("code")
                status = code if isinstance(code, int) and 300 <= code < 600 else 502
        if not 200 <= status < 300:
            raise classify(status, reply.body, reply.headers, self._clock.wall())

    def _usage(self, exchange: _Exchange[R], result: R) -> tuple[tuple[int | None, int | None], Spend, JudgeStatus]:
        if isinstance(result, Completion):
            read, written, cut = result.input_tokens, result.output_tokens, result.cut
            said = estimate_tokens(result.text, self.config.token_scale)
        else:
            read, written, cut, said = result.input_tokens, 0, False, 0
        counted = exchange.spend(exchange.input_tokens if read is None else read, said if written is None else written)
        return (read, written), counted, JudgeStatus.TRUNCATED if cut else JudgeStatus.OK

    def _new_breaker(self) -> CircuitBreaker:
        model = self.config.model
        return CircuitBreaker(
            self.config.breaker,
            clock=self._clock,
            on_change=lambda state: self._listener(BreakerChanged(model, state)),
        )

    def _emit(
        self,
        exchange: _Exchange[R],
        status: JudgeStatus,
        seconds: float,
        input_tokens: int | None = None,
        output_tokens: int | None = None,
    ) -> None:
        money = cost(exchange.price, input_tokens, output_tokens)
        self._listener(
            JudgeCalled(status, self.config.model, exchange.name, seconds, input_tokens, output_tokens, money)
        )


@dataclass(slots=True)
class _Attempts:
    """What became of the attempts so far."""

    count: int = 0
    last: JudgeUnavailableError | None = None


def _status_of(error: JudgeError) -> JudgeStatus:
    if isinstance(error, JudgeUnavailableError):
        if error.status is None:
            return JudgeStatus.UNREACHABLE
        return JudgeStatus.OVERLOADED if error.overloaded else JudgeStatus.REFUSED
    pairs = (
        (JudgeTimeoutError, JudgeStatus.TIMEOUT),
        (TruncatedError, JudgeStatus.TRUNCATED),
        (InvalidReplyError, JudgeStatus.INVALID_REPLY),
        (ContextOverflowError, JudgeStatus.CONTEXT_OVERFLOW),
    )
    return next((status for kind, status in pairs if isinstance(error, kind)), JudgeStatus.REFUSED)
