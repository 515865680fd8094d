"""Writes one segment from sorted columns: equal columns give equal bytes.

    META  msgpack array: count of files | count of chunks | [[field name, has positions], ...]
          | [attachment kind, ...]

The other sections are laid out by the modules that read and write them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final

import numpy as np

from index_format.codec import chunks, positions, postings
from index_format.codec.bits import I64, U8, U32, U64, exclusive_sum, ranges, steps
from index_format.codec.fingerprints import FileColumns, encode_files
from index_format.codec.frame import FrameFile, FrameWriter
from index_format.codec.number_columns import encode_columns
from index_format.codec.segment_meta import SegmentMeta, encode_meta
from index_format.codec.terms import TermBatch, TermWriter
from index_format.layout import BLOCK, ROW_BYTES, SectionTag
from index_format.model import Schema
from index_format.records import Record
from index_format.segment.entry import SegmentEntry
from index_format.store.contract import ScratchFile, Store

_SPOOL_IN_MEMORY: Final = 2 * 1024 * 1024
_COPY_BYTES: Final = 1024 * 1024


class ChunkColumns(Record):
    """The chunks of a segment in order; `codes` holds the length codes of each field."""

    first_lines: U32
    last_lines: U32
    ids: U64
    codes: Sequence[U8]


class TermSlice(Record):
    """Consecutive terms of a field with their postings, in dictionary order."""

    terms: Sequence[bytes]
    batch: postings.Batch
    positions: U32 | None


class SegmentContent(Record):
    """The content of a segment; `fields` and `attached` are each called once, in order."""

    files: FileColumns
    chunks: ChunkColumns
    fields: Sequence[Callable[[], Iterable[TermSlice]]]
    attached: Mapping[str, Callable[[], Iterable[bytes]]]


def write_segment(store: Store, schema: Schema, content: SegmentContent) -> FrameFile:
    """Write and publish a segment; leaves nothing behind on failure."""
    frame = FrameWriter(store)
    try:
        _write_tables(frame, schema, content)
        _write_attachments(frame, store, content)
        for number, field in enumerate(schema.fields):
            slices = content.fields[number]()
            codes = content.chunks.codes[number]
            _FieldWriter(store, codes, positions=field.positions).write(frame, number, slices)
        return frame.finish()
    finally:
        frame.discard()


def _write_tables(frame: FrameWriter, schema: Schema, content: SegmentContent) -> None:
    files, table = content.files, content.chunks
    record = encode_meta(
        SegmentMeta(len(files.paths), len(table.ids), sorted(content.attached)), schema
    )
    frame.section(SectionTag.SEGMENT_META, 0, [record])
    for tag, data in encode_files(files).items():
        frame.section(tag, 0, [data])
    lines = chunks.encode_table(table.first_lines, table.last_lines, table.ids)
    frame.section(SectionTag.CHUNKS, 0, [lines])
    for number, codes in enumerate(table.codes):
        frame.section(SectionTag.LENGTHS, number, [codes.tobytes()])


def _write_attachments(frame: FrameWriter, store: Store, content: SegmentContent) -> None:
    for number, kind in enumerate(sorted(content.attached)):
        spool = _Spool(store)
        try:
            sizes = [spool.append(data) for data in content.attached[kind]()]
            column = encode_columns(np.array(sizes, dtype=np.int64))
            frame.section(SectionTag.ATTACHMENT_SIZES, number, [column])
            frame.section(SectionTag.ATTACHMENT_DATA, number, spool.parts())
        finally:
            spool.close()


class _Spool:
    """A buffer for a section that grows in parallel with others; a large one is a scratch file."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._buffer = bytearray()
        self._scratch: ScratchFile | None = None
        self._spilled = 0

    def append(self, data: bytes) -> int:
        self._buffer += data
        if len(self._buffer) >= _SPOOL_IN_MEMORY:
            if self._scratch is None:
                self._scratch = self._store.scratch()
            self._scratch.write(self._buffer)
            self._spilled += len(self._buffer)
            self._buffer = bytearray()
        return len(data)

    def parts(self) -> Iterator[bytes]:
        if self._scratch is not None:
            for start in range(0, self._spilled, _COPY_BYTES):
                yield self._scratch.read(start, min(_COPY_BYTES, self._spilled - start))
        yield bytes(self._buffer)

    def close(self) -> None:
        if self._scratch is not None:
            self._scratch.close()


