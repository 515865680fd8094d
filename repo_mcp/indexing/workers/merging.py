"""Merges segments in worker processes, so that requests are not delayed."""

from __future__ import annotations

import heapq
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import compress
from typing import TYPE_CHECKING, Any, Final

import index_format
from index_format import (
    SegmentEntry,
)
from index_format.records import Record
from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.indexing.build.tasks import FileTasks
from repo_mcp.processes.pool import JobRunner
from repo_mcp.stored import ALL_KINDS, StoredKind

if TYPE_CHECKING:
    from index_format import Index, IndexWriter, LiveSegment, MergeTask, Snapshot
    from repo_mcp.indexing.build.tasks import FileResult

# a merge of up to this many bytes takes less time than starting a worker
_IN_PROCESS_BYTES: Final = 4 << 20
# and one of these without another beside it nobody waits for but those who asked for it
_ALONE_BYTES: Final = 64 << 20
_TIMEOUT: Final = 1800.0
MEMORY: Final = 96 << 20

# what indexes at least this part of the text merges on the way: less leaves most shares as they are
_LEAST_PART: Final = 0.5
# files that are looked at in some hundredths of a second
_LOOKED_AT: Final = 1 << 14

MergeRun = Callable[["Sequence[MergeTask]"], Iterator[SegmentEntry]]


class MergeJob(Record):
    """One step of a compaction of one of the indexes."""

    task: MergeTask
    kind: StoredKind

    @property
    def retained_bytes(self) -> int:
        """Bytes of all source segments."""
        return self.task.source_bytes

    @property
    def largest_bytes(self) -> int:
        """None: a merge parses nothing."""
        return 0

    @property
    def timeout(self) -> float:
        """A merge sends no message before its result."""
        return _TIMEOUT

    def message(self) -> object:
        """The task message for the worker."""
        return {"merge": self.task.to_record(), "folder": self.kind.folder}

    def advance(self, at: int) -> object:
        """Unused: a merge has no steps."""
        return at

    def result(self, message: Any) -> SegmentEntry:  # noqa: ANN401 as the worker sent it
        """The merged segment."""
        return SegmentEntry.from_record(message)

    def record_crash(self, at: int) -> None:  # noqa: ARG002 a merge has no steps
        """Fail: a merge that crashes one worker would crash the next."""
        raise Problem("workers_end")


def compact(
    index: Index,
    pool: JobRunner,
    budget: Budget,
    *,
    full: bool,
    stop: Callable[[], bool] = lambda: False,
    previous: Snapshot | None = None,
) -> int:
    """Carry out the merge plan until it is done or `stop`; returns the number of steps.

    Segments that `previous` has open are not opened again.
    When the budget is cancelled, unpublished steps leave no trace.
    """
    alone = _ALONE_BYTES if full else _IN_PROCESS_BYTES
    run = merge_runner(index, pool, budget, alone)
    return index.compact(full=full, memory=MEMORY, run=run, stop=stop, previous=previous)


def merge_runner(
    index: Index, pool: JobRunner, budget: Budget, alone: int = _IN_PROCESS_BYTES
) -> MergeRun:
    """Carries out merge tasks of an index: small ones in this process, large ones in the pool.

    A single one of up to `alone` bytes is small.
    """

    def run(tasks: Sequence[MergeTask]) -> Iterator[SegmentEntry]:
        size = sum(task.source_bytes for task in tasks)
        if size <= _IN_PROCESS_BYTES or (len(tasks) == 1 and size <= alone):
            for task in tasks:
                budget.check()
                yield index_format.merge_segments(index.store, index.schema, task)
            return
        kind = next(kind for kind in ALL_KINDS if kind.schema == index.schema)
        yield from _in_order([MergeJob(task, kind) for task in tasks], pool, budget)

    return run


