"""Checks one field of a segment: dictionary, postings, positions and the sums over them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from index_format.codec import chunks, postings
from index_format.codec.bits import I64, exclusive_sum
from index_format.codec.terms import TermBatch, TermPage, TermWriter
from index_format.errors import CorruptIndexError
from index_format.layout import MAX_TERM_BYTES, ROW_BYTES, SectionTag
from index_format.model import Schema
from index_format.segment.reader import SegmentReader
from index_format.segment.writer import TermSlice, encode_slice

# the amount decoded at a time, in the measure of `TermDictionary.stored_bytes`
_SPAN_BYTES: Final = 1024 * 1024
Problems = Iterator[CorruptIndexError]


def field_problems(reader: SegmentReader, schema: Schema, number: int) -> Problems:
    """Everything that is wrong with a field."""
    check = _FieldCheck(reader, schema, number)
    dictionary = reader.field(number).terms
    costs = dictionary.stored_bytes()
    first = 0
    while first < dictionary.page_count:
        limit = costs[first] + _SPAN_BYTES
        last = max(int(np.searchsorted(costs, limit, side="right")) - 1, first + 1)
        yield from check.span(first, last)
        first = last
    if check.whole:  # otherwise the sums are wrong because something is missing
        yield from check.ends()
        yield from check.lengths()


class _FieldCheck:
    """Walks the terms of a field in order and sums up the expected table values."""

    def __init__(self, reader: SegmentReader, schema: Schema, number: int) -> None:
        self._frame = reader.frame
        self._reader = reader
        self._number = number
        self._fields = len(schema.fields)
        self._codes = reader.chunks.codes(number)
        self._lists = reader.field(number).lists
        self._terms = reader.field(number).terms
        self._writer = TermWriter()
        self._tokens: I64 = np.zeros(reader.chunk_count, dtype=np.int64)
        self._ends = dict.fromkeys(_SECTIONS, 0)
        self._last = b""
        self.whole = True

    def span(self, first: int, last: int) -> Problems:
        """Check some dictionary pages and their postings."""
        try:
            page = self._terms.span(first, last)
            yield from self._term_problems(page)
            batch, places = self._lists.page(page)
            yield from self._postings(page, TermSlice(page.terms, batch, places))
        except CorruptIndexError as error:
            self.whole = False
            yield error

    def _postings(self, page: TermPage, piece: TermSlice) -> Problems:
        np.add.at(self._tokens, piece.batch.chunks, piece.batch.frequencies)
        self._begin(page)
        first_row = self._ends[SectionTag.BLOCK_ROWS] // ROW_BYTES
        encoded = encode_slice(piece, self._codes, first_row)
        yield from self._occurrence_problems(page, encoded.terms)
        for tag, data in encoded.sections.items():
            yield from self._difference(tag, data)
        text, info = self._writer.add(_as_stored(page, encoded.terms))
        yield from self._difference(SectionTag.TERM_TEXTS, text)
        yield from self._difference(SectionTag.TERM_INFO, info)

    def ends(self) -> Problems:
        """Check the sections that are written after all terms."""
        text, info, index, groups = self._writer.finish()
        yield from self._difference(SectionTag.TERM_TEXTS, text)
        yield from self._difference(SectionTag.TERM_INFO, info)
        yield from self._difference(SectionTag.TERM_INDEX, index)
        yield from self._difference(SectionTag.TERM_GROUPS, groups)
        for tag, end in self._ends.items():
            if self._frame.has(tag, self._number):
                section = self._frame.section(tag, self._number)
                if section.length > end:
                    yield self._frame.corrupt(section, end, f"{section.length} bytes", end)

    def lengths(self) -> Problems:
        """Check the chunks' lengths and the files' totals against the postings."""
        codes = chunks.length_codes(self._tokens)
        wrong = (codes != self._codes).nonzero()[0]
        if len(wrong):
            at = int(wrong[0])
            section = self._frame.section(SectionTag.LENGTHS, self._number)
            yield self._frame.corrupt(section, at, int(self._codes[at]), int(codes[at]))
        totals = np.diff(exclusive_sum(self._tokens)[self._reader.files.bounds])
        stored = self._reader.files.totals(self._fields)[self._number]
        for at in (totals != stored).nonzero()[0][:1].tolist():
            section = self._frame.section(SectionTag.FILE_TOTALS)
            offset = (self._number * len(totals) + at) * 4
            yield self._frame.corrupt(section, offset, int(stored[at]), int(totals[at]))

    def _begin(self, page: TermPage) -> None:
        """Seek to a span's start according to the dictionary's index, which is checked later."""
        text, info, tails, positions, block = page.starts
        at = block * postings.BLOCK_META.itemsize
        for tag, start in zip(_SPAN_SECTIONS, (text, info, tails, positions, at), strict=True):
            self._ends[tag] = start
        if not self.whole and int(page.blocks[-1]):  # rows follow from the blocks before
            meta = self._frame.section(SectionTag.BLOCK_META, self._number)
            data = self._frame.read(meta, at, postings.BLOCK_META.itemsize)
            row = int(np.frombuffer(data, dtype=postings.BLOCK_META)["row"][0])
            self._ends[SectionTag.BLOCK_ROWS] = row * ROW_BYTES

    def _term_problems(self, page: TermPage) -> Problems:
        section = self._frame.section(SectionTag.TERM_TEXTS, self._number)
        start = page.starts[0]
        if page.terms[0] <= self._last:
            got = page.terms[0][:64]
            yield self._frame.corrupt(section, start, got, f"above {self._last[:64]!r}")
        if max(map(len, page.terms)) > MAX_TERM_BYTES:
            yield self._frame.corrupt(section, start, "a term", f"at most {MAX_TERM_BYTES} bytes")
        self._last = page.terms[-1]

    def _occurrence_problems(self, page: TermPage, actual: TermBatch) -> Problems:
        for at in (page.occurrences != actual.occurrences).nonzero()[0][:1].tolist():
            section = self._frame.section(SectionTag.TERM_INFO, self._number)
            got = f"{int(page.occurrences[at])} occurrences of {page.terms[at][:64]!r}"
            yield self._frame.corrupt(section, page.starts[1], got, int(actual.occurrences[at]))

    def _difference(self, tag: SectionTag, expected: bytes) -> Problems:
        """Compare the next bytes of a section with those it should have."""
        section = self._frame.section(tag, self._number)
        start = self._ends[tag]
        self._ends[tag] = start + len(expected)
        length = min(len(expected), max(section.length - start, 0))
        stored = self._frame.read(section, min(start, section.length), length)
        if stored == expected:
            return
        size = min(len(stored), len(expected))
        both = (np.frombuffer(data, dtype=np.uint8)[:size] for data in (stored, expected))
        at = int(np.append(np.not_equal(*both).nonzero()[0], size)[0])
        got, wanted = bytes(stored[at : at + 8]).hex(), expected[at : at + 8].hex()
        yield self._frame.corrupt(section, start + at, f"{_part(tag, at)}{got}", wanted)


# in the order of `TermPage.starts`
_SPAN_SECTIONS: Final = (
    SectionTag.TERM_TEXTS,
    SectionTag.TERM_INFO,
    SectionTag.TAILS,
    SectionTag.POSITIONS,
    SectionTag.BLOCK_META,
)
_SECTIONS: Final = (
    SectionTag.TERM_INDEX,
    SectionTag.TERM_GROUPS,
    *_SPAN_SECTIONS,
    SectionTag.BLOCK_ROWS,
)


def _as_stored(page: TermPage, actual: TermBatch) -> TermBatch:
    """The dictionary's own numbers: that they are right is checked by itself."""
    return TermBatch(
        page.terms,
        page.chunks,
        page.occurrences,
        actual.tail_lengths,
        actual.position_lengths,
    )


def _part(tag: SectionTag, at: int) -> str:
    """The part of a block's metadata that a byte belongs to."""
    if tag is not SectionTag.BLOCK_META:
        return ""
    layout = postings.BLOCK_META
    offsets = {name: layout.fields[name][1] for name in layout.names or () if layout.fields}
    inside = at % layout.itemsize
    return max((name for name in offsets if offsets[name] <= inside), key=offsets.__getitem__) + " "
