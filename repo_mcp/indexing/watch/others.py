"""Hears of changes through `watchfiles`, where the system watches whole trees by itself."""

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


def listen(watched: WatchScope, listener: Listener) -> str:
    """Report until that is no longer possible; gives the reason."""
    tree = _Tree(watched)
    listening = False
    for batch in watch(
        tree.root,
        watch_filter=lambda _, path: tree.concerns(path),
        debounce=_DEBOUNCE_MILLISECONDS,
        step=_STEP_MILLISECONDS,
        rust_timeout=_WAIT_MILLISECONDS,
        yield_on_timeout=True,
        raise_interrupt=False,
        ignore_permission_denied=True,
    ):
        if not listening:  # what changed before the system listened was not heard
            listening = True
            listener.walk()
        tree.report(listener, {path for _, path in batch})
    return "watching came to an end"


class _Tree:
    """The repository's folder, as the system names what lies in it."""

    def __init__(self, watched: WatchScope) -> None:
        self.root = os.path.realpath(watched.root)
        self._data = os.path.realpath(watched.data_dir)

    def concerns(self, path: str) -> bool:
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
        else:
            listener.look_at(below)

    def _below(self, path: str) -> str:
        return os.path.relpath(path, self.root).replace(os.sep, "/")
