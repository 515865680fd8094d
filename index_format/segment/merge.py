"""Merges files of several segments: the bytes are those of indexing the files together."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Final

import numpy as np

from index_format.codec.bits import I64, U8, U32, exclusive_sum, ranges, side_by_side, steps
from index_format.codec.fingerprints import FileColumns
from index_format.codec.postings import Batch
from index_format.codec.terms import TermPage
from index_format.model import Schema
from index_format.segment.inverter import cut_slices
from index_format.segment.reader import SegmentReader
from index_format.segment.term_order import sort_bytes
from index_format.segment.writer import ChunkColumns, SegmentContent, TermSlice
from index_format.tuples import NamedTuple

# how much of one source is decoded at a time, as a share of the memory limit: a stored byte of
# postings takes about this many while it is decoded, merged and encoded; more than the most at a
# time is no faster, since it no longer fits the processor's cache
_BYTES_PER_STORED: Final = 64
_MOST_STORED: Final = 512 * 1024
_DEAD: Final = -1


class MergeInput(NamedTuple):
    """A file to be merged: its path, and where it is now."""

    path: bytes
    source: int
    number: int


class _Source:
    """One segment to merge from, and where its chunks go (ascending; -1: not taken)."""

    def __init__(self, reader: SegmentReader, taken: I64, first_chunks: I64) -> None:
        self.reader = reader
        bounds = reader.files.bounds
        self.counts = bounds[taken + 1] - bounds[taken]
        self.old = ranges(bounds[taken], self.counts)
        self.new = ranges(first_chunks, self.counts)
        self.target = np.full(reader.chunk_count, _DEAD, dtype=np.int64)
        self.target[self.old] = self.new


def merge_columns(
    readers: Sequence[SegmentReader], files: Sequence[MergeInput], schema: Schema, memory: int
) -> SegmentContent:
    """Columns of the segment that holds `files`, which are in path order."""
    # in the order of their first files: often that is the order of all of them
    used = list(dict.fromkeys(file.source for file in files))
    place = {number: at for at, number in enumerate(used)}
    files = [MergeInput(file.path, place[file.source], file.number) for file in files]
    readers = [readers[number] for number in used]
    source_of = np.array([file.source for file in files], dtype=np.int64)
    number_of = np.array([file.number for file in files], dtype=np.int64)
    taken = [number_of[source_of == number] for number in range(len(readers))]
    counts = np.zeros(len(files), dtype=np.int64)
    for number, reader in enumerate(readers):
        bounds = reader.files.bounds
        counts[source_of == number] = bounds[taken[number] + 1] - bounds[taken[number]]
    first_chunks = exclusive_sum(counts)
    every = [
        _Source(reader, taken[number], first_chunks[:-1][source_of == number])
        for number, reader in enumerate(readers)
    ]
    sources = [source for source in every if len(source.new)]
    share = min(max(memory // _BYTES_PER_STORED // max(len(sources), 1), 1), _MOST_STORED)
    return SegmentContent(
        _file_columns(readers, files, counts, len(schema.fields)),
        _chunk_columns(sources, int(first_chunks[-1]), len(schema.fields)),
        [_field(sources, number, share) for number in range(len(schema.fields))],
        _attached(readers, files),
    )


def _file_columns(
    readers: Sequence[SegmentReader], files: Sequence[MergeInput], counts: I64, fields: int
) -> FileColumns:
    prints = [reader.files.fingerprints() for reader in readers]
    sizes = [reader.files.sizes() for reader in readers]
    totals = [reader.files.totals(fields) for reader in readers]
    columns = [totals[file.source][:, file.number] for file in files]
    return FileColumns(
        [file.path for file in files],
        [prints[file.source][file.number] for file in files],
        np.array([sizes[file.source][file.number] for file in files], dtype=np.uint64),
        counts,
        side_by_side(columns) if columns else np.zeros((fields, 0), dtype=np.uint32),
    )


def _chunk_columns(sources: Sequence[_Source], chunks: int, fields: int) -> ChunkColumns:
    lines = np.zeros((chunks, 2), dtype=np.uint32)
    ids = np.zeros(chunks, dtype=np.uint64)
    codes: list[U8] = [np.zeros(chunks, dtype=np.uint8) for _ in range(fields)]
    for source in sources:
        table = source.reader.chunks
        lines[source.new] = table.all_lines()[source.old]
        ids[source.new] = table.all_ids()[source.old]
        for number in range(fields):
            codes[number][source.new] = table.codes(number)[source.old]
    return ChunkColumns(lines[:, 0], lines[:, 1], ids, codes)


def _attached(
    readers: Sequence[SegmentReader], files: Sequence[MergeInput]
) -> dict[str, Callable[[], Iterator[bytes]]]:
    def read(kind: str) -> Callable[[], Iterator[bytes]]:
        return lambda: (readers[f.source].attachments.get(f.number, kind) for f in files)

    def used(kind: str) -> bool:
        return any(read(kind)())

    known = {kind for reader in readers for kind in reader.attachments.kinds}
    return {kind: read(kind) for kind in sorted(known) if used(kind)}


def _field(
    sources: Sequence[_Source], number: int, share: int
) -> Callable[[], Iterator[TermSlice]]:
    apart = all(int(a.new[-1]) < int(b.new[0]) for a, b in pairwise(sources))

    def slices() -> Iterator[TermSlice]:
        cursors = [_Cursor(source, number, share) for source in sources]
        while True:
            cursors = [cursor for cursor in cursors if cursor.fill()]
            if not cursors:
                return
            frontier = min(cursor.frontier for cursor in cursors)
            pieces = [cursor.take(frontier) for cursor in cursors]
            yield from cut_slices(_combine([piece for piece in pieces if piece.terms], apart=apart))

    return slices


class _Cursor:
    """Walks one source's dictionary, holding the live postings of some of its terms."""

    def __init__(self, source: _Source, field: int, share: int) -> None:
        reader = source.reader.field(field)
        self._terms, self._lists = reader.terms, reader.lists
        self._target = source.target
        self._costs = self._terms.stored_bytes()
        self._share = share
        self._next_page = 0
        self._span: TermPage | None = None
        self._at = 0
        self._held: TermSlice | None = None

    @property
    def frontier(self) -> bytes:
        """The last buffered term: all up to it are buffered."""
        return self._held.terms[-1] if self._held else b""

    def fill(self) -> bool:
        """Buffer at least one term; False at the end."""
        while self._held is None:
            span = self._span
            if span is None or self._at == len(span.terms):
                if self._next_page == len(self._costs) - 1:
                    return False
                self._span, self._at = self._next_span(), 0
                continue
            end = _within(span.stored_bytes(), self._at, self._share)
            part = span if (self._at, end) == (0, len(span.terms)) else span.part(self._at, end)
            batch, positions = self._lists.page(part)
            self._held = _keep_live(TermSlice(part.terms, batch, positions), self._target)
            self._at = end
        return True

    def _next_span(self) -> TermPage:
        first, self._next_page = self._next_page, _within(self._costs, self._next_page, self._share)
        return self._terms.span(first, self._next_page)

    def take(self, frontier: bytes) -> TermSlice:
        """Remove and return all buffered terms up to the frontier."""
        held = self._held
        if held is None or held.terms[0] > frontier:
            return _NOTHING
        if held.terms[-1] <= frontier:
            self._held = None
            return held
        at = _count_until(held.terms, frontier)
        self._held = _part(held, at, len(held.terms))
        return _part(held, 0, at)


