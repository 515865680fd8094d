"""The chunk table: where each chunk lies in its file, and how long its fields are.

    CHNK  per chunk: first line u32 | last line u32; then per chunk: caller's id u64
    LENS  per field (its number is the section's): length code u8 per chunk

Length codes are lossy, which is what a score needs; exact totals are kept per file.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from index_format.bits import U8, U32, U64
from index_format.frame import Frame

TABLE: Final = b"CHNK"
LENGTHS: Final = b"LENS"


def encode_table(first_lines: U32, last_lines: U32, ids: U64) -> bytes:
    """The CHNK section."""
    lines = np.column_stack([first_lines, last_lines]).astype("<u4")
    return lines.tobytes() + ids.astype("<u8").tobytes()


class ChunkTable:
    """Reads chunk lines, ids and length codes."""

    def __init__(self, frame: Frame, chunks: int) -> None:
        """Check the sizes of the sections against the segment's count."""
        self._frame = frame
        self._count = chunks
        self._table = frame.section(TABLE)
        if self._table.length != chunks * 16:
            raise frame.corrupt(self._table, 0, self._table.length, f"{chunks * 16} bytes")
        self._codes: dict[int, U8] = {}

    def lines(self, chunk: int) -> tuple[int, int]:
        """First and last line of a chunk."""
        first, last = np.frombuffer(self._frame.read(self._table, chunk * 8, 8), dtype="<u4")
        return int(first), int(last)

    def chunk_id(self, chunk: int) -> int:
        """The id that the caller gave a chunk."""
        data = self._frame.read(self._table, self._count * 8 + chunk * 8, 8)
        return int.from_bytes(data, "little")

    def all_lines(self) -> U32:
        """First and last lines as an (n, 2) array."""
        data = self._frame.read(self._table, 0, self._count * 8)
        return np.frombuffer(data, dtype="<u4").reshape(-1, 2)

    def all_ids(self) -> U64:
        """All ids."""
        data = self._frame.read(self._table, self._count * 8, self._count * 8)
        return np.frombuffer(data, dtype="<u8")

    def codes(self, field: int) -> U8:
        """Length codes of a field for all chunks."""
        codes = self._codes.get(field)
        if codes is None:
            section = self._frame.section(LENGTHS, field)
            if section.length != self._count:
                raise self._frame.corrupt(section, 0, section.length, f"{self._count} bytes")
            codes = np.frombuffer(self._frame.read(section), dtype=np.uint8)
            self._codes[field] = codes
        return codes
