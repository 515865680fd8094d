"""The dictionary of one field: every term in byte order, and where its postings are.

    TERM  the terms' bytes, one after the other: a substring is found in one pass over it
    TINF  per page of 128 terms, five runs of varints: term lengths | chunk counts | occurrences
          less chunk counts | tail lengths | positions lengths

The term index has the offset of each page in these and in the postings' sections.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from operator import lt
from typing import Final

import numpy as np

from index_format.codec.bits import I64, distinct, exclusive_sum, ranges
from index_format.codec.frame import Frame
from index_format.codec.term_index import COLUMNS, TermIndex, encode_index
from index_format.codec.wire import MalformedError, decode_varints, encode_varints, varint_lengths
from index_format.layout import BLOCK, TERMS_PER_PAGE, SectionTag
from index_format.native import NATIVE, Native

# no stored number comes near this: sums of accepted ones stay far below 2**63
_NUMBER_BITS: Final = 40
_CACHED_PAGES: Final = 512
# pages that lie closer than this are read in one go
_READ_THROUGH: Final = 16_384
# pages that are split at once: their terms stay in the processor's caches
_SPLIT_AT_ONCE: Final = 256


# terms one a line behind a line feed, where each begins, and their numbers (uint32)
SplitTerms = tuple[bytes, bytes, bytes]


@dataclass(frozen=True, slots=True)
class TermEntry:
    """The dictionary entry of one term."""

    chunks: int
    occurrences: int
    first_block: int
    tail: tuple[int, int]  # offset, length
    positions: tuple[int, int]  # offset, length


@dataclass(frozen=True, slots=True)
class TermBatch:
    """Consecutive terms of a field as columns."""

    terms: Sequence[bytes]
    chunks: I64
    occurrences: I64
    tail_lengths: I64
    position_lengths: I64


class TermWriter:
    """Takes terms in order, gives back the sections of the dictionary."""

    def __init__(self) -> None:
        """Begin an empty dictionary."""
        self._pending: list[TermBatch] = []
        self._count = 0
        self._pending_count = 0
        self._starts: list[I64] = []
        self._totals = np.zeros(COLUMNS, dtype=np.int64)
        self._samples: list[bytes] = []

    def add(self, batch: TermBatch) -> tuple[bytes, bytes]:
        """Bytes to append to TERM and TINF."""
        self._pending.append(batch)
        self._pending_count += len(batch.terms)
        self._count += len(batch.terms)
        return b"".join(batch.terms), self._emit(self._pending_count // TERMS_PER_PAGE)

    def finish(self) -> tuple[bytes, bytes, bytes]:
        """The last bytes of TINF, and all of TIDX and TGRP."""
        info = self._emit(-(-self._pending_count // TERMS_PER_PAGE))
        starts = np.vstack([*self._starts, self._totals[None, :]])
        return info, *encode_index(self._count, starts, self._samples)

    def _emit(self, pages: int) -> bytes:
        if not pages:
            return b""
        terms: list[bytes] = []
        for batch in self._pending:
            terms += batch.terms
        columns = np.vstack(
            [
                np.fromiter(map(len, terms), dtype=np.int64, count=len(terms)),
                np.concatenate([batch.chunks for batch in self._pending]),
                np.concatenate([batch.occurrences - batch.chunks for batch in self._pending]),
                np.concatenate([batch.tail_lengths for batch in self._pending]),
                np.concatenate([batch.position_lengths for batch in self._pending]),
            ]
        )
        taken = min(pages * TERMS_PER_PAGE, len(terms))
        info = self._emit_columns(columns[:, :taken], terms)
        self._pending = [TermBatch(terms[taken:], *_unstack(columns[:, taken:]))]
        self._pending_count = len(terms) - taken
        return info

    def _emit_columns(self, columns: I64, terms: list[bytes]) -> bytes:
        edges = np.arange(0, columns.shape[1], TERMS_PER_PAGE)
        values = np.concatenate(
            [columns[:, edge : edge + TERMS_PER_PAGE].ravel() for edge in edges]
        ).astype(np.uint64)
        sizes = varint_lengths(values)
        info = np.add.reduceat(sizes, edges * COLUMNS)
        added = np.vstack(
            [
                np.add.reduceat(columns[0], edges),
                info,
                np.add.reduceat(columns[3], edges),
                np.add.reduceat(columns[4], edges),
                np.add.reduceat(columns[1] // BLOCK, edges),
            ]
        ).T
        ends = np.cumsum(added, axis=0) + self._totals
        self._starts.append(ends - added)
        self._totals = ends[-1]
        self._samples.extend(terms[edge] for edge in edges)
        return encode_varints(values)


def _unstack(columns: I64) -> tuple[I64, I64, I64, I64]:
    chunks = columns[1].copy()
    return chunks, columns[2] + chunks, columns[3].copy(), columns[4].copy()


@dataclass(frozen=True, slots=True)
class Page:
    """A decoded dictionary page; `starts` are of the term index, edges count from there."""

    terms: list[bytes]
    chunks: I64
    occurrences: I64
    starts: list[int]
    tails: I64
    positions: I64
    blocks: I64

    def entry(self, at: int) -> TermEntry:
        """The entry of the page's term number `at`."""
        tail, positions = int(self.tails[at]), int(self.positions[at])
        return TermEntry(
            int(self.chunks[at]),
            int(self.occurrences[at]),
            self.starts[4] + int(self.blocks[at]),
            (self.starts[2] + tail, int(self.tails[at + 1]) - tail),
            (self.starts[3] + positions, int(self.positions[at + 1]) - positions),
        )

    def stored_bytes(self) -> I64:
        """Per term and for the end, a running measure of what decoding its postings takes."""
        return self.tails + self.positions + self.blocks * BLOCK

    def part(self, first: int, last: int) -> Page:
        """The page's terms `first` to `last` (not included) as a page."""
        edges = (self.tails, self.positions, self.blocks)
        tails, positions, blocks = (item[first : last + 1] - item[first] for item in edges)
        skipped = [sum(map(len, self.terms[:first])), 0, *(int(item[first]) for item in edges)]
        return Page(
            self.terms[first:last],
            self.chunks[first:last],
            self.occurrences[first:last],
            [start + more for start, more in zip(self.starts, skipped, strict=True)],
            tails,
            positions,
            blocks,
        )


