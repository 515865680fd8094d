"""Reports changes on Linux by inotify, from exactly the folders that a walk visits.

Ignored and denied folders and targets of links take no watch; the system has a limited number of
them. A folder is watched before it is listed, so that no entry created in between is missed.
"""

from __future__ import annotations

import os
import sys
import time
from itertools import islice
from typing import Final

from repo_mcp.budget import Budget
from repo_mcp.indexing.walk.gitignore import EXCLUDE_NAME, RULES_NAME
from repo_mcp.indexing.walk.walk import FOREIGN_SIGNS, Discovery, Selection
from repo_mcp.indexing.watch import inotify
from repo_mcp.indexing.watch.inotify import Event, Inotify, LimitError
from repo_mcp.indexing.watch.messages import Listener, WatchScope

# events are collected until none comes for the first of these, or the second has passed
_QUIET_SECONDS: Final = 0.04
_MAX_COLLECT_SECONDS: Final = 0.2
# with more new folders, or files in them, a walk is as fast
_MAX_FOLDERS: Final = 64
_MAX_FILES: Final = 256

_APPEARED: Final = inotify.CREATE | inotify.MOVED_TO
_LEFT: Final = inotify.DELETE | inotify.MOVED_FROM
_WRITTEN: Final = inotify.MODIFY | inotify.CLOSE_WRITE | inotify.ATTRIB
_MASK: Final = _APPEARED | _LEFT | _WRITTEN
_GONE: Final = inotify.DELETE_SELF | inotify.MOVE_SELF

_GIT: Final = ".git"
_EXCLUDE_FOLDER: Final = EXCLUDE_NAME.rpartition("/")[0]
# names whose existence decides which folders are walked
_SIGNS: Final = frozenset({_GIT, *FOREIGN_SIGNS})
_FOREVER: Final = Budget()


def listen(scope: WatchScope, listener: Listener) -> str:
    """Report changes until that is no longer possible; returns the reason."""
    try:
        tree = _WatchedTree(scope, Inotify())
        tree.watch_all()
        listener.walk()
        while tree.report(listener):
            pass
    except LimitError as error:
        return str(error)
    return "the repository's folder is gone"


class _Changes:
    """What a batch of events amounts to."""

    def __init__(self) -> None:
        self.files: set[str] = set()
        self.folders: set[str] = set()
        self.removed: set[str] = set()
        # whether the set of walked folders, or their paths, may have changed
        self.all = False
        self.root_gone = False

    def add(self, path: str, mask: int) -> None:
        """Add an event about the entry at this path."""
        name = path.rpartition("/")[2]
        rules = name == RULES_NAME or path == EXCLUDE_NAME
        if rules or (name in _SIGNS and mask & (_APPEARED | _LEFT)):
            self.all = True
        elif not mask & inotify.IS_FOLDER:
            self.files.add(path)
        elif mask & inotify.MOVED_FROM:
            self.all = True
        elif mask & inotify.DELETE:
            self.removed.add(path)
        else:
            self.folders.add(path)


class _WatchedTree:
    """The watched folders of a repository: paths by number of the watch."""

    def __init__(self, scope: WatchScope, instance: Inotify) -> None:
        self._inotify = instance
        self._sandbox = scope.sandbox()
        # watches follow the open root, as listings do
        self._root = self._sandbox.anchor
        # reports every file in the walked folders: which of them are indexed is decided later
        self._selection = Selection(sys.maxsize, exclude_globs=scope.exclude_globs, any_name=True)
        self._paths: dict[int, str] = {}

    def watch_all(self) -> None:
        """Watch the folders that a walk visits now, and no others."""
        before, self._paths = self._paths, {}
        self._watch(self._discovery(), "")
        self._add(_EXCLUDE_FOLDER)
        for watch in before.keys() - self._paths.keys():
            self._inotify.remove(watch)

    def report(self, listener: Listener) -> bool:
        """Wait for changes and report them; False if the root is gone."""
        changes = _Changes()
        for event in self._collect_events():
            self._add_event(event, changes)
        if changes.root_gone:
            return False
        if not changes.all:
            self._watch_new_folders(changes)
        if changes.all:
            self.watch_all()
            listener.walk()
        elif paths := changes.files | {f"{path}/" for path in changes.folders | changes.removed}:
            listener.look_at(paths)
        return True

    def _collect_events(self) -> list[Event]:
        found = self._inotify.events(None)
        until = time.monotonic() + _MAX_COLLECT_SECONDS
        while time.monotonic() < until:
            more = self._inotify.events(_QUIET_SECONDS)
            if not more:
                break
            found += more
        return found

    def _add_event(self, event: Event, changes: _Changes) -> None:
        folder = self._paths.get(event.watch)
        if event.mask & inotify.OVERFLOW:
            changes.all = True
        elif folder is None:
            return
        elif event.mask & (inotify.IGNORED | _GONE):
            del self._paths[event.watch]
            changes.root_gone = changes.root_gone or not folder
        elif event.name and (folder != _EXCLUDE_FOLDER or f"{folder}/{event.name}" == EXCLUDE_NAME):
            changes.add(f"{folder}/{event.name}" if folder else event.name, event.mask)

    def _watch_new_folders(self, changes: _Changes) -> None:
        """Watch new folders, and add the files in them: no event names those."""
        if len(changes.folders) > _MAX_FOLDERS:
            changes.all = True
            return
        # a discovery caches listings: those from before the watches must not be used
        for folder in changes.folders:
            self._watch(self._discovery(), folder)
        discovery = self._discovery()
        for folder in changes.folders:
            inside = (file for file in discovery.below(folder, _FOREVER) if not file.reason)
            changes.files.update(file.path for file in islice(inside, _MAX_FILES + 1))
            if len(changes.files) > _MAX_FILES:
                changes.all = True
                return

    def _discovery(self) -> Discovery:
        return Discovery(self._sandbox, self._selection)

    def _watch(self, discovery: Discovery, folder: str) -> None:
        for path in discovery.folders(folder, _FOREVER):
            self._add(path)

    def _add(self, path: str) -> None:
        mask = _MASK if path else _MASK | _GONE
        try:
            watch = self._inotify.add(os.path.join(self._root, path), mask)
        except OSError:  # it is gone, or may not be read
            if not path:
                raise
            return
        self._paths[watch] = path
