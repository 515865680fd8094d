"""The dictionary of one field: every term in byte order, and where its postings are.

The term index has the offset of each page in TERM and TINF, whose layout is in `term_pages`, and in
the postings' sections.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from operator import lt
from typing import Final

import numpy as np

from index_format.codec.bits import (
    I64,
    U8,
    U32,
    distinct,
    exclusive_sum,
    ranges,
    side_by_side,
    steps,
)
from index_format.codec.frame import FramedFile, Section
from index_format.codec.term_index import COLUMNS, TermIndex, encode_index
from index_format.codec.term_pages import (
    CHUNKS,
    MARK_BYTES,
    OTHERS,
    POSITIONS,
    SURPLUS,
    TAILS,
    TRIGRAM,
    decode_pages,
    encode_pages,
    mark_trigrams,
    pages_with,
    spell_terms,
)
from index_format.codec.wire import MalformedError
from index_format.layout import BLOCK, TERMS_PER_PAGE, SectionTag
from index_format.native import NATIVE, Native
from index_format.records import Record

_CACHED_PAGES: Final = 512
# pages that lie closer than this are read in one go
_READ_THROUGH: Final = 16_384
# pages that are decoded at once: their terms stay in the processor's caches
_PAGES_AT_ONCE: Final = 256
# pages between two wanted ones that are spelled rather than begun anew
_SPELLED_THROUGH: Final = 8
# marks take longer to make than one question without them
_ASKED_BEFORE_MARKS: Final = 2

_BEYOND_ASCII: Final = 0x80

# a page as stored: its number; its numbers, its text, its count of terms; how long its text, tails
# and positions are, and how many blocks it has; where numbers, tails, positions and blocks begin
_StoredPage = tuple[int, bytes, bytes, int, tuple[int, int, int, int], int, int, int, int]
# terms one a line behind a line feed, where each begins, and their numbers (uint32)
SplitTerms = tuple[bytes, bytes, bytes]


class TermEntry(Record):
    """The dictionary entry of one term."""

    chunks: int
    occurrences: int
    first_block: int
    tail: tuple[int, int]  # offset, length
    positions: tuple[int, int]  # offset, length


class TermBatch(Record):
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
        return self._emit(self._pending_count // TERMS_PER_PAGE)

    def finish(self) -> tuple[bytes, bytes, bytes, bytes]:
        """The last bytes of TERM and TINF, and all of TIDX and TGRP."""
        text, info = self._emit(-(-self._pending_count // TERMS_PER_PAGE))
        starts = np.vstack([*self._starts, self._totals[None, :]])
        return text, info, *encode_index(self._count, starts, self._samples)

    def _emit(self, pages: int) -> tuple[bytes, bytes]:
        if not pages:
            return b"", b""
        terms: list[bytes] = []
        for batch in self._pending:
            terms += batch.terms
        columns = np.vstack(
            [
                np.concatenate([batch.chunks for batch in self._pending]),
                np.concatenate([batch.occurrences - batch.chunks for batch in self._pending]),
                np.concatenate([batch.tail_lengths for batch in self._pending]),
                np.concatenate([batch.position_lengths for batch in self._pending]),
            ]
        )
        taken = min(pages * TERMS_PER_PAGE, len(terms))
        emitted = self._emit_pages(terms[:taken], columns[:, :taken])
        self._pending = [TermBatch(terms[taken:], *_unstack(columns[:, taken:]))]
        self._pending_count = len(terms) - taken
        return emitted

    def _emit_pages(self, terms: list[bytes], columns: I64) -> tuple[bytes, bytes]:
        edges = np.arange(0, len(terms), TERMS_PER_PAGE)
        text, info, sizes = encode_pages(terms, columns)
        chunks, _, tails, positions = columns
        sums = [np.add.reduceat(each, edges) for each in (tails, positions, chunks // BLOCK)]
        added = side_by_side([sizes, *sums])
        ends = np.cumsum(added, axis=0) + self._totals
        self._starts.append(ends - added)
        self._totals = ends[-1]
        self._samples.extend(terms[::TERMS_PER_PAGE])
        return text, info


def _unstack(columns: I64) -> tuple[I64, I64, I64, I64]:
    chunks = columns[0].copy()
    return chunks, columns[1] + chunks, columns[2].copy(), columns[3].copy()


class TermPage(Record):
    """A decoded dictionary page.

    `starts` are where it begins in each section; `tails`, `positions`, `blocks` count from there.
    """

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

    def part(self, first: int, last: int) -> TermPage:
        """The page's terms `first` to `last` (not included) as a page.

        Its text and its numbers begin where those of the page do.
        """
        edges = (self.tails, self.positions, self.blocks)
        tails, positions, blocks = (item[first : last + 1] - item[first] for item in edges)
        skipped = [0, 0, *(int(item[first]) for item in edges)]
        return TermPage(
            self.terms[first:last],
            self.chunks[first:last],
            self.occurrences[first:last],
            [start + more for start, more in zip(self.starts, skipped, strict=True)],
            tails,
            positions,
            blocks,
        )


def _info_offsets(starts: I64) -> I64:
    """The offset of each of consecutive pages in their part of TINF."""
    offsets: I64 = starts[:-1, 1] - starts[0, 1]
    return offsets


class TermDictionary:
    """Reads the dictionary of one field of one segment, lazily."""

    def __init__(self, frame: FramedFile, field: int, native: Native | None = NATIVE) -> None:
        """Find the three sections; without compiled code pages are read all the same."""
        self._frame = frame
        self._native = native
        self._text = frame.section(SectionTag.TERM_TEXTS, field)
        self._info = frame.section(SectionTag.TERM_INFO, field)
        self._index = TermIndex(frame, field)
        self._pages: dict[int, TermPage] = {}
        self._stored: dict[int, _StoredPage] = {}
        self._marks: U8 | None = None
        self._asked = 0

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
        if self._native is not None:
            stored = self._stored.get(number) or self._read_page(number)
            return self._find_compiled(self._native, stored, term)
        page = self.page(number)
        at = bisect_left(page.terms, term)
        return page.entry(at) if page.terms[at : at + 1] == [term] else None

    def group_part(self, term: bytes) -> tuple[Section, int, int] | None:
        """The part that `parts_for` reads itself, if any."""
        return self._index.group_part(term)

    def parts_for(self, term: bytes) -> list[tuple[Section, int, int]]:
        """The parts of sections that `find` would read, by start and length."""
        number = self._index.page_of(term)
        if number < 0 or number in self._stored:
            return []
        begin, end = self._index.bounds(number)
        return [
            (self._info, begin[1], end[1] - begin[1]),
            (self._text, begin[0], end[0] - begin[0]),
        ]

    def _find_compiled(self, native: Native, page: _StoredPage, term: bytes) -> TermEntry | None:
        """The entry of a term by compiled code."""
        number, info, text, size, sums, info_begin, tails, places, first_block = page
        try:
            found = native.decode_entry(info, text, term, size)
        except ValueError as error:
            raise self._frame.corrupt(self._info, info_begin, error, f"page {number}") from error
        if found is None:
            return None
        if found[0] != sums:
            raise self._frame.corrupt(self._info, info_begin, "lengths", "sums of the index")
        chunks, occurrences, blocks, tail, tail_length, positions, positions_length = found[1]
        return TermEntry(
            chunks,
            occurrences,
            first_block + blocks,
            (tails + tail, tail_length),
            (places + positions, positions_length),
        )

    def _read_page(self, number: int) -> _StoredPage:
        """A page as stored, which is kept."""
        begin, end = self._index.bounds(number)
        text, info, tails, places, blocks = [b - a for a, b in zip(begin, end, strict=True)]
        page: _StoredPage = (
            number,
            bytes(self._frame.read(self._info, begin[1], info)),
            bytes(self._frame.read(self._text, begin[0], text)),
            min(TERMS_PER_PAGE, len(self) - number * TERMS_PER_PAGE),
            (text, tails, places, blocks),
            begin[1],
            begin[2],
            begin[3],
            begin[4],
        )
        if len(self._stored) >= _CACHED_PAGES:
            self._stored.clear()
        self._stored[number] = page
        return page

    def pages_between(self, begin: bytes, end: bytes) -> tuple[int, int]:
        """The pages, the last not included, of all terms from `begin` to below `end`."""
        return max(self._index.page_of(begin), 0), self._index.page_of(end) + 1

    def pages_from(self, term: bytes) -> Iterator[tuple[TermPage, int]]:
        """Pages from the one that holds the first term >= `term`, each with where to begin."""
        first = max(self._index.page_of(term), 0)
        for number in range(first, self.page_count):
            page = self.page(number)
            yield page, bisect_left(page.terms, term) if number == first else 0

    def joined(self, text: bytes = b"") -> Iterator[tuple[int, bytes, U32]]:
        """All terms, some pages at a time: joined to one text, and their lengths.

        With each the number of its first term. Left out are pages that can't hold the text.
        """
        for first, last in self._spans_with(text):
            starts = self._all_starts()[first : last + 1]
            joined = self._joined(starts, self._info_between(starts), self._count_of(first, last))
            yield first * TERMS_PER_PAGE, *joined

    def _spans_with(self, text: bytes) -> Iterator[tuple[int, int]]:
        """Runs of pages that hold all those that may hold a text."""
        self._asked += len(text) >= TRIGRAM
        if len(text) < TRIGRAM or (self._marks is None and self._asked < _ASKED_BEFORE_MARKS):
            for first in range(0, self.page_count, _PAGES_AT_ONCE):
                yield first, min(first + _PAGES_AT_ONCE, self.page_count)
            return
        if self._marks is None:
            self._marks = np.concatenate([*self._mark_pages()])
        pages = pages_with(self._marks, text)
        far = (steps(pages) > _SPELLED_THROUGH) | (steps(pages // _PAGES_AT_ONCE) > 0)
        cuts = [0, *(far.nonzero()[0] + 1).tolist(), len(pages)]
        for begin, end in pairwise(cuts if len(pages) else []):
            yield int(pages[begin]), int(pages[end - 1]) + 1

    def _mark_pages(self) -> Iterator[U8]:
        yield np.zeros((0, MARK_BYTES), dtype=np.uint8)
        for first in range(0, self.page_count, _PAGES_AT_ONCE):
            starts = self._all_starts()[first : first + _PAGES_AT_ONCE + 1]
            info = self._info_between(starts)
            count = self._count_of(first, first + len(starts) - 1)
            with self._blamed_on_text(starts) as text:
                marks = mark_trigrams(text, info, _info_offsets(starts), count, self._native)
            yield marks

    def _joined(self, starts: I64, info: memoryview, count: int) -> tuple[bytes, U32]:
        with self._blamed_on_text(starts) as text:
            return spell_terms(text, info, _info_offsets(starts), count, self._native)

    @contextmanager
    def _blamed_on_text(self, starts: I64) -> Iterator[memoryview]:
        """The text of consecutive pages; what is wrong with the terms in it is wrong with it."""
        begin, end = int(starts[0, 0]), int(starts[-1, 0])
        try:
            yield self._frame.read(self._text, begin, end - begin)
        except MalformedError as error:
            raise self._frame.corrupt(self._text, begin, error, "terms of a page") from error

    def _info_between(self, starts: I64) -> memoryview:
        """The numbers of consecutive pages as stored."""
        begin, end = int(starts[0, 1]), int(starts[-1, 1])
        return self._frame.read(self._info, begin, end - begin)

    def _count_of(self, first: int, last: int) -> int:
        return min(last * TERMS_PER_PAGE, len(self)) - first * TERMS_PER_PAGE

    def pages_beyond_ascii(self) -> Iterator[int]:
        """The pages that have a term beyond ASCII."""
        starts = self._all_starts()[:, 0]
        for first in range(0, self.page_count, _PAGES_AT_ONCE):
            last = min(first + _PAGES_AT_ONCE, self.page_count)
            begin, end = int(starts[first]), int(starts[last])
            text = self._frame.read(self._text, begin, end - begin)
            beyond = (np.frombuffer(text, dtype=np.uint8) >= _BEYOND_ASCII).nonzero()[0] + begin
            yield from distinct(np.searchsorted(starts, beyond, side="right") - 1).tolist()

    @property
    def can_split(self) -> bool:
        """True if there is compiled code for `split`."""
        return self._native is not None

    def split(self) -> Iterator[tuple[int, SplitTerms, SplitTerms]]:
        """ASCII terms without underscores and terms beyond ASCII, some pages at a time.

        With each the number of its first term. Nothing without compiled code.
        """
        starts = self._all_starts()
        for first in range(0, self.page_count if self._native else 0, _PAGES_AT_ONCE):
            last = min(first + _PAGES_AT_ONCE, self.page_count)
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
        if not len(numbers):
            return numbers, numbers, numbers, numbers
        wanted = numbers // TERMS_PER_PAGE
        pages = distinct(wanted)
        columns = self._columns_of(pages)
        # where the first term of each wanted page is among those decoded, which are whole pages
        firsts = np.searchsorted(pages, wanted) * TERMS_PER_PAGE
        at = firsts + numbers % TERMS_PER_PAGE
        starts = self._all_starts()[wanted]
        blocks, tails = exclusive_sum(columns[CHUNKS] // BLOCK), exclusive_sum(columns[TAILS])
        return (
            columns[CHUNKS, at],
            starts[:, 4] + blocks[at] - blocks[firsts],
            starts[:, 2] + tails[at] - tails[firsts],
            columns[TAILS, at],
        )

    def _columns_of(self, pages: I64) -> I64:
        """The columns of ascending pages."""
        starts = self._all_starts()
        begins, ends = starts[pages], starts[pages + 1]
        info = self._read_info(begins[:, 1], ends[:, 1])
        lengths = ends[:, 1] - begins[:, 1]
        count = min(len(self) - int(pages[-1]) * TERMS_PER_PAGE, TERMS_PER_PAGE)
        count += (len(pages) - 1) * TERMS_PER_PAGE
        return self._decode(info, begins, ends, exclusive_sum(lengths)[:-1], count)

    def _decode(
        self, info: bytes | memoryview, begins: I64, ends: I64, places: I64, count: int
    ) -> I64:
        """The columns of so many terms, whose pages have these bounds and places in `info`."""
        try:
            columns = decode_pages(info, places, count, self._native)
        except MalformedError as error:
            raise self._frame.corrupt(self._info, int(begins[0, 1]), error, "a page") from error
        stored = (columns[OTHERS], columns[TAILS], columns[POSITIONS], columns[CHUNKS] // BLOCK)
        edges = np.arange(0, count, TERMS_PER_PAGE)
        sums = side_by_side([np.add.reduceat(each, edges) for each in stored])
        if (sums != (ends - begins)[:, [0, 2, 3, 4]]).any():
            raise self._frame.corrupt(self._info, int(begins[0, 1]), "lengths", "sums of the index")
        return columns

    def _read_info(self, begins: I64, ends: I64) -> bytes:
        """The bytes of ascending pages, read in as many goes as they lie apart."""
        parts: list[bytes] = []
        cuts = (begins[1:] - ends[:-1] > _READ_THROUGH).nonzero()[0] + 1
        for first, last in pairwise([0, *cuts.tolist(), len(begins)]):
            start, stop = int(begins[first]), int(ends[last - 1])
            data = np.frombuffer(self._frame.read(self._info, start, stop - start), np.uint8)
            lengths = ends[first:last] - begins[first:last]
            parts.append(data[ranges(begins[first:last] - start, lengths)].tobytes())
        return b"".join(parts)

    def page(self, number: int) -> TermPage:
        """One page, decoded and checked."""
        page = self._pages.get(number)
        if page is None:
            page = self.span(number, number + 1)
            if len(self._pages) >= _CACHED_PAGES:
                self._pages.clear()
            self._pages[number] = page
        return page

    def span(self, first: int, last: int) -> TermPage:
        """Pages `first` to `last` (not included) as if they were one."""
        starts = self._index.starts_between(first, last)
        info, count = self._info_between(starts), self._count_of(first, last)
        columns = self._decode(info, starts[:-1], starts[1:], _info_offsets(starts), count)
        text, lengths = self._joined(starts, info, count)
        terms = [text[a:b] for a, b in pairwise(exclusive_sum(lengths).tolist())]
        begin: list[int] = starts[0].tolist()
        if not all(map(lt, terms, terms[1:])) or terms[0] == b"":
            raise self._frame.corrupt(self._text, begin[0], "terms", "ascending order")
        return TermPage(
            terms,
            columns[CHUNKS],
            columns[CHUNKS] + columns[SURPLUS],
            begin,
            exclusive_sum(columns[TAILS]),
            exclusive_sum(columns[POSITIONS]),
            exclusive_sum(columns[CHUNKS] // BLOCK),
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
