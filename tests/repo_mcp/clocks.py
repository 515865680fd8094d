"""Clocks that a test moves: what the code under test sees does not depend on how busy it is."""

from __future__ import annotations

import threading


class Clock:
    """Stands still until it is told to go on.

    With a `step` it goes on by itself: with every reading in the thread that made it. Who waits
    there for something reads it again and again, and so sees the time run out; other threads don't
    change what that thread sees.
    """

    def __init__(self, step: float = 0.0) -> None:
        # not 0.0: no time since the machine started is that short
        self.now = 1_000.0
        self.step = step
        self._thread = threading.get_ident()

    def __call__(self) -> float:
        now = self.now
        if threading.get_ident() == self._thread:
            self.now += self.step
        return now

    def advance(self, seconds: float) -> None:
        self.now += seconds
