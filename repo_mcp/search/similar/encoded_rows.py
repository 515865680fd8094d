"""The encoded functions of a snapshot, and how near they are to a question.

Nearness is in deviations of the cosines of all, and 0 for the nearest: encoders have cosines of
very different spread, and deviations are alike.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Final, Protocol
from weakref import WeakKeyDictionary

import numpy as np

from index_format import LiveSegment, SegmentReader, Snapshot
from repo_mcp.search.similar.rows import RowPlace
from repo_mcp.vectors import packing, symbol_rows
from repo_mcp.vectors.function_vectors import WIDTH, FileRows, FunctionVectors, rows_of_files
from repo_mcp.vectors.packing import F64, I8, U8

# functions that are compared by all bits: those with the nearest signs
_BY_BITS: Final = 300
# functions whose cosines tell the deviation
_SAMPLE: Final = 512


class EncodedRows:
    """The encoded functions of a snapshot."""

    def __init__(self) -> None:
        """None yet."""
        self._files: list[tuple[LiveSegment, FileRows]] = []
        self._parts: list[U8] = []
        self._starts = [0]

    def __len__(self) -> int:
        """The number of functions."""
        return self._starts[-1]

    def add(self, segment: LiveSegment, item: FileRows, packed: U8) -> None:
        """Add the functions of a file."""
        self._starts.append(self._starts[-1] + len(packed))
        self._files.append((segment, item))
        self._parts.append(packed)

    @cached_property
    def packed(self) -> U8:
        """Their vectors, one a row."""
        return np.concatenate(self._parts)

    @cached_property
    def _of_paths(self) -> Mapping[str, int]:
        named = (item.path_in(segment.reader) for segment, item in self._files)
        return {path: number for number, path in enumerate(named)}

    def of_file(self, path: str) -> Mapping[tuple[int, int], int]:
        """By their lines, the numbers of the functions of a file."""
        file = self._of_paths.get(path)
        if file is None:
            return {}
        firsts, lasts = symbol_rows.lines_of(self._files[file][1].rows)
        spans = zip(firsts.tolist(), lasts.tolist(), strict=True)
        return {span: self._starts[file] + at for at, span in enumerate(spans)}

    def place(self, number: int) -> RowPlace:
        """Where a function is."""
        file = bisect_right(self._starts, number) - 1
        segment, item = self._files[file]
        row = number - self._starts[file]
        firsts, lasts = symbol_rows.lines_of(item.rows[row : row + 1])
        first, last = int(firsts[0]), int(lasts[0])
        return RowPlace(item.path_in(segment.reader), row, first, last, segment, item.file)


class EncodedIndex(Protocol):
    """The index of a root: where its files are."""

    index_dir: str


class EncodedIndexes(Protocol):
    """The indexes of roots: an `Indexes`."""

    @property
    def parts(self) -> Mapping[str, EncodedIndex]:
        """The indexes of single roots."""


class EncodedSnapshots:
    """The encoded functions of the snapshots of some indexes."""

    def __init__(self, indexes: EncodedIndexes, identity: str, vector_width: int) -> None:
        """Name the encoder; the indexes' own vectors have signs of this width."""
        self._indexes = indexes
        self._identity = identity
        self._width = vector_width
        self._vectors: dict[str, FunctionVectors] = {}
        # weakly, so that merged segments are closed though nobody asks again
        self._files: WeakKeyDictionary[SegmentReader, list[FileRows]] = WeakKeyDictionary()
        # with the number of contents that were encoded by then
        self._opened: WeakKeyDictionary[Snapshot, tuple[int, EncodedRows]] = WeakKeyDictionary()

    def of(self, snapshot: Snapshot) -> EncodedRows:
        """The functions that are encoded now."""
        for folder in (root.index_dir for root in self._indexes.parts.values()):
            if folder not in self._vectors:
                self._vectors[folder] = FunctionVectors(folder, self._identity)
        known = [vectors.known() for vectors in self._vectors.values()]
        count = sum(map(len, known))
        opened = self._opened.get(snapshot)
        if opened is None or opened[0] != count:
            opened = count, self._encoded(snapshot, known)
            self._opened[snapshot] = opened
        return opened[1]

    def _encoded(self, snapshot: Snapshot, known: Sequence[Mapping[bytes, bytes]]) -> EncodedRows:
        encoded = EncodedRows()
        for segment in snapshot.segments:
            for item in self._rows_of(segment.reader):
                packed = next((part[item.key] for part in known if item.key in part), b"")
                if item.file not in segment.dead_files and item.fits(packed):
                    rows = np.frombuffer(packed, np.uint8).reshape(-1, WIDTH)
                    encoded.add(segment, item, rows)
        return encoded

    def _rows_of(self, reader: SegmentReader) -> list[FileRows]:
        found = self._files.get(reader)
        if found is None:
            found = [*rows_of_files(reader, self._width)]
            self._files[reader] = found
        return found


class Nearness:
    """The nearness of encoded functions to a question."""

    def __init__(self, compared: EncodedRows, vector: I8) -> None:
        """Compare the vector of the question with all."""
        self.compared = compared
        self._vector = vector
        bits = packing.pack(vector[None, :])[0].tobytes()
        far = packing.distances(bits, compared.packed)
        near = np.argsort(far, kind="stable")[:_BY_BITS]
        cosines = self._cosines(near.tolist())
        sample = np.linspace(0, len(compared) - 1, min(len(compared), _SAMPLE)).astype(np.int64)
        self._deviation = float(self._cosines(sample.tolist()).std()) or 1.0
        self._most = float(cosines.max())
        found = zip((-self._relative(cosines)).tolist(), near.tolist(), strict=True)
        # numbers of functions, nearest first
        self.nearest = [(-value, number) for value, number in sorted(found)]

    def of(self, numbers: Sequence[int]) -> list[float]:
        """The nearness of functions, which none exceeds that is found."""
        found: list[float] = []
        if numbers:
            found = self._relative(self._cosines(numbers)).tolist()
        return found

    def _relative(self, cosines: F64) -> F64:
        found: F64 = np.minimum(cosines - self._most, 0.0) / self._deviation
        return found

    def _cosines(self, numbers: Sequence[int]) -> F64:
        return packing.fine_cosines(self._vector, self.compared.packed[numbers])
