"""An index that follows the text index: what code and graph have in common.

The caller serialises runs.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from code_graph.store.schema import GRAPH_SCHEMA, GraphProgress
from index_format import (
    CorruptIndexError,
    ForeignIndexError,
    Index,
    IndexMissingError,
    InvalidInputError,
    Snapshot,
    UnsupportedVersionError,
)
from index_format.tuples import NamedTuple
from repo_mcp.budget import Budget, Clock
from repo_mcp.model import AnswerWarning
from repo_mcp.stored import GRAPH_INDEX, StoredKind

if TYPE_CHECKING:
    from repo_mcp.indexing.build.recipe import Recipe
    from repo_mcp.processes.pool import JobRunner

_DAMAGED: Final = "was damaged"
_FOREIGN: Final = "in the data folder was not made here"
_OTHER_VERSION: Final = "was made by another version"
LOCK_WAIT: Final = 10.0
_UNUSABLE: Final = (CorruptIndexError, UnsupportedVersionError)


class LinkedGraph(NamedTuple):
    """A generation of the graph, if there is one; `current`: complete and of the current text.

    `notice` says why the one before was removed.
    """

    snapshot: Snapshot | None
    current: bool
    notice: AnswerWarning | None = None


def damage_of(kind: StoredKind) -> AnswerWarning:
    """What an answer says after damage was found in an index of this kind."""
    return _notice(kind, _DAMAGED)


def _notice(kind: StoredKind, why: str) -> AnswerWarning:
    return AnswerWarning("rebuilt", f"the {kind.title} {why} and has been {kind.remaking}")


def has_unfinished_graph(recipe: Recipe) -> bool:
    """True if a first build of the graph was begun, and goes on from a tree that it records."""
    try:
        found = Index(recipe.store(GRAPH_INDEX, create=False), GRAPH_SCHEMA).snapshot()
    except (IndexMissingError, ForeignIndexError, OSError, *_UNUSABLE):
        return False
    return found.schema == GRAPH_SCHEMA and bool(GraphProgress.of(found).tree)


class DerivedIndex:
    """One of the indexes beside the text index of a recipe."""

    def __init__(self, recipe: Recipe, kind: StoredKind, clock: Clock = time.monotonic) -> None:
        """Keep the arguments; reads nothing."""
        self.kind = kind
        self._store = recipe.store(kind, clock)
        self._index = Index(self._store, kind.schema)
        # why it was removed, until it is there again and an answer has said so
        self.notice: AnswerWarning | None = None
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

    def tidy(self, pool: JobRunner, budget: Budget, *, full: bool = False) -> int:
        """Merge segments where that pays; returns the number of merges."""
        from repo_mcp.indexing.workers.merging import compact  # noqa: PLC0415 searches don't merge

        try:
            return compact(self._index, pool, budget, full=full)
        except IndexMissingError:
            return 0

    def collect_garbage(self, grace_seconds: float, spare: float) -> None:
        """Remove files that no generation in use needs."""
        with suppress(IndexMissingError):  # a first run may have ended before it published
            self._index.collect_garbage(grace_seconds=grace_seconds, spare=spare)

    def _fits(self, found: Snapshot, text: Snapshot) -> bool:
        return found.schema == self.kind.schema and self.signature_of(found) == self.signature(text)

    def _drop_unusable(self, text: Snapshot) -> None:
        """Remove an index that is damaged, was not made here, or has other settings.

        What only other settings allow must not stay on the disk.
        """
        notice: AnswerWarning | None = None
        try:
            if self._fits(self._index.snapshot(self._latest), text):
                return
        except IndexMissingError:
            return
        except ForeignIndexError:
            notice = _notice(self.kind, _FOREIGN)
        except CorruptIndexError:
            notice = damage_of(self.kind)
        except (UnsupportedVersionError, InvalidInputError):
            notice = _notice(self.kind, _OTHER_VERSION)
        self.drop(notice)

    def names(self) -> Sequence[str]:
        """The names of its files."""
        return self._store.names()

    def drop(self, notice: AnswerWarning | None = None) -> None:
        """Remove the index; the next run makes it again. `notice` says why."""
        self.notice = notice or self.notice
        with self._store.lock(LOCK_WAIT):
            self._latest = None
            for name in self._store.names():
                self._store.remove(name)
