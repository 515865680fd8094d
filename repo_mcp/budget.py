"""How long a piece of work may take, and whether anybody still wants it."""

from __future__ import annotations

import time
from collections.abc import Callable

from repo_mcp.errors import Problem


def _nobody_cancels() -> bool:
    return False


class Budget:
    """Asked at every step of long work; the clock never goes backwards."""

    __slots__ = ("_cancelled", "_deadline")

    def __init__(
        self, seconds: float | None = None, cancelled: Callable[[], bool] = _nobody_cancels
    ) -> None:
        """Start now; without `seconds` there is no deadline."""
        self._deadline = None if seconds is None else time.monotonic() + seconds
        self._cancelled = cancelled

    def within(self, seconds: float) -> Budget:
        """A budget that ends after so many seconds, or when this one is cancelled."""
        return Budget(seconds, self._cancelled)

    def check(self) -> None:
        """Stop the work when it was cancelled."""
        if self._cancelled():
            raise Problem("cancelled")

    @property
    def spent(self) -> bool:
        """Whether the time is up."""
        return self._deadline is not None and time.monotonic() >= self._deadline
