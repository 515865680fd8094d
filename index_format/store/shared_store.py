"""A store of which some segments lie elsewhere, where other stores use them too.

They are read where they lie. What is written goes into the store's own folder, and a copy there
comes first, so that a segment that was lost elsewhere can be made again here.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from contextlib import AbstractContextManager
from typing import Protocol

from index_format.errors import FileMissingError
from index_format.store import names
from index_format.store.contract import ReadHandle, ScratchFile, Store, WriteHandle


class SegmentSource(Protocol):
    """Segments that several stores read, and the list of those that this store needs.

    Whoever removes segments there keeps what a list names. Its methods raise `StoreError`s only.
    """

    def open(self, name: str) -> ReadHandle:
        """Open a segment, listed or not; `FileMissingError` when there is none."""
        ...

    def needed(self) -> frozenset[str]:
        """The listed segments."""
        ...

    def list_needed(self, segments: frozenset[str]) -> None:
        """Replace the list, durably."""
        ...


class SharedStore:
    """A store of its own files and of the segments it needs from a source."""

    def __init__(self, own: Store, source: SegmentSource, *, merges: bool = True) -> None:
        """Keep both; reads nothing. Without `merges`, none of the source's is merged into own ones.

        Merging would copy it here.
        """
        self._own = own
        self._source = source
        self._merges = merges

    @property
    def own(self) -> Store:
        """The store of its own files alone."""
        return self._own

    @property
    def writable(self) -> bool:
        """True if own files can be written."""
        return self._own.writable

    @property
    def keeps_origin(self) -> bool:
        """True if there is a record of what was published; it vouches for both kinds of files."""
        return self._own.keeps_origin

    def names(self) -> list[str]:
        """Names of own files and of the segments needed from the source, sorted."""
        return sorted({*self._own.names(), *self._source.needed()})

    def borrowed(self) -> frozenset[str]:
        """Segments that are read from the source."""
        return self._source.needed().difference(self._own.names())

    def all_borrowed(self) -> frozenset[str]:
        """Segments that are read from the source, or from one of the own store."""
        own = self._own
        return self.borrowed() | (
            own.all_borrowed() if isinstance(own, SharedStore) else frozenset()
        )

    def copied(self) -> frozenset[str]:
        """Segments that are listed as needed from the source, though the own store has them."""
        return self._source.needed().intersection(self._own.names())

    def unmerged(self) -> frozenset[str]:
        """Segments that are left where they are, however small."""
        return frozenset() if self._merges else self.borrowed()

    def borrow(self, segments: Iterable[str]) -> None:
        """Need these from the source from now on, besides those before."""
        before = self._source.needed()
        if after := frozenset(segments).difference(before):
            self._source.list_needed(before | after)

    def release(self, segments: Iterable[str]) -> None:
        """Take these off the list of needed segments."""
        before = self._source.needed()
        if gone := before.intersection(segments):
            self._source.list_needed(before - gone)

    def open_borrowed(self, name: str) -> ReadHandle:
        """A segment of the source, whether there is an own copy or not."""
        names.check_listed(name)
        return self._source.open(name)

    def remove_copy(self, name: str) -> bool:
        """Remove the own copy of a segment; the source is still needed for it."""
        return self._own.remove(name)

    def open(self, name: str) -> ReadHandle:
        """Open an own file, else a segment of the source."""
        try:
            return self._own.open(name)
        except FileMissingError:
            # unlisted ones too: a reader of an older generation may come late
            if not names.is_segment(name):
                raise
            return self._source.open(name)

    def create(self) -> WriteHandle:
        """Begin a new file of its own."""
        return self._own.create()

    def scratch(self) -> ScratchFile:
        """Begin a scratch file."""
        return self._own.scratch()

    def replace(self, name: str, data: bytes) -> None:
        """Replace an own file."""
        self._own.replace(name, data)

    def origin_key(self) -> bytes:
        """The key of the own folder."""
        return self._own.origin_key()

    def read_origin(self) -> bytes:
        """The record of what was published here."""
        return self._own.read_origin()

    def write_origin(self, data: bytes) -> None:
        """Replace that record."""
        self._own.write_origin(data)

    def sync(self) -> None:
        """Make the own folder's names durable; the source's list is so when it is replaced."""
        self._own.sync()

    def remove(self, name: str) -> bool:
        """Remove an own file, and need a segment no longer; the source's file stays."""
        removed = self._own.remove(name)
        if names.is_segment(name):
            before = self._source.needed()
            if name in before:
                self._source.list_needed(before - {name})
                return True
        return removed

    def age(self, name: str) -> float:
        """Seconds since an own file was published; a segment of the source is released at once.

        Releasing removes no file: readers that are late still find it.
        """
        return math.inf if name in self.borrowed() else self._own.age(name)

    def lock(self, wait_seconds: float) -> AbstractContextManager[None]:
        """The own writer lock."""
        return self._own.lock(wait_seconds)


def unmerged_of(store: Store) -> frozenset[str]:
    """The segments of a store that merges leave where they are: a store of its own has none."""
    return store.unmerged() if isinstance(store, SharedStore) else frozenset()
