"""The dictionary of one field: every term in byte order, and where its postings are.

    TERM  the terms' bytes, one after the other: a substring is found in one pass over it
    TINF  per page of 128 terms, five runs of varints: term lengths | chunk counts | occurrences
          less chunk counts | tail lengths | positions lengths
    TIDX  terms u64 | pages u64 | per page, and once more for the end, u64 each: offset in TERM,
          TINF, TAIL, POSN, first block | per page and for the end: offset u32 of its first term |
          the first terms' bytes

A lookup bisects the first terms, which are read once, and decodes one page.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np

from index_format.bits import I64, U64, exclusive_sum
from index_format.frame import Frame
from index_format.layout import BLOCK, TERMS_PER_PAGE
from index_format.wire import MalformedError, decode_varints, encode_varints, varint_lengths

TEXT: Final = b"TERM"
INFO: Final = b"TINF"
INDEX: Final = b"TIDX"
_COLUMNS: Final = 5
_CACHED_PAGES: Final = 512


@dataclass(frozen=True, slots=True)
class TermEntry:
    """What the dictionary says of one term."""

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
    """Takes terms in order, gives back the three sections."""

    def __init__(self) -> None:
        """Begin an empty dictionary."""
        self._pending: list[TermBatch] = []
        self._count = 0
        self._pending_count = 0
        self._starts: list[I64] = []
        self._totals = np.zeros(_COLUMNS, dtype=np.int64)
        self._samples: list[bytes] = []

    def add(self, batch: TermBatch) -> tuple[bytes, bytes]:
        """Bytes to append to TERM and TINF."""
        self._pending.append(batch)
        self._pending_count += len(batch.terms)
        self._count += len(batch.terms)
        return b"".join(batch.terms), self._emit(self._pending_count // TERMS_PER_PAGE)

    def finish(self) -> tuple[bytes, bytes]:
        """The last bytes of TINF, and all of TIDX."""
        info = self._emit(-(-self._pending_count // TERMS_PER_PAGE))
        starts = np.vstack([*self._starts, self._totals[None, :]]).astype("<u8")
        offsets = exclusive_sum(np.array([len(term) for term in self._samples], dtype=np.int64))
        header = np.array([self._count, len(self._samples)], dtype="<u8")
        parts = (header.tobytes(), starts.tobytes(), offsets.astype("<u4").tobytes())
        return info, b"".join((*parts, *self._samples))

    def _emit(self, pages: int) -> bytes:
        if not pages:
            return b""
        terms = [term for batch in self._pending for term in batch.terms]
        columns = np.vstack(
            [
                np.array([len(term) for term in terms], dtype=np.int64),
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
        info = np.add.reduceat(sizes, edges * _COLUMNS)
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
    """A decoded dictionary page; `starts` are those of TIDX, term offsets are within the page."""

    terms: list[bytes]
    chunks: I64
    occurrences: I64
    starts: tuple[int, int, int, int, int]
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


class TermDictionary:
    """Reads the dictionary of one field of one segment; nothing is read before it is asked."""

    def __init__(self, frame: Frame, field: int) -> None:
        """Find the three sections."""
        self._frame = frame
        self._text = frame.section(TEXT, field)
        self._info = frame.section(INFO, field)
        self._index = frame.section(INDEX, field)
        self._pages: dict[int, Page] = {}
        self._loaded: tuple[int, I64, U64, memoryview] | None = None

    def __len__(self) -> int:
        """Count of terms."""
        return self._load()[0]

    @property
    def page_count(self) -> int:
        """Count of pages."""
        return len(self._load()[1]) - 1

    def find(self, term: bytes) -> TermEntry | None:
        """The entry of a term, None where the field does not hold it."""
        number = self._page_of(term)
        if number < 0:
            return None
        page = self.page(number)
        at = bisect_left(page.terms, term)
        if at == len(page.terms) or page.terms[at] != term:
            return None
        return page.entry(at)

    def pages_from(self, term: bytes) -> Iterator[tuple[Page, int]]:
        """Pages from the one that holds the first term >= `term`, each with where to begin."""
        first = max(self._page_of(term), 0)
        for number in range(first, self.page_count):
            page = self.page(number)
            yield page, bisect_left(page.terms, term) if number == first else 0

    def text(self) -> memoryview:
        """All terms' bytes in order."""
        return self._frame.read(self._text)

    def terms_at(self, offsets: I64) -> list[bytes]:
        """The distinct terms that hold these (ascending) offsets of `text`, in order."""
        starts = self._load()[1][:, 0]
        numbers = np.searchsorted(starts, offsets, side="right") - 1
        found: list[bytes] = []
        for number in np.unique(numbers).tolist():
            page = self.page(number)
            ends = np.cumsum([len(term) for term in page.terms]) + starts[number]
            inside = np.unique(np.searchsorted(ends, offsets[numbers == number], side="right"))
            found.extend(page.terms[at] for at in inside.tolist())
        return found

    def page(self, number: int) -> Page:
        """One page, decoded and checked."""
        page = self._pages.get(number)
        if page is None:
            page = self.span(number, number + 1)
            if len(self._pages) >= _CACHED_PAGES:
                self._pages.clear()
            self._pages[number] = page
        return page

    def _page_of(self, term: bytes) -> int:
        count, _, offsets, samples = self._load()
        if not count:
            return -1

        def sample(number: int) -> bytes:
            return bytes(samples[int(offsets[number]) : int(offsets[number + 1])])

        return bisect_right(range(len(offsets) - 1), term, key=sample) - 1

    def _load(self) -> tuple[int, I64, U64, memoryview]:
        if self._loaded is None:
            self._loaded = self._read_index()
        return self._loaded

    def _read_index(self) -> tuple[int, I64, U64, memoryview]:
        data = self._frame.read(self._index)
        if len(data) < 16:
            raise self._frame.corrupt(self._index, 0, len(data), "a header of 16 bytes")
        count, pages = (int(value) for value in np.frombuffer(data[:16], dtype="<u8"))
        fixed = 16 + (pages + 1) * (8 * _COLUMNS + 4)
        if pages != -(-count // TERMS_PER_PAGE) or fixed > len(data):
            raise self._frame.corrupt(self._index, 8, f"{pages} pages", f"those of {count} terms")
        table_end = 16 + (pages + 1) * 8 * _COLUMNS
        table = np.frombuffer(data[16:table_end], dtype="<u8").reshape(-1, _COLUMNS)
        offsets = np.frombuffer(data[table_end:fixed], dtype="<u4").astype(np.uint64)
        starts = table.astype(np.int64)
        sound = (np.diff(starts, axis=0) >= 0).all() and (starts[0] == 0).all()
        lengths = (self._text.length, self._info.length)
        if not sound or (int(starts[-1, 0]), int(starts[-1, 1])) != lengths:
            raise self._frame.corrupt(self._index, 16, "page offsets", "ascending to the ends")
        samples = data[fixed:]
        if int(offsets[-1]) != len(samples) or (np.diff(offsets.astype(np.int64)) < 0).any():
            raise self._frame.corrupt(self._index, table_end, "first terms", "ascending offsets")
        return count, starts, offsets, samples

    def span(self, first: int, last: int) -> Page:
        """Pages `first` to `last` (not included) as if they were one."""
        count, starts, _, _ = self._load()
        size = min(last * TERMS_PER_PAGE, count) - first * TERMS_PER_PAGE
        begin, end = starts[first], starts[last]
        columns = self._columns(first, size, int(begin[1]), int(end[1]))
        lengths, chunks, surplus, tails, positions = columns
        edges = exclusive_sum(lengths)
        tail_edges, position_edges = exclusive_sum(tails), exclusive_sum(positions)
        block_edges = exclusive_sum(chunks // BLOCK)
        sums = [edges[-1], tail_edges[-1], position_edges[-1], block_edges[-1]]
        if sums != (end - begin)[[0, 2, 3, 4]].tolist() or not (chunks * lengths).all():
            raise self._frame.corrupt(self._info, int(begin[1]), "lengths", "sums of the index")
        text = bytes(self._frame.read(self._text, int(begin[0]), int(edges[-1])))
        terms = [text[a:b] for a, b in pairwise(edges.tolist())]
        if any(a >= b for a, b in pairwise(terms)):
            raise self._frame.corrupt(self._text, int(begin[0]), "terms", "ascending order")
        a, b, c, d, e = begin.tolist()
        return Page(
            terms,
            chunks,
            chunks + surplus,
            (a, b, c, d, e),
            tail_edges,
            position_edges,
            block_edges,
        )

    def stored_bytes(self) -> I64:
        """Per page and for the end, a running measure of what decoding its postings takes."""
        starts = self._load()[1]
        return starts[:, 2] + starts[:, 3] + starts[:, 4] * BLOCK

    def _columns(self, first: int, size: int, begin: int, end: int) -> I64:
        info = self._frame.read(self._info, begin, end - begin)
        try:
            values = decode_varints(info, size * _COLUMNS).astype(np.int64)
        except MalformedError as error:
            raise self._frame.corrupt(self._info, begin, error, f"page {first}") from error
        if (values >> 40).any():
            raise self._frame.corrupt(self._info, begin, int(values.max()), "a sane length")
        whole = size // TERMS_PER_PAGE * TERMS_PER_PAGE * _COLUMNS
        pages = values[:whole].reshape(-1, _COLUMNS, TERMS_PER_PAGE)
        full = pages.transpose(1, 0, 2).reshape(_COLUMNS, -1)
        return np.hstack([full, values[whole:].reshape(_COLUMNS, -1)])
