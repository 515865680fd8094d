"""The side of a process that another one started: its messages, and its end with that other one.

A thread reads the pipe, so that the end of it is noticed whatever the process is at: it leaves at
once then, for nobody is left who could want what it makes.
"""

from __future__ import annotations

import os
import threading
from queue import SimpleQueue
from typing import Any

from repo_mcp.indexing.processes.wire import Pipe
from repo_mcp.standard_streams import taken_over


class Leash:
    """Messages from and to the process that started this one."""

    def __init__(self) -> None:
        """Take over standard input and output, and listen from now on."""
        self._pipe = Pipe(*taken_over())
        self._told: SimpleQueue[Any] = SimpleQueue()
        threading.Thread(target=self._listen, daemon=True).start()

    def receive(self) -> Any:  # noqa: ANN401 a message is what was sent
        """The next message."""
        return self._told.get()

    def send(self, message: object) -> None:
        """Tell something; ends this process when nobody reads it."""
        try:
            self._pipe.send(message)
        except OSError:
            os._exit(0)

    def _listen(self) -> None:
        try:
            while True:
                self._told.put(self._pipe.receive())
        finally:
            os._exit(0)
