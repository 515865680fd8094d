"""Runs that change the text index of a root: one at a time, and once more where damage was met."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Final, Protocol, TypeVar

from index_format import CorruptIndexError, IndexBusyError
from index_format.records import Record
from index_format.tuples import NamedTuple
from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.indexing.keep.keeper import GRACE, SPARE, JobEngine, raise_problems
from repo_mcp.indexing.keep.listener import NOBODY, RunListener
from repo_mcp.indexing.keep.pools import Pools, PoolUse
from repo_mcp.indexing.keep.text_index import TextIndex, current_time
from repo_mcp.indexing.walk.memory_file import DamagedBlocksError
from repo_mcp.model import Progress, RefreshResult

if TYPE_CHECKING:  # loaded by those who need it
    from index_format import IndexWriter, Snapshot
    from repo_mcp.indexing.build.tasks import FileTask
    from repo_mcp.indexing.walk.memory import WalkMemory
    from repo_mcp.processes.pool import JobRunner

# how long a run that does not wait for its whole budget waits for another process's write lock
WRITER_WAIT: Final = 10.0
_POLL: Final = 0.02

_Run = TypeVar("_Run", bound="TextRun")


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


class RunContext(Record):
    """Everything a run works with."""

    text: TextIndex
    writer: Writer
    pool: JobRunner
    listener: RunListener
    # how long it waits for other processes; None: until its budget is spent
    wait: float | None = None
    # publish once, at the end and merged: nobody searches here meanwhile
    at_once: bool = False


class TextRun:
    """A run over the text, as the writer finds it at its end."""

    # of the files, for the next run
    memory: WalkMemory
    # another process has published since the last run of this one
    overtaken: bool = False
    # documents of an index with other settings were removed
    discarded: bool = False


class WrittenRoot(Protocol):
    """A root whose text index is changed, and asked."""

    text: TextIndex

    def snapshot(self) -> Snapshot | None:
        """The generation that questions get."""
        ...

    def claim_folder(self) -> None:
        """Hold a folder for the indexes, which may be another one than before."""
        ...

    def keep_unfinished(self) -> None:
        """Keep what a first link of the graph goes on from, before the text moves on."""
        ...


class Writer:
    """Lets one run at a time change the text index of a root, and holds the progress of it."""

    def __init__(self, root: WrittenRoot, pools: Pools) -> None:
        """Nothing runs yet."""
        self._root = root
        self._pools = pools
        self._lock = threading.Lock()
        # the files that the running refresh will read
        self.pending: Sequence[FileTask] | None = None
        self._progress: Progress | None = None
        self._published: tuple[Counts, str] | None = None
        # a run of this process is waiting for another process's write lock
        self.elsewhere = False
        # seconds that the last writer waited for another process
        self._waited = 0.0
        # a generation was published since the last `merge`, or may have been
        self.untidy = False
        # another process had published before the last run
        self.overtaken = False

    @property
    def progress(self) -> Progress | None:
        """Progress of the running refresh, or None."""
        return self._progress if self._lock.locked() else None

    @property
    def published(self) -> RefreshResult | None:
        """The result of the running refresh so far, or None."""
        published = self._published if self._lock.locked() else None
        return published and self._result(*published, seconds=0.0)

    def report(self, listener: RunListener, now: Progress) -> None:
        """Set the running refresh's progress, and tell who listens to it."""
        self._progress = now
        listener.on_progress(now)

    def record(self, counts: Counts, text: TextIndex) -> None:
        """Record a publication; the first that has all words sets the time of the last refresh.

        One that has all facts, too, is the last of its run, which sets that time itself.
        """
        published, timestamp = self._published, current_time()
        if published is None:  # this run has published nothing yet
            timestamp = text.last_refresh()
        elif counts.complete and not counts.deep and not published[0].complete:
            text.set_last_refresh(timestamp)
        self._published = (counts, timestamp)

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
        from repo_mcp.indexing.workers.merging import MEMORY  # noqa: PLC0415 searches write nothing

        with ExitStack() as held:
            began, started = budget.clock(), time.monotonic()
            writer: IndexWriter | None = None
            try:
                while writer is None:
                    try:
                        opened = text.index.writer(
                            memory=MEMORY, wait_seconds=0.0, previous=text.latest
                        )
                        writer = held.enter_context(opened)
                    except IndexBusyError:
                        self.elsewhere = True
                        budget.check()
                        if budget.spent or (max_wait and budget.clock() - began >= max_wait):
                            raise
                        time.sleep(_POLL)
            finally:
                self._waited = time.monotonic() - started if self.elsewhere else 0.0
                self.elsewhere = False
            yield writer

    @contextmanager
    def take_turn(self, budget: Budget) -> Iterator[TextIndex]:
        """Have the turn, once other runs of this process end, and a folder for the index.

        Waiting ends when the budget is cancelled or spent.
        """
        self._root.text.refuse_links()
        while not self._lock.acquire(timeout=_POLL):
            budget.check()
            if budget.spent:
                raise Problem("index_busy")
        try:
            self._root.claim_folder()
            with raise_problems():
                yield self._root.text
        finally:
            self._progress = self.pending = self._published = None
            self._lock.release()

    def run(
        self,
        begin: Callable[[RunContext, Budget, WalkMemory | None], _Run],
        work: Callable[[_Run], Counts],
        budget: Budget,
        listener: RunListener = NOBODY,
        wait: float | None = WRITER_WAIT,
        engine: JobEngine | None = None,
    ) -> RefreshResult:
        """Do the `work` of a run that begins so; waits so many seconds for other processes."""
        started = time.monotonic()
        with self.take_turn(budget) as text:
            text.drop_unusable()
            if text.memory is None:  # the first run of this process
                self._root.keep_unfinished()
            before = None if text.memory is None else text.latest
            pool = self._pools[PoolUse.INDEXING]
            jobs = engine(pool.recipe) if engine else pool
            context = RunContext(text, self, jobs, listener, wait, engine is not None)

            def attempt() -> Counts:
                memory, text.memory = text.memory, None
                run = begin(context, budget, memory)
                try:
                    counts = work(run)
                except DamagedBlocksError:
                    text.forget()
                    run = begin(context, budget, None)
                    counts = work(run)
                text.memory, self.overtaken = run.memory, run.overtaken
                if run.discarded:  # text that is denied now must not stay on the disk
                    text.index.collect_garbage(grace_seconds=0)
                return counts

            try:
                counts = attempt()
            except CorruptIndexError:  # damage that only a full read finds
                text.drop()
                counts = attempt()
            timestamp = current_time()
            text.latest = text.index.snapshot(text.latest)
            text.set_last_refresh(timestamp, time.monotonic() - started)
            self.untidy |= text.latest is not before
            # a request may be waiting for this run
            text.collect_garbage(GRACE, SPARE, wait=0.0)
        return self._result(counts, timestamp, seconds=time.monotonic() - started)

    def merge(
        self, budget: Budget, *, full: bool, free: bool, stop: Callable[[], bool]
    ) -> int | None:
        """Merge segments, and remove superseded files, all with `free`; the number of merges.

        None where that met damage, in a part that only merging reads: the index is removed.
        """
        with self.take_turn(budget) as text:
            try:
                self.untidy = False
                pool = self._pools[PoolUse.INDEXING]
                pool.retire_large()
                steps = text.merge(pool, budget, full=full, stop=stop)
                text.collect_garbage(0.0 if free else GRACE, SPARE)
                self.untidy |= stop()  # some merges may be left
            except CorruptIndexError:
                text.drop()
                return None
            return steps

    def drop(self, budget: Budget) -> None:
        """Remove the index; the next run makes it again."""
        with self.take_turn(budget) as text:
            text.drop()

    def repair(self, budget: Budget) -> Sequence[str]:
        """Keep intact segments; returns the files that were lost with the others."""
        with self.take_turn(budget) as text:
            return text.repair()

    def _result(self, counts: Counts, timestamp: str, *, seconds: float) -> RefreshResult:
        now = self._root.snapshot()
        files = 0 if now is None else now.file_count
        return counts.to_result(files, timestamp, seconds, self._waited)