def _in_order(jobs: Sequence[MergeJob], pool: JobRunner, budget: Budget) -> Iterator[SegmentEntry]:
    """Entries in the order of the jobs; the longest jobs start first."""
    place = {id(job): at for at, job in enumerate(jobs)}
    longest = sorted(jobs, key=lambda job: -job.task.source_bytes)
    ready: dict[int, SegmentEntry] = {}
    following = 0
    for job, result, _ in pool.run(longest, budget):
        if isinstance(result, SegmentEntry):
            ready[place[id(job)]] = result
        while following in ready:
            yield ready.pop(following)
            following += 1


class ShareMerges:
    """Merges the shares that one round completes, so that sources and results never add up.

    A share (`index_format/generation/cuts.py`) is merged as soon as all of its files are indexed,
    and what it was merged from is freed at once: the disk holds the shares before, one share twice,
    and the words of files that are still to be parsed. At the end all segments are those of a full
    compaction. When a share is merged depends on workers; what is published does not.
    """

    def __init__(
        self, writer: IndexWriter, wanted: FileTasks, between: Callable[[], None] = lambda: None
    ) -> None:
        """Find where shares will end, given the files of the index and those of the round.

        `between` is called often: to look at millions of files takes seconds.
        """
        self._writer = writer
        self._begin = b""
        # of the shares that are not merged yet, and how many of their files are not indexed yet
        self._ends: Sequence[bytes | None] = _find_ends(writer, wanted, between)
        self.planned = bool(self._ends)
        self._left = [0] * len(self._ends)
        self._bounds = [end for end in self._ends if end is not None]
        if self.planned:
            for path in wanted.paths:
                self._left[bisect_right(self._bounds, path)] += 1

    def add(self, files: Sequence[FileResult]) -> None:
        """Note that these files are indexed, or left out."""
        if self.planned:
            for item in files:
                path = item.path.encode("utf-8", "surrogatepass")
                self._left[bisect_right(self._bounds, path)] -= 1

    def merge(self, run: MergeRun) -> Iterator[Snapshot]:
        """Merge the shares that are complete, all that is committed; gives each generation."""
        at = len(self._left) - len(self._ends)
        while self._ends and not self._left[at]:
            end, *self._ends = self._ends
            for snapshot in self._writer.settle(self._begin, end, run):
                yield snapshot
                self._writer.free_replaced()
            self._begin = end or b""
            at += 1


def _find_ends(
    writer: IndexWriter, wanted: FileTasks, between: Callable[[], None]
) -> list[bytes | None]:
    """Where each share ends; empty if this round merges none."""
    base = writer.base
    files = wanted
    if base is not None:
        if wanted.size < _LEAST_PART * sum(map(_live_bytes, base.segments)):
            return []
        files = _with_files_of(base, wanted, between)
        between()
    found = writer.shares(files.paths, files.sizes)
    return [*found, None] if found else []


def _with_files_of(base: Snapshot, wanted: FileTasks, between: Callable[[], None]) -> FileTasks:
    """These files and those of an index, in order, with the sizes that they have in the round."""
    rows = heapq.merge(
        ((path, False, size) for path, size in zip(wanted.paths, wanted.sizes, strict=True)),
        *map(_live_rows, base.segments),
    )
    every, before = FileTasks(), b""
    for number, (path, _, size) in enumerate(rows):
        if path != before:
            every.add_path(path, size)
        before = path
        if not number % _LOOKED_AT:
            between()
    return every


def _live_rows(segment: LiveSegment) -> Iterator[tuple[bytes, bool, int]]:
    """Path, that it is of the index, and size of each live file, in order."""
    files = segment.reader.files
    rows = zip(files.paths.each(), files.sizes().data, strict=True)
    return ((path, True, size) for path, size in compress(rows, segment.alive))


def _live_bytes(segment: LiveSegment) -> int:
    """Bytes of the text of its live files."""
    sizes = segment.reader.files.sizes()
    return int(sizes.sum()) - sum(int(sizes[number]) for number in segment.dead_files)
