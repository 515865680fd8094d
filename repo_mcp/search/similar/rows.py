"""The rows of all declarations of a snapshot, and which of them are near a vector or of a shape.

Segments never change, so the rows of one are read once, as long as it is in use: after an edit only
those of the new segment are read.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Final, TypeAlias
from weakref import WeakKeyDictionary

import numpy as np

from index_format import CorruptIndexError, LiveSegment, SegmentReader, Snapshot
from index_format.tuples import NamedTuple
from repo_mcp.stored import SYMBOL_ROWS
from repo_mcp.vectors import packing, symbol_rows
from repo_mcp.vectors.packing import I8, U8

if TYPE_CHECKING:
    import numpy.typing as npt

I64: TypeAlias = "npt.NDArray[np.int64]"
U32: TypeAlias = "npt.NDArray[np.uint32]"

# the distance of rows that are not to be found; those of others may be as large
_NEVER: Final = 255
# equally near rows are all compared, up to so many times the number that was asked for
_MOST_TIES: Final = 4
_NO_DISTANCES: Final = np.zeros(0, dtype=np.uint8)


class RowPlace(NamedTuple):
    """A row: its file, its number among the rows of the file, and the lines of its declaration."""

    path: str
    row: int
    first: int
    last: int
    segment: LiveSegment
    file: int


class _SegmentRows(NamedTuple):
    """The rows of a segment, those of dead files as well."""

    rows: U8
    shapes: U32
    first_lines: U32
    line_counts: U32
    starts: I64  # the first row of each file, and the end


class _LiveRows(NamedTuple):
    """The rows of a segment as one generation sees it: which of them are of dead files."""

    segment: LiveSegment
    held: _SegmentRows
    dead: I64

    def alive(self, rows: I64) -> I64:
        """The rows of live files among these."""
        is_alive = np.ones(len(self.held.rows), dtype=np.bool_)
        is_alive[self.dead] = False
        return rows[is_alive[rows]]


class _SomeRows(NamedTuple):
    """Some rows of a segment, ascending."""

    segment: LiveSegment
    held: _SegmentRows
    rows: I64

    def places(self, which: I64) -> Iterator[RowPlace]:
        rows = self.rows[which]
        files = np.searchsorted(self.held.starts, rows, side="right") - 1
        inside = rows - self.held.starts[files]
        first = self.held.first_lines[rows].astype(np.int64)
        last = first + self.held.line_counts[rows] - 1
        table = self.segment.reader.files.paths
        paths = {
            file: table.path(file).decode("utf-8", "surrogatepass")
            for file in dict.fromkeys(files.tolist())
        }
        columns = (column.tolist() for column in (inside, first, last, files))
        for row, begin, end, file in zip(*columns, strict=True):
            yield RowPlace(paths[file], row, begin, end, self.segment, file)


class SymbolRows:
    """Finds rows in snapshots; keeps those of the segments that are in use."""

    def __init__(self, width: int) -> None:
        """`width` is that of the signs of a vector."""
        self._width = width
        # weakly, so that merged segments are closed though nobody asks again
        self._known: WeakKeyDictionary[SegmentReader, _SegmentRows] = WeakKeyDictionary()
        self._live: WeakKeyDictionary[Snapshot, list[_LiveRows]] = WeakKeyDictionary()

    def near(self, snapshot: Snapshot, vector: I8, most: int, by_bits: int) -> list[RowPlace]:
        """The rows that are nearest to a vector, of about `by_bits` with the nearest bits.

        Equally near ones are in the order of paths.
        """
        return [place for _, place in self.nearest(snapshot, vector, most, by_bits)]

    def nearest(
        self, snapshot: Snapshot, vector: I8, most: int, by_bits: int
    ) -> list[tuple[float, RowPlace]]:
        """The same with their cosines."""
        bits = packing.pack(vector[None, :])[0].tobytes()
        chosen = _nearest(self._of(snapshot), bits, by_bits)
        return self._with_cosines(chosen, vector, most)

    def _with_cosines(
        self, chosen: Sequence[_SomeRows], vector: I8, most: int
    ) -> list[tuple[float, RowPlace]]:
        if not chosen:
            return []
        wide = packing.FINE_PLANES * self._width
        packed = np.concatenate([item.held.rows[item.rows, :wide] for item in chosen])
        cosines = -packing.fine_cosines(vector, packed)
        # not `np.split`, which is not of numpy's core
        bounds = pairwise([0, *accumulate(len(item.rows) for item in chosen)])
        found = _first([cosines[begin:end] for begin, end in bounds], chosen, most)
        return [(-key, place) for key, place in found]

    def of_files(
        self, snapshot: Snapshot, vector: I8, chunks: Iterable[int], by_bits: int
    ) -> list[tuple[float, RowPlace]]:
        """The nearest rows, by their bits, of files that have these chunks, with their cosines."""
        bits = packing.pack(vector[None, :])[0].tobytes()
        live = {item.segment.entry.name: item for item in self._of(snapshot)}
        files: dict[str, set[int]] = {name: set() for name in live}
        for chunk in chunks:
            segment, local = snapshot.segment_of(chunk)
            if segment.entry.name in live:
                files[segment.entry.name].add(segment.reader.files.file_of(local))
        some = [_of_files(live[name], own) for name, own in files.items() if own]
        if not some:
            return []
        far = [packing.distances(bits, item.held.rows[item.rows]) for item in some]
        limit, _, _ = _limit(np.concatenate(far), by_bits)
        chosen = [
            item._replace(rows=item.rows[distance <= limit])
            for item, distance in zip(some, far, strict=True)
        ]
        return self._with_cosines(chosen, vector, sum(len(item.rows) for item in chosen))

    def of_shape(self, snapshot: Snapshot, shape: bytes, vector: I8, most: int) -> list[RowPlace]:
        """The rows of a shape, those with the nearest bits first."""
        if not any(shape):
            return []
        bits = packing.pack(vector[None, :])[0].tobytes()
        number = np.frombuffer(shape, dtype="<u4")[0]
        chosen = [
            _SomeRows(
                item.segment, item.held, item.alive((item.held.shapes == number).nonzero()[0])
            )
            for item in self._of(snapshot)
        ]
        far = [packing.distances(bits, item.held.rows[item.rows]) for item in chosen]
        found = _first([distance.astype(np.float64) for distance in far], chosen, most)
        return [place for _, place in found]

    def _of(self, snapshot: Snapshot) -> list[_LiveRows]:
        """The rows of the segments that have any."""
        live = self._live.get(snapshot)
        if live is None:
            held = [(item, self._of_segment(item)) for item in snapshot.segments]
            live = [_LiveRows(*each, _dead_rows(*each)) for each in held if len(each[1].rows)]
            self._live[snapshot] = live
        return live

    def _of_segment(self, segment: LiveSegment) -> _SegmentRows:
        found = self._known.get(segment.reader)
        if found is None:
            found = self._known[segment.reader] = _read(segment, self._width)
        return found


def _of_files(item: _LiveRows, files: Collection[int]) -> _SomeRows:
    """The rows of these files."""
    starts = item.held.starts
    rows = [np.arange(starts[file], starts[file + 1]) for file in sorted(files)]
    return _SomeRows(item.segment, item.held, np.concatenate(rows))


def _dead_rows(segment: LiveSegment, held: _SegmentRows) -> I64:
    alive = np.array(segment.alive, dtype=np.bool_)
    return (~np.repeat(alive, held.starts[1:] - held.starts[:-1])).nonzero()[0]


def _read(segment: LiveSegment, width: int) -> _SegmentRows:
    stride = symbol_rows.width(width)
    attached = segment.reader.attachments
    sizes, data = attached.sizes(SYMBOL_ROWS), attached.whole(SYMBOL_ROWS)
    if (sizes % stride).any():
        raise CorruptIndexError(segment.entry.name, SYMBOL_ROWS, 0, "bytes", f"rows of {stride}")
    rows = np.frombuffer(data, dtype=np.uint8).reshape(-1, stride)
    starts = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(sizes // stride)])
    return _SegmentRows(rows, *symbol_rows.columns(rows, width), starts)


def _nearest(live: Sequence[_LiveRows], bits: bytes, most: int) -> list[_SomeRows]:
    """The live rows with the nearest bits; of very many equally near ones the first by path."""
    far = [_distances(item, bits) for item in live]
    limit, below, within = _limit(np.concatenate([_NO_DISTANCES, *far]), most)
    if within <= _MOST_TIES * most:
        near = [(found <= limit).nonzero()[0] for found in far]
    else:
        room = most - below
        ties = [
            _SomeRows(item.segment, item.held, (found == limit).nonzero()[0][:room])
            for item, found in zip(live, far, strict=True)
        ]
        near = [
            np.sort(np.concatenate([(found < limit).nonzero()[0], kept]))
            for found, kept in zip(far, _first_by_path(ties, room), strict=True)
        ]
    return [
        _SomeRows(item.segment, item.held, rows)
        for item, rows in zip(live, near, strict=True)
        if len(rows)
    ]


def _limit(far: U8, most: int) -> tuple[int, int, int]:
    """The smallest distance that covers `most` rows.

    And the number of rows below it, and up to it.
    """
    low, high = 0, _NEVER - 1
    while low < high:
        middle = (low + high) // 2
        if np.count_nonzero(far <= middle) >= most:
            high = middle
        else:
            low = middle + 1
    return low, int(np.count_nonzero(far < low)), int(np.count_nonzero(far <= low))


def _first_by_path(ties: Sequence[_SomeRows], room: int) -> list[I64]:
    """As many of these rows as there is room for."""
    found = [
        (place.path, place.row, number, int(row))
        for number, item in enumerate(ties)
        for row, place in zip(item.rows, item.places(np.arange(len(item.rows))), strict=True)
    ]
    kept = sorted(found)[:room]
    return [
        np.array([row for _, _, owner, row in kept if owner == number], dtype=np.int64)
        for number in range(len(ties))
    ]


def _distances(item: _LiveRows, bits: bytes) -> U8:
    found = packing.distances(bits, item.held.rows)
    if len(item.dead):
        found = found.copy()
        found[item.dead] = _NEVER
    return found


def _first(
    keys: Sequence[npt.NDArray[np.float64]], chosen: Sequence[_SomeRows], most: int
) -> list[tuple[float, RowPlace]]:
    """The places with the smallest keys, and these, equal ones by path."""
    every = np.concatenate([np.zeros(0), *keys])
    last = np.partition(every, most)[most] if len(every) > most else np.inf
    found: list[tuple[float, str, int, RowPlace]] = []
    for key, item in zip(keys, chosen, strict=True):
        which = (key <= last).nonzero()[0]
        for value, place in zip(key[which].tolist(), item.places(which), strict=True):
            found.append((value, place.path, place.row, place))
    found.sort(key=lambda entry: entry[:3])
    return [(key, place) for key, _, _, place in found[:most]]