class TermDictionary:
    """Reads the dictionary of one field of one segment, lazily."""

    def __init__(self, frame: Frame, field: int, native: Native | None = NATIVE) -> None:
        """Find the three sections; without compiled code pages are read all the same."""
        self._frame = frame
        self._native = native
        self._text = frame.section(SectionTag.TERM_TEXTS, field)
        self._info = frame.section(SectionTag.TERM_INFO, field)
        self._index = TermIndex(frame, field)
        self._pages: dict[int, Page] = {}
        self._lean: dict[int, tuple[list[int], I64]] = {}
        self._texts: dict[int, bytes] = {}

    def __len__(self) -> int:
        """Count of terms."""
        return self._index.count

    @property
    def page_count(self) -> int:
        """Count of pages."""
        return self._index.page_count

    def find(self, term: bytes) -> TermEntry | None:
        """The entry of a term, None where the field does not hold it."""
        number = self._index.page_of(term)
        if number < 0:
            return None
        text = self._text_of(number)
        at = text.find(term)
        if at < 0:
            return None
        if self._native is not None:
            return self._find_compiled(self._native, number, text, term)
        edges, columns = self._lean_page(number)
        while at >= 0:
            which = bisect_left(edges, at)
            if edges[which : which + 2] == [at, at + len(term)]:
                return self._entry(number, columns[:, which : which + 2].tolist())
            at = text.find(term, at + 1)
        return None

    def _find_compiled(
        self, native: Native, number: int, text: bytes, term: bytes
    ) -> TermEntry | None:
        """The entry of a term by compiled code."""
        size = min(TERMS_PER_PAGE, len(self) - number * TERMS_PER_PAGE)
        begin, end = self._index.bounds(number)
        info = self._frame.read(self._info, begin[1], end[1] - begin[1])
        try:
            sums, found = native.decode_entry(info, text, term, size)
        except ValueError as error:
            raise self._frame.corrupt(self._info, begin[1], error, f"page {number}") from error
        if sums != tuple(end[column] - begin[column] for column in (0, 2, 3, 4)):
            raise self._frame.corrupt(self._info, begin[1], "lengths", "sums of the index")
        if found is None:
            return None
        chunks, occurrences, blocks, tail, tail_length, positions, positions_length = found
        return TermEntry(
            chunks,
            occurrences,
            begin[4] + blocks,
            (begin[2] + tail, tail_length),
            (begin[3] + positions, positions_length),
        )

    def pages_between(self, begin: bytes, end: bytes) -> tuple[int, int]:
        """The pages, the last not included, of all terms from `begin` to below `end`."""
        return max(self._index.page_of(begin), 0), self._index.page_of(end) + 1

    def pages_from(self, term: bytes) -> Iterator[tuple[Page, int]]:
        """Pages from the one that holds the first term >= `term`, each with where to begin."""
        first = max(self._index.page_of(term), 0)
        for number in range(first, self.page_count):
            page = self.page(number)
            yield page, bisect_left(page.terms, term) if number == first else 0

    def text(self) -> memoryview:
        """All terms' bytes in order."""
        return self._frame.read(self._text)

    def text_between(self, begin: int, end: int) -> bytes:
        """Some bytes of `text`."""
        return bytes(self._frame.read(self._text, begin, end - begin))

    def texts(self, size: int) -> Iterator[memoryview]:
        """The same in pieces of so many bytes, each read on demand."""
        length = self._text.length
        for start in range(0, length, size):
            yield self._frame.read(self._text, start, min(size, length - start))

    def entries_at(self, offsets: I64) -> list[tuple[bytes, TermEntry]]:
        """The distinct terms that hold these (ascending) offsets of `text`, in order."""
        starts = self._all_starts()[:, 0]
        numbers = np.searchsorted(starts, offsets, side="right") - 1
        found: list[tuple[bytes, TermEntry]] = []
        for number in distinct(numbers).tolist():
            page = self.page(number)
            ends = np.cumsum([len(term) for term in page.terms]) + starts[number]
            inside = distinct(np.searchsorted(ends, offsets[numbers == number], side="right"))
            found.extend((page.terms[at], page.entry(at)) for at in inside.tolist())
        return found

    @property
    def can_split(self) -> bool:
        """Whether there is compiled code for `split`."""
        return self._native is not None

    def split(self) -> Iterator[tuple[int, SplitTerms, SplitTerms]]:
        """Terms by kind, some pages at a time, as `Native.split_terms` gives them.

        With each the number of its first term. Nothing without compiled code.
        """
        starts = self._all_starts()
        for first in range(0, self.page_count if self._native else 0, _SPLIT_AT_ONCE):
            last = min(first + _SPLIT_AT_ONCE, self.page_count)
            begin, end = starts[first].tolist(), starts[last].tolist()
            text = self._frame.read(self._text, begin[0], end[0] - begin[0])
            info = self._frame.read(self._info, begin[1], end[1] - begin[1])
            number = first * TERMS_PER_PAGE
            count = min(last * TERMS_PER_PAGE, len(self)) - number
            yield number, *self._split_compiled(text, info, starts[first:last, 1] - begin[1], count)

    def _split_compiled(
        self, text: memoryview, info: memoryview, places: I64, count: int
    ) -> tuple[SplitTerms, SplitTerms]:
        if self._native is None:
            raise ValueError(self._native)
        try:
            return self._native.split_terms(text, info, places.tobytes(), count)
        except ValueError as error:
            raise self._frame.corrupt(self._info, 0, error, "the lengths of terms") from error

    def columns(self, numbers: I64) -> tuple[I64, I64, I64, I64]:
        """Chunk counts, first blocks, offsets of tails and their lengths, of terms by number."""
        which, pages, columns = self._page_columns(numbers // TERMS_PER_PAGE)
        at = numbers % TERMS_PER_PAGE
        before = np.cumsum(columns, axis=2) - columns
        blocks = columns[:, 1] // BLOCK
        blocks_before = np.cumsum(blocks, axis=1) - blocks
        return (
            columns[which, 1, at],
            pages[which, 4] + blocks_before[which, at],
            pages[which, 2] + before[which, 3, at],
            columns[which, 3, at],
        )

    def locate(self, offsets: I64) -> tuple[I64, I64, I64]:
        """The numbers of the terms at these offsets of `text`, and where they begin and end."""
        starts = self._all_starts()[:, 0]
        which, pages, columns = self._page_columns(
            np.searchsorted(starts, offsets, side="right") - 1
        )
        ends = pages[:, :1] + np.cumsum(columns[:, 0], axis=1)
        at = (ends[which] <= offsets[:, None]).sum(axis=1)
        numbers = pages[which, COLUMNS] * TERMS_PER_PAGE + at
        return numbers, (ends - columns[:, 0])[which, at], ends[which, at]

    def _page_columns(self, wanted: I64) -> tuple[I64, I64, I64]:
        """The columns of pages: which one each wanted is, their starts and numbers, columns.

        A last page of fewer terms ends in zeros.
        """
        numbers = distinct(wanted)
        which = np.searchsorted(numbers, wanted)
        starts = self._all_starts()
        begins, ends = starts[numbers], starts[numbers + 1]
        info = self._read_info(begins[:, 1], ends[:, 1])
        sizes = np.minimum(TERMS_PER_PAGE, len(self) - numbers * TERMS_PER_PAGE)
        try:
            values = decode_varints(info, int(sizes.sum()) * COLUMNS).astype(np.int64)
        except MalformedError as error:
            raise self._frame.corrupt(self._info, int(begins[0, 1]), error, "pages") from error
        columns = np.zeros((len(numbers), COLUMNS, TERMS_PER_PAGE), dtype=np.int64)
        full = int((sizes == TERMS_PER_PAGE).sum())
        whole = full * TERMS_PER_PAGE * COLUMNS
        columns[:full] = values[:whole].reshape(full, COLUMNS, TERMS_PER_PAGE)
        if full < len(numbers):
            columns[full, :, : int(sizes[full])] = values[whole:].reshape(COLUMNS, -1)
        sums = columns.sum(axis=2)
        blocks = (columns[:, 1] // BLOCK).sum(axis=1)
        found = np.column_stack([sums[:, [0, 3, 4]], blocks])
        if (found != (ends - begins)[:, [0, 2, 3, 4]]).any() or (values >> _NUMBER_BITS).any():
            raise self._frame.corrupt(self._info, int(begins[0, 1]), "lengths", "sums of the index")
        return which.ravel(), np.column_stack([begins, numbers]), columns

    def _read_info(self, begins: I64, ends: I64) -> bytes:
        """The bytes of ascending pages, read in as many goes as they lie apart."""
        parts: list[bytes] = []
        cuts = np.flatnonzero(begins[1:] - ends[:-1] > _READ_THROUGH) + 1
        for first, last in pairwise([0, *cuts.tolist(), len(begins)]):
            start, stop = int(begins[first]), int(ends[last - 1])
            data = np.frombuffer(self._frame.read(self._info, start, stop - start), np.uint8)
            lengths = ends[first:last] - begins[first:last]
            parts.append(data[ranges(begins[first:last] - start, lengths)].tobytes())
        return b"".join(parts)

    def page(self, number: int) -> Page:
        """One page, decoded and checked."""
        page = self._pages.get(number)
        if page is None:
            page = self.span(number, number + 1)
            if len(self._pages) >= _CACHED_PAGES:
                self._pages.clear()
            self._pages[number] = page
        return page

    def _lean_page(self, number: int) -> tuple[list[int], I64]:
        """A page's term offsets and running totals, which a lookup needs besides its text."""
        page = self._lean.get(number)
        if page is None:
            page = self._read_lean_page(number)
            if len(self._lean) >= _CACHED_PAGES:
                self._lean.clear()
            self._lean[number] = page
        return page

    def _read_lean_page(self, number: int) -> tuple[list[int], I64]:
        size = min(TERMS_PER_PAGE, len(self) - number * TERMS_PER_PAGE)
        begin, end = self._index.bounds(number)
        columns = self._columns(number, size, begin[1], end[1])
        # text, chunks, occurrences less chunks, tails, positions, blocks
        totals = np.zeros((COLUMNS + 1, size + 1), dtype=np.int64)
        np.cumsum(columns, axis=1, out=totals[:COLUMNS, 1:])
        np.cumsum(columns[1] // BLOCK, out=totals[COLUMNS, 1:])
        sums = totals[[0, 3, 4, 5], -1].tolist()
        if sums != [end[column] - begin[column] for column in (0, 2, 3, 4)] or not columns[1].all():
            raise self._frame.corrupt(self._info, begin[1], "lengths", "sums of the index")
        return totals[0].tolist(), totals

    def _text_of(self, number: int) -> bytes:
        text = self._texts.get(number)
        if text is None:
            begin, end = self._index.bounds(number)
            text = bytes(self._frame.read(self._text, begin[0], end[0] - begin[0]))
            if len(self._texts) >= _CACHED_PAGES:
                self._texts.clear()
            self._texts[number] = text
        return text

    def _entry(self, number: int, totals: list[list[int]]) -> TermEntry:
        starts, _ = self._index.bounds(number)
        _, chunks, surplus, tails, positions, blocks = totals
        count = chunks[1] - chunks[0]
        return TermEntry(
            count,
            count + surplus[1] - surplus[0],
            starts[4] + blocks[0],
            (starts[2] + tails[0], tails[1] - tails[0]),
            (starts[3] + positions[0], positions[1] - positions[0]),
        )

    def span(self, first: int, last: int) -> Page:
        """Pages `first` to `last` (not included) as if they were one."""
        size = min(last * TERMS_PER_PAGE, len(self)) - first * TERMS_PER_PAGE
        begin, end = self._index.bounds(first)[0], self._index.bounds(last - 1)[1]
        columns = self._columns(first, size, begin[1], end[1])
        lengths, chunks, surplus, tails, positions = columns
        edges = exclusive_sum(lengths)
        tail_edges, position_edges = exclusive_sum(tails), exclusive_sum(positions)
        block_edges = exclusive_sum(chunks // BLOCK)
        sums = [edges[-1], tail_edges[-1], position_edges[-1], block_edges[-1]]
        expected = [end[column] - begin[column] for column in (0, 2, 3, 4)]
        if sums != expected or not (chunks * lengths).all():
            raise self._frame.corrupt(self._info, begin[1], "lengths", "sums of the index")
        text = bytes(self._frame.read(self._text, begin[0], expected[0]))
        terms = [text[a:b] for a, b in pairwise(edges.tolist())]
        if not all(map(lt, terms, terms[1:])):
            raise self._frame.corrupt(self._text, begin[0], "terms", "ascending order")
        return Page(
            terms,
            chunks,
            chunks + surplus,
            begin,
            tail_edges,
            position_edges,
            block_edges,
        )

    def stored_bytes(self) -> I64:
        """Per page and for the end, a running measure of what decoding its postings takes."""
        starts = self._all_starts()
        return starts[:, 2] + starts[:, 3] + starts[:, 4] * BLOCK

    def _all_starts(self) -> I64:
        starts = self._index.all_starts()
        lengths = (self._text.length, self._info.length)
        if tuple(starts[-1, :2].tolist()) != lengths or starts[0].any():
            raise self._frame.corrupt(self._text, 0, lengths, "0 to the ends of the index")
        return starts

    def _columns(self, first: int, size: int, begin: int, end: int) -> I64:
        info = self._frame.read(self._info, begin, end - begin)
        try:
            values = decode_varints(info, size * COLUMNS).astype(np.int64)
        except MalformedError as error:
            raise self._frame.corrupt(self._info, begin, error, f"page {first}") from error
        if (values >> _NUMBER_BITS).any():
            raise self._frame.corrupt(self._info, begin, int(values.max()), "a sane length")
        if size <= TERMS_PER_PAGE:
            return values.reshape(COLUMNS, size)
        whole = size // TERMS_PER_PAGE * TERMS_PER_PAGE * COLUMNS
        pages = values[:whole].reshape(-1, COLUMNS, TERMS_PER_PAGE)
        full = pages.transpose(1, 0, 2).reshape(COLUMNS, -1)
        return np.hstack([full, values[whole:].reshape(COLUMNS, -1)])
