"""The pools of workers of one root, one for each use, so that no use waits for another."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # a root whose files have not changed has no workers
    from repo_mcp.indexing.keep.indexes import Indexes
    from repo_mcp.indexing.workers.pool import Pool
    from repo_mcp.processes.pool import ProcessStock


class PoolUse(StrEnum):
    """The work that a pool does."""

    INDEXING = "indexing"
    LINKING = "linking"
    # the files of a question
    QUESTIONS = "questions"
    COMMITS = "commits"


class Pools(dict[PoolUse, "Pool"]):
    """The open pools; one is opened when it is first asked for."""

    def __init__(self, root: Indexes, workers: int | None, stock: ProcessStock | None) -> None:
        """Pools of several roots share workers by a `stock`; their number may be chosen here."""
        super().__init__()
        self._root = root
        self._workers = workers
        self._stock = stock
        self._closed = False

    def __missing__(self, use: PoolUse) -> Pool:
        """Open a pool, which starts no process before its first job."""
        from repo_mcp.indexing.workers.pool import Pool  # noqa: PLC0415 not where nothing has changed
        from repo_mcp.processes.pool import usual_workers  # noqa: PLC0415 as above

        pool = self[use] = Pool(
            self._root.recipe_of_workers, self._workers or usual_workers(), self._stock
        )
        if self._closed:
            pool.close()
        return pool

    def shrink(self, use: PoolUse) -> None:
        """Stop the workers that only an early next job would use."""
        if use in self:
            self[use].shrink()

    def reopen(self) -> None:
        """Close all pools: the next ones work by the recipe as it is then."""
        pools = [*self.values()]
        self.clear()
        for pool in pools:
            pool.close()

    def close(self) -> None:
        """Stop all idle workers."""
        self._closed = True
        for pool in [*self.values()]:  # another thread may open one meanwhile
            pool.close()
