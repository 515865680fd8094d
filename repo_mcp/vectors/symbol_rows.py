"""The row of a declaration for finding similar ones: its vector and its shape.

    row   finely packed vector | shape 4 | first line u32 | count of lines u32

The vector is of the declaration's text, in which its name counts once more.

A file has a row for each declaration of three lines or more, in their order; a file with very much
nested text only for the first ones.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np

from repo_mcp.vectors import packing, shapes

if TYPE_CHECKING:
    import numpy.typing as npt

# part of the identity of stored rows: raise it when equal declarations get other rows
VERSION: Final = (3, shapes.VERSION)
FEWEST_LINES: Final = 3
# of longer declarations the beginning counts
MOST_LINES: Final = 200
_MOST_CHARACTERS: Final = 20_000
# the text of all declarations of a file, as a multiple of the file's: nested ones count again
_MOST_TEXT: Final = 6

Text = str | bytes
U8: TypeAlias = "npt.NDArray[np.uint8]"
U32: TypeAlias = "npt.NDArray[np.uint32]"
I64: TypeAlias = "npt.NDArray[np.int64]"

_LINES: Final = struct.Struct("<II")


def width(vector_width: int) -> int:
    """Bytes of a row, by those of the signs of its vector."""
    return packing.FINE_PLANES * vector_width + shapes.BYTES + _LINES.size


def row(vector: bytes, text: Text, first: int, last: int) -> bytes:
    """The row of a declaration with this finely packed vector, text, first and last line."""
    return b"".join((vector, shapes.shape_of(encoded(text)), _LINES.pack(first, last - first + 1)))


def shapes_of(rows: U8, vector_width: int) -> U32:
    """The shapes of rows."""
    begin = packing.FINE_PLANES * vector_width
    return np.ascontiguousarray(rows[:, begin : begin + shapes.BYTES]).view("<u4")[:, 0]


def lines_of(rows: U8) -> tuple[I64, I64]:
    """The first and last lines of rows."""
    columns = np.ascontiguousarray(rows[:, -_LINES.size :]).view("<u4").astype(np.int64)
    first, counts = columns.T
    return first, first + counts - 1


def has_row(first: int, last: int) -> bool:
    """True if a declaration of these lines has a row."""
    return last - first >= FEWEST_LINES - 1


def last_line(first: int, last: int) -> int:
    """The last line that counts."""
    return min(last, first + MOST_LINES - 1)


def cut_text(text: Text) -> Text:
    """The part of a declaration's lines that is compared."""
    if isinstance(text, bytes):
        return text.replace(b"\r", b"")[:_MOST_CHARACTERS]
    return text.replace("\r", "")[:_MOST_CHARACTERS]


def bounded(texts: Iterable[Text], size: int) -> Iterator[Text]:
    """The first texts, as many as count in a file of this size."""
    left = _MOST_TEXT * size
    for text in texts:
        left -= len(text)
        if left < 0:
            return
        yield text


def encoded(text: Text) -> bytes:
    """The text as bytes."""
    return text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
