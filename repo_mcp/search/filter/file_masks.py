"""Masks over the files of a snapshot: one element for each file of each segment, dead or alive."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Final, TypeAlias
from weakref import WeakKeyDictionary

import numpy as np

from index_format import Snapshot, chunks_of_files

if TYPE_CHECKING:
    import numpy.typing as npt

Mask: TypeAlias = "npt.NDArray[np.bool_]"
I64: TypeAlias = "npt.NDArray[np.int64]"

_MOST_BYTES: Final = 4 << 20
_ENTRY_BYTES: Final = 256
# at most one file in so many selected: set their chunks one by one, else map all chunks
_FEW: Final = 8


class FileAxis:
    """Numbers the files of a snapshot over all segments, and maps them to chunks."""

    def __init__(self, snapshot: Snapshot) -> None:
        """`edges` are the first file numbers of the segments, and the total."""
        self.segments = snapshot.segments
        sizes = [segment.entry.files for segment in self.segments]
        self.edges: list[int] = np.cumsum([0, *sizes]).tolist()
        self.count = self.edges[-1]
        self._starts = snapshot.file_starts
        self._counts: I64 = self._starts[1:] - self._starts[:-1]
        self.file_of_chunk: I64 = np.repeat(np.arange(self.count, dtype=np.int64), self._counts)
        self._alive = np.ones(self.count, dtype=np.bool_)
        for segment, edge in zip(self.segments, self.edges, strict=False):
            self._alive[[edge + dead for dead in segment.dead_files]] = False

    def paths_named(self, parts: Sequence[str]) -> list[str]:
        """Paths of live files with one of these parts in their own names, as a snapshot's."""
        encoded = [part.encode("ascii") for part in parts]
        found: list[str] = []
        for segment in self.segments:
            paths = segment.reader.files.paths
            found += paths.paths_of(sorted(paths.named(encoded) - segment.dead_files))
        return found

    @property
    def lengths(self) -> I64:
        """Number of chunks of each file, dead files included."""
        return self._counts

    @property
    def alive(self) -> Mask:
        """Mask of the live files."""
        return self._alive

    def files_of_chunks(self, chunks: npt.NDArray[np.int64 | np.uint32]) -> Mask:
        """Mask of the files that contain these chunks."""
        files = self.no_files()
        files[self.file_of_chunk[chunks]] = True
        return files

    def chunks(self, files: Mask) -> Mask:
        """Mask of the chunks of these files, without dead files."""
        alive = self.only_alive(files)
        chosen = alive.nonzero()[0]
        if len(chosen) * _FEW > self.count:
            return alive.take(self.file_of_chunk)
        chunks = np.zeros(len(self.file_of_chunk), dtype=np.bool_)
        chunks[chunks_of_files(self._starts, chosen)] = True
        return chunks

    def only_alive(self, files: Mask) -> Mask:
        """The mask without dead files."""
        return files & self._alive

    def no_files(self) -> Mask:
        """Mask of no file."""
        return np.zeros(self.count, dtype=np.bool_)

    def all_files(self) -> Mask:
        """Mask of all files."""
        return np.ones(self.count, dtype=np.bool_)

    def concatenate(self, parts: Sequence[Mask]) -> Mask:
        """The masks of the segments, in their order, as one mask."""
        return np.concatenate([*parts, np.zeros(0, dtype=np.bool_)])


class MaskCache:
    """An LRU cache of masks; thread-safe."""

    def __init__(self, most_bytes: int = _MOST_BYTES) -> None:
        """`most_bytes` limits the packed masks, eight elements to a byte."""
        self._most = most_bytes
        self._size = 0
        self._lock = threading.Lock()
        self._kept: OrderedDict[Hashable, tuple[npt.NDArray[np.uint8], int]] = OrderedDict()

    def get(self, key: Hashable) -> Mask | None:
        """A copy of a cached mask, None if there is none."""
        with self._lock:
            found = self._kept.get(key)
            if found is None:
                return None
            self._kept.move_to_end(key)
        packed, count = found
        return np.unpackbits(packed, count=count).view(np.bool_)

    def put(self, key: Hashable, mask: Mask) -> None:
        """Caches a mask and evicts the least recently used ones."""
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
    """The file axis of a snapshot, and caches of its masks."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.axis = FileAxis(snapshot)
        self.files = MaskCache()
        self.chunks = MaskCache()


class MasksBySnapshot:
    """The `SnapshotMasks` of each open snapshot."""

    def __init__(self) -> None:
        self._known: WeakKeyDictionary[Snapshot, SnapshotMasks] = WeakKeyDictionary()
        self._lock = threading.Lock()

    def get(self, snapshot: Snapshot) -> SnapshotMasks:
        """The masks of a snapshot, made on first use."""
        with self._lock:
            known = self._known.get(snapshot)
            if known is None:
                known = self._known[snapshot] = SnapshotMasks(snapshot)
            return known
