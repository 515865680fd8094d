"""Ends a server that nobody uses: its parent is gone, or it was asked nothing for long.

The end of its input usually says so. It does not come while any other process holds the writing
end of the pipe, as a child of a killed client may. A parent is known by its number alone: when it
ends, its children belong to process 1, or to an ancestor that adopts them.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable

from index_format.annotations import Final, Protocol
from repo_mcp.allocator import share_arena

# seconds between two looks, which cost microseconds; the parent has to be missing at two of them,
# so that a message of who talks to the server in its place can come in between
PERIOD: Final = 2.0
_HOUR: Final = 3600.0


class Parent(Protocol):
    """The process that started this one."""

    def is_gone(self) -> bool:
        """True once it has ended."""
        ...

    def follow(self) -> None:
        """Look at the process that this one belongs to now, if the system tells that."""
        ...


class PosixParent:
    """The parent by its number; of a parent that was gone at first nothing is ever noticed."""

    def __init__(self, number: Callable[[], int] = os.getppid) -> None:
        self._ask = number
        self._number = number()

    def is_gone(self) -> bool:
        """True if this process belongs to another one than at first."""
        return self._ask() != self._number

    def follow(self) -> None:
        """Look at the process that this one belongs to now."""
        self._number = self._ask()


class Watchdog:
    """Decides when a server ends by itself; a lock would guard nothing, as it sets single values.

    A message shows that somebody talks to the server: if the parent is gone by then, it only had
    started the server for another process.
    """

    def __init__(self, parent: Parent, clock: Callable[[], float], idle_hours: int) -> None:
        """`idle_hours` are those without a message after which it ends; 0 for none."""
        self._parent = parent
        self._clock = clock
        self._idle_seconds = idle_hours * _HOUR
        self._heard_at = clock()
        self._was_gone = False
        self._is_started = False

    def hear(self) -> None:
        """A message has arrived."""
        self._heard_at = self._clock()
        if self._parent.is_gone():
            self._was_gone = False
            self._parent.follow()

    def look(self) -> bool:
        """True if the server is to end: to be asked again and again."""
        was_gone, self._was_gone = self._was_gone, self._parent.is_gone()
        if was_gone and self._was_gone:
            return True
        return 0 < self._idle_seconds <= self._clock() - self._heard_at

    def start(self) -> None:
        """Look from now on, in a thread that no other work can hold up."""
        if not self._is_started:
            self._is_started = True
            share_arena()  # before the first thread
            threading.Thread(target=self._watch, daemon=True).start()

    def _watch(self) -> None:
        while not self.look():
            time.sleep(PERIOD)
        os._exit(0)  # without cleanup, as on a signal; child processes see their pipe close


def own_parent() -> Parent:
    """The parent of this process."""
    if sys.platform == "win32":
        from repo_mcp.protocol.windows_parent import windows_parent  # noqa: PLC0415 used there alone

        return windows_parent()
    return PosixParent()
