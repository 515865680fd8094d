"""Hears of changed files from the system, where it can; where it can't, says why.

It is a help and no more: walks find all that it misses. A process of its own listens (`watching`):
asking the system to watch every folder of a large tree takes time that no answer should wait for.
"""

from __future__ import annotations

import threading
from typing import Final

from repo_mcp.indexing.processes.start import Process, command_of
from repo_mcp.indexing.watch.messages import Listener, WatchScope
from repo_mcp.model import Settings

_COMMAND: Final = command_of("repo_mcp.indexing.watch.watch_process")
_ENVIRONMENT: Final = {"MALLOC_ARENA_MAX": "1"}
# one that was listening and was ended is started again so many times
_AGAIN: Final = 2
_ENDED: Final = "the process that listens was ended"


class Watcher:
    """The process that listens, and a thread that passes on what it says."""

    def __init__(self, settings: Settings) -> None:
        """Say where; nothing is watched yet."""
        self._watched = WatchScope.of(settings)
        self._lock = threading.Lock()
        self._process: Process | None = None
        self._closed = False
        self.active = False
        self.reason = ""

    def start(self, listener: Listener) -> None:
        """Begin, and report to `listener` from now on."""
        thread = threading.Thread(target=self._watch, args=(listener,), name="watcher", daemon=True)
        thread.start()

    def close(self) -> None:
        """Stop soon."""
        with self._lock:
            self._closed = True
            if self._process is not None:
                self._process.kill()

    def _watch(self, listener: Listener) -> None:
        for _ in range(1 + _AGAIN):
            process = self._started()
            if process is None:
                return
            heard = self._pass_on(process, listener)
            self.active = False
            with self._lock:
                self._process = None
            process.end()
            if not heard:
                break
        if not self._closed:
            self.reason = self.reason or _ENDED

    def _started(self) -> Process | None:
        with self._lock:
            if self._closed:
                return None
            try:
                self._process = Process(_COMMAND, _ENVIRONMENT, self._watched.record())
            except OSError as error:
                self.reason = f"no process could be started: {error.strerror}"
            return self._process

    def _pass_on(self, process: Process, listener: Listener) -> bool:
        """Whether it was listening when it ended, and may do so again."""
        try:
            while True:
                match process.pipe.receive():
                    case {"changed": paths}:
                        listener.look_at(paths)
                    case {"failed": reason}:
                        self.reason = reason
                        return False
                    case _:  # it listens, and what changed before was not heard; or it lost count
                        self.active = True
                        listener.walk()
        except (EOFError, OSError):
            return self.active
