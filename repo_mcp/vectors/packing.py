"""Packs vectors for the index; a query's vector is not packed.

Of a chunk, the sign of each number is kept, a bit: bit n of byte m is set where number 8m + n is
above zero. Such signs rank as well as whole numbers do (decision 0039), in an eighth of the room.

Of a declaration, three bits are kept, as what is near to a question in other words is told apart by
less (decision 0039): the signs, then two planes of as many bytes, the first of which counts twice.
Together the planes tell how many of three bounds the number's size reaches. The bounds are so many
times three fifths of the root of the mean square of the vector's numbers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np

from repo_mcp.native import NATIVE

if TYPE_CHECKING:
    import numpy.typing as npt

# part of the identity of stored vectors: raise it when the same vector is packed in other bytes
VERSION: Final = 2

I8: TypeAlias = "npt.NDArray[np.int8]"
U8: TypeAlias = "npt.NDArray[np.uint8]"
F64: TypeAlias = "npt.NDArray[np.float64]"

# signs and sizes
FINE_PLANES: Final = 3
# the square of three fifths, as a fraction
_STEP: Final = 9, 25
_SIZES: Final = range(1, 4)

_FARTHEST: Final = 255
_ROWS_AT_ONCE: Final = 1 << 14  # bounds memory


def width(dimensions: int) -> int:
    """Bytes of a packed vector, whose dimensions are a multiple of eight."""
    return dimensions // 8


def pack(vectors: I8) -> U8:
    """The packed vectors, one a row."""
    return np.packbits(vectors > 0, axis=1, bitorder="little")


def fine_width(dimensions: int) -> int:
    """Bytes of the packed vector of a declaration."""
    return FINE_PLANES * width(dimensions)


def pack_finely(vectors: I8) -> U8:
    """The packed vectors of declarations, one a row."""
    squares = np.square(vectors.astype(np.int32))
    step, of = _STEP
    mean = step * squares.sum(axis=1, keepdims=True)
    squares *= of * vectors.shape[1]
    sizes = sum((squares >= size * size * mean).view(np.uint8) for size in _SIZES)
    planes = vectors > 0, sizes & 2, sizes & 1
    return np.concatenate([np.packbits(at, axis=1, bitorder="little") for at in planes], axis=1)


def distances(row: bytes, rows: U8) -> U8:
    """The number of bits in which the beginnings of rows differ from this row; at most 255."""
    if NATIVE is not None:
        found = NATIVE.bit_distances(np.ascontiguousarray(rows).data, rows.shape[1], row)
        return np.frombuffer(found, dtype=np.uint8)
    return plain_distances(row, rows)


def plain_distances(row: bytes, rows: U8) -> U8:
    """The same in Python."""
    bits = np.frombuffer(row, dtype=np.uint8)
    found = np.zeros(len(rows), dtype=np.uint8)
    for begin in range(0, len(rows), _ROWS_AT_ONCE):
        some = rows[begin : begin + _ROWS_AT_ONCE, : len(bits)]
        ones = np.bitwise_count(some ^ bits).sum(axis=1, dtype=np.int64)
        found[begin : begin + _ROWS_AT_ONCE] = np.minimum(ones, _FARTHEST)
    return found


def cosines(vector: I8, packed: U8) -> F64:
    """The cosine of a vector and the signs of each packed one.

    Sums are of small whole numbers, so that all machines get the same.
    """
    one = vector.astype(np.float32)
    above = np.unpackbits(packed, axis=1, bitorder="little").astype(np.float32) @ one
    length = np.sqrt(float(one @ one) * len(vector)) or 1.0
    # values not above zero count as -1
    found: F64 = (2 * above.astype(np.float64) - float(one.sum())) / length
    return found


def fine_cosines(vector: I8, packed: U8) -> F64:
    """The cosine of a vector and each packed one of a declaration, which are wide as it."""
    bits = np.unpackbits(packed, axis=1, bitorder="little").view(np.int8)
    signs, two, one = bits.reshape(len(bits), FINE_PLANES, len(vector)).swapaxes(0, 1)
    # sums of such whole numbers are exact
    values = ((4 * two + 2 * one + 1) * (2 * signs - 1)).astype(np.float32)
    own = vector.astype(np.float32)
    lengths = np.einsum("ij,ij->i", values, values).astype(np.float64) * (float(own @ own) or 1.0)
    found: F64 = (values @ own).astype(np.float64) / np.sqrt(lengths)
    return found
