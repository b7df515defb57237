"""Keeps the books of one judge: prices requests, reserves budget before them and settles it after them."""

import asyncio
import logging

from ragsonde.collector.clock import Clock
from ragsonde.collector.telemetry import BudgetExhausted, BudgetKind, BudgetLimited, BudgetSpent, EventListener
from ragsonde.scorers.judge.budget import Budget, BudgetStore, Reservation, Spend
from ragsonde.scorers.judge.config import JudgeConfig
from ragsonde.scorers.judge.prices import find_price

_log = logging.getLogger(__name__)


class Ledger:
    """The books of one judge. Money is counted where every price is known."""

    def __init__(self, config: JudgeConfig, *, store: BudgetStore, clock: Clock, listener: EventListener) -> None:
        self._model = config.model
        self._listener = listener
        self._priced = find_price(config) is not None
        self._budget = Budget(
            config.budget,
            store=store,
            clock=clock,
            on_exhausted=lambda kind: listener(BudgetExhausted(config.model, kind)),
        )
        self._settling: set[asyncio.Task[Spend]] = set()
        for kind in BudgetKind:
            limit = getattr(config.budget, kind.value)
            if limit is not None:
                listener(BudgetLimited(config.model, kind, limit))

    async def reserve(self, most: Spend) -> Reservation:
        """Set aside the most that a request can take.

        Raises:
            OverBudgetError: today's budget does not allow it.
            BudgetUnavailableError: the budget's store cannot be asked.
        """
        return await self._budget.reserve(most)

    def settle(self, reservation: Reservation, spent: Spend) -> None:
        """Book what the request took. Runs on the side, so that neither a deadline nor a slow store loses it."""
        task = asyncio.ensure_future(self._budget.settle(reservation, spent))
        self._settling.add(task)
        task.add_done_callback(self._settled)

    async def drain(self) -> None:
        """Wait until all is booked."""
        if self._settling:
            await asyncio.gather(*self._settling, return_exceptions=True)

    def _settled(self, task: asyncio.Task[Spend]) -> None:
        self._settling.discard(task)
        if task.cancelled():
            return
        if (error := task.exception()) is not None:
            _log.warning("the judge's budget could not be settled (%s): its reservation stands", type(error).__name__)
            return
        total = task.result()
        money = total.money if self._priced else None
        self._listener(BudgetSpent(self._model, total.calls, total.tokens, money))