class _FieldWriter:
    """Encodes one field slice by slice; the bytes do not depend on how it is cut."""

    def __init__(self, store: Store, codes: U8, *, positions: bool) -> None:
        tags = (
            SectionTag.TERM_TEXTS,
            SectionTag.TERM_INFO,
            SectionTag.BLOCK_META,
            SectionTag.BLOCK_ROWS,
            SectionTag.TAILS,
            *((SectionTag.POSITIONS,) if positions else ()),
        )
        self._spools = {tag: _Spool(store) for tag in tags}
        self._terms = TermWriter()
        self._codes = codes
        self._rows = 0

    def write(self, frame: FrameWriter, number: int, slices: Iterable[TermSlice]) -> None:
        try:
            for piece in slices:
                if len(piece.terms):
                    self._add(piece)
            text, info, index, groups = self._terms.finish()
            self._append(text, info)
            frame.section(SectionTag.TERM_INDEX, number, [index])
            frame.section(SectionTag.TERM_GROUPS, number, [groups])
            for tag, spool in self._spools.items():
                frame.section(tag, number, spool.parts())
        finally:
            for spool in self._spools.values():
                spool.close()

    def _add(self, piece: TermSlice) -> None:
        encoded = encode_slice(piece, self._codes, self._rows)
        self._rows += len(encoded.sections[SectionTag.BLOCK_ROWS]) // ROW_BYTES
        for tag, data in encoded.sections.items():
            self._spools[tag].append(data)
        self._append(*self._terms.add(encoded.terms))

    def _append(self, text: bytes, info: bytes) -> None:
        self._spools[SectionTag.TERM_TEXTS].append(text)
        self._spools[SectionTag.TERM_INFO].append(info)


class EncodedSlice(Record):
    """The bytes that a slice adds to the postings sections and to the dictionary."""

    sections: Mapping[SectionTag, bytes]
    terms: TermBatch


def encode_slice(piece: TermSlice, codes: U8, first_row: int) -> EncodedSlice:
    """The bytes of a slice whose blocks begin at this row of the field."""
    batch = piece.batch
    encoded = postings.encode(batch, codes, first_row)
    sections = {SectionTag.BLOCK_ROWS: encoded.rows, SectionTag.TAILS: encoded.tails}
    lengths = np.zeros(len(piece.terms), dtype=np.int64)
    if piece.positions is not None:
        sections[SectionTag.POSITIONS], lengths = _encode_positions(
            batch, piece.positions, encoded.meta
        )
    sections[SectionTag.BLOCK_META] = encoded.meta.tobytes()
    occurrences = steps(exclusive_sum(batch.frequencies)[exclusive_sum(batch.counts)])
    terms = TermBatch(piece.terms, batch.counts, occurrences, encoded.tail_lengths, lengths)
    return EncodedSlice(sections, terms)


def _encode_positions(
    batch: postings.Batch, values: U32, meta: np.ndarray[tuple[int], np.dtype[np.void]]
) -> tuple[bytes, I64]:
    """Bytes and their length per term; sets the ends of position groups in the blocks' metadata."""
    groups, numbers = postings.group_sizes(batch)
    data, sizes = positions.encode(positions.encode_gaps(values, batch.frequencies), numbers)
    ends = exclusive_sum(sizes)
    first_group = exclusive_sum(groups)
    term_starts = ends[first_group[:-1]]
    blocks = batch.counts // BLOCK
    group = ranges(first_group[:-1], blocks)
    meta["positions"] = ends[group + 1] - np.repeat(term_starts, blocks)
    return data, ends[first_group[1:]] - term_starts


def describe_segment(frame: FrameFile, content: SegmentContent, *, canonical: bool) -> SegmentEntry:
    """The entry of a segment that was just written, all its files alive."""
    chunks = len(content.chunks.ids)
    totals = content.files.totals.sum(axis=1, dtype=np.int64)
    return SegmentEntry(
        frame.name,
        frame.length,
        frame.seal,
        len(content.files.paths),
        chunks,
        (),
        chunks,
        tuple(totals.tolist()),
        canonical,
    )
