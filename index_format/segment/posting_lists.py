"""Reads the postings of one field of one segment: a term, some of its blocks, or many terms."""

from __future__ import annotations

from itertools import pairwise
from struct import Struct
from typing import Final

import numpy as np

from index_format.codec import decoding, positions as position_codec, postings
from index_format.codec.bits import I64, U8, U32, exclusive_sum, ranges, steps
from index_format.codec.decoding import Buffer, SparseTerm, StoredTerm
from index_format.codec.frame import FramedFile, Section
from index_format.codec.postings import ROWS_OF, Meta, group_sizes
from index_format.codec.terms import TermEntry, TermPage
from index_format.codec.wire import MalformedError
from index_format.errors import CorruptIndexError
from index_format.layout import BLOCK, ROW_BYTES, SectionTag

_META_BYTES: Final = postings.BLOCK_META.itemsize
# blocks further apart than this are read separately
_READ_THROUGH_ROWS: Final = 2048

# a block's first row and its width codes
_FIRST_ROW: Final = Struct("<4xI7xB")
_ROWS_OF: Final[list[int]] = ROWS_OF.tolist()
_NO_BLOCKS: Final[Meta] = np.zeros(0, dtype=postings.BLOCK_META)


class TermPostings:
    """One term in one segment; decoded on demand."""

    __slots__ = ("_meta", "_stored_meta", "_tail", "entry", "lists")

    def __init__(self, lists: PostingLists, entry: TermEntry, meta: Buffer) -> None:
        """Combine the dictionary's entry with its blocks' metadata, as stored."""
        self.lists = lists
        self.entry = entry
        self._stored_meta = meta
        self._meta: Meta | None = None
        self._tail: tuple[U32, U32] | None = None

    @property
    def meta(self) -> Meta:
        """Its blocks' metadata; compiled code takes it as stored, and checks what it uses."""
        meta = self._meta
        if meta is None:
            meta = self._meta = self.lists.metadata(self._stored_meta)
        return meta

    @property
    def last_block_end(self) -> int:
        """The last chunk of the last block, -1 where there is none."""
        return int(self.meta["last"][-1]) if len(self.meta) else -1

    @property
    def tail_chunks(self) -> U32:
        """Chunks behind the last full block."""
        return self._decoded_tail()[0]

    @property
    def tail_frequencies(self) -> U32:
        """Their frequencies."""
        return self._decoded_tail()[1]

    def blocks(self, chosen: I64 | None = None) -> tuple[U32, U32]:
        """Chunks and frequencies, (n, 128), of the chosen blocks (ascending) or of all."""
        which = np.arange(len(self.meta)) if chosen is None else chosen
        return self.lists.decode_blocks(self.meta, which)

    def all(self) -> tuple[U32, U32]:
        """All chunks and frequencies."""
        if not len(self.meta):
            return self._decoded_tail()
        chunks, frequencies = self.blocks()
        return (
            np.concatenate([chunks.ravel(), self.tail_chunks]),
            np.concatenate([frequencies.ravel(), self.tail_frequencies]),
        )

    def all_compiled(self, base: int) -> tuple[I64, U32] | None:
        """The same by compiled code, with `base` added to chunks.

        None where there is none, and for damaged bytes: who decodes them otherwise gets the error.
        """
        if not decoding.COMPILED:
            return None
        try:
            return decoding.decode_term(self.stored(base))
        except (MalformedError, CorruptIndexError):
            return None

    def stored(self, base: int) -> StoredTerm:
        """All that compiled code needs to decode the term, with `base` added to its chunks."""
        return self.lists.stored(self.entry, self._stored_meta, base)

    def sparse(self, base: int) -> SparseTerm:
        """The same without rows, of which compiled code asks for some."""
        return self.lists.sparse(self.entry, self._stored_meta, base)

    def block_positions(self, block: int, frequencies: U32) -> U32:
        """Positions in a block, those of each of its chunks in turn."""
        start = int(self.meta["positions"][block - 1]) if block else 0
        return self.lists.positions(self.entry, start, frequencies)

    def tail_positions(self) -> U32:
        """Positions in the tail."""
        start = int(self.meta["positions"][-1]) if len(self.meta) else 0
        return self.lists.positions(self.entry, start, self.tail_frequencies)

    def _decoded_tail(self) -> tuple[U32, U32]:
        if self._tail is None:
            self._tail = self.lists.tail(self.entry, self.last_block_end)
        return self._tail


