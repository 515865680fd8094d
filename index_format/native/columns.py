"""Columns of whole numbers: their bytes, and the models of columns.c.

    column   width (one byte: 1, 2, 4 or 8), then the numbers in planes: all lowest bytes, all
             second bytes, and so on, so that bytes that vary little stand together
    signed   a column of numbers folded so that those near zero are small: 0, -1, 1, -2, …
    steps    a signed column of the difference of each number from the one before

Decoding raises ValueError, IndexError or OverflowError for bytes that no encoder writes.
"""

from __future__ import annotations

import sys
from array import array
from collections.abc import Iterable
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

_TYPES: Final = {1: "B", 2: "H", 4: "I", 8: "Q"}
_NATIVE: Final = sys.byteorder == "little"


def pack_column(numbers: Iterable[int]) -> bytes:
    """A column; OverflowError for a number below zero or of more than 64 bits."""
    numbers = [*numbers]
    largest = max(numbers, default=0)
    width = next((width for width in _TYPES if largest < 1 << 8 * width), 8)
    values = array(_TYPES[width], numbers)
    if not _NATIVE:
        values.byteswap()
    raw = values.tobytes()
    planes = [raw[plane::width] for plane in range(width)] if width > 1 else [raw]
    return bytes([width]) + b"".join(planes)


def unpack_column(data: bytes, count: int) -> list[int]:
    """The `count` numbers of a column."""
    width = check_column(data, count)
    if width == 1:
        return list(data[1:])
    raw = bytearray(len(data) - 1)
    for plane in range(width):
        raw[plane::width] = data[1 + plane * count : 1 + (plane + 1) * count]
    values = array(_TYPES[width], bytes(raw))
    if not _NATIVE:
        values.byteswap()
    return values.tolist()


def column_array(data: bytes, count: int) -> npt.NDArray[np.int64]:
    """The same as `unpack_column`, as an array, which is faster for many."""
    width = check_column(data, count)
    planes = np.frombuffer(data, dtype=np.uint8, offset=1).reshape(width, count)
    values = np.zeros(count, dtype=np.int64)
    for plane in range(width):
        values |= planes[plane].astype(np.int64) << (8 * plane)
    return values


def column_slice(data: bytes, count: int, begin: int, end: int) -> npt.NDArray[np.int64]:
    """The numbers from `begin` to `end` (not included) of a column; others are not looked at."""
    width = check_column(data, count)
    values = np.zeros(max(0, min(end, count) - begin), dtype=np.int64)
    for plane in range(width):
        first = 1 + plane * count + begin
        part = np.frombuffer(data, dtype=np.uint8, count=len(values), offset=first)
        values |= part.astype(np.int64) << (8 * plane)
    return values


def check_column(data: bytes, count: int) -> int:
    """Bytes per number; refuses what is not a column of `count` numbers."""
    if data.__class__ is not bytes:
        raise ValueError("not a column")
    width = data[0]
    if width not in _TYPES or len(data) != 1 + count * width:
        raise ValueError(f"{len(data)} bytes for {count} numbers")
    return width


def unfold_signs(values: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """The numbers of a signed column, from those of a column."""
    return (values >> 1) ^ -(values & 1)


def pack_signed(numbers: Iterable[int]) -> bytes:
    """A signed column; OverflowError for a number of more than 63 bits and a sign."""
    return pack_column([(number << 1) if number >= 0 else ~(number << 1) for number in numbers])


def unpack_signed(data: bytes, count: int) -> list[int]:
    """The numbers of a signed column."""
    return [(value >> 1) ^ -(value & 1) for value in unpack_column(data, count)]


def pack_steps(numbers: Iterable[int]) -> bytes:
    """A signed column of the differences between neighbours; the first is from zero."""
    given = array("q", numbers)
    return pack_signed(map(int.__sub__, given, [0, *given]))


def unpack_steps(data: bytes, count: int) -> list[int]:
    """The numbers of a column of steps."""
    return list(accumulate(unpack_signed(data, count)))


def find_ranges(
    names: str, lengths: bytes, starts: bytes, spans: bytes, count: int, first: int, last: int
) -> list[tuple[int, int, int, str]]:
    """Number, first and last line, and name of each range that overlaps these lines.

    Shorter ones are last. `names` has the names of all ranges, `lengths` is the column of their
    lengths, `starts` one of steps, `spans` one of how many lines follow a range's first.
    """
    edges = name_edges(lengths, count, len(names))
    begins = np.cumsum(unfold_signs(column_array(starts, count)))
    sizes = column_array(spans, count)
    touching = ((begins <= last) & (begins + sizes >= first)).nonzero()[0]
    touching = touching[np.argsort(-sizes[touching], kind="stable")]
    ends = (begins + sizes)[touching].tolist()
    found = [names[edges[at] : edges[at + 1]] for at in touching.tolist()]
    return list(zip(touching.tolist(), begins[touching].tolist(), ends, found, strict=True))


def find_range(starts: bytes, spans: bytes, count: int, number: int) -> tuple[int, int]:
    """First and last line of one range; see `find_ranges`."""
    sizes = column_array(spans, count)
    steps = unfold_signs(column_array(starts, count))
    if not 0 <= number < count:
        raise IndexError(number)
    begin = int(steps[: number + 1].sum())
    return begin, begin + int(sizes[number])


def find_endings(names: bytes, lengths: bytes, count: int, ending: bytes) -> list[int]:
    """Numbers of the names, cut out of one ASCII text, that end with a text in small letters.

    Case and underscores of the names make no difference.
    """
    edges = name_edges(lengths, count, len(names)).tolist()
    parts = (names[begin:end] for begin, end in pairwise(edges))
    endings = (part.replace(b"_", b"").lower().endswith(ending) for part in parts)
    return [number for number, ends in enumerate(endings) if ends]


def find_scopes(names: str, lengths: bytes, parents: bytes, count: int, number: int) -> list[str]:
    """The name of an item, and those of the items around it, the innermost first.

    `parents` is a signed column: how far before an item the one around it is, 0 where there is
    none. Damaged parents end it early.
    """
    edges = name_edges(lengths, count, len(names)).tolist()
    back = unfold_signs(column_array(parents, count)).tolist()
    if not 0 <= number < count:
        raise IndexError(number)
    found = [names[edges[number] : edges[number + 1]]]
    while back[number] and 0 <= number - back[number] < count and len(found) <= count:
        number -= back[number]
        found.append(names[edges[number] : edges[number + 1]])
    return found


def name_edges(lengths: bytes, count: int, length: int) -> npt.NDArray[np.int64]:
    """Where each name begins in one text of this length, and the end, from a column of lengths."""
    edges = np.zeros(count + 1, dtype=np.int64)
    np.cumsum(column_array(lengths, count), out=edges[1:])
    if edges[-1] != length or (edges[1:] < edges[:-1]).any():
        raise ValueError("names that are longer or shorter than their text")
    return edges


def column_number(data: bytes, count: int, at: int) -> int:
    """One number of a column."""
    width = check_column(data, count)
    return int.from_bytes(data[1 + at : 1 + count * width : count], "little")
