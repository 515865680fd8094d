"""The chunk table: each chunk's lines in its file, and the lengths of its fields.

    CHNK  widths u8 x 3 (0, 1, 2, 4 or 8 bytes) | zero u8 x 5 | per chunk: first line; then per
          chunk: last line less first; then per chunk: the caller's id, each of its width
    LENS  per field (its number is the section's): length code u8 per chunk

Length codes are Whoosh's, so that scores equal those of its own index: exact for short fields,
within 3.3% for longer ones. Exact totals are kept per file.
"""

from __future__ import annotations

from itertools import accumulate
from typing import Final

import numpy as np

from index_format.codec.bits import I64, U8, U32, U64
from index_format.codec.frame import FramedFile, Section
from index_format.layout import SectionTag

_HEADER_BYTES: Final = 8
_COLUMNS: Final = 3
_WIDTHS: Final = (0, 1, 2, 4, 8)
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
    columns = [first_lines, last_lines - first_lines, ids]
    widths = [_width(int(column.max(initial=0))) for column in columns]
    header = bytes(widths) + bytes(_HEADER_BYTES - len(widths))
    return header + b"".join(
        column.astype(f"<u{width}").tobytes()
        for column, width in zip(columns, widths, strict=True)
        if width
    )


def _width(largest: int) -> int:
    return next(width for width in _WIDTHS if not largest >> (8 * width))


class ChunkTable:
    """Reads chunk lines, ids and length codes."""

    def __init__(self, frame: FramedFile, chunks: int) -> None:
        """Remember where the table is; it is read at the first question about a chunk."""
        self._frame = frame
        self._count = chunks
        self._table = frame.section(SectionTag.CHUNKS)
        self._columns: list[tuple[int, int]] | None = None
        self._codes: dict[int, U8] = {}

    def lines(self, chunk: int) -> tuple[int, int]:
        """First and last line of a chunk."""
        (firsts, width), (counts, count_width), *_ = self._layout()
        read, table = self._frame.read, self._table
        first = int.from_bytes(read(table, firsts + chunk * width, width), "little")
        more = read(table, counts + chunk * count_width, count_width)
        return first, first + int.from_bytes(more, "little")

    def chunk_id(self, chunk: int) -> int:
        """The id that the caller gave a chunk."""
        return self._number(2, chunk)

    def all_lines(self) -> U32:
        """First and last lines as an (n, 2) array."""
        first = self._column(0)
        return np.stack([first, first + self._column(1)], axis=1).astype(np.uint32)

    def all_ids(self) -> U64:
        """All ids."""
        return self._column(2)

    def _number(self, column: int, chunk: int) -> int:
        offset, width = self._layout()[column]
        data = self._frame.read(self._table, offset + chunk * width, width)
        return int.from_bytes(data, "little")

    def _column(self, column: int) -> U64:
        offset, width = self._layout()[column]
        if not width:
            return np.zeros(self._count, dtype=np.uint64)
        data = self._frame.read(self._table, offset, self._count * width)
        return np.frombuffer(data, dtype=f"<u{width}").astype(np.uint64)

    def _layout(self) -> list[tuple[int, int]]:
        """Offset and width of each column."""
        if self._columns is None:
            header = bytes(self._frame.read(self._table, 0, _HEADER_BYTES))
            widths = list(header[:_COLUMNS])
            size = _HEADER_BYTES + self._count * sum(widths)
            known = set(widths) <= set(_WIDTHS) and not any(header[_COLUMNS:])
            if not known or size != self._table.length:
                expected = f"columns of {self._count} chunks in {self._table.length} bytes"
                raise self._frame.corrupt(self._table, 0, header.hex(), expected)
            starts = accumulate((self._count * width for width in widths), initial=_HEADER_BYTES)
            self._columns = list(zip(starts, widths, strict=False))
        return self._columns

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
