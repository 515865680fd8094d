"""A link between two programs on one machine: slow, far away, or broken, as it is asked to be.

It forwards connections to one port of this machine, limits the speed of all together, delays what
each request asks for, and cuts a connection after so many bytes of its answers. It knows nothing of
what it forwards.
"""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Final, Self

_PIECE: Final = 1 << 14


def never(connection: int) -> int | None:  # noqa: ARG001 the form of a plan
    """Cut no connection."""
    return None


class Link:
    """Forwards from a port of its own.

    `cut_after` gives for each connection, counted from 0, after how many bytes of answers it ends;
    None: never.
    """

    def __init__(
        self,
        port: int,
        *,
        bytes_per_second: float = 0.0,
        delay: float = 0.0,
        cut_after: Callable[[int], int | None] = never,
        on_answer: Callable[[int], None] = lambda _: None,
    ) -> None:
        """Listen; a speed of 0 is without limit.

        `on_answer` is told how many bytes were answered in all, before the last of them are sent.
        """
        self._on_answer = on_answer
        self.sent = self.answered = self.connections = 0
        self._target = port
        self._speed = bytes_per_second
        self._delay = delay
        self._cut_after = cut_after
        self._guard = threading.Lock()
        self._free_at = 0.0
        self._open: set[socket.socket] = set()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._thread = threading.Thread(target=self._accept, daemon=True)
        self._thread.start()

    def __enter__(self) -> Self:
        """Serve while the block lasts."""
        return self

    def __exit__(self, *_: object) -> None:
        """End."""
        self.close()

    def close(self) -> None:
        """End all connections."""
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        with self._guard:
            ends = list(self._open)
        for end in ends:
            _end(end)
        self._thread.join()

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self._listener.accept()
            except OSError:
                return
            try:
                far = socket.create_connection(("127.0.0.1", self._target))
            except OSError:
                near.close()
                continue
            with self._guard:
                number, self.connections = self.connections, self.connections + 1
                self._open |= {near, far}
            for work in (self._ask, self._answer):
                arguments = (near, far, number)
                threading.Thread(target=work, args=arguments, daemon=True).start()

    def _ask(self, near: socket.socket, far: socket.socket, _: int) -> None:
        """Requests: each is delayed."""
        with suppress(OSError):
            while data := near.recv(_PIECE):
                time.sleep(self._delay)
                self.sent += len(data)
                far.sendall(data)
        _end(far)

    def _answer(self, near: socket.socket, far: socket.socket, number: int) -> None:
        """Answers: all together keep to the speed."""
        left = self._cut_after(number)
        with suppress(OSError):
            while data := far.recv(_PIECE):
                if left is not None:
                    data = data[:left]
                    left -= len(data)
                self._wait_for(len(data))
                self._on_answer(self.answered)
                near.sendall(data)
                if left == 0:
                    break
        for end in (near, far):
            _end(end)

    def _wait_for(self, size: int) -> None:
        with self._guard:
            self.answered += size
            if not self._speed:
                return
            now = time.monotonic()
            self._free_at = max(self._free_at, now) + size / self._speed
            wait = self._free_at - now
        time.sleep(wait)


def _end(end: socket.socket) -> None:
    with suppress(OSError):
        end.shutdown(socket.SHUT_RDWR)
    end.close()
