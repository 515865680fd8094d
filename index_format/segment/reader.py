"""Opens a segment: counts, file and chunk tables, and per field a dictionary and its postings.

Every byte is verified before it is used, every count before something is sized by it.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterable
from typing import Final

import numpy as np

from index_format.codec.attachments import Attachments
from index_format.codec.bits import steps
from index_format.codec.chunks import ChunkTable
from index_format.codec.fingerprints import FileTable
from index_format.codec.frame import FramedFile, Section
from index_format.codec.segment_meta import read_meta
from index_format.codec.terms import TermDictionary
from index_format.model import Schema
from index_format.records import replace
from index_format.segment.entry import SegmentEntry, check_length
from index_format.segment.posting_lists import PostingLists, TermPostings
from index_format.store.contract import ReadHandle

_SMALL_BYTES: Final = 1 << 16


class FieldReader:
    """Terms and postings of one field."""

    def __init__(self, terms: TermDictionary, lists: PostingLists) -> None:
        self.terms = terms
        self.lists = lists

    def find(self, term: bytes) -> TermPostings | None:
        """Postings of a term, None where the segment does not hold it."""
        entry = self.terms.find(term)
        return None if entry is None else self.lists.term(entry)


class SegmentReader:
    """Reads one segment; every byte is verified on its way, every count before its use."""

    def __init__(self, handle: ReadHandle, schema: Schema, seal: str | None = None) -> None:
        """Open the frame and the fixed-size tables."""
        self.frame = FramedFile(handle, seal)
        files, chunks, kinds = read_meta(self.frame, schema)
        self.name = handle.name
        self.file_count = files
        self.chunk_count = chunks
        self._schema = schema
        self.files = FileTable(self.frame, files, chunks, len(schema.fields))
        self.chunks = ChunkTable(self.frame, chunks)
        self.attachments = Attachments(self.frame, files, kinds)
        self._fields: dict[int, FieldReader] = {}
        if self.frame.is_remote:  # most of these are needed by any question
            sections = self.frame.sections
            self.frame.expect((item, 0, item.length) for item in sections if _is_small(item))

    def field(self, number: int) -> FieldReader:
        """The reader of a field, made at the first question."""
        reader = self._fields.get(number)
        if reader is None:
            stored = self._schema.fields[number].positions
            lists = PostingLists(self.frame, number, self.chunk_count, positions=stored)
            reader = FieldReader(TermDictionary(self.frame, number), lists)
            self._fields[number] = reader
        return reader

    def close(self) -> None:
        """Give the file back."""
        self.frame.close()


def _is_small(section: Section) -> bool:
    return section.length <= _SMALL_BYTES


def open_segment(handle: ReadHandle, entry: SegmentEntry, schema: Schema) -> SegmentReader:
    """A reader that closes this file when the last snapshot that holds it is gone."""
    try:
        check_length(handle, entry.length)
        reader = SegmentReader(handle, schema, entry.seal)
    except BaseException:
        handle.close()
        raise
    weakref.finalize(reader, handle.close)
    return reader


def replace_dead(entry: SegmentEntry, reader: SegmentReader, dead: Iterable[int]) -> SegmentEntry:
    """The entry with exactly these files dead, counts as the segment gives them."""
    numbers = sorted(dead)
    counts = steps(reader.files.bounds)
    totals = reader.files.totals(len(entry.live_totals)).astype(np.int64)
    live = totals.sum(axis=1) - totals[:, numbers].sum(axis=1)
    return replace(
        entry,
        dead_files=tuple(numbers),
        live_chunks=reader.chunk_count - int(counts[numbers].sum()),
        live_totals=tuple(live.tolist()),
    )
