"""Numbers live chunks densely in the order of path and place, as Whoosh's document numbers.

The numbers are those of an index that was built from the live files alone: dead chunks and the
order of segments don't show in them.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from index_format.codec.bits import I64, U8, U32, exclusive_sum, ranges
from index_format.generation.snapshot import Snapshot


class Numbering:
    """Translates between a snapshot's chunk numbers and dense ones."""

    def __init__(self, snapshot: Snapshot) -> None:
        """See whether there is anything to translate; tables are made at the first question."""
        self._snapshot = snapshot
        self.count = snapshot.chunk_count
        self.is_identity = _is_sorted_run(snapshot)
        self._tables: tuple[I64, I64] | None = None
        self._codes: dict[int, U8] = {}

    def numbers(self, chunks: I64 | U32) -> I64:
        """Dense numbers of a snapshot's chunks, -1 for dead ones."""
        return chunks.astype(np.int64) if self.is_identity else self._load()[0][chunks]

    def chunk(self, number: int) -> int:
        """The snapshot's number of a chunk."""
        if not 0 <= number < self.count:
            msg = f"no document {number}: there are {self.count}"
            raise IndexError(msg)
        return number if self.is_identity else int(self._load()[1][number])

    def length_codes(self, field: int) -> U8:
        """Length codes of a field by dense number."""
        codes = self._codes.get(field)
        if codes is None:
            parts = [item.reader.chunks.codes(field) for item in self._snapshot.segments]
            codes = np.concatenate(parts) if parts else np.zeros(0, dtype=np.uint8)
            if not self.is_identity:
                codes = codes[self._load()[1]]
            self._codes[field] = codes
        return codes

    def _load(self) -> tuple[I64, I64]:
        if self._tables is None:
            chunks = _live_chunks(self._snapshot)
            numbers = np.full(self._snapshot.chunk_span, -1, dtype=np.int64)
            numbers[chunks] = np.arange(len(chunks))
            self._tables = numbers, chunks
        return self._tables


def _is_sorted_run(snapshot: Snapshot) -> bool:
    segments = [item for item in snapshot.segments if item.reader.file_count]
    if any(item.dead_files for item in segments):
        return False
    tables = [item.reader.files for item in segments]
    return all(a.paths.path(a.count - 1) < b.paths.path(0) for a, b in pairwise(tables))


def _live_chunks(snapshot: Snapshot) -> I64:
    """Numbers of all live chunks in the order of path and place."""
    files = np.array([(n, file) for _, n, file in snapshot.files()], dtype=np.int64).reshape(-1, 2)
    bounds = [item.reader.files.bounds for item in snapshot.segments]
    if not bounds:
        return np.zeros(0, dtype=np.int64)
    first_bound = exclusive_sum(np.array([len(part) for part in bounds], dtype=np.int64))
    edges = np.concatenate(
        [part + item.base for part, item in zip(bounds, snapshot.segments, strict=True)]
    )
    at = first_bound[files[:, 0]] + files[:, 1]
    return ranges(edges[at], edges[at + 1] - edges[at])
