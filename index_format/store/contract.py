"""The contract between the format and the place its files live in.

A store holds write-once files and one replaceable pointer. Nothing else in this library touches a
disk: the format reads through `ReadHandle`s and writes through `WriteHandle`s.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import AbstractContextManager
from typing import Protocol


class ReadHandle(Protocol):
    """An open file: it stays readable after its name is removed from the store."""

    name: str
    size: int
    # equal only while nobody has touched the file; empty if the store can't tell. It begins with
    # `layout.UNREAD` where a remote place is believed as to the file's name
    identity: str

    def read(self, offset: int, length: int) -> bytes:
        """Exactly these bytes; `CorruptIndexError` (section "file") when the file is shorter."""
        ...

    def expect(self, ranges: Iterable[tuple[int, int]]) -> None:
        """Offsets and lengths that are read next; a remote place asks for them at once."""
        ...

    def close(self) -> None:
        """Close the file; a second call does nothing."""
        ...


class WriteHandle(Protocol):
    """A file under construction, invisible until `publish`."""

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """Append all of `data`."""
        ...

    def publish(self, name: str) -> None:
        """Make it durable, then visible under `name`, a segment's or manifest's.

        An existing file with the same bytes is kept; one with other bytes is damaged, and replaced.
        """
        ...

    def discard(self) -> None:
        """Throw it away; does nothing after `publish` or a second time."""
        ...


class ScratchFile(Protocol):
    """A nameless temporary file; gone when closed or when the process ends."""

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """Append all of `data`."""
        ...

    def read(self, offset: int, length: int) -> bytes:
        """Exactly these bytes, as written before."""
        ...

    def close(self) -> None:
        """Free its space."""
        ...


class Store(Protocol):
    """A flat folder of index files. Every method raises `StoreError`s only, never `OSError`."""

    @property
    def writable(self) -> bool:
        """True if files can be written; known for sure only under the lock."""
        ...

    @property
    def keeps_origin(self) -> bool:
        """True if it has a record of what was published in it."""
        ...

    def names(self) -> list[str]:
        """Names of all index files, sorted: the pointer, manifests, segments, temporary files."""
        ...

    def open(self, name: str) -> ReadHandle:
        """Open a file for reading; `FileMissingError` when there is none.

        `CorruptIndexError` when something else has its name: a link, a folder, a device.
        """
        ...

    def create(self) -> WriteHandle:
        """Begin a new file."""
        ...

    def scratch(self) -> ScratchFile:
        """Begin a scratch file."""
        ...

    def replace(self, name: str, data: bytes) -> None:
        """Replace the file `name`, the pointer, with `data`, atomically and durably."""
        ...

    def origin_key(self) -> bytes:
        """A key that is this folder's alone and can't be copied with it."""
        ...

    def read_origin(self) -> bytes:
        """The record of what was published here; `FileMissingError` when there is none."""
        ...

    def write_origin(self, data: bytes) -> None:
        """Replace that record, atomically."""
        ...

    def sync(self) -> None:
        """Make all publishing and replacing so far durable (fsync of the folder)."""
        ...

    def remove(self, name: str) -> bool:
        """Remove a file; False if it is missing or held open by another process (Windows)."""
        ...

    def age(self, name: str) -> float:
        """Seconds since the file was published; 0 when unknown."""
        ...

    def lock(self, wait_seconds: float) -> AbstractContextManager[None]:
        """The writer lock; `IndexBusyError` when it is not free in time. Dies with its process."""
        ...
