"""The child's end of the pipe to the process that started it; the child exits when it closes.

A thread reads the pipe, so that a closed pipe is noticed whatever the process is doing.
"""

from __future__ import annotations

import os
import threading
from queue import SimpleQueue
from typing import Any

from repo_mcp.processes.wire import Pipe
from repo_mcp.standard_streams import take_over


class ParentPipe:
    """Messages from and to the process that started this one."""

    def __init__(self) -> None:
        """Take over standard input and output, and start reading."""
        self._pipe = Pipe(*take_over())
        self._received: SimpleQueue[Any] = SimpleQueue()
        threading.Thread(target=self._read, daemon=True).start()

    def receive(self) -> Any:  # noqa: ANN401 a message is what was sent
        """The next message; blocks until there is one."""
        return self._received.get()

    def send(self, message: object) -> None:
        """Write a message; ends this process when nobody reads it."""
        try:
            self._pipe.send(message)
        except OSError:
            os._exit(0)

    def _read(self) -> None:
        try:
            while True:
                self._received.put(self._pipe.receive())
        finally:
            os._exit(0)
