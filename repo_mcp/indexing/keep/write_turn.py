"""Lets one run write at a time, of all threads and processes, and holds the progress of it."""

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
from repo_mcp.indexing.keep.listener import RunListener
from repo_mcp.indexing.keep.text_index import TextIndex, current_time
from repo_mcp.model import Progress, RefreshResult

if TYPE_CHECKING:
    from index_format import IndexWriter
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


class WriteTurn:
    """The turn of one run to write: its wait, its lock in all processes, its progress."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        # the files that the running refresh will read
        self.pending: Sequence[FileTask] | None = None
        self._progress: Progress | None = None
        self._published: tuple[Counts, str] | None = None
        # a run of this process is waiting for another process's write lock
        self.elsewhere = False
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

    def report(self, listener: RunListener, now: Progress) -> None:
        """Set the running refresh's progress, and tell who listens to it."""
        self._progress = now
        listener.on_progress(now)

    def record(self, counts: Counts, text: TextIndex) -> None:
        """Record a publication; the first that has all words sets the time of the last refresh.

        One that has all facts, too, is the last of its run, which sets that time itself.
        """
        published, timestamp = self.published, current_time()
        if published is None:  # this run has published nothing yet
            timestamp = text.last_refresh()
        elif counts.complete and not counts.deep and not published[0].complete:
            text.set_last_refresh(timestamp)
        self._published = (counts, timestamp)

    @contextmanager
    def take(self, budget: Budget) -> Iterator[None]:
        """Have the turn, once other runs of this process end or the budget does."""
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
    def idle(self) -> Iterator[bool]:
        """Keep runs from beginning; False if one goes on, which is not waited for."""
        is_idle = self._lock.acquire(blocking=False)
        try:
            yield is_idle
        finally:
            if is_idle:
                self._lock.release()

    @contextmanager
    def open(
        self, text: TextIndex, budget: Budget, max_wait: float | None
    ) -> Iterator[IndexWriter]:
        """An index writer, once no other process holds the write lock.

        Waits until the budget is spent, and at most `max_wait` seconds.
        """
        with ExitStack() as held:
            yield self._acquire(held, text, budget, max_wait)

    def _acquire(
        self,
        held: ExitStack,
        text: TextIndex,
        budget: Budget,
        max_wait: float | None,
    ) -> IndexWriter:
        from repo_mcp.indexing.workers.merging import MEMORY  # noqa: PLC0415 searches write nothing

        began, started = budget.clock(), time.monotonic()
        try:
            while True:
                try:
                    opened = text.index.writer(
                        memory=MEMORY, wait_seconds=0.0, previous=text.latest
                    )
                    return held.enter_context(opened)
                except IndexBusyError:
                    self.elsewhere = True
                    budget.check()
                    if budget.spent or (max_wait and budget.clock() - began >= max_wait):
                        raise
                    time.sleep(_POLL)
        finally:
            self.waited = time.monotonic() - started if self.elsewhere else 0.0
            self.elsewhere = False
