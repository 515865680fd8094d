"""A deadline and a cancellation check for one piece of work, on a given clock."""

from __future__ import annotations

import time
from collections.abc import Callable

from repo_mcp.errors import Problem

# monotonic seconds
Clock = Callable[[], float]


def _never_cancelled() -> bool:
    return False


class Budget:
    """Deadline and cancellation of long work, which checks them at every step."""

    __slots__ = ("_cancelled", "_deadline", "clock")

    def __init__(
        self,
        seconds: float | None = None,
        cancelled: Callable[[], bool] = _never_cancelled,
        clock: Clock = time.monotonic,
    ) -> None:
        """Start now; without `seconds` there is no deadline."""
        self.clock = clock
        self._deadline = None if seconds is None else clock() + seconds
        self._cancelled = cancelled

    def within(self, seconds: float) -> Budget:
        """A budget that ends after `seconds`, or when this one is cancelled."""
        return Budget(seconds, self._cancelled, self.clock)

    def check(self) -> None:
        """Raise `Problem` if the work was cancelled."""
        if self._cancelled():
            raise Problem("cancelled")

    def is_cancelled(self) -> bool:
        """True if the work was cancelled."""
        return self._cancelled()

    @property
    def seconds_left(self) -> float | None:
        """Seconds until the deadline, 0 when it has passed; None without one."""
        return None if self._deadline is None else max(self._deadline - self.clock(), 0.0)

    @property
    def spent(self) -> bool:
        """True if the deadline has passed."""
        return self._deadline is not None and self.clock() >= self._deadline


class PatientBudget(Budget):
    """A budget that lasts on while what is waited for is expected within it.

    It is spent after `most` seconds; after `least`, where `expected` gives more seconds than are
    left; and when `expected` has given None for `unsure` seconds, as each phase may at its start.
    """

    __slots__ = ("_expected", "_least", "_most", "_started", "_told", "_unsure")

    def __init__(
        self,
        budget: Budget,
        expected: Callable[[], float | None],
        *,
        least: float,
        unsure: float,
        most: float,
    ) -> None:
        """Start now; it is cancelled with `budget`."""
        super().__init__(most, budget.is_cancelled, budget.clock)
        self._expected = expected
        self._least, self._unsure, self._most = least, max(least, unsure), most
        self._started = self._told = budget.clock()

    @property
    def spent(self) -> bool:
        """True if the deadline has passed, or the wait would outlast it."""
        now = self.clock()
        passed = now - self._started
        if passed >= self._most:
            return True
        seconds = self._expected()
        if seconds is None:
            return now - self._told >= self._unsure
        self._told = now
        return passed >= self._least and passed + seconds > self._most


def do_nothing() -> None:
    """Stands for what long work calls often, where nobody has to be heard meanwhile."""
