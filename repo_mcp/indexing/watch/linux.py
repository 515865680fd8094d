"""Hears of changes on Linux: exactly the folders are watched that a walk comes to.

What is ignored, denied or behind a link costs no watch, of which the system has a limited number.
A folder is watched before it is listed, so that nothing made in it meanwhile is missed.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from itertools import islice
from typing import Final

from repo_mcp.budget import Budget
from repo_mcp.indexing.walk.gitignore import EXCLUDE_NAME, RULES_NAME
from repo_mcp.indexing.walk.walk import FOREIGN_SIGNS, Discovery, Selection
from repo_mcp.indexing.watch import inotify
from repo_mcp.indexing.watch.inotify import Event, Inotify, LimitError
from repo_mcp.indexing.watch.messages import Listener, WatchScope
from repo_mcp.safety.denylist import Denylist
from repo_mcp.safety.sandbox import Sandbox

_QUIET_SECONDS: Final = 0.04
_LONGEST_SECONDS: Final = 0.2
# with more new folders or files in them than these, a walk is no slower
_MOST_FOLDERS: Final = 64
_MOST_FILES: Final = 256
# reported files that are remembered until their folder goes away, the latest ones
_MOST_REMEMBERED: Final = 10_000

_APPEARED: Final = inotify.CREATE | inotify.MOVED_TO
_LEFT: Final = inotify.DELETE | inotify.MOVED_FROM
_WRITTEN: Final = inotify.MODIFY | inotify.CLOSE_WRITE | inotify.ATTRIB
_MASK: Final = _APPEARED | _LEFT | _WRITTEN
_GONE: Final = inotify.DELETE_SELF | inotify.MOVE_SELF

_GIT: Final = ".git"
_EXCLUDE_FOLDER: Final = EXCLUDE_NAME.rpartition("/")[0]
# what decides by being there which folders are walked
_SIGNS: Final = frozenset({_GIT, *FOREIGN_SIGNS})
_FOREVER: Final = Budget()


def listen(watched: WatchScope, listener: Listener) -> str:
    """Report until that is no longer possible; gives the reason."""
    try:
        tree = _Tree(watched, Inotify())
        tree.watch_all()
        listener.walk()
        while tree.report(listener):
            pass
    except LimitError as error:
        return str(error)
    return "the repository's folder is gone"


class _Heard:
    """What some events say together."""

    def __init__(self) -> None:
        self.files: set[str] = set()
        self.folders: set[str] = set()
        self.removed: set[str] = set()
        # whether which folders are walked, or where they are, may have changed
        self.all = False
        self.gone = False

    def change(self, path: str, mask: int) -> None:
        """Something happened to what a path names."""
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


class _Tree:
    """The folders that are watched, by the system's numbers and by their paths."""

    def __init__(self, watched: WatchScope, system: Inotify) -> None:
        self._root = os.path.realpath(watched.root)
        self._system = system
        denylist = Denylist(watched.deny_globs)
        self._sandbox = Sandbox(watched.root, denylist, max_file_bytes=0, data_dir=watched.data_dir)
        # which files are indexed is not known here: all in the folders that are walked are told of
        self._selection = Selection(sys.maxsize, exclude_globs=watched.exclude_globs, any_name=True)
        self._paths: dict[int, str] = {}
        # The latest reported files. Before one is read, another folder that is not watched yet can
        # take the place of its folder: what happens to the file there is not heard of, so it is
        # reported again when a folder above it begins or ends.
        self._reported: dict[str, None] = {}

    def watch_all(self) -> None:
        """Watch the folders that are walked now, and no others."""
        before, self._paths = self._paths, {}
        self._watch(self._discovery(), "")
        self._add(_EXCLUDE_FOLDER)
        for watch in before.keys() - self._paths.keys():
            self._system.remove(watch)

    def report(self, listener: Listener) -> bool:
        """Wait for changes and tell of them; False when the root is gone."""
        heard = _Heard()
        for event in self._until_quiet():
            self._hear(event, heard)
        if heard.gone:
            return False
        if not heard.all:
            self._look_into(heard)
            heard.files.update(self._reported_in(heard.removed | heard.folders))
        if heard.all:
            self.watch_all()
            listener.walk()
        elif heard.files:
            self._remember(heard.files)
            listener.look_at(heard.files)
        return True

    def _until_quiet(self) -> list[Event]:
        found = self._system.events(None)
        until = time.monotonic() + _LONGEST_SECONDS
        while time.monotonic() < until:
            more = self._system.events(_QUIET_SECONDS)
            if not more:
                break
            found += more
        return found

    def _hear(self, event: Event, heard: _Heard) -> None:
        folder = self._paths.get(event.watch)
        if event.mask & inotify.OVERFLOW:
            heard.all = True
        elif folder is None:
            return
        elif event.mask & (inotify.IGNORED | _GONE):
            del self._paths[event.watch]
            heard.gone = heard.gone or not folder
        elif event.name and (folder != _EXCLUDE_FOLDER or f"{folder}/{event.name}" == EXCLUDE_NAME):
            heard.change(f"{folder}/{event.name}" if folder else event.name, event.mask)

    def _look_into(self, heard: _Heard) -> None:
        """Watch new folders; what lies in them has appeared with them."""
        if len(heard.folders) > _MOST_FOLDERS:
            heard.all = True
            return
        # a walk remembers the folders it has listed: none may be from before its watch
        for folder in heard.folders:
            self._watch(self._discovery(), folder)
        discovery = self._discovery()
        for folder in heard.folders:
            inside = (file for file in discovery.below(folder, _FOREVER) if not file.reason)
            heard.files.update(file.path for file in islice(inside, _MOST_FILES + 1))
            if len(heard.files) > _MOST_FILES:
                heard.all = True
                return

    def _remember(self, files: set[str]) -> None:
        self._reported |= dict.fromkeys(files)
        for path in list(islice(self._reported, max(0, len(self._reported) - _MOST_REMEMBERED))):
            del self._reported[path]

    def _reported_in(self, folders: set[str]) -> list[str]:
        """Reported files below these folders."""
        if not folders:
            return []
        return [path for path in self._reported if not folders.isdisjoint(_folders_of(path))]

    def _discovery(self) -> Discovery:
        return Discovery(self._sandbox, self._selection)

    def _watch(self, discovery: Discovery, folder: str) -> None:
        for path in discovery.folders(folder, _FOREVER):
            self._add(path)

    def _add(self, path: str) -> None:
        mask = _MASK if path else _MASK | _GONE
        try:
            watch = self._system.add(os.path.join(self._root, path), mask)
        except OSError:  # it went away, or is not ours to look into
            if not path:
                raise
            return
        self._paths[watch] = path


def _folders_of(path: str) -> Iterator[str]:
    """Every folder above a file."""
    return (path[:at] for at, character in enumerate(path) if character == "/")
