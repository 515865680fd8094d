"""The index of the commits of one root: those at its HEAD and before it.

New commits cost only themselves. A commit that is no longer before HEAD, as after a rebase, goes.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Final

import xxhash

from index_format import IndexWriter, SegmentEntry, Snapshot
from index_format.analysis import counting
from index_format.tuples import NamedTuple
from repo_mcp.budget import Budget, Clock
from repo_mcp.commit_table import CommitTable
from repo_mcp.git import CommitWalk, GitHistory
from repo_mcp.indexing.build.commits import MOST_BLOB_BYTES, VERSION
from repo_mcp.indexing.build.recipe import Recipe
from repo_mcp.indexing.keep.keeper import GRACE, LOCK_WAIT, SPARE, IndexKeeper, raise_problems
from repo_mcp.indexing.keep.pools import IndexedRoot, Pools, PoolUse
from repo_mcp.indexing.workers.commits import CommitJob, commit_jobs, open_indexer
from repo_mcp.model import Progress
from repo_mcp.stored import HISTORY_INDEX
from repo_mcp.stored_commits import commit_path

if TYPE_CHECKING:
    from repo_mcp.processes.pool import JobRunner

COMMITS: Final = "commits"
# new commits that are indexed here; of more, workers start
MOST_HERE: Final = 200
# of a clone that is not shallow
_NO_ENDS: Final = "-"
_PARTIAL: Final = "partial"
_CUT: Final = "cut"
_GAPS: Final = "gaps"


class HistoryProgress(NamedTuple):
    """Signature and progress of a generation, stored as its manifest's settings."""

    signature: str
    head: str = ""  # the commit that it was last brought to
    ends: str = ""  # a hash of where a shallow clone ended then
    complete: bool = False  # all commits are there that are to be
    cut: bool = False  # older ones were left out by the limit
    has_gaps: bool = False  # older ones can't be read: the next question looks again

    @classmethod
    def of(cls, snapshot: Snapshot) -> HistoryProgress:
        """Parse the settings of this generation's manifest."""
        signature, head, ends, *marks = [*snapshot.manifest.settings.split(" "), "", _NO_ENDS]
        return cls(
            signature, head, ends, _PARTIAL not in marks, _CUT in marks, has_gaps=_GAPS in marks
        )

    def to_settings(self) -> str:
        """The text that `of` parses."""
        marks = [*([] if self.complete else [_PARTIAL]), *([_CUT] if self.cut else [])]
        marks += [_GAPS] if self.has_gaps else []
        return " ".join([self.signature, self.head, self.ends or _NO_ENDS, *marks])


