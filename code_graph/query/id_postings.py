"""The declarations that have a term with an id in it, for many ids at once.

A dictionary is in the order of its terms, and those of one id are far apart in it: edges to a
symbol have one for each type and confidence, and a search asks for thousands of symbols of which
most have few. So a segment that is asked often is decoded once, its terms in the order of ids.
Segments never change, and those of one generation are mostly those of the next.
"""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np

from code_graph.store.terms import ID_BYTES, id_term
from index_format import SegmentReader, Snapshot, list_segment_postings, ranges
from index_format.tuples import NamedTuple

if TYPE_CHECKING:
    import numpy.typing as npt

I64: TypeAlias = "npt.NDArray[np.int64]"
U8: TypeAlias = "npt.NDArray[np.uint8]"
U32: TypeAlias = "npt.NDArray[np.uint32]"
U64: TypeAlias = "npt.NDArray[np.uint64]"
Mask: TypeAlias = "npt.NDArray[np.bool_]"

# a look-up of one term takes as long as decoding so many
_TERMS_PER_LOOKUP: Final = 4
_HEADS: Final = 256
# segments with fewer terms are decoded together: a search in each takes longer than in all
_LARGE: Final = 20_000
# a graph with more terms is not decoded: it would take more than 200 MB
_MOST_TERMS: Final = 5_000_000
# terms of one id that are read one by one
_FEW_ROWS: Final = 32
_NO_IDS: Final[U64] = np.zeros(0, dtype=np.uint64)
_NO_HEADS: Final[U8] = np.zeros(0, dtype=np.uint8)


class IdPostings(NamedTuple):
    """Chunks, and how often each has a term; `which` are the places of their ids in the question.

    By the places of ids, and by chunk.
    """

    which: I64
    chunks: I64
    counts: U32


_NO_ROWS: Final[I64] = np.zeros(0, dtype=np.int64)
_NO_COUNTS: Final[U32] = np.zeros(0, dtype=np.uint32)
_NOTHING: Final = IdPostings(_NO_ROWS, _NO_ROWS, _NO_COUNTS)


class _Table:
    """All postings of a field of some segments whose terms end with ids, in the order of these."""

    def __init__(self, readers: Sequence[tuple[SegmentReader, int]], field: int) -> None:
        """Decode the segments; each has the number of its first chunk."""
        ids, heads, counts = [_NO_IDS], [_NO_HEADS], [_NO_ROWS]
        chunks, frequencies = [_NO_ROWS], [_NO_COUNTS]
        for reader, base in readers:
            for terms, held, own, often in list_segment_postings(reader, field):
                rows = np.frombuffer(b"".join(terms), dtype=np.uint8).reshape(len(terms), -1)
                ends = np.ascontiguousarray(rows[:, -ID_BYTES:]).view(">u8").ravel()
                ids.append(ends.astype(np.uint64))
                heads.append(rows[:, 0].copy())
                counts.append(held)
                chunks.append(own.astype(np.int64) + base)
                frequencies.append(often)
        every = np.concatenate(ids)
        order = np.argsort(every, kind="stable")
        sizes = np.concatenate(counts)
        self._ids = every[order]
        self._heads = np.concatenate(heads)[order]
        self._counts = sizes[order]
        self._starts = (np.cumsum(sizes) - sizes)[order]
        self._chunks = np.concatenate(chunks)
        self._frequencies = np.concatenate(frequencies)

    def find(self, ids: U64, heads: bytes) -> IdPostings:
        begin = self._ids.searchsorted(ids)
        sizes = self._ids.searchsorted(ids, side="right") - begin
        if len(ids) == 1 and sizes[0] <= _FEW_ROWS:
            return self._of_rows(range(int(begin[0]), int(begin[0] + sizes[0])), heads)
        rows = ranges(begin, sizes)
        which = np.arange(len(ids)).repeat(sizes)
        if heads:
            passed = _mask(heads)[self._heads[rows]]
            rows, which = rows[passed], which[passed]
        counts = self._counts[rows]
        at = ranges(self._starts[rows], counts)
        return IdPostings(which.repeat(counts), self._chunks[at], self._frequencies[at])

    def _of_rows(self, rows: range, heads: bytes) -> IdPostings:
        """The postings of a few terms of one id."""
        parts: list[tuple[I64, U32]] = []
        for row in rows:
            if not heads or self._heads[row] in heads:
                start, count = int(self._starts[row]), int(self._counts[row])
                span = slice(start, start + count)
                parts.append((self._chunks[span], self._frequencies[span]))
        if not parts:
            return _NOTHING
        chunks = np.concatenate([part[0] for part in parts])
        which = np.zeros(len(chunks), dtype=np.int64)
        return IdPostings(which, chunks, np.concatenate([part[1] for part in parts]))