def _within(costs: I64, begin: int, share: int) -> int:
    """The end of the steps from `begin` that this share of running costs allows, at least one."""
    end = int(np.searchsorted(costs, costs[begin] + share, side="right")) - 1
    return max(end, begin + 1)


_NO_NUMBERS: Final = np.zeros(0, dtype=np.uint32)
_NOTHING: Final = TermSlice((), Batch(np.zeros(0, dtype=np.int64), _NO_NUMBERS, _NO_NUMBERS), None)


def _count_until(terms: Sequence[bytes], frontier: bytes) -> int:
    low, high = 0, len(terms)
    while low < high:
        middle = (low + high) // 2
        if terms[middle] <= frontier:
            low = middle + 1
        else:
            high = middle
    return low


def _part(piece: TermSlice, begin: int, end: int) -> TermSlice:
    batch = piece.batch
    a, b = int(batch.counts[:begin].sum()), int(batch.counts[:end].sum())
    places = piece.positions
    if places is not None:
        before = int(batch.frequencies[:a].sum(dtype=np.int64))
        places = places[before : before + int(batch.frequencies[a:b].sum(dtype=np.int64))]
    part = Batch(batch.counts[begin:end], batch.chunks[a:b], batch.frequencies[a:b])
    return TermSlice(piece.terms[begin:end], part, places)


def _keep_live(piece: TermSlice, target: I64) -> TermSlice | None:
    """The live part of the piece in the merged numbering, or None if nothing is left."""
    batch, places, terms = piece.batch, piece.positions, piece.terms
    chunks = target[batch.chunks]
    alive = chunks != _DEAD
    counts, frequencies = batch.counts, batch.frequencies
    if not alive.all():
        owner = np.repeat(np.arange(len(terms)), counts)
        counts = np.bincount(owner[alive], minlength=len(terms))
        if places is not None:
            places = places[np.repeat(alive, frequencies)]
        chunks, frequencies = chunks[alive], frequencies[alive]
        kept = counts.nonzero()[0]
        if not len(kept):
            return None
        if len(kept) < len(terms):
            terms, counts = [terms[at] for at in kept.tolist()], counts[kept]
    return TermSlice(terms, Batch(counts, chunks.astype(np.uint32), frequencies), places)


def _combine(pieces: Sequence[TermSlice], *, apart: bool) -> TermSlice:
    """One slice of the terms of all pieces; `apart` says that no piece's chunks lie among others'.

    A term's postings in one piece are a run: where sources lie apart, it is enough to sort runs.
    """
    if len(pieces) == 1:
        return pieces[0]
    texts = [term for piece in pieces for term in piece.terms]
    order, new = sort_bytes(texts)
    counts = np.concatenate([piece.batch.counts for piece in pieces])
    runs = exclusive_sum(counts)[:-1][order]
    counts = counts[order]
    first = new.nonzero()[0]
    taken = ranges(runs, counts)
    chunks = np.concatenate([piece.batch.chunks for piece in pieces])[taken]
    frequencies = np.concatenate([piece.batch.frequencies for piece in pieces])
    if not apart:
        owners = np.repeat(np.cumsum(new), counts)
        # runs in order are merged faster than unordered numbers are sorted
        within = np.argsort((owners << 32) | chunks, kind="stable")
        taken, chunks = taken[within], chunks[within]
    terms = list(map(texts.__getitem__, order[first].tolist()))
    sums = steps(exclusive_sum(counts)[np.concatenate([first, [len(new)]])])
    batch = Batch(sums, chunks, frequencies[taken])
    if pieces[0].positions is None:
        return TermSlice(terms, batch, None)
    places: U32 = np.concatenate([p.positions for p in pieces if p.positions is not None])
    starts = exclusive_sum(frequencies)[:-1]
    return TermSlice(terms, batch, places[ranges(starts[taken], batch.frequencies)])
