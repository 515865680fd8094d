"""The file table: fingerprints, sizes, chunks and tokens of a segment's files in path order.

    FPRT  fingerprint 16 bytes per file | column per file: bytes of its text
    FCHK  column per file: its chunks
    FTOT  columns per file: tokens of each field

The chunks of a file follow each other, and those of the next one follow them.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from functools import cached_property
from typing import Final

import numpy as np

from index_format.codec.bits import I64, U32, U64
from index_format.codec.frame import FramedFile
from index_format.codec.number_columns import NumberColumns, encode_columns
from index_format.codec.paths import PathTable, encode_paths
from index_format.layout import SectionTag
from index_format.records import Record

FINGERPRINT_BYTES: Final = 16


class FileColumns(Record):
    """The files of a segment in path order; `totals` is (fields, files)."""

    paths: Sequence[bytes]
    fingerprints: Sequence[bytes]
    sizes: U64
    chunk_counts: I64
    totals: U32


class FileRecord(Record):
    """One file as stored."""

    path: str
    fingerprint: bytes
    size: int
    first_chunk: int
    last_chunk: int  # one past the end


def encode_files(columns: FileColumns) -> dict[SectionTag, bytes]:
    """The sections of the table, with that of the paths, in the order of a segment."""
    return {
        SectionTag.PATHS: encode_paths(columns.paths),
        SectionTag.FINGERPRINTS: b"".join(columns.fingerprints) + encode_columns(columns.sizes),
        SectionTag.CHUNK_COUNTS: encode_columns(columns.chunk_counts),
        SectionTag.FILE_TOTALS: encode_columns(*columns.totals),
    }


class FileTable:
    """Reads the files of a segment; nothing but their count is read before a question."""

    def __init__(self, frame: FramedFile, files: int, chunks: int, fields: int) -> None:
        """Check that there are as many fingerprints as the segment has files."""
        self._frame = frame
        self.count = files
        self.paths = PathTable(frame, files)
        self._chunks = chunks
        self._prints = frame.section(SectionTag.FINGERPRINTS)
        self._totals = frame.section(SectionTag.FILE_TOTALS)
        end = files * FINGERPRINT_BYTES
        if self._prints.length <= end:
            raise frame.corrupt(self._prints, 0, self._prints.length, f"more than {end} bytes")
        self._sizes = NumberColumns(frame, self._prints, files, 1, end)
        self._counts = NumberColumns(frame, frame.section(SectionTag.CHUNK_COUNTS), files)
        self._tokens = NumberColumns(frame, self._totals, files, fields)

    @cached_property
    def bounds(self) -> I64:
        """First chunk of each file, and for the end."""
        return self._counts.edges(0, self._chunks)

    def record(self, file: int) -> FileRecord:
        """Everything about one file."""
        path = self.paths.path(file).decode("utf-8", "surrogatepass")
        first, last = self.bounds[file : file + 2].tolist()
        return FileRecord(path, self.fingerprint(file), self.size(file), first, last)

    def file_of(self, chunk: int) -> int:
        """Number of the file that holds a chunk."""
        return bisect_right(self._edges, chunk) - 1

    @cached_property
    def _edges(self) -> memoryview:
        """The same as `bounds`, of which single numbers are read sooner."""
        return self.bounds.data

    def fingerprint(self, file: int) -> bytes:
        """Fingerprint of one file."""
        return bytes(self._frame.read(self._prints, file * FINGERPRINT_BYTES, FINGERPRINT_BYTES))

    def fingerprints(self) -> list[bytes]:
        """Fingerprints of all files."""
        data = bytes(self._frame.read(self._prints, 0, self.count * FINGERPRINT_BYTES))
        return [data[at : at + FINGERPRINT_BYTES] for at in range(0, len(data), FINGERPRINT_BYTES)]

    def size(self, file: int) -> int:
        """Size of one file."""
        return self._sizes.number(0, file)

    def sizes(self) -> U64:
        """Sizes of all files."""
        return self._sizes.column(0)

    def totals(self, fields: int) -> U32:
        """Token counts, (fields, files)."""
        table = np.empty((fields, self.count), dtype=np.uint32)
        for field in range(fields):
            column = self._tokens.column(field)
            if int(column.max(initial=0)) >> 32:
                raise self._frame.corrupt(self._totals, 0, int(column.max()), "less than 2**32")
            table[field] = column
        return table
