"""An index that follows the text index: what code and graph have in common.

The caller serialises runs.
"""

from __future__ import annotations

import time
from contextlib import suppress
from typing import Final

from index_format import (
    CorruptIndexError,
    Index,
    IndexMissingError,
    InvalidInputError,
    Snapshot,
    UnsupportedVersionError,
)
from repo_mcp.budget import Budget, Clock
from repo_mcp.indexing.build.merging import compact
from repo_mcp.indexing.build.pool import Pool
from repo_mcp.indexing.build.recipe import Recipe
from repo_mcp.stored import StoredKind

LOCK_WAIT: Final = 10.0
_UNUSABLE: Final = (CorruptIndexError, UnsupportedVersionError)


class DerivedIndex:
    """One of the indexes beside the text index of a recipe."""

    def __init__(self, recipe: Recipe, kind: StoredKind, clock: Clock = time.monotonic) -> None:
        """Keep the arguments; reads nothing."""
        self._kind = kind
        self._store = recipe.store(kind, clock)
        self._index = Index(self._store, kind.schema)
        # whose segments the next generation shares
        self._latest: Snapshot | None = None

    def signature(self, text: Snapshot) -> str:
        """A hash of everything that decides what the index has of a file."""
        raise NotImplementedError

    def signature_of(self, found: Snapshot) -> str:
        """The signature that a generation was made with."""
        raise NotImplementedError

    def snapshot(self, text: Snapshot) -> Snapshot | None:
        """The current generation, or None if there is none of the settings of this text."""
        try:
            found = self._index.snapshot(self._latest)
        except (IndexMissingError, *_UNUSABLE):
            return None
        if not self._fits(found, text):
            return None
        self._latest = found
        return found

    def tidy(self, pool: Pool, budget: Budget, *, full: bool = False) -> int:
        """Merge segments where that pays; returns the number of merges."""
        try:
            return compact(self._index, pool, budget, full=full)
        except IndexMissingError:
            return 0
        except CorruptIndexError:
            self.drop()
            return 0

    def collect_garbage(self, grace_seconds: float, spare: float) -> None:
        """Remove files that no generation in use needs."""
        with suppress(IndexMissingError):  # a first run may have ended before it published
            self._index.collect_garbage(grace_seconds=grace_seconds, spare=spare)

    def _fits(self, found: Snapshot, text: Snapshot) -> bool:
        return found.schema == self._kind.schema and self.signature_of(found) == self.signature(
            text
        )

    def _drop_unusable(self, text: Snapshot) -> None:
        """Remove an index that is damaged, was not made here, or has other settings.

        What only other settings allow must not stay on the disk.
        """
        try:
            if self._fits(self._index.snapshot(self._latest), text):
                return
        except IndexMissingError:
            return
        except (*_UNUSABLE, InvalidInputError):
            pass
        self.drop()

    def drop(self) -> None:
        """Remove the index; the next run makes it again."""
        with self._store.lock(LOCK_WAIT):
            self._latest = None
            for name in self._store.names():
                self._store.remove(name)
