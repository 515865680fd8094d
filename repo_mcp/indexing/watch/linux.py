"""Reports changes on Linux by inotify, from exactly the folders that a walk visits.

Ignored and denied folders and targets of links take no watch; the system has a limited number of
them. A folder is watched before it is listed, so that no entry created in between is missed.

Listing the folders of a large tree takes seconds. So those that were walked before are watched
first, and changed files are reported while the walk goes on; it then finds what else to watch, and
what to watch no longer.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Final

from repo_mcp.budget import Budget
from repo_mcp.indexing.walk.gitignore import EXCLUDE_NAME, RULES_NAME
from repo_mcp.indexing.walk.walk import FOREIGN_SIGNS, Discovery, Selection
from repo_mcp.indexing.watch import inotify
from repo_mcp.indexing.watch.inotify import Event, Inotify, LimitError
from repo_mcp.indexing.watch.messages import Listener, Reporter, ReportRequests, WatchScope

# events are collected until none comes for the first of these, or the second has passed
_QUIET_SECONDS: Final = 0.04
_MAX_COLLECT_SECONDS: Final = 0.2
# with more new folders, or files in them, a walk is as fast
_MAX_FOLDERS: Final = 64
_MAX_FILES: Final = 256
# folders that are watched until changed files are reported again
_FOLDERS_BETWEEN: Final = 256

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


def listen(scope: WatchScope, reporter: Reporter, requests: ReportRequests) -> str:
    """Report changes until that is no longer possible; returns the reason.

    The system queues an event before the call that changes a file returns. So all changes from
    before a request have been reported once the queue was read to its end after it.
    """
    try:
        tree = _WatchedTree(scope, Inotify(requests.descriptor), requests)
        tree.watch_known(scope.known_folders.decode(errors="ignore").split("\0")[:-1], reporter)
        tree.watch_all(reporter)
        reporter.walk()
        ticket = requests.take()
        while tree.report(reporter, at_once=ticket > 0):
            if ticket:
                reporter.answer(ticket)
            ticket = requests.take()
    except LimitError as error:
        return str(error)
    return "the repository's folder is gone"


class _Changes:
    """The changes in a batch of events."""

    def __init__(self) -> None:
        self.files: set[str] = set()
        self.folders: set[str] = set()
        self.removed: set[str] = set()
        # whether the set of walked folders, or their paths, may have changed
        self.all = False
        self.root_gone = False

    @property
    def is_empty(self) -> bool:
        """True if nothing happened."""
        return not (self.files or self.folders or self.removed or self.all or self.root_gone)

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

    def __init__(
        self, scope: WatchScope, instance: Inotify, requests: ReportRequests | None = None
    ) -> None:
        self._inotify = instance
        self._requests = requests or ReportRequests()
        self._sandbox = scope.sandbox()
        # watches follow the open root, as listings do
        self._root = self._sandbox.anchor
        # reports every file in the walked folders: which of them are indexed is decided later
        self._selection = Selection(sys.maxsize, exclude_globs=scope.exclude_globs)
        self._paths: dict[int, str] = {}
        # what happened while folders were added, without the files that are reported
        self._changes = _Changes()

    def watch_known(self, folders: Iterable[str], listener: Listener) -> None:
        """Watch folders that a walk entered once, given in order, each with its slash.

        A folder is left out where one above it is none any more: it may have become a link.
        """
        self._add("")
        watched = {""}
        try:
            for number, folder in enumerate(folders):
                path = folder.rstrip("/")
                is_below = path and path.rpartition("/")[0] in watched
                if is_below and not self._sandbox.is_denied(path, folder=True):
                    if self._add(path) >= 0:
                        watched.add(path)
                    self._report_files(number, listener)
        except LimitError:
            self._keep(set())  # the walk may enter fewer

    def watch_all(self, listener: Listener) -> None:
        """Watch the folders that a walk visits now, and no others."""
        watched = {self._add(_EXCLUDE_FOLDER)}
        for number, path in enumerate(self._discovery().folders("", _FOREVER)):
            watched.add(self._add(path))
            self._report_files(number, listener)
        self._keep(watched)

    def _keep(self, watched: set[int]) -> None:
        for watch in self._paths.keys() - watched:
            self._inotify.remove(watch)
            del self._paths[watch]

    def _report_files(self, number: int, listener: Listener) -> None:
        """Now and then, report the files that have changed; the rest is kept for `report`."""
        if number % _FOLDERS_BETWEEN:
            return
        for event in self._inotify.events(0):
            self._add_event(event, self._changes)
        if self._changes.files:
            listener.look_at(self._changes.files)
            self._changes.files = set()

    def report(self, listener: Listener, *, at_once: bool = False) -> bool:
        """Wait for changes or a request, and report changes; False if the root is gone.

        With `at_once`, report those that the system has queued by now.
        """
        changes, self._changes = self._changes, _Changes()
        events = self._queued() if at_once else self._collect(None if changes.is_empty else 0)
        for event in events:
            self._add_event(event, changes)
        if changes.root_gone:
            return False
        if not changes.all:
            self._watch_new_folders(changes)
        if changes.all:
            self.watch_all(listener)
            listener.walk()
        elif paths := changes.files | {f"{path}/" for path in changes.folders | changes.removed}:
            listener.look_at(paths)
        return True

    def _queued(self) -> Iterator[Event]:
        while events := self._inotify.events(0):
            yield from events

    def _collect(self, seconds: float | None) -> list[Event]:
        """Events until none comes for a moment; waits so long for the first."""
        found = self._inotify.events(seconds)
        until = time.monotonic() + _MAX_COLLECT_SECONDS
        while not self._requests.is_waiting and time.monotonic() < until:
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

    def _add(self, path: str) -> int:
        """Watch a folder; returns the number of the watch, -1 if there is no such folder."""
        mask = _MASK if path else _MASK | _GONE
        try:
            watch = self._inotify.add(os.path.join(self._root, path), mask)
        except OSError:  # it is gone, or may not be read
            if not path:
                raise
            return -1
        self._paths[watch] = path
        return watch
