"""The contract between published indexes and the place they are in: objects by name.

All methods raise `Problem` alone: "store_unavailable" where the place does not answer as it should.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Protocol

from index_format.tuples import NamedTuple


class ObjectRow(NamedTuple):
    """An object as it is listed; `modified` is in seconds, by the clock of the store."""

    name: str
    size: int
    modified: float


class VersionedObject(NamedTuple):
    """The bytes of an object, and the version to hand to `replace`."""

    data: bytes
    version: object


class ObjectReader(Protocol):
    """A place of objects, whose names are paths of lower-case parts below a prefix."""

    @property
    def lists(self) -> bool:
        """True if names can be listed; a plain web server has no list."""
        ...

    def get(self, name: str, most: int) -> VersionedObject | None:
        """An object of at most so many bytes, or None if there is none of this name."""
        ...

    def read(self, name: str, start: int, length: int) -> bytes:
        """These bytes of an object, fewer if it is shorter; any thread may call it."""
        ...

    def size(self, name: str) -> int | None:
        """The bytes of an object, None if there is none of this name."""
        ...

    def rows(self, folder: str) -> Iterator[ObjectRow]:
        """All objects below a folder, in no order."""
        ...


class ObjectStore(ObjectReader, Protocol):
    """A place that objects are written to, too."""

    def put(self, name: str, pieces: Iterable[bytes]) -> None:
        """Write an object whole, in place of an older one; any thread may call it."""
        ...

    def create(self, name: str, data: bytes) -> bool:
        """Write an object if there is none of this name; whether that is so."""
        ...

    def replace(self, name: str, data: bytes, version: object) -> bool:
        """Replace an object if it still has this version; whether it had."""
        ...

    def remove(self, name: str) -> None:
        """Remove an object; nothing happens when there is none."""
        ...
