"""Positions of a term within its chunks.

Postings are taken in groups: each of a term's full blocks, then its tail. A group's numbers (for
each chunk the first position, then the distances) are Rice-coded with a parameter of its own:

    POSN  per group: parameter k u8 | low k bits of each number | for each number (number >> k)
          zeros and a one, bits packed, whole bytes

Distances are spread like coin tosses, for which this code is close to the best there is.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from index_format.codec.bits import (
    I64,
    U32,
    U64,
    bit_lengths,
    exclusive_sum,
    pack_runs,
    padded,
    ranges,
    unpack_runs,
    words_to_bytes,
)
from index_format.codec.wire import MalformedError

MAX_PARAMETER: Final = 31
# ln 2 as a fraction: the best parameter is close to log2 of ln 2 times the mean
_LN2: Final = (45_426, 65_536)


def encode_gaps(positions: U32, frequencies: U32) -> U64:
    """First position of each chunk, then distances."""
    gaps = positions.astype(np.int64)
    gaps[1:] -= positions[:-1]
    starts = exclusive_sum(frequencies)[:-1]
    gaps[starts] = positions[starts]
    return gaps.astype(np.uint64)


def decode_gaps(gaps: U64, frequencies: U32) -> U32:
    """Undo `encode_gaps`."""
    total = np.cumsum(gaps.astype(np.int64))
    starts = exclusive_sum(frequencies)[:-1]
    before = total[starts] - gaps[starts].astype(np.int64)
    positions = total - np.repeat(before, frequencies)
    if len(positions) and int(positions.max()) >= 1 << 32:
        msg = "a position beyond 2**32"
        raise MalformedError(msg)
    return positions.astype(np.uint32)


def encode(gaps: U64, counts: I64) -> tuple[bytes, I64]:
    """Encode consecutive groups of `counts` numbers (none empty); bytes and length of each."""
    if not len(counts):
        return b"", np.zeros(0, dtype=np.int64)
    sums = np.add.reduceat(gaps, exclusive_sum(counts)[:-1]).astype(np.int64)
    scaled = sums * _LN2[0] // (counts * _LN2[1])
    parameters = np.clip(bit_lengths(scaled) - 1, 0, MAX_PARAMETER)
    each = np.repeat(parameters, counts)
    high = (gaps >> each.astype(np.uint64)).astype(np.int64)
    unary = np.add.reduceat(high + 1, exclusive_sum(counts)[:-1])
    lengths = 1 + (counts * parameters + unary + 7) // 8
    starts = exclusive_sum(lengths)
    size = int(starts[-1])
    words = pack_runs(size, starts[:-1] * 8, np.full(len(counts), 8), parameters.astype(np.uint64))
    order = ranges(np.zeros(len(counts), dtype=np.int64), counts)
    at = np.repeat((starts[:-1] + 1) * 8, counts)
    low = gaps & ((np.uint64(1) << each.astype(np.uint64)) - np.uint64(1))
    pack_runs(size, at + order * each, each, low, words)
    ones = _ends_of_unary((starts[:-1] + 1) * 8 + counts * parameters, high, counts)
    pack_runs(size, ones, np.ones(len(ones), dtype=np.int64), np.ones_like(gaps), words)
    return words_to_bytes(words, size), lengths


def _ends_of_unary(starts: I64, high: I64, counts: I64) -> I64:
    """Bit offset of the one that ends each number."""
    total = np.cumsum(high + 1)
    first = exclusive_sum(counts)[:-1]
    before = total[first] - high[first] - 1
    return np.repeat(starts - before, counts) + total - 1


def decode(data: bytes | memoryview, starts: I64, counts: I64) -> tuple[U64, I64]:
    """Numbers of groups that begin at byte `starts`, and the byte after each group."""
    buffer = padded(data)
    parameters = buffer[starts].astype(np.int64)
    unary = (starts + 1) * 8 + counts * parameters
    # a number ends in a one: so room is made only for as many as there are bits to hold them
    crowded = len(starts) + int(counts.sum()) // 8 > len(data)
    if (parameters > MAX_PARAMETER).any() or (unary > len(data) * 8).any() or crowded:
        msg = "a group of positions is longer than its section"
        raise MalformedError(msg)
    each = np.repeat(parameters, counts)
    order = ranges(np.zeros(len(counts), dtype=np.int64), counts)
    low = unpack_runs(buffer, np.repeat((starts + 1) * 8, counts) + order * each, each)
    ones = np.unpackbits(buffer[: len(data)], bitorder="little").view(np.bool_).nonzero()[0]
    first = np.searchsorted(ones, unary)
    if (first + counts > len(ones)).any():
        msg = "a group of positions has no end"
        raise MalformedError(msg)
    ends = ones[ranges(first, counts)]
    begins = np.empty_like(ends)
    begins[1:] = ends[:-1] + 1
    begins[exclusive_sum(counts)[:-1]] = unary
    high = (ends - begins).astype(np.uint64)
    last = ends[exclusive_sum(counts)[1:] - 1]
    return (high << each.astype(np.uint64)) | low, last // 8 + 1
