"""The child's end of the pipe to the process that started it, and limits of the child.

The child exits when the pipe closes: a thread reads it, so that this is noticed whatever the
process is doing.
"""

from __future__ import annotations

import os
import sys
import threading
from contextlib import suppress
from queue import SimpleQueue
from typing import Any, Final

from repo_mcp.console import take_over
from repo_mcp.processes.wire import Pipe

_MEMORY: Final = 2 * 1024**3
# niceness of workers beside their parent: a third of its share where both want to run
NICENESS: Final = 5


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


def bound_memory() -> None:
    """Take so much memory and no more: what is beyond fails here."""
    if sys.platform == "win32":
        return
    import resource  # noqa: PLC0415 Windows has no such module

    with suppress(ValueError, OSError):
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        most = _MEMORY if hard == resource.RLIM_INFINITY else min(_MEMORY, hard)
        resource.setrlimit(resource.RLIMIT_AS, (most, hard))


def yield_to_answers() -> None:
    """Give way to the process that answers: workers keep all processors busy for minutes."""
    if sys.platform != "win32":
        os.nice(NICENESS)
