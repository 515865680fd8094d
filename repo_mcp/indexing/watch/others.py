"""Reports changes by `watchfiles`, on systems that watch whole trees."""

from __future__ import annotations

import os
from typing import Final

from watchfiles import watch

from repo_mcp.indexing.walk.gitignore import EXCLUDE_NAME, RULES_NAME
from repo_mcp.indexing.walk.walk import FOREIGN_FOLDERS
from repo_mcp.indexing.watch.messages import Listener, WatchScope

_DEBOUNCE_MILLISECONDS: Final = 200
_STEP_MILLISECONDS: Final = 40
_WAIT_MILLISECONDS: Final = 1000


def listen(scope: WatchScope, listener: Listener) -> str:
    """Report changes until that is no longer possible; returns the reason."""
    tree = _WatchedTree(scope)
    listening = False
    for batch in watch(
        tree.root,
        watch_filter=lambda _, path: tree.contains(path),
        debounce=_DEBOUNCE_MILLISECONDS,
        step=_STEP_MILLISECONDS,
        rust_timeout=_WAIT_MILLISECONDS,
        yield_on_timeout=True,
        raise_interrupt=False,
        ignore_permission_denied=True,
    ):
        if not listening:  # earlier changes were not reported
            listening = True
            listener.walk()
        tree.report(listener, {path for _, path in batch})
    return "the system stopped reporting changes"


class _WatchedTree:
    """The repository's folder; translates the system's paths."""

    def __init__(self, scope: WatchScope) -> None:
        # fails if the root has been replaced since the server opened it
        self._sandbox = scope.sandbox()
        self.root = os.path.realpath(self._sandbox.anchor)
        self._data = os.path.realpath(scope.data_dir)

    def contains(self, path: str) -> bool:
        if path == self._data or path.startswith(self._data + os.sep):
            return False
        names = self._below(path).split("/")
        if names[0] == ".git":
            return names == EXCLUDE_NAME.split("/")
        return not FOREIGN_FOLDERS.intersection(names)

    def report(self, listener: Listener, paths: set[str]) -> None:
        if not paths:
            return
        below = {self._below(path) for path in paths}
        rules = any(path.rpartition("/")[2] == RULES_NAME or path == EXCLUDE_NAME for path in below)
        if rules or any(os.path.isdir(path) for path in paths):
            listener.walk()
        else:  # a path that is gone may have been a folder
            gone = {path for path in below if not os.path.lexists(os.path.join(self.root, path))}
            listener.look_at(below | {f"{path}/" for path in gone})

    def _below(self, path: str) -> str:
        return os.path.relpath(path, self.root).replace(os.sep, "/")