class HistoryIndex(IndexKeeper):
    """The index of commits beside the text index of a recipe."""

    def __init__(
        self,
        recipe: Recipe,
        most: int,
        pools: Pools,
        root: IndexedRoot,
        clock: Clock = time.monotonic,
    ) -> None:
        """Keep the arguments; reads nothing. Up to `most` commits are indexed at first.

        A run makes the data folder of the `root` first.
        """
        super().__init__(recipe, HISTORY_INDEX, clock)
        self._most = most
        self._pools = pools
        self._root = root
        self._lock = threading.Lock()

    @property
    def signature(self) -> str:
        """A hash of everything that decides what the documents of commits have."""
        recipe = self.recipe
        parts = [VERSION, counting.VERSION, list(recipe.deny_globs), self._most]
        if recipe.entries:
            parts.append(list(recipe.entries))
        return xxhash.xxh3_128_hexdigest(json.dumps(parts).encode())

    def signature_of(self, found: Snapshot) -> str:
        """The signature that a generation was made with."""
        return HistoryProgress.of(found).signature

    def snapshot(self) -> Snapshot | None:
        """The current generation, or None."""
        return self.open(self.signature)

    def is_current(self, history: GitHistory) -> bool:
        """True if the index is at the HEAD of this history, or there is none to be indexed."""
        return self._is_current(history, self.snapshot())

    def _is_current(self, history: GitHistory, found: Snapshot | None) -> bool:
        if found is None:
            return not history.head() or bool(history.unread)
        wanted = self._progress(history)
        reached = HistoryProgress.of(found)
        return reached.complete and not reached.has_gaps and reached[:3] == wanted[:3]

    def _progress(self, history: GitHistory) -> HistoryProgress:
        ends = history.shallow_ends()
        return HistoryProgress(
            self.signature, history.head(), xxhash.xxh3_64_hexdigest(ends) if ends else _NO_ENDS
        )

    def refresh(
        self,
        history: GitHistory,
        budget: Budget,
        on_progress: Callable[[Progress], None] = lambda _: None,
        most: int | None = None,
    ) -> int:
        """Index the commits that are not there, the newest first; returns how many.

        When the budget is spent the rest is left to the next run, and so are older ones than the
        last `most`, if that is given.
        """
        if not self._most:
            return 0
        with self._lock, raise_problems():
            self._root.prepare_data()
            pool = self._pools[PoolUse.COMMITS]
            done = self._refresh(history, pool, budget, on_progress, most)
            if done:
                self.merge(pool, budget)
                self.collect_garbage(GRACE, SPARE)
                pool.shrink()
        return done

    def _refresh(
        self,
        history: GitHistory,
        pool: JobRunner,
        budget: Budget,
        on_progress: Callable[[Progress], None],
        most: int | None,
    ) -> int:
        if history.unread or not history.head():
            return 0
        self.drop_unusable(self.signature)
        there = self.snapshot()
        if self._is_current(history, there) or self._has_last(history, there, most):
            return 0
        with self.index.writer(previous=self.latest, wait_seconds=LOCK_WAIT) as writer:
            base = writer.base
            if base is not None and not self.fits(base, self.signature):
                for path in base.paths():
                    writer.remove(path)
                base = None
            return _Run(self, history, base, most).work(writer, pool, budget, on_progress)

    def _has_last(self, history: GitHistory, found: Snapshot | None, most: int | None) -> bool:
        """True if the last `most` commits at the HEAD of this history are there."""
        if found is None or most is None or found.file_count < most:
            return False
        return HistoryProgress.of(found)[:3] == self._progress(history)[:3]

    def newer(
        self,
        history: GitHistory,
        known: CommitTable,
        reached: HistoryProgress,
        most: int | None = None,
    ) -> _Commits:
        """The commits that are to be added and removed; of the last `most`, if that is given."""
        wanted = self._progress(history)
        objects = history.open_objects(MOST_BLOB_BYTES, 0)
        try:
            walk = CommitWalk(objects, known.get)
            head = bytes.fromhex(wanted.head)
            if reached.complete and not reached.has_gaps and reached.ends == wanted.ends:
                rows = [*walk.newest_first([head], known.__contains__)]
                met = {parent for row in rows for parent in row[2]} | {head}
                if bytes.fromhex(reached.head) in met:
                    wanted = self._with_gaps(wanted, walk)
                    return _Commits([row[0] for row in rows], [], wanted, reached.cut)
            # by a whole walk, since the old HEAD is not before the new one
            limit = self._most if most is None else min(most, self._most)
            last = [row[0] for row in islice(walk.newest_first([head]), limit + 1)]
            found, is_limited = last[:limit], len(last) > limit
        finally:
            objects.close()
        wanted = self._with_gaps(wanted, walk)
        if head in walk.missing:  # what is known stays until it can be told what goes
            return _Commits([], [], wanted, reached.cut)
        if is_limited and limit < self._most:  # a question adds older ones, and removes
            return _Commits([item for item in found if item not in known], [], wanted, None)
        there = set(found)
        again = self._reached_again(known, reached, wanted)
        gone = [item for item in known.identities() if item not in there or item in again]
        added = [item for item in found if item not in known or item in again]
        return _Commits(added, gone, wanted, is_limited)

    @staticmethod
    def _with_gaps(wanted: HistoryProgress, walk: CommitWalk) -> HistoryProgress:
        """Note that commits are missing, if that is not where a shallow clone ends."""
        return wanted._replace(has_gaps=bool(walk.missing) and wanted.ends == _NO_ENDS)

    @staticmethod
    def _reached_again(
        known: CommitTable, reached: HistoryProgress, wanted: HistoryProgress
    ) -> set[bytes]:
        """Commits whose parents were missing before a clone was deepened."""
        if reached.ends == wanted.ends:
            return set()
        rows = ((identity, known.get(identity)) for identity in known.identities())
        return {
            identity
            for identity, row in rows
            if row is not None and row[1] and not any(parent in known for parent in row[1])
        }


class _Commits(NamedTuple):
    """The commits to be added, newest first, and removed, and the progress that makes."""

    added: Sequence[bytes]
    gone: Sequence[bytes]
    wanted: HistoryProgress
    # older ones are left out; None if they are left to another run
    cut: bool | None


class _Run:
    """One refresh of an index of commits."""

    def __init__(
        self, keeper: HistoryIndex, history: GitHistory, base: Snapshot | None, most: int | None
    ) -> None:
        self._keeper = keeper
        self._known = CommitTable(base)
        reached = HistoryProgress("") if base is None else HistoryProgress.of(base)
        self._commits = keeper.newer(history, self._known, reached, most)

    def work(
        self,
        writer: IndexWriter,
        pool: JobRunner,
        budget: Budget,
        on_progress: Callable[[Progress], None],
    ) -> int:
        """Publish part by part; returns the number of new commits."""
        added, gone, wanted, cut = self._commits
        whole = wanted._replace(complete=cut is not None, cut=bool(cut)).to_settings()
        for identity in gone:
            date, _ = self._known.get(identity) or (0, ())
            writer.remove(commit_path(identity, date))
        index = self._keeper.index
        if len(added) <= MOST_HERE:
            entry = open_indexer(self._keeper.recipe).build(added) if added else None
            if entry is not None:
                writer.adopt(entry)
            index.settings = whole
            writer.commit()
            return len(added)
        index.settings = begun = wanted._replace(cut=bool(cut)).to_settings()
        jobs = commit_jobs(added)
        started, done, ended = budget.clock(), 0, 0
        on_progress(Progress(COMMITS, 0, len(added), 0, 0, 0.0))
        for job, result, is_last in pool.run(jobs, budget):
            if not is_last:
                continue
            if isinstance(result, SegmentEntry):
                writer.adopt(result)
            ended += 1
            done += len(job.identities) if isinstance(job, CommitJob) else 0
            seconds = budget.clock() - started
            on_progress(Progress(COMMITS, done, len(added), 0, 0, seconds))
            if ended < len(jobs):
                writer.commit()
        index.settings = whole if ended == len(jobs) else begun
        writer.commit()
        return done
