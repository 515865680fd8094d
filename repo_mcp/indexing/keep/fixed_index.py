"""Indexes of files that never change, as those of installed packages and of commits are."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Unpack

from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
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
        """True if all files are indexed with their declarations: they never change."""
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
