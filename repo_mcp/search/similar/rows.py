"""The rows of all declarations of a snapshot, and which of them are near a vector or of a shape.

Segments never change, so the rows of one are read once, as long as it is in use: after an edit only
those of the new segment are read.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cached_property
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
# bytes of the rows of a snapshot that are held whole: some 300,000 declarations
_MOST_HELD: Final = 32 << 20
# rows that are read together where signs alone are held
_ROWS_AT_ONCE: Final = 1 << 14
# rows between two that are read with them
_READ_ALONG: Final = 64
_NO_ROWS: Final[U8] = np.zeros((0, 0), dtype=np.uint8)
_NO_DISTANCES: Final = np.zeros(0, dtype=np.uint8)


class RowPlace(NamedTuple):
    """A row: its file, its number among the rows of the file, and the lines of its declaration."""

    path: str
    row: int
    first: int
    last: int
    segment: LiveSegment
    file: int


class _SegmentRows:
    """The rows of a segment, those of dead files as well, with their signs at least in memory."""

    def __init__(self, segment: LiveSegment, width: int, *, is_held: bool) -> None:
        """Rows whose rest is not held are read again where they are near to a vector."""
        self._width = width
        self._stride = stride = symbol_rows.width(width)
        self._attached = segment.reader.attachments
        sizes = self._attached.sizes(SYMBOL_ROWS)
        if (sizes % stride).any():
            name, expected = segment.entry.name, f"rows of {stride}"
            raise CorruptIndexError(name, SYMBOL_ROWS, 0, "bytes", expected)
        # the first row of each file, and the end
        self.starts: I64 = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes // stride)])
        self._held = self._read() if is_held else None
        self.signs: U8 = self._read_signs() if self._held is None else self._held

    def __len__(self) -> int:
        return int(self.starts[-1])

    def take(self, rows: I64) -> U8:
        """Some rows, which are ascending."""
        if self._held is not None:
            return self._held[rows]
        parts = [np.zeros((0, self._stride), np.uint8)]
        begins = [0, *((rows[1:] - rows[:-1] > _READ_ALONG).nonzero()[0] + 1).tolist(), len(rows)]
        for begin, end in pairwise(begins if len(rows) else ()):
            run = rows[begin:end]
            first = int(run[0])
            parts.append(self._read(first, int(run[-1]) + 1 - first)[run - first])
        return np.concatenate(parts)

    @cached_property
    def shapes(self) -> U32:
        """The shapes of all rows."""
        rows = self._read() if self._held is None else self._held
        return symbol_rows.shapes_of(rows, self._width)

    def _read(self, first: int = 0, count: int | None = None) -> U8:
        count = len(self) - first if count is None else count
        data = self._attached.read(SYMBOL_ROWS, first * self._stride, count * self._stride)
        return np.frombuffer(data, np.uint8).reshape(-1, self._stride)

    def _read_signs(self) -> U8:
        """The signs alone, so that no more than some rows are in memory besides."""
        parts = [
            self._read(first, min(_ROWS_AT_ONCE, len(self) - first))[:, : self._width].copy()
            for first in range(0, len(self), _ROWS_AT_ONCE)
        ]
        return np.concatenate([np.zeros((0, self._width), np.uint8), *parts])


class _LiveRows(NamedTuple):
    """The rows of a segment as one generation sees it: which of them are of dead files."""

    segment: LiveSegment
    held: _SegmentRows
    dead: I64

    def alive(self, rows: I64) -> I64:
        """The rows of live files among these."""
        is_alive = np.ones(len(self.held), dtype=np.bool_)
        is_alive[self.dead] = False
        return rows[is_alive[rows]]


class _SomeRows(NamedTuple):
    """Some rows of a segment, ascending."""

    segment: LiveSegment
    held: _SegmentRows
    rows: I64
    # the rows themselves, once they are read
    data: U8 = _NO_ROWS

    def read(self) -> _SomeRows:
        return self._replace(data=self.held.take(self.rows))

    def places(self, which: I64) -> Iterator[RowPlace]:
        rows = self.rows[which]
        files = np.searchsorted(self.held.starts, rows, side="right") - 1
        inside = rows - self.held.starts[files]
        data = self.data[which] if len(self.data) else self.held.take(rows)
        first, last = symbol_rows.lines_of(data)
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

    def __init__(self, width: int, most_held: int = _MOST_HELD) -> None:
        """`width` is that of the signs of a vector; of more bytes the signs alone are held."""
        self._width = width
        self._most_held = most_held
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
        chosen = [item.read() for item in chosen]
        packed = np.concatenate([item.data[:, :wide] for item in chosen])
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
        far = [packing.distances(bits, item.held.signs[item.rows]) for item in some]
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
        far = [packing.distances(bits, item.held.signs[item.rows]) for item in chosen]
        found = _first([distance.astype(np.float64) for distance in far], chosen, most)
        return [place for _, place in found]

    def _of(self, snapshot: Snapshot) -> list[_LiveRows]:
        """The rows of the segments that have any."""
        live = self._live.get(snapshot)
        if live is None:
            is_held = snapshot.attached_bytes(SYMBOL_ROWS) <= self._most_held
            held = [(item, self._of_segment(item, is_held=is_held)) for item in snapshot.segments]
            live = [_LiveRows(*each, _dead_rows(*each)) for each in held if len(each[1])]
            self._live[snapshot] = live
        return live

    def _of_segment(self, segment: LiveSegment, *, is_held: bool) -> _SegmentRows:
        rows = self._known.get(segment.reader)
        if rows is None:
            rows = _SegmentRows(segment, self._width, is_held=is_held)
            self._known[segment.reader] = rows
        return rows


def _of_files(item: _LiveRows, files: Collection[int]) -> _SomeRows:
    """The rows of these files."""
    starts = item.held.starts
    rows = [np.arange(starts[file], starts[file + 1]) for file in sorted(files)]
    return _SomeRows(item.segment, item.held, np.concatenate(rows))


def _dead_rows(segment: LiveSegment, held: _SegmentRows) -> I64:
    alive = np.array(segment.alive, dtype=np.bool_)
    return (~np.repeat(alive, held.starts[1:] - held.starts[:-1])).nonzero()[0]


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
    found = packing.distances(bits, item.held.signs)
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
