"""Index files in memory: the twin of `FileStore` for tests and for indexes that need no disk."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Final, TypeVar

from index_format import layout
from index_format.errors import (
    CorruptIndexError,
    FileMissingError,
    IndexBusyError,
    StoreError,
    StoreWriteError,
)
from index_format.store import names

_CLOSED: Final = "already closed"
Data = TypeVar("Data", bytes, bytearray)


def _slice(data: Data, name: str, offset: int, length: int) -> Data:
    if min(offset, length) < 0 or offset + length > len(data):
        got = f"{len(data)} bytes in all"
        raise CorruptIndexError(name, "file", offset, got, f"{length} bytes")
    return data[offset : offset + length]


class MemoryReader:
    """An open file: keeps the bytes even if the name is removed."""

    def __init__(self, name: str, data: bytes) -> None:
        """Hold these bytes."""
        self.name = name
        self.size = len(data)
        self.identity = ""
        self._data: bytes | None = data

    def read(self, offset: int, length: int) -> bytes:
        """Exactly these bytes; `CorruptIndexError` where the file ends before them."""
        if self._data is None:
            message = f"read {self.name}: {_CLOSED}"
            raise StoreError(message)
        return _slice(self._data, self.name, offset, length)

    def expect(self, ranges: Iterable[tuple[int, int]]) -> None:
        """All bytes are here."""

    def close(self) -> None:
        """Let go of the bytes."""
        self._data = None


class MemoryScratch:
    """Room for intermediate data."""

    def __init__(self) -> None:
        """Start empty."""
        self._data: bytearray | None = bytearray()

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """Append all of `data`."""
        if self._data is None:
            raise StoreWriteError("write", "scratch", _CLOSED)
        self._data += data

    def read(self, offset: int, length: int) -> bytes:
        """Exactly these bytes, as written before."""
        if self._data is None:
            message = f"read scratch: {_CLOSED}"
            raise StoreError(message)
        return bytes(_slice(self._data, "scratch", offset, length))

    def close(self) -> None:
        """Give the room back."""
        self._data = None


class _MemoryWriter:
    """A file under construction: a private buffer."""

    def __init__(self, put: Callable[[str, bytes], None]) -> None:
        self._put = put
        self._data: bytearray | None = bytearray()

    def write(self, data: bytes | bytearray | memoryview) -> None:
        if self._data is None:
            raise StoreWriteError("write", "temporary file", _CLOSED)
        self._data += data

    def publish(self, name: str) -> None:
        names.check_published(name)
        if self._data is None:
            raise StoreWriteError("publish", name, _CLOSED)
        self._put(name, bytes(self._data))
        self._data = None

    def discard(self) -> None:
        self._data = None


class MemoryStore:
    """A folder of index files in memory; safe to use from several threads."""

    def __init__(
        self,
        files: Mapping[str, bytes] | None = None,
        *,
        clock: Callable[[], float] = time.monotonic,
        origin_key: bytes = b"",
        origin: bytes | None = None,
    ) -> None:
        """Start with these files; `clock` measures their age.

        With an `origin_key` it keeps a record of what was published in it, `origin` at first.
        """
        self.writable = True
        self.keeps_origin = bool(origin_key)
        self.origin = origin
        self._origin_key = origin_key
        self._clock = clock
        self._files: dict[str, tuple[bytes, float]] = {}
        self._guard = threading.Lock()
        self._writer = threading.Lock()
        for name, data in (files or {}).items():
            names.check_listed(name)
            self._put(name, data)

    def names(self) -> list[str]:
        """Names of all files, sorted."""
        with self._guard:
            return sorted(self._files)

    def contents(self) -> dict[str, bytes]:
        """The bytes of all files by their names."""
        with self._guard:
            return {name: data for name, (data, _) in self._files.items()}

    def open(self, name: str) -> MemoryReader:
        """Open a file for reading; `FileMissingError` when there is none."""
        names.check_listed(name)
        with self._guard:
            found = self._files.get(name)
        if found is None:
            raise FileMissingError(name)
        return MemoryReader(name, found[0])

    def create(self) -> _MemoryWriter:
        """Begin a new file."""
        return _MemoryWriter(self._put)

    def scratch(self) -> MemoryScratch:
        """Begin a scratch file."""
        return MemoryScratch()

    def replace(self, name: str, data: bytes) -> None:
        """Replace the file `name` with `data`."""
        names.check_replaced(name)
        with self._guard:
            self._files[name] = (bytes(data), self._clock())

    def origin_key(self) -> bytes:
        """The given key."""
        return self._origin_key

    def read_origin(self) -> bytes:
        """The record of what was published here."""
        if self.origin is None:
            raise FileMissingError(layout.ORIGIN_NAME)
        return self.origin

    def write_origin(self, data: bytes) -> None:
        """Replace that record."""
        self.origin = bytes(data)

    def sync(self) -> None:
        """Nothing here outlives the process."""

    def remove(self, name: str) -> bool:
        """Remove a file; False when it was gone."""
        names.check_listed(name)
        with self._guard:
            return self._files.pop(name, None) is not None

    def age(self, name: str) -> float:
        """Seconds since the file was published; 0 when there is none."""
        names.check_listed(name)
        with self._guard:
            found = self._files.get(name)
        return 0.0 if found is None else max(0.0, self._clock() - found[1])

    @contextmanager
    def lock(self, wait_seconds: float) -> Iterator[None]:
        """Hold the writer lock against other threads."""
        if not self._writer.acquire(timeout=max(0.0, wait_seconds)):
            message = "another writer holds the lock of this index"
            raise IndexBusyError(message)
        try:
            yield
        finally:
            self._writer.release()

    def _put(self, name: str, data: bytes) -> None:
        """Give a name its bytes; the same bytes again change nothing, not even the age."""
        with self._guard:
            found = self._files.get(name)
            if found is None or found[0] != data:
                self._files[name] = (data, self._clock())
