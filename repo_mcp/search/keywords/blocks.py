"""Finds a text in a long one without going through all of it: by what three bytes are where.

The text is cut into blocks. For each of some numbers that three bytes in a row may stand for, it is
known in which blocks any such three are; a block that lacks one of those of what is looked for
can't hold it.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

U8 = npt.NDArray[np.uint8]

_BLOCK: Final = 4096
_NUMBERS: Final = 4096
_GRAM: Final = 3


class Blocks:
    """A text, and which three bytes are in which of its blocks."""

    def __init__(self, text: bytes) -> None:
        """Go through it once; takes an eighth of its size besides."""
        self._text = text
        self._count = -(-len(text) // _BLOCK) + 1  # the last one is empty
        held = np.zeros((_NUMBERS, self._count), dtype=np.bool_)
        grams = _grams(text)
        held[grams, np.arange(len(grams)) // _BLOCK] = True
        # what begins in a block may go on in the next one
        held[:, :-1] |= held[:, 1:]
        self._rows = np.packbits(held, axis=1)

    def places(self, needle: bytes, most: int) -> list[int] | None:
        """Where the needle begins, ascending; None when these are more than so many places."""
        found: list[int] = []
        text, size, done = self._text, len(needle), 0
        for block in self._holding(needle):
            end = (block + 1) * _BLOCK + size - 1
            at = text.find(needle, max(block * _BLOCK, done), end)
            while at >= 0:
                if len(found) == most:
                    return None
                found.append(at)
                done = at + 1
                at = text.find(needle, done, end)
        return found

    def _holding(self, needle: bytes) -> list[int]:
        """Blocks in which it may begin."""
        grams = np.unique(_grams(needle))
        if not len(grams):
            return list(range(self._count))
        rows = np.bitwise_and.reduce(self._rows[grams], axis=0)
        found: list[int] = np.flatnonzero(np.unpackbits(rows, count=self._count)).tolist()
        return found


def _grams(text: bytes) -> npt.NDArray[np.uint16]:
    """A number for each three bytes in a row."""
    read = np.frombuffer(text, dtype=np.uint8).astype(np.uint16)
    if len(read) < _GRAM:
        return read[:0]
    mixed = read[:-2] * np.uint16(67) ^ read[1:-1] * np.uint16(1031) ^ read[2:] * np.uint16(4421)
    found: npt.NDArray[np.uint16] = (mixed ^ (mixed >> np.uint16(8))) % np.uint16(_NUMBERS)
    return found
