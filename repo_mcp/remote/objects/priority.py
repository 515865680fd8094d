"""Priority of requests to a remote place: those of queries come before those of copiers."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from repo_mcp.budget import Clock

# A query asks for one page after another: so long after a request there may be a next one.
_QUIET_SECONDS: Final = 0.3
# a copier that queries never leave alone goes on after this
_MOST_SECONDS: Final = 5.0


class RangePriority:
    """The requests of one process for ranges of segments; a copier waits for a pause in them."""

    def __init__(self, most_seconds: float = _MOST_SECONDS, clock: Clock = time.monotonic) -> None:
        """Nobody asks yet."""
        self._most_seconds = most_seconds
        self._clock = clock
        self._changed = threading.Condition()
        self._asking = 0
        self._ended = -_QUIET_SECONDS + clock()
        self._thread = threading.local()

    @contextmanager
    def asking(self) -> Iterator[None]:
        """While a request is under way, unless it is of a copier."""
        if getattr(self._thread, "copies", False):
            yield
            return
        with self._changed:
            self._asking += 1
        try:
            yield
        finally:
            with self._changed:
                self._asking -= 1
                self._ended = self._clock()
                self._changed.notify_all()

    @contextmanager
    def copying(self) -> Iterator[None]:
        """While this thread's requests are a copier's."""
        self._thread.copies = True
        try:
            yield
        finally:
            self._thread.copies = False

    def wait(self) -> None:
        """Wait for a pause in the queries, but not for ever."""
        with self._changed:
            until = self._clock() + self._most_seconds
            while (left := until - self._clock()) > 0:
                quiet = self._ended + _QUIET_SECONDS - self._clock()
                if not self._asking and quiet <= 0:
                    return
                self._changed.wait(left if self._asking else min(left, quiet))


RANGE_PRIORITY: Final = RangePriority()
