"""Indexes of files that never change, as those of installed packages and of commits are."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Unpack

from repo_mcp.budget import Budget, Clock
from repo_mcp.errors import Problem
from repo_mcp.indexing.keep.background import BackgroundRefresh
from repo_mcp.indexing.keep.changes import Changes
from repo_mcp.indexing.keep.listener import NOBODY, RunListener
from repo_mcp.indexing.keep.manager import IndexManager, RefreshOptions
from repo_mcp.model import RefreshResult
from repo_mcp.stored import IndexProgress


class FixedIndex(IndexManager):
    """An index that is made once: no walk looks for changes later."""

    data_is_of_root = False

    @property
    def is_whole(self) -> bool:
        """True if all files are indexed with their declarations."""
        try:
            progress = self._progress
        except Problem:
            return False
        return progress is not None and progress.complete and progress.deep

    @property
    def _progress(self) -> IndexProgress | None:
        """Of the current generation; None where there is none."""
        found = self.snapshot()
        return None if found is None else IndexProgress.of(found)

    def refresh(
        self, budget: Budget, listener: RunListener = NOBODY, **options: Unpack[RefreshOptions]
    ) -> RefreshResult:
        """Make the index, or do nothing if it is there."""
        if not options.get("force") and self.is_whole:
            return self.unchanged()
        return self.make(budget, listener, **options)

    def make(
        self, budget: Budget, listener: RunListener = NOBODY, **options: Unpack[RefreshOptions]
    ) -> RefreshResult:
        """Index all files."""
        return super().refresh(budget, listener, **options)

    def unchanged(self) -> RefreshResult:
        """The result of a run that has nothing to do."""
        state = self.state()
        return RefreshResult(0, 0, 0, state.files, 0.0, state.last_refresh, complete=True)

    def changes(self, budget: Budget) -> Changes | None:
        """None are looked for in an index that is there."""
        return Changes() if self.is_whole else super().changes(budget)

    def pending_files(self, budget: Budget, folder: str = "") -> Iterator[str]:
        """No files, once the index is there."""
        return iter(()) if self.is_whole else super().pending_files(budget, folder)


class FixedRefresh(BackgroundRefresh):
    """Has such an index made by a thread."""

    def __init__(
        self, index: FixedIndex, clock: Clock = time.monotonic, *, links: float = 0
    ) -> None:
        """Keep the arguments; starts no thread. Up to `links` files are linked unasked."""
        super().__init__(index, None, clock, links=links)
        self._index = index

    @property
    def has_walked(self) -> bool:
        """True if files and index have been compared: once is enough."""
        return super().has_walked or self._index.is_whole

    def freshen(self) -> None:
        """Queue a walk if the index is not there; doesn't wait."""
        if not self._index.is_whole:
            super().freshen()

    def walk(self) -> None:
        """Queue a walk if the index is not there; doesn't wait."""
        if not self._index.is_whole:
            super().walk()

    def catch_up(self, budget: Budget) -> bool:
        """True once the index is there."""
        return self._index.is_whole or super().catch_up(budget)

    def wait_until_ready(self, budget: Budget) -> None:
        """Make the index if there is none, and wait for it."""
        if not self._index.is_whole:
            super().wait_until_ready(budget)

    def refresh(self, budget: Budget, *, force: bool = False) -> RefreshResult:
        """Make the index, or do nothing if it is there, and wait for it."""
        if force or not self._index.is_whole:
            return super().refresh(budget, force=force)
        return self._index.refresh(budget)