@lru_cache(64)
def _mask(heads: bytes) -> Mask:
    mask = np.zeros(_HEADS, dtype=np.bool_)
    mask[[*heads]] = True
    return mask


class _Part:
    """Segments decoded together, once they were asked often enough."""

    def __init__(self, readers: Sequence[tuple[SegmentReader, int]], field: int) -> None:
        self._field = field
        self._left = sum(len(reader.field(field).terms) for reader, _ in readers)
        self._table: _Table | None = None

    def find(
        self,
        readers: Sequence[tuple[SegmentReader, int]],
        ids: U64,
        heads: bytes,
        *,
        decodes: bool,
    ) -> IdPostings:
        if self._table is None:
            if not decodes:
                return self._look_up(readers, ids, heads)
            lookups = len(readers) * len(ids) * max(len(heads), 1)
            self._left -= _TERMS_PER_LOOKUP * lookups
            if self._left >= 0:
                return self._look_up(readers, ids, heads)
            self._table = _Table(readers, self._field)
        return self._table.find(ids, heads)

    def _look_up(
        self, readers: Sequence[tuple[SegmentReader, int]], ids: U64, heads: bytes
    ) -> IdPostings:
        prefixes = [heads[at : at + 1] for at in range(len(heads))] or [b""]
        which: list[I64] = [_NO_ROWS]
        chunks, counts = [_NO_ROWS], [_NO_COUNTS]
        for reader, base in readers:
            field = reader.field(self._field)
            for place, number in enumerate(ids.tolist()):
                own = id_term(number)
                for found in filter(None, (field.find(prefix + own) for prefix in prefixes)):
                    held, often = found.all()
                    which.append(np.full(len(held), place, dtype=np.int64))
                    chunks.append(held.astype(np.int64) + base)
                    counts.append(often)
        return IdPostings(np.concatenate(which), np.concatenate(chunks), np.concatenate(counts))


# goes with the segment: most readers are those of the next generation, too
_KEPT: Final[weakref.WeakKeyDictionary[SegmentReader, dict[int, _Part]]] = (
    weakref.WeakKeyDictionary()
)


class IdSearch:
    """Finds ids in one field of a snapshot: in each large segment, and in all small ones."""

    def __init__(self, snapshot: Snapshot, field: int) -> None:
        """Nothing is read yet."""
        terms = sum(len(segment.reader.field(field).terms) for segment in snapshot.segments)
        self._decodes = terms <= _MOST_TERMS
        self._parts: list[tuple[_Part, list[tuple[SegmentReader, int]], int]] = []
        small: list[tuple[SegmentReader, int]] = []
        for segment in snapshot.segments:
            reader = segment.reader
            if len(reader.field(field).terms) < _LARGE:
                small.append((reader, segment.base))
                continue
            own = [(reader, 0)]
            fields = _KEPT.setdefault(reader, {})
            part = fields.get(field) or fields.setdefault(field, _Part(own, field))
            self._parts.append((part, own, segment.base))
        if small:
            self._parts.append((_Part(small, field), small, 0))

    def find(self, ids: U64, heads: bytes = b"") -> IdPostings:
        """The chunks of some ids, by their terms that begin with one of these bytes; dead ones too.

        Without any, terms are the ids.
        """
        found: list[IdPostings] = []
        for part, readers, base in self._parts:
            own = part.find(readers, ids, heads, decodes=self._decodes)
            if len(own.chunks):
                found.append(own._replace(chunks=own.chunks + base) if base else own)
        if not found:
            return _NOTHING
        which, chunks, counts = (
            found[0] if len(found) == 1 else map(np.concatenate, zip(*found, strict=True))
        )
        if len(chunks) == 1:
            return found[0]
        order = np.lexsort((chunks, which))
        return IdPostings(which[order], chunks[order], counts[order])
