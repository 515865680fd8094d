"""Variable-length integers, many at a time, every byte accounted for.

A number is stored as 7-bit groups, lowest first; the high bit says that another group follows.
"""

from __future__ import annotations

import numpy as np

from index_format.codec.bits import I64, U8, U64, exclusive_sum, steps

_LONGEST = 9  # groups: 63 bits, so that sums of decoded numbers can be checked in int64


class MalformedError(ValueError):
    """Bytes that no encoder wrote; the reader of a section turns it into `CorruptIndexError`."""


def varint_lengths(values: U64) -> I64:
    """Bytes that each number takes."""
    lengths = np.ones(len(values), dtype=np.int64)
    rest = values >> np.uint64(7)
    while rest.any():
        lengths += rest != 0
        rest >>= np.uint64(7)
    return lengths


def encode_varints(values: U64) -> bytes:
    """Encode numbers below 2**63."""
    lengths = varint_lengths(values)
    starts = exclusive_sum(lengths)
    out = np.empty(int(starts[-1]), dtype=np.uint8)
    for group in range(int(lengths.max(initial=0))):
        chosen = (lengths > group).nonzero()[0]
        low = (values[chosen] >> np.uint64(7 * group)) & np.uint64(0x7F)
        more = np.where(lengths[chosen] > group + 1, 0x80, 0)
        out[starts[chosen] + group] = low.astype(np.uint8) | more.astype(np.uint8)
    return out.tobytes()


def decode_varints(data: bytes | memoryview, count: int) -> U64:
    """Decode exactly `count` numbers that fill `data` exactly."""
    raw: U8 = np.frombuffer(data, dtype=np.uint8)
    ends = (raw < 0x80).nonzero()[0]
    if len(ends) != count or (count and ends[-1] != len(raw) - 1) or (not count and len(raw)):
        msg = f"{len(ends)} numbers in {len(raw)} bytes, not {count}"
        raise MalformedError(msg)
    values = (raw[ends] & 0x7F).astype(np.uint64)
    lengths = steps(np.concatenate([[-1], ends]))
    longest = int(lengths.max(initial=0))
    if longest > _LONGEST:
        msg = f"a number of {longest} bytes"
        raise MalformedError(msg)
    for group in range(1, longest):
        chosen = (lengths > group).nonzero()[0]
        below = (raw[ends[chosen] - group] & 0x7F).astype(np.uint64)
        values[chosen] = (values[chosen] << np.uint64(7)) | below
    return values
