"""Clocks that a test moves: what the code under test sees does not depend on how busy it is."""

from __future__ import annotations


class Clock:
    """Stands still until it is told to go on, and then goes on by `step` with every reading."""

    def __init__(self, step: float = 0.0) -> None:
        # not 0.0: no time since the machine started is that short
        self.now = 1_000.0
        self.step = step

    def __call__(self) -> float:
        now = self.now
        self.now += self.step
        return now

    def advance(self, seconds: float) -> None:
        self.now += seconds
