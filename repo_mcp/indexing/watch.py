"""Hears of changed files from the system, where it can; where it can't, says why.

It is a help and no more: walks find all that it misses.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable
from typing import Final, Protocol

from repo_mcp.indexing.discovery import FOREIGN_FOLDERS
from repo_mcp.indexing.ignore import EXCLUDE_NAME, RULES_NAME

_DEBOUNCE_MILLISECONDS: Final = 200
_STEP_MILLISECONDS: Final = 40
_WAIT_MILLISECONDS: Final = 1000


class Listener(Protocol):
    """Who wants to know."""

    def look_at(self, paths: Iterable[str]) -> None:
        """These files changed."""

    def walk(self) -> None:
        """More than single files may have changed."""


class Watcher:
    """Watches the folders below a root in a thread of its own."""

    def __init__(self, root: str, data_dir: str) -> None:
        """Say where; nothing is watched yet."""
        self._root = os.path.realpath(root)
        self._data = os.path.realpath(data_dir)
        self._stop = threading.Event()
        self.active = False
        self.reason = ""

    def start(self, listener: Listener) -> None:
        """Begin, and report to `listener` from now on."""
        thread = threading.Thread(target=self._watch, args=(listener,), name="watcher", daemon=True)
        thread.start()

    def close(self) -> None:
        """Stop soon."""
        self._stop.set()

    def _watch(self, listener: Listener) -> None:
        try:
            from watchfiles import watch  # noqa: PLC0415 it may be missing, and takes its time
        except ImportError:
            self.reason = "watchfiles is not installed"
            return
        try:
            for batch in watch(
                self._root,
                watch_filter=lambda _, path: self._concerns(path),
                debounce=_DEBOUNCE_MILLISECONDS,
                step=_STEP_MILLISECONDS,
                stop_event=self._stop,
                rust_timeout=_WAIT_MILLISECONDS,
                yield_on_timeout=True,
                raise_interrupt=False,
                ignore_permission_denied=True,
            ):
                if not self.active:  # what changed before the system listened was not heard
                    self.active = True
                    listener.walk()
                self._report(listener, {path for _, path in batch})
        except Exception as error:  # noqa: BLE001 the library raises what the system says, in many types
            self.reason = _shortened(error)
        finally:
            self.active = False

    def _concerns(self, path: str) -> bool:
        if path == self._data or path.startswith(self._data + os.sep):
            return False
        names = self._below(path).split("/")
        if names[0] == ".git":
            return names == EXCLUDE_NAME.split("/")
        return not FOREIGN_FOLDERS.intersection(names)

    def _report(self, listener: Listener, paths: set[str]) -> None:
        if not paths:
            return
        below = {self._below(path) for path in paths}
        rules = any(path.rpartition("/")[2] == RULES_NAME or path == EXCLUDE_NAME for path in below)
        if rules or any(os.path.isdir(path) for path in paths):
            listener.walk()
        else:
            listener.look_at(below)

    def _below(self, path: str) -> str:
        return os.path.relpath(path, self._root).replace(os.sep, "/")


def _shortened(error: Exception) -> str:
    text = " ".join(str(error).split())
    return text[:200] or type(error).__name__
