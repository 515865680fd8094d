"""Opens revisions of a root, and keeps those that were asked last."""

from __future__ import annotations

import os
import threading
import time
from collections import OrderedDict
from contextlib import suppress
from typing import Final

from index_format.records import replace
from index_format.tuples import NamedTuple
from repo_mcp import side_files
from repo_mcp.budget import Clock
from repo_mcp.git import RevisionDoor
from repo_mcp.indexing.build.recipe import Recipe
from repo_mcp.indexing.keep.fixed_index import FixedRefresh
from repo_mcp.indexing.keep.manager import IndexManager
from repo_mcp.indexing.keep.unused_indexes import USED, remove_unused
from repo_mcp.model import Settings
from repo_mcp.processes.pool import ProcessStock
from repo_mcp.revisions.revision import Revision, find_revision
from repo_mcp.revisions.revision_index import RevisionIndex
from repo_mcp.workspace import OpenedRoot

# in the data folder of a root: a folder for each commit, below the beginnings of their hashes
FOLDER: Final = "revisions"
_SPLIT: Final = 2
_MOST_OPEN: Final = 4


class OpenRevision(NamedTuple):
    """A revision that is open, as a root is."""

    revision: Revision
    root: OpenedRoot


class OpenRevisions:
    """The revisions of one root; thread-safe."""

    def __init__(
        self,
        settings: Settings,
        checkout: IndexManager,
        clock: Clock = time.monotonic,
        *,
        links: float = 0,
        stock: ProcessStock | None = None,
    ) -> None:
        """Open nothing yet; the graph of up to `links` files is linked unasked."""
        self._settings = settings
        self._checkout = checkout
        self._clock = clock
        self._links = links
        self._stock = stock
        self._lock = threading.Lock()
        self._open: OrderedDict[str, OpenRevision] = OrderedDict()

    def find(self, name: str) -> Revision:
        """The revision that a name is of now; raises a `Problem`."""
        return find_revision(self._root, name)

    def open(self, revision: Revision) -> OpenRevision:
        """The revision; raises a `Problem` where its commit can't be read."""
        with self._lock:
            found = self._open.pop(revision.commit, None)
            if found is None:
                found = OpenRevision(revision, self._opened(revision))
            self._open[revision.commit] = found
            while len(self._open) > _MOST_OPEN:
                self._open.popitem(last=False)[1].root.close()
            return found

    def close(self) -> None:
        """Close all."""
        with self._lock:
            for found in self._open.values():
                found.root.close()
            self._open.clear()

    @property
    def _root(self) -> str:
        return self._settings.real_root or self._settings.root

    def _opened(self, revision: Revision) -> OpenedRoot:
        given = self._settings
        folder = os.path.join(given.data_dir, FOLDER)
        commit = revision.commit
        data = os.path.join(folder, commit[:_SPLIT], commit[_SPLIT:])
        settings = replace(
            given,
            commit=commit,
            data_dir=data,
            watch=False,
            scip=(),
            index_from="",
            history_commits=0,
            notes=(),
        )
        sandbox = Recipe.of(settings).sandbox(RevisionDoor(self._root, commit))
        manager = RevisionIndex(
            settings, sandbox, revision, self._checkout, self._clock, stock=self._stock
        )
        with suppress(OSError):
            side_files.make_folders(data)
            side_files.put(data, USED)
            remove_unused(folder, given.index_cache_bytes)
        refresh = FixedRefresh(manager, self._clock, links=self._links)
        return OpenedRoot(settings, sandbox, manager, refresh, b"")
