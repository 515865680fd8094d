"""Columns of numbers in a section, each of the least width that holds its largest number.

    columns  width u8 per column (0, 1, 2, 4 or 8 bytes) | per column: numbers of its width

A section says which columns it has and of how many rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, Final

import numpy as np

from index_format.codec.bits import I64, U64, exclusive_sum, steps
from index_format.codec.frame import FramedFile, Section

if TYPE_CHECKING:
    import numpy.typing as npt

_WIDTHS: Final = (0, 1, 2, 4, 8)


def encode_columns(*columns: npt.NDArray[np.integer]) -> bytes:
    """These columns, whose numbers are not below zero."""
    widths = [_width(int(column.max(initial=0))) for column in columns]
    return bytes(widths) + b"".join(
        column.astype(f"<u{width}").tobytes()
        for column, width in zip(columns, widths, strict=True)
        if width
    )


def _width(largest: int) -> int:
    return next(width for width in _WIDTHS if not largest >> (8 * width))


class NumberColumns:
    """Reads columns of equally many rows; nothing is read before the first question."""

    def __init__(
        self,
        frame: FramedFile,
        section: Section,
        rows: int,
        columns: int = 1,
        start: int = 0,
        *,
        is_last: bool = True,
    ) -> None:
        """Remember where in the section they are, and whether they end it."""
        self._frame = frame
        self._section = section
        self.rows = rows
        self._count = columns
        self._start = start
        self._is_last = is_last
        self._places: Sequence[tuple[int, int]] | None = None

    @property
    def end(self) -> int:
        """Where in the section they end."""
        start, width = self._layout()[-1]
        return start + self.rows * width

    def number(self, column: int, row: int) -> int:
        """One number, without a look at the others."""
        start, width = self._layout()[column]
        data = self._frame.read(self._section, start + row * width, width)
        return int.from_bytes(data, "little")

    def column(self, column: int) -> U64:
        """All numbers of a column."""
        return self.part(column, 0, self.rows)

    def part(self, column: int, first: int, last: int) -> U64:
        """The numbers of rows `first` to `last` (not included)."""
        start, width = self._layout()[column]
        if not width:
            return np.zeros(last - first, dtype=np.uint64)
        data = self._frame.read(self._section, start + first * width, (last - first) * width)
        return np.frombuffer(data, dtype=f"<u{width}").astype(np.uint64)

    def edges(self, column: int, total: int) -> I64:
        """Where each of the parts begins whose sizes a column has, and the end: their total."""
        sizes = self.column(column)
        edges = exclusive_sum(sizes.astype(np.int64))
        # sums of larger numbers could come back to the total
        if edges[-1] != total or (sizes > total).any() or (steps(edges) < 0).any():
            start = self._layout()[column][0]
            expected = f"sizes of {total} in all"
            raise self._frame.corrupt(self._section, start, int(edges[-1]), expected)
        return edges

    def _layout(self) -> Sequence[tuple[int, int]]:
        """Offset and width of each column."""
        if self._places is None:
            first = self._start + self._count
            widths = bytes(self._frame.read(self._section, self._start, self._count))
            *starts, end = accumulate((self.rows * width for width in widths), initial=first)
            length = self._section.length
            if not set(widths) <= set(_WIDTHS) or end > length or (self._is_last and end != length):
                expected = f"columns of {self.rows} rows in {length} bytes"
                raise self._frame.corrupt(self._section, self._start, widths.hex(), expected)
            self._places = list(zip(starts, widths, strict=True))
        return self._places
