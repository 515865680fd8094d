"""Named opaque bytes per file: data that is derived from a file and removed with it.

    ATTS  per kind (its number is the section's): column per file: its bytes
    ATTD  per kind: the bytes; they may be rows of one width, one for each chunk in order

A kind of which no file has any bytes is not stored.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from index_format.codec.bits import I64, steps
from index_format.codec.frame import FramedFile
from index_format.codec.number_columns import NumberColumns
from index_format.layout import SectionTag


class Attachments:
    """Reads the attachments of a segment; a file without one of a kind has empty bytes."""

    def __init__(self, frame: FramedFile, files: int, kinds: Sequence[str]) -> None:
        """Remember the kinds; nothing is read yet."""
        self._frame = frame
        self._files = files
        self.kinds = tuple(kinds)
        self._bounds: dict[int, I64] = {}

    def get(self, file: int, kind: str) -> bytes:
        """The bytes of one kind for one file."""
        if kind not in self.kinds:
            return b""
        number = self.kinds.index(kind)
        start, end = self._bounds_of(number)[file : file + 2].tolist()
        section = self._frame.section(SectionTag.ATTACHMENT_DATA, number)
        return bytes(self._frame.read(section, start, end - start))

    def expect(self, files: Iterable[int], kind: str) -> None:
        """The bytes of one kind are read next for these files."""
        if kind in self.kinds:
            number = self.kinds.index(kind)
            bounds = self._bounds_of(number)
            section = self._frame.section(SectionTag.ATTACHMENT_DATA, number)
            spans = (bounds[file : file + 2].tolist() for file in files)
            self._frame.expect([(section, start, end - start) for start, end in spans])

    def read(self, kind: str, start: int = 0, length: int | None = None) -> memoryview:
        """The bytes of one kind for all files, one file's behind the other's, or some of them."""
        if kind not in self.kinds:
            return memoryview(b"")
        section = self._frame.section(SectionTag.ATTACHMENT_DATA, self.kinds.index(kind))
        return self._frame.read(section, start, length)

    def sizes(self, kind: str) -> I64:
        """The size in bytes of a kind of attachment of each file."""
        if kind not in self.kinds:
            return np.zeros(self._files, dtype=np.int64)
        return steps(self._bounds_of(self.kinds.index(kind)))

    def _bounds_of(self, number: int) -> I64:
        bounds = self._bounds.get(number)
        if bounds is None:
            section = self._frame.section(SectionTag.ATTACHMENT_SIZES, number)
            size = self._frame.section(SectionTag.ATTACHMENT_DATA, number).length
            bounds = NumberColumns(self._frame, section, self._files).edges(0, size)
            self._bounds[number] = bounds
        return bounds
