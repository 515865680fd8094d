"""Copies what an index reads where it is published, until it needs the place no more.

What has arrived of a segment is kept in blocks, which queries read as well: who goes on later
asks for the rest alone. A segment that is there whole is written under the lock of its index,
verified by its name, and then read here by all that have it open. A process may end at any point,
and several may copy the same index.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from typing import Final

from index_format import (
    CorruptIndexError,
    FileMissingError,
    IndexBusyError,
    IndexFormatError,
    ReadHandle,
    SegmentEntry,
    SharedStore,
    Store,
    StoreWriteError,
    copy_borrowed,
    list_borrowed,
    settle_copies,
)
from index_format.tuples import NamedTuple
from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.model import Progress
from repo_mcp.remote.objects.blocks import BlockCache
from repo_mcp.remote.objects.priority import RANGE_PRIORITY
from repo_mcp.remote.publish.transfer import Transfer
from repo_mcp.stored import STORED_KINDS, StoredKind

COPYING: Final = "copying"
# asked for at a time: so long a query waits that comes meanwhile
_PIECE_BYTES: Final = 2 << 20
_LOCK_SECONDS: Final = 10.0
# of a segment with other bytes than its own: what was damaged on its way is right the second time
_ATTEMPTS: Final = 2
# a segment is on the disk twice while it is copied
_ROOM: Final = 2


class CopyReport(NamedTuple):
    """Counts of what was copied, and what is still read where it is published."""

    copied: int
    copied_size: int
    left: int


class SegmentCopier:
    """Copies for one index of a checkout and those made from it; `room` is what the disk has."""

    def __init__(
        self,
        stores: Callable[[StoredKind], Store],
        blocks: BlockCache,
        room: Callable[[], float],
        on_progress: Callable[[Progress], None] = lambda _: None,
    ) -> None:
        """Keep the arguments; asks for nothing yet."""
        self._stores = stores
        self._blocks = blocks
        self._room = room
        self._on_progress = on_progress

    def left(self) -> int:
        """The number of segments that are still read where they are published."""
        return sum(len(list_borrowed(store)) for store in self._remote_stores())

    def settle(self) -> None:
        """Use the copies that are there: of a run that ended, or of one that pulled."""
        for store in self._remote_stores():
            if store.copied():
                with suppress(IndexBusyError), _problems(), store.lock(_LOCK_SECONDS):
                    settle_copies(store)

    def copy(self, budget: Budget) -> CopyReport:
        """Copy what is missing; what is in use by a writer, or has no room, is left.

        `Problem`: "store_unavailable" where the place does not answer, "publication_invalid" where
        a segment there has other bytes than its own.
        """
        self.settle()
        wanted = [
            (store, entry) for store in self._remote_stores() for entry in list_borrowed(store)
        ]
        report = Transfer(COPYING, (entry for _, entry in wanted), budget, self._on_progress)
        copied = [entry for store, entry in wanted if self._copy(store, entry, report)]
        size = sum(entry.length for entry in copied)
        return CopyReport(len(copied), size, self.left())

    def _remote_stores(self) -> Iterator[SharedStore]:
        for kind in STORED_KINDS:
            store = self._stores(kind)
            if isinstance(store, SharedStore):
                yield store

    def _copy(self, store: SharedStore, entry: SegmentEntry, report: Transfer) -> bool:
        """Copy one segment; whether that was done here."""
        if _ROOM * entry.length > self._room():
            return False
        altered = ""
        for _ in range(_ATTEMPTS):
            try:
                with _problems(), RANGE_PRIORITY.copying():
                    return self._receive(store, entry, report)
            except IndexBusyError:
                return False
            except CorruptIndexError as error:
                altered = str(error)[:200]
                self._blocks.forget(entry.name)
        raise Problem("publication_invalid", altered)

    def _receive(self, store: SharedStore, entry: SegmentEntry, report: Transfer) -> bool:
        try:
            opened = store.open_borrowed(entry.name)
        except FileMissingError:
            if entry.name in store.borrowed():
                raise
            return False  # another copier was faster
        with closing(opened) as handle:
            if entry.length <= self._blocks.most_bytes // 2:  # else they would not stay
                for _ in report.count(entry, _pieces(handle, entry)):
                    RANGE_PRIORITY.wait()
            with store.lock(_LOCK_SECONDS):
                if entry.name not in store.borrowed():
                    return False  # copied by another process, or needed no more
                copy_borrowed(store, entry, report.count(entry, _pieces(handle, entry)))
        self._blocks.forget(entry.name)
        return True


def _pieces(handle: ReadHandle, entry: SegmentEntry) -> Iterator[bytes]:
    """The bytes of a segment, from blocks or else from the place."""
    for start in range(0, entry.length, _PIECE_BYTES):
        yield handle.read(start, min(_PIECE_BYTES, entry.length - start))


@contextmanager
def _problems() -> Iterator[None]:
    """Turn what is wrong with the place or the disk into a `Problem`; damage is the caller's."""
    try:
        yield
    except (CorruptIndexError, IndexBusyError):
        raise
    except StoreWriteError as error:
        raise Problem("index_unavailable", str(error)[:200]) from error
    except IndexFormatError as error:
        raise Problem("store_unavailable", str(error)[:200]) from error
