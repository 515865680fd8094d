"""Packs integers into bits and back, thousands at a time.

Two shapes are stored. *Rows* hold the 128 values of a full block, a row of 16 bytes per bit: first
as many low bits as the highest power of two in the width, then those of its other powers, so that
whole blocks decode in a few array operations. *Runs* are values of any width at any bit offset, for
everything that is too short for a block.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Final, TypeAlias, TypeVar, cast

import numpy as np

from index_format.layout import BLOCK, BLOCK_WIDTHS, ROW_BYTES

if TYPE_CHECKING:
    import numpy.typing as npt

U8: TypeAlias = "npt.NDArray[np.uint8]"
U32: TypeAlias = "npt.NDArray[np.uint32]"
U64: TypeAlias = "npt.NDArray[np.uint64]"
I64: TypeAlias = "npt.NDArray[np.int64]"
Integers = TypeVar("Integers", bound="npt.NDArray[np.integer]")

# padding after packed bits, since they are read eight bytes at a time
PADDING: Final = 8
_LARGEST: Final = np.array([(1 << width) - 1 for width in BLOCK_WIDTHS], dtype=np.uint64)
_WIDTHS: Final = np.array(BLOCK_WIDTHS, dtype=np.int64)


def bit_lengths(values: npt.NDArray[np.unsignedinteger] | I64) -> I64:
    """Bits that each value takes; exact below 2**53."""
    return np.frexp(values.astype(np.float64))[1].astype(np.int64)


def width_codes(largest: npt.NDArray[np.unsignedinteger]) -> U8:
    """Index in `BLOCK_WIDTHS` of the narrowest width that holds each of these values."""
    return np.searchsorted(_LARGEST, largest.astype(np.uint64)).astype(np.uint8)


def widths_of(codes: U8) -> I64:
    """Widths that belong to codes; codes are checked by the caller."""
    return _WIDTHS[codes]


def ranges(starts: npt.NDArray[np.integer], counts: npt.NDArray[np.integer]) -> I64:
    """Concatenation of `range(start, start + count)` over both arrays."""
    total = int(counts.sum())
    before = np.cumsum(counts, dtype=np.int64) - counts
    return np.arange(total, dtype=np.int64) + np.repeat(starts.astype(np.int64) - before, counts)


def exclusive_sum(counts: npt.NDArray[np.integer]) -> I64:
    """Running totals before each element, with the grand total appended."""
    total = np.zeros(len(counts) + 1, dtype=np.int64)
    np.cumsum(counts, out=total[1:])
    return total


def steps(values: Integers) -> Integers:
    """From each value to the next one: `np.diff`, which is not of numpy's core."""
    return cast("Integers", values[1:] - values[:-1])


def split_at(values: Integers, cuts: Iterable[int]) -> list[Integers]:
    """The parts between ascending cuts: `np.split`, as above."""
    return [cast("Integers", values[begin:end]) for begin, end in pairwise([0, *cuts, len(values)])]


def side_by_side(columns: Sequence[Integers]) -> Integers:
    """Columns and tables of columns as one table: `np.column_stack`, as above."""
    tables = [each[:, None] if each.ndim == 1 else each for each in columns]
    return cast("Integers", np.concatenate(tables, axis=1))


def is_new(values: npt.NDArray[np.generic]) -> npt.NDArray[np.bool_]:
    """A mask of values that differ from the one before."""
    new = np.ones(len(values), dtype=np.bool_)
    new[1:] = values[1:] != values[:-1]
    return new


def distinct(numbers: I64) -> I64:
    """The numbers in order, each once. `np.unique` does the same, after loading masked arrays."""
    ordered = np.sort(numbers)
    found: I64 = ordered[is_new(ordered)]
    return found


def pack_rows(blocks: U32, width: int) -> U8:
    """Pack an (n, 128) array into (n, 16 * width) bytes; every value fits the width."""
    packed = []
    for part in _parts(width):
        low = blocks if part == width else blocks & np.uint32((1 << part) - 1)
        packed.append(_pack_part(low, part))
        blocks = blocks >> np.uint32(part % 32)
    return np.hstack(packed)


def unpack_rows(packed: U8, width: int) -> U32:
    """Undo `pack_rows`."""
    blocks = np.zeros((len(packed), BLOCK), dtype=np.uint32)
    done = 0
    for part in _parts(width):
        rows = packed[:, done * ROW_BYTES : (done + part) * ROW_BYTES]
        blocks |= _unpack_part(rows, part) << np.uint32(done)
        done += part
    return blocks


def _parts(width: int) -> list[int]:
    """The powers of two that a width consists of, the widest first."""
    return [part for part in (32, 16, 8, 4, 2, 1) if width & part]


def _pack_part(blocks: U32, width: int) -> U8:
    if width >= 8:
        little = blocks.astype(np.dtype(f"<u{width // 8}"))
        return little.view(np.uint8).reshape(len(blocks), ROW_BYTES * width)
    lanes = 8 // width
    split = blocks.astype(np.uint8).reshape(len(blocks), lanes, BLOCK // lanes)
    packed = split[:, 0].copy()
    for lane in range(1, lanes):
        packed |= split[:, lane] << (lane * width)
    return packed


def _unpack_part(packed: U8, width: int) -> U32:
    count = len(packed)
    if width >= 8:
        little = np.ascontiguousarray(packed).view(np.dtype(f"<u{width // 8}"))
        return little.reshape(count, BLOCK).astype(np.uint32)
    lanes = 8 // width
    mask = (1 << width) - 1
    blocks = np.empty((count, lanes, BLOCK // lanes), dtype=np.uint32)
    for lane in range(lanes):
        blocks[:, lane] = (packed >> (lane * width)) & mask
    return blocks.reshape(count, BLOCK)


def pack_runs(size: int, offsets: I64, widths: I64, values: U64, into: U64 | None = None) -> U64:
    """Write each value at its bit offset (ascending) into words that hold `size` bytes."""
    words = np.zeros((size + 7) // 8 + 1, dtype=np.uint64) if into is None else into
    if not len(values):
        return words
    word = offsets >> 6
    shift = (offsets & 63).astype(np.uint64)
    first = np.concatenate(([0], (word[1:] != word[:-1]).nonzero()[0] + 1))
    words[word[first]] |= np.bitwise_or.reduceat(values << shift, first)
    crossing = ((offsets & 63) + widths > 64).nonzero()[0]
    words[word[crossing] + 1] |= values[crossing] >> (np.uint64(64) - shift[crossing])
    return words


def words_to_bytes(words: U64, size: int) -> bytes:
    """The first `size` bytes of little-endian words."""
    return words.astype("<u8").tobytes()[:size]


def padded(data: bytes | memoryview) -> U8:
    """The data as an array that `unpack_runs` may read past."""
    buffer = np.zeros(len(data) + PADDING, dtype=np.uint8)
    buffer[: len(data)] = np.frombuffer(data, dtype=np.uint8)
    return buffer


def unpack_runs(buffer: U8, offsets: I64, widths: I64) -> U64:
    """Read values of at most 57 bits at bit offsets that the caller has checked to lie inside."""
    words: U64 = np.ndarray((len(buffer) - 7,), "<u8", buffer, strides=(1,))
    masks = (np.uint64(1) << widths.astype(np.uint64)) - np.uint64(1)
    found: U64 = (words[offsets >> 3] >> (offsets & 7).astype(np.uint64)) & masks
    return found
