"""Columns of whole numbers and tables of strings, as they stand in stored facts.

    column   bytes, after one byte that says how many there are per number: 1, 2, 4 or 8; all lowest
             bytes first, then the next ones, so that what varies little stands together
    signed   a column of numbers folded so that those near zero are small: 0, -1, 1, -2, …

Decoding raises ValueError, IndexError or OverflowError for bytes that no encoder wrote.
"""

from __future__ import annotations

import sys
from array import array
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from itertools import accumulate
from typing import Final, Generic, TypeVar

import numpy as np
import numpy.typing as npt

T = TypeVar("T", bound=Hashable)

_TYPES: Final = {1: "B", 2: "H", 4: "I", 8: "Q"}
_NATIVE: Final = sys.byteorder == "little"


def pack(numbers: Sequence[int]) -> bytes:
    """A column; a number below zero or of more than 64 bits is an error."""
    largest = max(numbers, default=0)
    width = next((width for width in _TYPES if largest < 1 << 8 * width), 8)
    values = array(_TYPES[width], numbers)
    if not _NATIVE:
        values.byteswap()
    raw = values.tobytes()
    planes = [raw[plane::width] for plane in range(width)] if width > 1 else [raw]
    return bytes([width]) + b"".join(planes)


def unpack(data: bytes, count: int) -> list[int]:
    """The numbers of a column of so many."""
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


def unpack_array(data: bytes, count: int) -> npt.NDArray[np.int64]:
    """The same as `unpack`, as an array, which is faster for many."""
    width = check_column(data, count)
    planes = np.frombuffer(data, dtype=np.uint8, offset=1).reshape(width, count)
    values = np.zeros(count, dtype=np.int64)
    for plane in range(width):
        values |= planes[plane].astype(np.int64) << (8 * plane)
    return values


def check_column(data: bytes, count: int) -> int:
    """How many bytes each number of a column takes; refuses what is no column of so many."""
    if data.__class__ is not bytes:
        raise ValueError("not a column")
    width = data[0]
    if width not in _TYPES or len(data) != 1 + count * width:
        raise ValueError(f"{len(data)} bytes for {count} numbers")
    return width


def signed(values: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Unfold numbers of either sign."""
    return (values >> 1) ^ -(values & 1)


def pack_signed(numbers: Iterable[int]) -> bytes:
    """A column of numbers of either sign."""
    return pack([(number << 1) if number >= 0 else ~(number << 1) for number in numbers])


def unpack_signed(data: bytes, count: int) -> list[int]:
    """The numbers of a signed column."""
    return [(value >> 1) ^ -(value & 1) for value in unpack(data, count)]


def pack_steps(numbers: Sequence[int]) -> bytes:
    """A column of how far each number is from the one before, the first from zero."""
    return pack_signed(map(int.__sub__, numbers, [0, *numbers]))


def unpack_steps(data: bytes, count: int) -> list[int]:
    """The numbers of a column of steps."""
    return list(accumulate(unpack_signed(data, count)))


class Table(Generic[T]):
    """Distinct values, the frequent ones first, and the number of each."""

    def __init__(self, values: Iterable[T]) -> None:
        """Count them; equal counts stay in the order of the first appearance."""
        self.values = [value for value, _ in Counter(values).most_common()]
        self._numbers = {value: number for number, value in enumerate(self.values)}

    def column(self, values: Iterable[T]) -> bytes:
        """The numbers of these values."""
        return pack([self._numbers[value] for value in values])


def looked_up(table: Sequence[T], data: bytes, count: int) -> list[T]:
    """The values that a column of numbers stands for."""
    return [table[number] for number in unpack(data, count)]


def strings(value: object) -> list[str]:
    """What was unpacked, if it is a list of strings."""
    if not isinstance(value, list) or any(item.__class__ is not str for item in value):
        raise ValueError("not a list of strings")
    return value
