"""Jobs that index commits, each a segment of its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from index_format import SegmentEntry
from repo_mcp.errors import Problem
from repo_mcp.git import GitHistory
from repo_mcp.indexing.build.commits import MOST_BLOB_BYTES, CommitIndexer, CommitReader
from repo_mcp.indexing.build.recipe import Recipe
from repo_mcp.safety.denylist import Denylist
from repo_mcp.stored import HISTORY_INDEX

# the largest commit takes less; this is for one that is stuck
_TIMEOUT: Final = 120.0
# commits of one job: fewer at first, so that the last ones can soon be asked
_FIRST_COMMITS: Final = 500
_COMMITS: Final = 4000
# objects that are remembered: the next older commit has most of them
_KEPT_BYTES: Final = 96 << 20
_MAX_SKIPPED: Final = 64


class CommitJob:
    """Indexes some commits, one after the other; `skipped` are those that crashed a worker."""

    def __init__(self, identities: Sequence[bytes]) -> None:
        """No worker has crashed yet."""
        self.identities = identities
        self.skipped: set[bytes] = set()

    @property
    def retained_bytes(self) -> int:
        """Bytes of objects that a worker remembers."""
        return _KEPT_BYTES

    @property
    def largest_bytes(self) -> int:
        """Nothing is parsed."""
        return 0

    @property
    def timeout(self) -> float:
        """Seconds that a commit, or writing the segment, may take."""
        return _TIMEOUT

    def message(self) -> object:
        """The task message for the worker."""
        return {"commits": [item for item in self.identities if item not in self.skipped]}

    def advance(self, at: int) -> int:
        """The number of commits that were done before this one."""
        return at

    def result(self, message: Any) -> SegmentEntry | None:  # noqa: ANN401 as the worker sent it
        """The built segment; None if no commit could be read."""
        (record,) = message
        return None if record is None else SegmentEntry.from_record(record)

    def record_crash(self, at: int) -> None:
        """Leave out the commit that crashed a worker."""
        left = [item for item in self.identities if item not in self.skipped]
        if not 0 <= at < len(left) or len(self.skipped) >= _MAX_SKIPPED:
            raise Problem("workers_end")
        self.skipped.add(left[at])


def commit_jobs(identities: Sequence[bytes]) -> list[CommitJob]:
    """Jobs for commits in their order, by their number alone."""
    jobs: list[CommitJob] = []
    begin, size = 0, _FIRST_COMMITS
    while begin < len(identities):
        jobs.append(CommitJob(identities[begin : begin + size]))
        begin += size
        size = min(2 * size, _COMMITS)
    return jobs


def open_indexer(recipe: Recipe) -> CommitIndexer:
    """An indexer of the commits of a recipe's root."""
    objects = GitHistory(recipe.root).open_objects(MOST_BLOB_BYTES, _KEPT_BYTES)
    reader = CommitReader(objects, Denylist(recipe.deny_globs, recipe.entries))
    return CommitIndexer(reader, recipe.store(HISTORY_INDEX))
