"""Serialises index writers, threads and processes, and holds the progress of the running one."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Final

from index_format import IndexBusyError
from index_format.tuples import NamedTuple
from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.model import Progress, RefreshResult

if TYPE_CHECKING:
    from index_format import Index, IndexWriter, Snapshot
    from repo_mcp.indexing.build.tasks import FileTask

_POLL: Final = 0.02


class Counts(NamedTuple):
    """Counts of a run; `deep` is False while facts are missing."""

    added: int
    updated: int
    removed: int
    complete: bool
    deep: bool
    left_out: dict[str, int]
    # files whose words, and files whose facts, are not indexed yet
    words_left: int = 0
    facts_left: int = 0

    def to_result(self, files: int, timestamp: str, seconds: float, waited: float) -> RefreshResult:
        """The result of a run that ended with so many files, after `waited` for other writers."""
        return RefreshResult(
            self.added,
            self.updated,
            self.removed,
            files,
            seconds,
            timestamp,
            self.complete and self.deep,
            dict(self.left_out),
            self.words_left,
            self.facts_left,
            waited,
        )


class WriteQueue:
    """Lets one run write at a time, and holds its progress until it ends."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.pending: Sequence[FileTask] | None = None
        self._progress: Progress | None = None
        self._published: tuple[Counts, str] | None = None
        self._elsewhere = False
        # seconds that the last writer waited for another process
        self.waited = 0.0

    @property
    def progress(self) -> Progress | None:
        """Progress of the running refresh, or None."""
        return self._progress if self._lock.locked() else None

    @property
    def published(self) -> tuple[Counts, str] | None:
        """Counts and time of the running refresh's last publication, or None."""
        return self._published if self._lock.locked() else None

    @property
    def elsewhere(self) -> bool:
        """Whether a run of this process is waiting for another process's write lock."""
        return self._elsewhere

    def set_progress(self, now: Progress) -> None:
        """Set the running refresh's progress."""
        self._progress = now

    def set_pending(self, files: Sequence[FileTask]) -> None:
        """Set the files that the running refresh will read."""
        self.pending = files

    def set_published(self, counts: Counts, timestamp: str) -> None:
        """Set counts and time of the running refresh's last publication."""
        self._published = (counts, timestamp)

    @contextmanager
    def take(self, budget: Budget) -> Iterator[None]:
        """Wait for the other runs of this process, until the budget is cancelled or spent."""
        while not self._lock.acquire(timeout=_POLL):
            budget.check()
            if budget.spent:
                raise Problem("index_busy")
        try:
            yield
        finally:
            self._progress = self.pending = self._published = None
            self._lock.release()

    @contextmanager
    def writer(
        self, index: Index, budget: Budget, previous: Snapshot | None, max_wait: float | None
    ) -> Iterator[IndexWriter]:
        """An index writer, once no other process holds the write lock.

        Waits until the budget is spent, and at most `max_wait` seconds.
        """
        with ExitStack() as held:
            yield self._acquire(held, index, budget, previous, max_wait)

    def _acquire(
        self,
        held: ExitStack,
        index: Index,
        budget: Budget,
        previous: Snapshot | None,
        max_wait: float | None,
    ) -> IndexWriter:
        from repo_mcp.indexing.workers.merging import MEMORY  # noqa: PLC0415 searches write nothing

        began, started = budget.clock(), time.monotonic()
        try:
            while True:
                try:
                    opened = index.writer(memory=MEMORY, wait_seconds=0.0, previous=previous)
                    return held.enter_context(opened)
                except IndexBusyError:
                    self._elsewhere = True
                    budget.check()
                    if budget.spent or (max_wait and budget.clock() - began >= max_wait):
                        raise
                    time.sleep(_POLL)
        finally:
            self.waited = time.monotonic() - started if self._elsewhere else 0.0
            self._elsewhere = False
