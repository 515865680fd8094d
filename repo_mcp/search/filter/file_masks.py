"""Which files of a snapshot, as arrays: one place for each file of each segment, dead ones too."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Hashable, Sequence
from typing import Final
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from index_format import Snapshot, chunks_of_files

Mask = npt.NDArray[np.bool_]
I64 = npt.NDArray[np.int64]

_MOST_BYTES: Final = 4 << 20
_ENTRY_BYTES: Final = 256
# where one file in so many is chosen, or fewer, their chunks are set one by one
_FEW: Final = 8


class FileAxis:
    """The files of a snapshot in a row, and the chunks of each."""

    def __init__(self, snapshot: Snapshot) -> None:
        """Line up the segments."""
        self.segments = snapshot.segments
        sizes = [segment.entry.files for segment in self.segments]
        self.edges: list[int] = np.cumsum([0, *sizes]).tolist()
        self.count = self.edges[-1]
        self._starts = snapshot.file_starts
        self._counts: I64 = np.diff(self._starts)
        self.of_chunk: I64 = np.repeat(np.arange(self.count, dtype=np.int64), self._counts)
        self._alive = np.ones(self.count, dtype=np.bool_)
        for segment, edge in zip(self.segments, self.edges, strict=False):
            self._alive[[edge + dead for dead in segment.dead_files]] = False

    @property
    def lengths(self) -> I64:
        """How many chunks each file has, dead ones too."""
        return self._counts

    @property
    def alive(self) -> Mask:
        """Which files are not dead."""
        return self._alive

    def holding(self, chunks: npt.NDArray[np.int64 | np.uint32]) -> Mask:
        """The files of these chunks."""
        files = self.none()
        files[self.of_chunk[chunks]] = True
        return files

    def chunks(self, files: Mask) -> Mask:
        """The chunks of these files as far as they are alive."""
        alive = self.living(files)
        chosen = np.flatnonzero(alive)
        if len(chosen) * _FEW > self.count:
            return alive.take(self.of_chunk)
        chunks = np.zeros(len(self.of_chunk), dtype=np.bool_)
        chunks[chunks_of_files(self._starts, chosen)] = True
        return chunks

    def living(self, files: Mask) -> Mask:
        """These files without dead ones."""
        return files & self._alive

    def none(self) -> Mask:
        """No file."""
        return np.zeros(self.count, dtype=np.bool_)

    def every(self) -> Mask:
        """All files."""
        return np.ones(self.count, dtype=np.bool_)

    def joined(self, parts: Sequence[Mask]) -> Mask:
        """One mask from those of the segments in order."""
        return np.concatenate([*parts, np.zeros(0, dtype=np.bool_)])


class MaskCache:
    """Masks that were worked out before, the last used ones; for any number of threads."""

    def __init__(self, most_bytes: int = _MOST_BYTES) -> None:
        """Keep so much, eight masks' places to a byte."""
        self._most = most_bytes
        self._size = 0
        self._lock = threading.Lock()
        self._kept: OrderedDict[Hashable, tuple[npt.NDArray[np.uint8], int]] = OrderedDict()

    def get(self, key: Hashable) -> Mask | None:
        """A mask of one's own, None where it is not known."""
        with self._lock:
            found = self._kept.get(key)
            if found is None:
                return None
            self._kept.move_to_end(key)
        packed, count = found
        return np.unpackbits(packed, count=count).view(np.bool_)

    def put(self, key: Hashable, mask: Mask) -> None:
        """Keep a mask; others make room for it."""
        packed = np.packbits(mask)
        with self._lock:
            if key in self._kept:
                return
            self._kept[key] = packed, len(mask)
            self._size += len(packed) + _ENTRY_BYTES
            while self._size > self._most:
                _, (old, _) = self._kept.popitem(last=False)
                self._size -= len(old) + _ENTRY_BYTES


class SnapshotMasks:
    """What is remembered of a snapshot for as long as somebody reads it."""

    def __init__(self, snapshot: Snapshot) -> None:
        """Line the files up; no mask is known yet."""
        self.axis = FileAxis(snapshot)
        self.files = MaskCache()
        self.chunks = MaskCache()


class KnownSnapshots:
    """What is known of each open snapshot."""

    def __init__(self) -> None:
        """Know nothing."""
        self._known: WeakKeyDictionary[Snapshot, SnapshotMasks] = WeakKeyDictionary()
        self._lock = threading.Lock()

    def of(self, snapshot: Snapshot) -> SnapshotMasks:
        """What is known of this one."""
        with self._lock:
            known = self._known.get(snapshot)
            if known is None:
                known = self._known[snapshot] = SnapshotMasks(snapshot)
            return known
