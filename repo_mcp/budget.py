"""How long a piece of work may take, by a clock that is handed in, and whether it is cancelled."""

from __future__ import annotations

import time
from collections.abc import Callable

from repo_mcp.errors import Problem

# seconds since some moment; never goes backwards
Clock = Callable[[], float]


def _never_cancelled() -> bool:
    return False


class Budget:
    """Asked at every step of long work."""

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
        """A budget on the same clock that ends after `seconds`, or when this one is cancelled."""
        return Budget(seconds, self._cancelled, self.clock)

    def check(self) -> None:
        """Stop the work when it was cancelled."""
        if self._cancelled():
            raise Problem("cancelled")

    @property
    def spent(self) -> bool:
        """Whether the time is up."""
        return self._deadline is not None and self.clock() >= self._deadline
