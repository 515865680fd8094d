"""Watches the repository in a child process, and passes its reports to a listener.

Watching only saves time: walks find every change that it misses. It runs in a process of its own,
because asking the system to watch every folder of a large tree would delay answers.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import Final

from index_format.records import replace
from repo_mcp.budget import Budget
from repo_mcp.indexing.watch.messages import Listener, WatchScope
from repo_mcp.model import Settings
from repo_mcp.processes.start import Process, command_of
from repo_mcp.safety.sandbox import FolderId

_COMMAND: Final = command_of("repo_mcp.indexing.watch.watch_process")
_ENVIRONMENT: Final = {"MALLOC_ARENA_MAX": "1"}
# restarts of a watch process that was killed
_MAX_RESTARTS: Final = 2
_ENDED: Final = "the watch process was ended"
# other systems report changes some time after they were made
_HAS_QUEUE: Final = sys.platform == "linux"
_POLL: Final = 0.02


class Watcher:
    """The watch process, and a thread that passes on its reports."""

    def __init__(self, settings: Settings, folder: FolderId | None = None) -> None:
        """Keep the scope; nothing is watched yet. With `folder`, the root has to be that one."""
        self._scope = WatchScope.of(settings, folder)
        self._lock = threading.Lock()
        self._process: Process | None = None
        self._reported = threading.Condition()
        # the last request for all changes, and the last that was answered
        self._requested = self._answered = 0
        self._closed = False
        self.active = False
        self.reason = ""

    def start(self, listener: Listener, known_folders: Callable[[], bytes] = bytes) -> None:
        """Start watching; changes are reported to `listener`.

        Of folders that are known (`WatchScope.known_folders`), changes are reported before a walk
        has found all others.
        """

        def watch() -> None:
            self._scope = replace(self._scope, known_folders=known_folders())
            self._watch(listener)

        threading.Thread(target=watch, name="watcher", daemon=True).start()

    def report_all(self, budget: Budget) -> bool:
        """Have the listener told of all changes up to now; False if the budget is spent before.

        Also False if nothing is watched, or the system does not tell in time.
        """
        process, ticket = self._request_report()
        if process is None:
            return False
        with self._reported:
            while self._answered < ticket:
                budget.check()
                if budget.spent or self._process is not process:
                    return False
                self._reported.wait(_POLL)
        return True

    def _request_report(self) -> tuple[Process | None, int]:
        with self._lock:
            process = self._process if self.active and _HAS_QUEUE else None
            if process is not None:
                self._requested += 1
                try:
                    process.pipe.send({"report": self._requested})
                except OSError:  # it has just ended
                    process = None
            return process, self._requested

    def close(self) -> None:
        """Stop soon."""
        with self._lock:
            self._closed = True
            if self._process is not None:
                self._process.kill()

    def _watch(self, listener: Listener) -> None:
        for _ in range(1 + _MAX_RESTARTS):
            process = self._start_process()
            if process is None:
                return
            can_restart = self._forward(process, listener)
            self.active = False
            with self._lock:
                self._process = None
            process.end()
            if not can_restart:
                break
        if not self._closed:
            self.reason = self.reason or _ENDED

    def _start_process(self) -> Process | None:
        with self._lock:
            if self._closed:
                return None
            try:
                self._process = Process(_COMMAND, _ENVIRONMENT, self._scope.record())
            except OSError as error:
                self.reason = f"no process could be started: {error.strerror}"
            return self._process

    def _forward(self, process: Process, listener: Listener) -> bool:
        """Forward reports until the process ends; whether it may be started again."""
        try:
            while True:
                match process.pipe.receive():
                    case {"changed": paths}:
                        listener.look_at(paths)
                    case {"reported": ticket}:
                        with self._reported:
                            self._answered = ticket
                            self._reported.notify_all()
                    case {"failed": reason}:
                        self.reason = reason
                        return False
                    case (
                        _
                    ):  # it started, and earlier changes were not reported; or events were lost
                        self.active = True
                        listener.walk()
        except (EOFError, OSError):
            return self.active
