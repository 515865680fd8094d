"""Packs vectors of chunks for the index: the sign of each number, a bit.

Bit n of byte m is set where number 8m + n is above zero. Signs rank as well as whole numbers do
(decision 0059), in an eighth of the room. A question's vector is not packed.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

# part of the identity of stored vectors: raise it when the same vector is packed in other bytes
VERSION: Final = 2

I8 = npt.NDArray[np.int8]
U8 = npt.NDArray[np.uint8]
F64 = npt.NDArray[np.float64]


def width(dimensions: int) -> int:
    """Bytes of a packed vector, whose dimensions are a multiple of eight."""
    return dimensions // 8


def pack(vectors: I8) -> U8:
    """The packed vectors, one a row."""
    return np.packbits(vectors > 0, axis=1, bitorder="little")


def cosines(vector: I8, packed: U8) -> F64:
    """The cosine of a vector and the signs of each packed one.

    Sums are of small whole numbers, so that all machines get the same.
    """
    one = vector.astype(np.float32)
    above = np.unpackbits(packed, axis=1, bitorder="little").astype(np.float32) @ one
    length = np.sqrt(float(one @ one) * len(vector)) or 1.0
    # what is not above zero counts as -1
    found: F64 = (2 * above.astype(np.float64) - float(one.sum())) / length
    return found
