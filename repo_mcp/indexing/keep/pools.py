"""The pools of workers of one root, one for each use, so that no use waits for another."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:  # a root whose files have not changed has no workers
    from index_format import Snapshot
    from repo_mcp.indexing.build.recipe import Recipe
    from repo_mcp.indexing.workers.pool import Pool
    from repo_mcp.processes.pool import ProcessStock


class IndexedRoot(Protocol):
    """One root, or several as one, whose indexes are made by workers."""

    @property
    def recipe_of_workers(self) -> Recipe:
        """The recipe with which other processes find the root and the data themselves."""
        ...

    def link_key(self, text: Snapshot) -> tuple[str, str, int]:
        """Linker, signature and generation of the code that files of a text are linked with."""
        ...

    def prepare_data(self) -> None:
        """Create the data folder, and record that it is of this root."""
        ...


class PoolUse(StrEnum):
    """The work that a pool does."""

    INDEXING = "indexing"
    LINKING = "linking"
    # the files of a question
    QUESTIONS = "questions"
    COMMITS = "commits"


class Pools(dict[PoolUse, "Pool"]):
    """The open pools; one is opened when it is first asked for."""

    def __init__(self, root: IndexedRoot, workers: int | None, stock: ProcessStock | None) -> None:
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
