"""Daily budgets. What a call may cost at most is reserved before it, and settled after it."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Protocol

from ragsonde.collector.clock import Clock
from ragsonde.collector.telemetry import BudgetKind
from ragsonde.scorers.judge.config import DailyBudgetConfig
from ragsonde.scorers.judge.errors import OverBudgetError


@dataclass(frozen=True, slots=True)
class Spend:
    """What calls took: their number, tokens in and out, and money (0 where no price is known)."""

    calls: int = 0
    tokens: int = 0
    money: float = 0.0

    def __add__(self, other: "Spend") -> "Spend":
        return Spend(self.calls + other.calls, self.tokens + other.tokens, self.money + other.money)

    def __sub__(self, other: "Spend") -> "Spend":
        return Spend(self.calls - other.calls, self.tokens - other.tokens, self.money - other.money)


class BudgetStore(Protocol):
    """Keeps what was spent on each day. One shared by all replicas makes them keep one budget.

    ``day`` is the UTC date, ``YYYY-MM-DD``. Both calls may be made from several tasks at once, and raise
    BudgetUnavailableError where the store cannot be asked.
    """

    async def reserve(self, day: str, amount: Spend, limits: DailyBudgetConfig) -> BudgetKind | None:
        """Add ``amount`` if it keeps within ``limits``, atomically; else add nothing and name the limit it breaks."""
        ...

    async def adjust(self, day: str, amount: Spend) -> Spend:
        """Add ``amount`` (which may be negative) to the day's total; give the newest day's total."""
        ...

    def close(self) -> None:
        """Let go of connections. May be called twice."""
        ...


class MemoryBudgetStore:
    """Keeps the spending of one process, for the newest day."""

    def __init__(self) -> None:
        self._day = ""
        self._total = Spend()

    async def reserve(self, day: str, amount: Spend, limits: DailyBudgetConfig) -> BudgetKind | None:
        """Add ``amount`` if it keeps within ``limits``; else name the limit it breaks."""
        total = amount if day > self._day else self._total + amount
        broken = broken_limit(total, limits)
        if broken is None:
            self._day, self._total = max(day, self._day), total
        return broken

    async def adjust(self, day: str, amount: Spend) -> Spend:
        """Add ``amount`` and give the newest day's total, which what belongs to a day gone by does not change."""
        if day == self._day:
            self._total += amount
        return self._total

    def close(self) -> None:
        """Nothing to let go of."""


def broken_limit(total: Spend, limits: DailyBudgetConfig) -> BudgetKind | None:
    """The first limit that ``total`` exceeds."""
    pairs = (
        (BudgetKind.CALLS, total.calls, limits.calls),
        (BudgetKind.TOKENS, total.tokens, limits.tokens),
        (BudgetKind.MONEY, total.money, limits.money),
    )
    return next((kind for kind, spent, limit in pairs if limit is not None and spent > limit), None)


@dataclass(frozen=True, slots=True)
class Reservation:
    """An amount set aside for one call."""

    day: str
    amount: Spend


class Budget:
    """The daily budget of one judge."""

    def __init__(
        self,
        limits: DailyBudgetConfig,
        *,
        store: BudgetStore,
        clock: Clock,
        on_exhausted: Callable[[BudgetKind], None] = lambda _kind: None,
    ) -> None:
        self._limits = limits
        self._store = store
        self._clock = clock
        self._on_exhausted = on_exhausted

    async def reserve(self, amount: Spend) -> Reservation:
        """Set ``amount`` aside.

        Raises:
            OverBudgetError: today's budget does not allow it.
            BudgetUnavailableError: the store cannot be asked.
        """
        day = datetime.fromtimestamp(self._clock.wall(), UTC).date().isoformat()
        broken = await self._store.reserve(day, amount, self._limits)
        if broken is not None:
            self._on_exhausted(broken)
            limit = getattr(self._limits, broken.value)
            raise OverBudgetError(
                f"today's budget of {limit} {broken.value} does not allow another call (UTC day {day})"
            )
        return Reservation(day, amount)

    async def settle(self, reservation: Reservation, actual: Spend) -> Spend:
        """Replace a reservation by what the call really took; gives the newest day's total."""
        return await self._store.adjust(reservation.day, actual - reservation.amount)
