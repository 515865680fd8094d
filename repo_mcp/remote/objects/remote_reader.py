"""A remote place that is read by a process of its own, see `reader_process`.

Any number of threads may ask at a time. A process that ends is replaced for the next request.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import suppress
from typing import Any, Final

from repo_mcp.errors import Problem
from repo_mcp.processes.start import Process, command_of
from repo_mcp.remote.objects import object_store
from repo_mcp.remote.objects.contract import ObjectReader, ObjectRow, VersionedObject

_COMMAND: Final = command_of("repo_mcp.remote.objects.reader_process")
# threads of the library take memory on machines with many processors
_ENVIRONMENT: Final = {"MALLOC_ARENA_MAX": "2", "TOKIO_WORKER_THREADS": "2"}
# far more than all repetitions of a request take
_MOST_SECONDS: Final = 600.0
_ENDED: Final = "it sent more than was asked for, or the process that reads it was ended"


def open_reader(url: str) -> ObjectReader:
    """The place that an address names, to be read alone."""
    return RemoteReader(url) if object_store.is_remote(url) else object_store.open_store(url)


class RemoteReader:
    """An `ObjectReader` of a remote place."""

    def __init__(self, url: str, most_seconds: float = _MOST_SECONDS) -> None:
        """Open the place; `most_seconds` is for one request with its repetitions."""
        self._url = url
        self._most_seconds = most_seconds
        self._guard = threading.Lock()
        self._channel = self._open()

    def get(self, name: str, most: int) -> VersionedObject | None:
        """An object of at most so many bytes, or None if there is none of this name."""
        found = self._ask("get", name, most)
        return None if found is None else VersionedObject(*found)

    def read(self, name: str, start: int, length: int) -> bytes:
        """These bytes of an object, fewer if it is shorter; any thread may call it."""
        data: bytes = self._ask("read", name, start, length)
        return data

    def size(self, name: str) -> int | None:
        """The bytes of an object, None if there is none of this name."""
        size: int | None = self._ask("size", name)
        return size

    def rows(self, folder: str) -> Iterator[ObjectRow]:
        """All objects below a folder, in no order."""
        return (ObjectRow(*row) for row in self._ask("rows", folder))

    def close(self) -> None:
        """End the process."""
        self._channel.end()

    def _ask(self, *request: object) -> Any:  # noqa: ANN401 a value of the method
        with self._guard:
            if self._channel.ended:
                self._channel = self._open()
            channel = self._channel
        return channel.ask(request, self._most_seconds)

    def _open(self) -> _Channel:
        channel = _Channel(self._url)
        self.lists: bool = channel.opening(self._most_seconds)
        return channel


class _Channel:
    """One process, and the answers that are waited for."""

    def __init__(self, url: str) -> None:
        try:
            self._process = Process(_COMMAND, _ENVIRONMENT, [url, object_store.RETRIES])
        except OSError as error:
            message = f"no process could be started: {error.strerror}"
            raise Problem("store_unavailable", message) from error
        self._state = _Answers()
        self._opening = self._state.expect(0)
        self._guard = threading.Lock()
        thread = threading.Thread(
            target=self._state.receive_from, args=(self._process,), name="store", daemon=True
        )
        thread.start()
        # the thread knows nothing of this object, so that both go when nobody asks any more
        self.end = weakref.finalize(self, _end, self._process, thread)

    @property
    def ended(self) -> bool:
        return self._state.ended or not self.end.alive

    def opening(self, seconds: float) -> bool:
        lists: bool = self._wait(self._opening, seconds)
        return lists

    def ask(self, request: tuple[object, ...], seconds: float) -> Any:  # noqa: ANN401 see above
        with self._guard:
            number, future = self._state.expect_next()
            with suppress(OSError):  # then no answer comes
                self._process.pipe.send([number, *request])
        return self._wait(future, seconds)

    def _wait(self, future: Future[Any], seconds: float) -> Any:  # noqa: ANN401 see above
        try:
            return future.result(seconds)
        except TimeoutError:
            self.end()
            raise Problem("store_unavailable", f"no answer after {seconds:.0f} s") from None
        except Problem:
            if future is self._opening:
                self.end()
            raise


class _Answers:
    """Requests that are not answered yet."""

    def __init__(self) -> None:
        self.ended = False
        self._guard = threading.Lock()
        self._number = 0
        self._pending: dict[int, Future[Any]] = {}

    def expect_next(self) -> tuple[int, Future[Any]]:
        self._number += 1
        return self._number, self.expect(self._number)

    def expect(self, number: int) -> Future[Any]:
        future: Future[Any] = Future()
        with self._guard:
            if self.ended:
                future.set_exception(Problem("store_unavailable", _ENDED))
            else:
                self._pending[number] = future
        return future

    def receive_from(self, process: Process) -> None:
        """Hand out answers until the process ends."""
        with suppress(EOFError, OSError):
            while True:
                number, value, problem = process.pipe.receive()
                future = self._pending.pop(number)
                if problem is None:
                    future.set_result(value)
                else:
                    future.set_exception(Problem(*problem))
        with self._guard:
            self.ended = True
            pending = list(self._pending.values())
        for future in pending:
            future.set_exception(Problem("store_unavailable", _ENDED))


def _end(process: Process, thread: threading.Thread) -> None:
    process.kill()
    thread.join()
    process.end()