class PostingLists:
    """The postings sections of one field."""

    def __init__(self, frame: FramedFile, field: int, chunks: int, *, positions: bool) -> None:
        """Find the sections."""
        self._frame = frame
        self._chunks = chunks
        self._meta = frame.section(SectionTag.BLOCK_META, field)
        self._rows = frame.section(SectionTag.BLOCK_ROWS, field)
        self._tails = frame.section(SectionTag.TAILS, field)
        self._positions = frame.section(SectionTag.POSITIONS, field) if positions else None

    @property
    def has_positions(self) -> bool:
        """True if the field keeps positions."""
        return self._positions is not None

    def term(self, entry: TermEntry) -> TermPostings:
        """Open one term."""
        count = entry.chunks // BLOCK
        if not count:
            return TermPostings(self, entry, b"")
        size = count * _META_BYTES
        return TermPostings(
            self, entry, self._frame.read(self._meta, entry.first_block * _META_BYTES, size)
        )

    def parts_for(self, entry: TermEntry) -> list[tuple[Section, int, int]]:
        """The parts read to open a term and read its tail; its rows are known after that."""
        first, count = entry.first_block * _META_BYTES, entry.chunks // BLOCK * _META_BYTES
        return [(self._meta, first, count), (self._tails, *entry.tail)]

    def row_parts_for(self, term: TermPostings) -> list[tuple[Section, int, int]]:
        """The parts that reading all rows of a term would read."""
        meta = term.meta
        if not len(meta):
            return []
        low, last = int(meta["row"][0]), meta[-1]
        length = int(last["row"]) + _ROWS_OF[int(last["widths"])] - low
        return [(self._rows, low * ROW_BYTES, length * ROW_BYTES)]

    def metadata(self, stored: Buffer) -> Meta:
        """The metadata of a term's blocks, checked."""
        if not len(stored):
            return _NO_BLOCKS
        meta = np.frombuffer(stored, dtype=postings.BLOCK_META)
        last = meta["last"]
        if int(last[-1]) >= self._chunks or not (last[1:] > last[:-1]).all():
            self._check_last(last, np.zeros(1, dtype=np.int64))  # which says what is wrong
        return meta

    def tail(self, entry: TermEntry, last: int) -> tuple[U32, U32]:
        """Decode the postings behind the last full block, which ends at chunk `last`."""
        count = entry.chunks % BLOCK
        if not count:
            return np.zeros(0, dtype=np.uint32), np.zeros(0, dtype=np.uint32)
        try:
            chunks, frequencies = decoding.decode_tail(self.tail_bytes(entry), count, last)
        except MalformedError as error:
            raise self._frame.corrupt(self._tails, entry.tail[0], error, "a sound tail") from error
        if chunks[-1] >= self._chunks:
            raise self._frame.corrupt(
                self._tails, entry.tail[0], int(chunks[-1]), f"below {self._chunks}"
            )
        return chunks, frequencies

    def stored(self, entry: TermEntry, meta: Buffer, base: int) -> StoredTerm:
        """The stored data of a term."""
        count = entry.chunks % BLOCK
        tail: bytes | memoryview = self.tail_bytes(entry) if count else b""
        if not len(meta):
            return b"", b"", tail, count, base, self._chunks
        low, _ = _FIRST_ROW.unpack_from(meta)
        high, widths = _FIRST_ROW.unpack_from(meta, len(meta) - _META_BYTES)
        # rows that end before they begin are refused when they are read
        length = high + _ROWS_OF[widths] - low
        rows = self._frame.read(self._rows, low * ROW_BYTES, length * ROW_BYTES)
        return rows, meta, tail, count, base, self._chunks

    def sparse(self, entry: TermEntry, meta: Buffer, base: int) -> SparseTerm:
        """The stored data of a term, and the reader of its rows."""
        count = entry.chunks % BLOCK
        tail: bytes | memoryview = self.tail_bytes(entry) if count else b""
        return self._read_stored_rows, meta, tail, count, base, self._chunks

    def _read_stored_rows(self, low: int, count: int) -> memoryview:
        return self._frame.read(self._rows, low * ROW_BYTES, count * ROW_BYTES)

    def tail_bytes(self, entry: TermEntry) -> memoryview:
        """The tail as stored."""
        return self._frame.read(self._tails, *entry.tail)

    def rows(self, meta: Meta) -> tuple[U8, I64]:
        """The rows of ascending blocks as stored, and where in them each block begins."""
        return self._read_rows(meta["row"].astype(np.int64), ROWS_OF[meta["widths"]])

    def malformed(self, problem: object) -> CorruptIndexError:
        """The error for rows or tails that no encoder wrote."""
        return self._frame.corrupt(self._rows, 0, problem, "sound postings")

    def decode_blocks(self, meta: Meta, chosen: I64) -> tuple[U32, U32]:
        """Decode blocks of a term's metadata."""
        if not len(chosen):
            none = np.zeros((0, BLOCK), dtype=np.uint32)
            return none, none
        last = meta["last"].astype(np.int64)
        before = np.where(chosen > 0, last[chosen - 1], -1)
        return self._decode(meta[chosen], before)

    def positions(self, entry: TermEntry, start: int, frequencies: U32) -> U32:
        """Positions of one group that begins at `start` of the term's positions."""
        if self._positions is None or not len(frequencies):
            return np.zeros(0, dtype=np.uint32)
        section = self._positions
        offset, length = entry.positions
        if start > length:
            raise self._frame.corrupt(section, offset, start, f"at most {length}")
        # a number takes at most a few bytes on average; the group's end is found by decoding
        total = int(frequencies.sum(dtype=np.int64))
        size = min(length - start, 16 + total * 8)
        data = self._frame.read(section, offset + start, size)
        starts, numbers = np.zeros(1, dtype=np.int64), np.array([total])
        return self._decode_positions(section, data, starts, numbers, frequencies)[0]

    def page(self, page: TermPage) -> tuple[postings.Batch, U32 | None]:
        """All postings of a dictionary page, and their positions."""
        batch = self.batch(page)
        return batch, self._page_positions(page, batch)

    def batch(self, page: TermPage) -> postings.Batch:
        """All postings of a dictionary page."""
        counts = page.chunks
        nblocks = counts // BLOCK
        first = page.starts[4]
        total = int(nblocks.sum())
        meta = self._read_meta(first, total)
        before = np.empty(total, dtype=np.int64)
        before[1:] = meta["last"][:-1]
        block_starts = exclusive_sum(nblocks)
        before[block_starts[:-1][nblocks > 0]] = -1
        self._check_last(meta["last"], block_starts[:-1][nblocks > 0])
        block_chunks, block_frequencies = self._decode(meta, before)
        tails = counts % BLOCK
        has_tail = tails.nonzero()[0]
        last = np.full(len(counts), -1, dtype=np.int64)
        with_blocks = nblocks.nonzero()[0]
        last[with_blocks] = meta["last"][block_starts[1:][with_blocks] - 1]
        lengths = steps(page.tails)
        if lengths[tails == 0].any():
            raise self._frame.corrupt(self._tails, page.starts[2], "a tail", "full blocks only")
        data = self._frame.read(self._tails, page.starts[2], int(page.tails[-1]))
        tail_chunks, tail_frequencies = self._decode_tails(
            data, lengths[has_tail], tails[has_tail], last[has_tail]
        )
        in_tail = postings.tail_flags(counts)
        chunks = np.empty(len(in_tail), dtype=np.uint32)
        frequencies = np.empty(len(in_tail), dtype=np.uint32)
        chunks[in_tail], frequencies[in_tail] = tail_chunks, tail_frequencies
        in_block = ~in_tail
        chunks[in_block], frequencies[in_block] = block_chunks.ravel(), block_frequencies.ravel()
        return postings.Batch(counts, chunks, frequencies)

    def _page_positions(self, page: TermPage, batch: postings.Batch) -> U32 | None:
        section = self._positions
        if section is None:
            return None
        # a block's group ends where its metadata says, and there the term's next group begins
        groups, numbers = group_sizes(batch)
        blocks = batch.counts // BLOCK
        starts = np.repeat(page.positions[:-1], groups)
        later = (ranges(np.zeros(len(groups), dtype=np.int64), groups)).nonzero()[0]
        meta = self._read_meta(page.starts[4], int(blocks.sum()))
        followed = ranges(exclusive_sum(blocks)[:-1], groups - 1)
        starts[later] += meta["positions"][followed]
        data = self._frame.read(section, page.starts[3], int(page.positions[-1]))
        if (starts >= len(data)).any():
            raise self._frame.corrupt(section, page.starts[3], "a group", f"in {len(data)} bytes")
        places, ends = self._decode_positions(section, data, starts, numbers, batch.frequencies)
        if not np.array_equal(ends, np.concatenate([starts[1:], [len(data)]])):
            raise self._frame.corrupt(section, page.starts[3], "a group", "to end at the next")
        return places

    def _decode(self, meta: Meta, before: I64) -> tuple[U32, U32]:
        rows, at = self.rows(meta)
        try:
            chunks, frequencies = decoding.decode_blocks(rows, at, meta, before)
        except MalformedError as error:
            raise self._frame.corrupt(self._rows, 0, error, "a sound block") from error
        self._check_chunks(chunks, self._rows)
        return chunks, frequencies

    def _decode_tails(
        self, data: memoryview, lengths: I64, counts: I64, last: I64
    ) -> tuple[U32, U32]:
        try:
            gaps, frequencies = postings.decode_tails(data, lengths, counts)
        except MalformedError as error:
            raise self._frame.corrupt(self._tails, 0, error, "a sound tail") from error
        chunks = postings.chunks_of_tails(gaps, counts, last)
        self._check_chunks(chunks, self._tails)
        return chunks.astype(np.uint32), frequencies.astype(np.uint32)

    def _decode_positions(
        self, section: Section, data: memoryview, starts: I64, counts: I64, frequencies: U32
    ) -> tuple[U32, I64]:
        try:
            gaps, ends = position_codec.decode(data, starts, counts)
            return position_codec.decode_gaps(gaps, frequencies), ends
        except MalformedError as error:
            raise self._frame.corrupt(section, 0, error, "a sound group") from error

    def _check_chunks(self, chunks: U32 | I64, section: Section) -> None:
        if chunks.size and int(chunks.max()) >= self._chunks:
            raise self._frame.corrupt(section, 0, int(chunks.max()), f"below {self._chunks}")

    def _check_last(self, last: U32, firsts: I64) -> None:
        """Blocks of a term end at ascending chunks; `firsts` are the first blocks of terms."""
        ascending = last[1:] > last[:-1]
        ascending[firsts[firsts > 0] - 1] = True
        if len(last) and (int(last.max()) >= self._chunks or not ascending.all()):
            raise self._frame.corrupt(self._meta, 0, "last chunks", f"ascending to {self._chunks}")

    def _read_meta(self, first: int, count: int) -> Meta:
        data = self._frame.read(self._meta, first * _META_BYTES, count * _META_BYTES)
        return np.frombuffer(data, dtype=postings.BLOCK_META)

    def _read_rows(self, at: I64, sizes: I64) -> tuple[U8, I64]:
        """Rows of blocks, and the offset of each block in them."""
        if not len(at):
            return np.zeros((0, ROW_BYTES), dtype=np.uint8), at
        ends = at + sizes
        if (at[1:] < ends[:-1]).any():
            raise self._frame.corrupt(self._meta, 0, "first rows", "blocks one after the other")
        far = (at[1:] - ends[:-1] > _READ_THROUGH_ROWS).nonzero()[0]
        if not len(far):
            return self._row_range(int(at[0]), int(ends[-1])), at - at[0]
        edges = [0, *(far + 1).tolist(), len(at)]
        parts: list[U8] = []
        local = np.empty_like(at)
        base = 0
        for a, b in pairwise(edges):
            low, high = int(at[a]), int(ends[b - 1])
            parts.append(self._row_range(low, high))
            local[a:b] = at[a:b] - low + base
            base += high - low
        return np.concatenate(parts), local

    def _row_range(self, low: int, high: int) -> U8:
        data = self._frame.read(self._rows, low * ROW_BYTES, (high - low) * ROW_BYTES)
        return np.frombuffer(data, dtype=np.uint8).reshape(-1, ROW_BYTES)
