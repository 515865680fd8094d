"""Merges segments in worker processes, so that requests are not held up meanwhile."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from index_format import Index, MergeTask, SegmentEntry, merge_segments
from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.indexing.build.pool import Pool

# what is merged sooner than a worker would have started
_ALONE_BYTES: Final = 4 << 20
_PATIENCE: Final = 1800.0
MEMORY: Final = 256 << 20


@dataclass(frozen=True, slots=True)
class MergeJob:
    """One step of a compaction."""

    task: MergeTask

    @property
    def strain(self) -> int:
        """Bytes of all segments."""
        return self.task.source_bytes

    @property
    def patience(self) -> float:
        """A merge says nothing before its end."""
        return _PATIENCE

    def message(self) -> object:
        """What a worker is told."""
        return {"merge": self.task.to_record()}

    def advance(self, at: int) -> object:
        """A merge has no steps."""
        return at

    def result(self, message: Any) -> SegmentEntry:  # noqa: ANN401 as the worker sent it
        """The merged segment."""
        return SegmentEntry.from_record(message)

    def blame(self, at: int) -> None:  # noqa: ARG002 a merge has no steps
        """A merge that ends a worker would end the next one too."""
        raise Problem("workers_end")


def compact(index: Index, pool: Pool, budget: Budget, *, full: bool) -> int:
    """Merge what the plan says; gives how many steps were taken.

    A step that was not published yet when the budget is cancelled is as if never begun.
    """

    def run(tasks: Sequence[MergeTask]) -> Iterator[SegmentEntry]:
        if sum(task.source_bytes for task in tasks) <= _ALONE_BYTES:
            for task in tasks:
                budget.check()
                yield merge_segments(index.store, index.schema, task)
            return
        yield from _in_order([MergeJob(task) for task in tasks], pool, budget)

    return index.compact(full=full, memory=MEMORY, run=run)


def _in_order(jobs: Sequence[MergeJob], pool: Pool, budget: Budget) -> Iterator[SegmentEntry]:
    """Entries in the order of the jobs; what takes longest is begun first."""
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
