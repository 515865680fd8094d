"""The chunk table: each chunk's lines in its file, and the lengths of its fields.

    CHNK  columns per chunk: first line, last line less first, the caller's id
    LENS  per field (its number is the section's): length code u8 per chunk

Length codes are Whoosh's, so that scores equal those of its own index: exact for short fields,
within 3.3% for longer ones. Exact totals are kept per file.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from index_format.codec.bits import I64, U8, U32, U64
from index_format.codec.frame import FramedFile, Section
from index_format.codec.number_columns import NumberColumns, encode_columns
from index_format.layout import SectionTag

_COLUMNS: Final = 3
_FIRST, _MORE, _ID = range(_COLUMNS)
_LARGEST: Final = 106_374
# the length that each code means; equal to Whoosh's table, which a test checks
CODE_LENGTHS: Final[I64] = np.array(
    [round((1.033**code - 1) * 27) for code in range(255)] + [_LARGEST], dtype=np.int64
)


def length_codes(lengths: I64) -> U8:
    """Codes of exact lengths: the nearest that is no shorter."""
    codes = np.searchsorted(CODE_LENGTHS, lengths)
    return np.minimum(codes, 255).astype(np.uint8)


def codes_within(lengths: I64) -> U8:
    """The highest codes whose lengths are not above these."""
    codes = np.searchsorted(CODE_LENGTHS, lengths, side="right") - 1
    return codes.astype(np.uint8)


def encode_table(first_lines: U32, last_lines: U32, ids: U64) -> bytes:
    """The CHNK section; no last line is before its first."""
    return encode_columns(first_lines, last_lines - first_lines, ids)


class ChunkTable:
    """Reads chunk lines, ids and length codes."""

    def __init__(self, frame: FramedFile, chunks: int) -> None:
        """Remember where the table is; it is read at the first question about a chunk."""
        self._frame = frame
        self._count = chunks
        self._columns = NumberColumns(frame, frame.section(SectionTag.CHUNKS), chunks, _COLUMNS)
        self._codes: dict[int, U8] = {}

    def lines(self, chunk: int) -> tuple[int, int]:
        """First and last line of a chunk."""
        first = self._columns.number(_FIRST, chunk)
        return first, first + self._columns.number(_MORE, chunk)

    def chunk_id(self, chunk: int) -> int:
        """The id that the caller gave a chunk."""
        return self._columns.number(_ID, chunk)

    def all_lines(self) -> U32:
        """First and last lines as an (n, 2) array."""
        return self.lines_between(0, self._count)

    def lines_between(self, begin: int, end: int) -> U32:
        """The same of some consecutive chunks, the last not included."""
        first = self._columns.part(_FIRST, begin, end)
        last = first + self._columns.part(_MORE, begin, end)
        return np.stack([first, last], axis=1).astype(np.uint32)

    def all_ids(self) -> U64:
        """All ids."""
        return self.ids_between(0, self._count)

    def ids_between(self, begin: int, end: int) -> U64:
        """The ids of some consecutive chunks, the last not included."""
        return self._columns.part(_ID, begin, end)

    def codes_part(self, field: int) -> tuple[Section, int, int]:
        """The part of a section that `codes` would read, by start and length."""
        section = self._frame.section(SectionTag.LENGTHS, field)
        return section, 0, section.length

    def codes(self, field: int) -> U8:
        """Length codes of a field for all chunks."""
        codes = self._codes.get(field)
        if codes is None:
            section = self._frame.section(SectionTag.LENGTHS, field)
            if section.length != self._count:
                raise self._frame.corrupt(section, 0, section.length, f"{self._count} bytes")
            codes = np.frombuffer(self._frame.read(section), dtype=np.uint8)
            self._codes[field] = codes
        return codes
