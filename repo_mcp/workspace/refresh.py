"""Keeps the indexes of several roots fresh: a thread for each, and one for the graph of all."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from threading import Semaphore
from typing import Final

from code_graph.store.schema import digest_of_segments
from repo_mcp.budget import Budget, Clock
from repo_mcp.errors import Problem
from repo_mcp.indexing.build.mounts import folder_of
from repo_mcp.indexing.keep.background import BackgroundRefresh, IdleWork, IndexWorker
from repo_mcp.indexing.keep.pools import PoolUse
from repo_mcp.model import RefreshResult
from repo_mcp.workspace.indexes import WorkspaceIndexes, add_results, results_of

# roots that are walked at once: more of them only take turns on the processors
_AT_ONCE: Final = (os.cpu_count() or 1) + 1
# a root that takes longer, as it is indexed or its disk hangs, keeps no other one from its walk
_LONGEST_WAIT_SECONDS: Final = 0.5


class WorkspaceRefresh(BackgroundRefresh):
    """Asks the threads of the roots for texts; its own links the graph of all of them."""

    def __init__(
        self,
        indexes: WorkspaceIndexes,
        roots: Mapping[str, BackgroundRefresh],
        clock: Clock = time.monotonic,
        *,
        links: float = 0,
    ) -> None:
        """Keep the arguments; starts no thread."""
        worker = WorkspaceWorker(self, indexes, clock, links)
        super().__init__(indexes, None, clock, worker=worker)
        self._indexes = indexes
        self._roots = roots

    @property
    def watching(self) -> bool:
        """True if changes of all roots are reported as they happen."""
        return all(root.watching for root in self._roots.values())

    def run_when_idle(self, work: IdleWork, root: str = "") -> None:  # noqa: ARG002 all have a prefix
        """Have this done for each root, by its own thread."""
        for name, refresh in self._roots.items():
            refresh.run_when_idle(work, folder_of(name))

    @property
    def has_walked(self) -> bool:
        """True if files and index of all roots have been compared."""
        return all(root.has_walked for root in self._roots.values())

    @property
    def failure(self) -> Problem | None:
        """The reason that the last refresh of a root failed, if one did."""
        failures = (root.failure for root in self._roots.values())
        return next((failure for failure in failures if failure is not None), None)

    @property
    def notes(self) -> list[str]:
        """Warnings for the user, with the names of the roots."""
        found = [f"{name}: {note}" for name, root in self._roots.items() for note in root.notes]
        return [*found, *super().notes]

    def freshen(self) -> None:
        """Queue what is due in each root, and a link of what they have found; doesn't wait."""
        for root in self._roots.values():
            root.freshen()
        if self._worker.graph.follows_unasked() and self._worker.lags():
            self.relink()

    def look_at(self, paths: Iterable[str]) -> None:
        """Queue a refresh of these files; doesn't wait."""
        for name, below in self._indexes.by_root(tuple(paths)).items():
            self._roots[name].look_at(below)

    def walk(self) -> None:
        """Queue a walk of each root; doesn't wait."""
        for root in self._roots.values():
            root.walk()

    def refresh(self, budget: Budget, *, force: bool = False) -> RefreshResult:
        """Walk all roots at once, and wait until all walks end or the budget is spent."""
        started = time.monotonic()
        turns = Semaphore(_AT_ONCE)

        def walk(root: BackgroundRefresh) -> RefreshResult:
            has_turn = turns.acquire(timeout=_LONGEST_WAIT_SECONDS)
            try:
                return root.refresh(budget, force=force)
            finally:
                if has_turn:
                    turns.release()

        with ThreadPoolExecutor(len(self._roots), "waiting") as waiting:
            runs = [waiting.submit(walk, root) for root in self._roots.values()]
        return add_results(results_of([run.result for run in runs]), started)

    def wait_until_ready(self, budget: Budget) -> None:
        """Wait until all words of all roots can be searched, or the budget is spent.

        A root that can't be indexed does not keep others from it.
        """
        self.freshen()
        results_of([partial(root.wait_until_ready, budget) for root in self._roots.values()])

    def index_first(self, paths: Sequence[str], budget: Budget) -> None:
        """Have these files indexed before all others of their roots, and wait for that."""
        for name, below in self._indexes.by_root(paths).items():
            self._roots[name].index_first(below, budget)

    def rebuild(self, budget: Budget, file: str = "") -> None:
        """Rebuild the index that has a damaged file, if it still has it; the graph follows."""
        for name in self._indexes.holders(file) if file else self._roots:
            self._roots[name].rebuild(budget)
        self.relink()

    def catch_up(self, budget: Budget) -> bool:
        """Bring all roots to the files as they are now; False if there is no time for that."""
        done = [root.catch_up(budget) for root in self._roots.values()]
        return all(done)

    def close(self) -> None:
        """Stop linking; the roots are closed by those who opened them."""
        with suppress(Problem):
            super().close()


class WorkspaceWorker(IndexWorker):
    """Links the graph of several roots; the workers of the roots refresh and merge their texts."""

    def __init__(
        self, refresh: WorkspaceRefresh, indexes: WorkspaceIndexes, clock: Clock, links: float
    ) -> None:
        """Keep the arguments; starts no thread."""
        super().__init__(indexes, None, clock, links)
        self._refresh = refresh
        # the text that was there when the graph was last linked
        self._linked = ""

    def look_at(self, paths: Iterable[str]) -> None:
        """Queue a refresh of these files by their roots; doesn't wait."""
        self._refresh.look_at(paths)

    def walk(self) -> None:
        """Queue a walk of each root; doesn't wait."""
        self._refresh.walk()

    def lags(self) -> bool:
        """True if a root has changed its text since the last link."""
        return self._linked != self._text()

    def _link(self) -> None:
        self._linked = self._text()
        super()._link()

    def _text(self) -> str:
        """A digest of the files that the union of texts has now; the roots change it."""
        text = self._manager.snapshot()
        return "" if text is None else digest_of_segments(text)

    def _compare(self, _started: float, *, force: bool) -> RefreshResult:
        return self._refresh.refresh(self._budget(), force=force)

    def _tidy(self, *, asked: bool) -> None:  # noqa: ARG002 there is nothing of its own to merge
        self._manager.pools.shrink(PoolUse.INDEXING)  # each root merges its own index
