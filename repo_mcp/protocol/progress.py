"""How far a call has come: never too often, never silent for long, and always forwards."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final

# the shortest time between two reports, and the longest without one, in seconds
APART: Final = 0.05
SILENCE: Final = 3.0
# what a report adds where nothing more is done than at the last one: values must grow
_STEP: Final = 0.001

Send = Callable[[dict[str, Any]], None]


class Progress:
    """Reports of one call to the client that gave a token for them."""

    def __init__(self, token: str | int, send: Send, now: float) -> None:
        """Nothing is reported yet."""
        self._token = token
        self._send = send
        self._began = now
        self._sent: float | None = None
        self._value = 0.0
        self._done = self._of = 0
        # what earlier stretches of the work came to
        self._before = 0
        self._what = ""

    def report(self, done: int, total: int, what: str, now: float) -> None:
        """Tell it, unless something was told just before."""
        if done < self._done and total != self._of:  # another stretch of work, counted anew
            self._before = math.ceil(self._value)
        self._done, self._of, self._what = done, total, what
        if self._sent is None or now - self._sent >= APART:
            self._tell(self._before + done, what, now)

    def tick(self, now: float) -> None:
        """Tell that the work goes on, if nothing was told for long."""
        if now - (self._began if self._sent is None else self._sent) >= SILENCE:
            going = f"still working, {now - self._began:.0f} s so far"
            self._tell(0, f"{self._what} ({going})" if self._what else going, now)

    def _tell(self, done: float, what: str, now: float) -> None:
        value = done if done > self._value else round(self._value + _STEP, 3)
        found: dict[str, Any] = {"progressToken": self._token, "progress": value}
        if self._of and self._before + self._of >= value:
            found["total"] = self._before + self._of
        if what:
            found["message"] = what
        self._value, self._sent = value, now
        self._send(found)
