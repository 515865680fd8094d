"""Serialises index writers, threads and processes, and holds the progress of the running one."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Final, NamedTuple

from index_format import Index, IndexBusyError, IndexWriter, Snapshot
from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.model import Progress

_POLL: Final = 0.02


class Counts(NamedTuple):
    """What a run did; `deep` is False while facts are missing."""

    added: int
    updated: int
    removed: int
    complete: bool
    deep: bool
    left_out: dict[str, int]
    # files whose words, and files whose facts, are still to be read
    words_left: int = 0
    facts_left: int = 0


class WriteQueue:
    """One change at a time; what it says of itself is forgotten at its end."""

    def __init__(self) -> None:
        """It is nobody's turn."""
        self._taken = threading.Lock()
        self.awaited: Sequence[str] | None = None
        self._progress: Progress | None = None
        self._so_far: tuple[Counts, str] | None = None
        self._elsewhere = False
        # how long the last writer had to wait for another process
        self.waited = 0.0

    @property
    def progress(self) -> Progress | None:
        """How far the run under way has come; None while there is none."""
        return self._progress if self._taken.locked() else None

    @property
    def so_far(self) -> tuple[Counts, str] | None:
        """What the run under way has published, and when; None while there is nothing."""
        return self._so_far if self._taken.locked() else None

    @property
    def elsewhere(self) -> bool:
        """Whether another process is writing, and somebody in this one waits for its end."""
        return self._elsewhere

    def tell_progress(self, now: Progress) -> None:
        """Remember how far the run under way has come."""
        self._progress = now

    def tell_awaited(self, paths: Sequence[str]) -> None:
        """Remember which files the run under way is going to read."""
        self.awaited = paths

    def tell_published(self, counts: Counts, timestamp: str) -> None:
        """Remember what the run under way has published, and when it last did."""
        self._so_far = (counts, timestamp)

    @contextmanager
    def take(self, budget: Budget) -> Iterator[None]:
        """Wait for a turn; who was cancelled, or has no time left, stops waiting."""
        while not self._taken.acquire(timeout=_POLL):
            budget.check()
            if budget.spent:
                raise Problem("index_busy")
        try:
            yield
        finally:
            self._progress = self.awaited = self._so_far = None
            self._taken.release()

    @contextmanager
    def writer(
        self, index: Index, budget: Budget, previous: Snapshot | None, most: float | None
    ) -> Iterator[IndexWriter]:
        """Change the index; another process that writes is waited for.

        That takes as long as the budget lasts, and no more than `most` seconds.
        """
        with ExitStack() as held:
            yield self._entered(held, index, budget, previous, most)

    def _entered(
        self,
        held: ExitStack,
        index: Index,
        budget: Budget,
        previous: Snapshot | None,
        most: float | None,
    ) -> IndexWriter:
        began, started = budget.clock(), time.monotonic()
        try:
            while True:
                try:
                    return held.enter_context(index.writer(wait_seconds=0.0, previous=previous))
                except IndexBusyError:
                    self._elsewhere = True
                    budget.check()
                    if budget.spent or (most and budget.clock() - began >= most):
                        raise
                    time.sleep(_POLL)
        finally:
            self.waited = time.monotonic() - started if self._elsewhere else 0.0
            self._elsewhere = False
