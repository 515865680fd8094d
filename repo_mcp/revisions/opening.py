"""Opens revisions of a root, and keeps those that were asked last."""

from __future__ import annotations

import os
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from typing import Final, Generic, Protocol, TypeVar

from index_format.records import replace
from repo_mcp import remote
from repo_mcp.budget import Clock
from repo_mcp.git import RevisionDoor, gaps_text
from repo_mcp.history import RepositoryHistory
from repo_mcp.indexing.build.recipe import Recipe
from repo_mcp.indexing.keep.background import BackgroundRefresh
from repo_mcp.indexing.keep.manager import IndexManager
from repo_mcp.indexing.keep.unused_indexes import mark_used
from repo_mcp.model import Settings
from repo_mcp.repository import OpenedRoot
from repo_mcp.revisions.revision import Revision, find_revision
from repo_mcp.revisions.revision_index import RevisionIndex
from repo_mcp.safety.denylist import Denylist

# in the data folder of a root: a folder for each commit, below the beginnings of their hashes
FOLDER: Final = "revisions"
_SPLIT: Final = 2
_MOST_OPEN: Final = 4


class Closing(Protocol):
    """Something that works on an open root."""

    def close(self) -> None:
        """Stop background work."""
        ...


P = TypeVar("P", bound=Closing)


class OpenRevisions(Generic[P]):
    """The revisions of one root, with what is started for each; thread-safe."""

    def __init__(
        self,
        settings: Settings,
        checkout: IndexManager,
        start: Callable[[OpenedRoot], P],
        clock: Clock = time.monotonic,
        *,
        links: float = 0,
    ) -> None:
        """Open nothing yet; the graph of up to `links` files is linked unasked."""
        self._settings = settings
        self._checkout = checkout
        self._start = start
        self._clock = clock
        self._links = links
        self._lock = threading.Lock()
        self._open: OrderedDict[str, tuple[OpenedRoot, P]] = OrderedDict()

    def find(self, name: str) -> Revision:
        """The revision that a name is of now; raises a `Problem`."""
        denylist = Denylist(self._settings.deny_globs, self._settings.entries)
        # made anew: branches move, and objects are packed
        history = RepositoryHistory(
            self._root, denylist, self._checkout.sandbox, self._settings.branches
        )
        return find_revision(history, name)

    def open(self, revision: Revision) -> P:
        """Get what is started for a revision; a `Problem` where its commit can't be read."""
        with self._lock:
            found = self._open.pop(revision.commit, None)
            if found is None:
                root = self._opened(revision)
                found = root, self._start(root)
            self._open[revision.commit] = found
            while len(self._open) > _MOST_OPEN:
                _close(*self._open.popitem(last=False)[1])
            return found[1]

    def close(self) -> None:
        """Close all."""
        with self._lock:
            for found in self._open.values():
                _close(*found)
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
        door = RevisionDoor(self._root, commit)
        sandbox = Recipe.of(settings).sandbox(door)
        manager = RevisionIndex(settings, sandbox, revision, self._checkout, self._clock)
        if not manager.has_words or manager.unread:  # before all of it is read
            gaps = [gap for gap in door.survey() if not sandbox.is_denied(gap.path, folder=True)]
            manager.set_unread(gaps_text(gaps))
        if manager.unread:
            settings = replace(settings, notes=(manager.unread,))
        mark_used(data, folder, given.index_cache_bytes)
        refresh = BackgroundRefresh(manager, None, self._clock, links=self._links)
        return OpenedRoot(settings, sandbox, manager, refresh)


class PublishedRevisions(OpenRevisions[P]):
    """The other publications of the address that a root is served from; thread-safe."""

    def find(self, name: str) -> Revision:
        """The revision that a label or commit is of now; raises a `Problem`."""
        identity = remote.find_publication(self._settings, self._checkout, name)
        door = remote.open_publication(self._settings, identity)
        return Revision(name, door.publication.commit or identity, identity, "", "")

    def _opened(self, revision: Revision) -> OpenedRoot:
        door = remote.open_publication(self._settings, revision.tree)
        given = replace(self._settings, notes=())
        opened = remote.open_published_index(given, door, self._clock)
        refresh = BackgroundRefresh(opened.manager, None, self._clock, links=self._links)
        return OpenedRoot(opened.settings, opened.sandbox, opened.manager, refresh)


def open_revisions(
    settings: Settings,
    checkout: IndexManager,
    start: Callable[[OpenedRoot], P],
    clock: Clock = time.monotonic,
    *,
    links: float = 0,
) -> OpenRevisions[P]:
    """The revisions of a root: commits of its `.git`, or what else is published at its address."""
    kind: type[OpenRevisions[P]] = PublishedRevisions if settings.publication else OpenRevisions
    return kind(settings, checkout, start, clock, links=links)


def _close(root: OpenedRoot, started: Closing) -> None:
    """Close what works on a root, then the root: of a workspace they are two."""
    started.close()
    root.close()
