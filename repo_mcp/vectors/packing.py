"""Packs vectors of chunks for the index: four bits a number, two numbers a byte.

A number of the vector becomes -7 to 7, stored 8 higher, the first of two in the lower bits. What is
lost changes the cosine of vectors of 256 numbers by .01.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

# part of the identity of stored vectors: raise it when the same vector is packed in other bytes
VERSION: Final = 1
_LARGEST: Final = 127
_LEVELS: Final = 7
_ZERO: Final = 8

I8 = npt.NDArray[np.int8]
U8 = npt.NDArray[np.uint8]
F64 = npt.NDArray[np.float64]


def width(dimensions: int) -> int:
    """Bytes of a packed vector."""
    return dimensions // 2


def pack(vectors: I8) -> U8:
    """The packed vectors, one a row."""
    sizes = (np.abs(vectors.astype(np.int16)) * _LEVELS + _LARGEST // 2) // _LARGEST
    levels = (np.where(vectors < 0, -sizes, sizes) + _ZERO).astype(np.uint8)
    return levels[:, 0::2] | levels[:, 1::2] << np.uint8(4)


def unpack(packed: U8) -> I8:
    """The numbers of packed vectors, -7 to 7; any byte has a meaning."""
    found = np.empty((len(packed), packed.shape[1] * 2), dtype=np.int8)
    found[:, 0::2] = packed & 15
    found[:, 1::2] = packed >> 4
    found -= _ZERO
    return found


def cosines(vector: I8, packed: U8) -> F64:
    """The cosine of a vector and each of packed ones; 0 with one of zeros.

    Sums are of small whole numbers, so that all machines get the same.
    """
    rows = unpack(packed).astype(np.float32)
    one = vector.astype(np.float32)
    lengths = np.sqrt((rows * rows).sum(axis=1, dtype=np.float64) * float(one @ one))
    found: F64 = (rows @ one) / np.maximum(lengths, 1)
    return found
