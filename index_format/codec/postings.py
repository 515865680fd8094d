"""Postings of one field: which chunks hold a term, and how often.

Terms follow each other in dictionary order. Of a term's n postings the first 128 * (n // 128) are
stored in *full blocks*, the rest, if any, in the term's *tail*.

    BLKM  per block, 16 bytes: last chunk u32 | first row u32 | end of its positions u32 (from the
          term's first positions byte) | highest frequency u8, 255 for more | fitting length code
          u8 | shortest length code u8 | width codes u8 (gaps in the low, frequencies in the high
          four bits)
    BLKR  rows of 16 bytes: a block's gaps, then its frequencies less 1
    TAIL  per term with a tail: widths u8 (gaps in the low five bits, index in `TAIL_WIDTHS` of the
          frequencies' in the high three) | gaps | frequencies less 1, bits packed, whole bytes

A gap is the distance from the previous chunk, less 1; a term's first chunk follows chunk -1. Block
metadata has all that is needed to skip a block: its last chunk and its best possible score.
The fitting length is one at which the highest frequency is as dense as in the densest of the
block's chunks, or denser: no chunk scores more than that frequency in a field of that length.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from index_format.codec.bits import (
    I64,
    U8,
    U32,
    U64,
    bit_lengths,
    exclusive_sum,
    pack_rows,
    pack_runs,
    padded,
    ranges,
    unpack_runs,
    width_codes,
    widths_of,
    words_to_bytes,
)
from index_format.codec.chunks import CODE_LENGTHS, codes_within
from index_format.codec.wire import MalformedError
from index_format.layout import BLOCK, BLOCK_WIDTHS, ROW_BYTES
from index_format.native import NATIVE, Native
from index_format.records import Record

BLOCK_META: Final = np.dtype(
    [
        ("last", "<u4"),
        ("row", "<u4"),
        ("positions", "<u4"),
        ("most", "u1"),
        ("fitting", "u1"),
        ("shortest", "u1"),
        ("widths", "u1"),
    ]
)
Meta = np.ndarray[tuple[int], np.dtype[np.void]]
FREQUENCY_CEILING: Final = 0xFF
_LENGTHS: Final = CODE_LENGTHS.astype(np.float64)
_ORDER: Final = np.arange(BLOCK, dtype=np.int64)
TAIL_WIDTHS: Final = (0, 1, 2, 3, 4, 8, 16, 32)
_TAIL_LARGEST: Final = np.array([(1 << width) - 1 for width in TAIL_WIDTHS], dtype=np.uint64)
_WIDEST: Final = len(BLOCK_WIDTHS) - 1
_TAIL_WIDTH_OF: Final = np.array(TAIL_WIDTHS, dtype=np.int64)
# by a block's byte of width codes
GAP_WIDTH_OF: Final[I64] = np.array([*BLOCK_WIDTHS] * len(BLOCK_WIDTHS), dtype=np.int64)
SURPLUS_WIDTH_OF: Final[I64] = np.repeat(np.array(BLOCK_WIDTHS, dtype=np.int64), len(BLOCK_WIDTHS))
ROWS_OF: Final[I64] = GAP_WIDTH_OF + SURPLUS_WIDTH_OF


class Batch(Record):
    """Postings of consecutive terms: `counts` per term; chunks ascend within a term."""

    counts: I64
    chunks: U32
    frequencies: U32


class EncodedBatch(Record):
    """The bytes that a batch adds to the sections; `tail_lengths` per term go to the dictionary."""

    meta: Meta
    rows: bytes
    tails: bytes
    tail_lengths: I64


def encode(
    batch: Batch, length_codes: U8, first_row: int, native: Native | None = NATIVE
) -> EncodedBatch:
    """Encode a batch whose blocks begin at row `first_row` of the field."""
    if native is None:
        return _encode(batch, length_codes, first_row)
    meta, rows, tails, lengths = native.encode_postings(
        np.ascontiguousarray(batch.counts, dtype=np.int64),
        np.ascontiguousarray(batch.chunks, dtype=np.uint32),
        np.ascontiguousarray(batch.frequencies, dtype=np.uint32),
        np.ascontiguousarray(length_codes),
        CODE_LENGTHS,
        first_row,
    )
    blocks = np.frombuffer(bytearray(meta), dtype=BLOCK_META)  # ends of positions are put in later
    return EncodedBatch(blocks, rows, tails, np.frombuffer(lengths, dtype=np.int64))


def _encode(batch: Batch, length_codes: U8, first_row: int) -> EncodedBatch:
    starts = exclusive_sum(batch.counts)[:-1]
    # the first chunk of a term follows chunk -1: it is its own gap
    firsts = starts[batch.counts > 0]
    gaps = batch.chunks.copy()
    gaps[1:] -= batch.chunks[:-1]
    gaps -= np.uint32(1)
    gaps[firsts] = batch.chunks[firsts]
    tail_counts = batch.counts % BLOCK
    in_tail = tail_flags(batch.counts)
    full = ~in_tail
    surplus = batch.frequencies - np.uint32(1)
    meta, rows = _encode_blocks(
        batch.chunks[full].reshape(-1, BLOCK),
        gaps[full].reshape(-1, BLOCK),
        surplus[full].reshape(-1, BLOCK),
        length_codes,
        first_row,
    )
    tails, tail_lengths = _encode_tails(gaps[in_tail], surplus[in_tail], tail_counts)
    return EncodedBatch(meta, rows, tails, tail_lengths)


def tail_flags(counts: I64) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """True if each posting is in its term's tail, given the counts per term."""
    parts = np.empty((len(counts), 2), dtype=np.int64)
    parts[:, 1] = counts % BLOCK
    parts[:, 0] = counts - parts[:, 1]
    flags = np.zeros(parts.shape, dtype=np.bool_)
    flags[:, 1] = True
    return np.repeat(flags.ravel(), parts.ravel())


def group_sizes(batch: Batch) -> tuple[I64, I64]:
    """Groups of positions per term, and how many numbers each group holds."""
    groups = -(-batch.counts // BLOCK)
    firsts = np.repeat(exclusive_sum(batch.counts)[:-1], groups)
    firsts += ranges(np.zeros(len(groups), dtype=np.int64), groups) * BLOCK
    return groups, np.add.reduceat(batch.frequencies.astype(np.int64), firsts)


def _encode_blocks(
    chunks: U32, gaps: U32, surplus: U32, length_codes: U8, first_row: int
) -> tuple[Meta, bytes]:
    meta = np.zeros(len(chunks), dtype=BLOCK_META)
    if not len(chunks):
        return meta, b""
    most = surplus.max(axis=1)
    gap_codes = width_codes(gaps.max(axis=1))
    surplus_codes = width_codes(most)
    gap_widths, surplus_widths = widths_of(gap_codes), widths_of(surplus_codes)
    row = exclusive_sum(gap_widths + surplus_widths)
    meta["last"] = chunks[:, -1]
    meta["row"] = first_row + row[:-1]
    meta["most"] = np.minimum(most.astype(np.int64) + 1, FREQUENCY_CEILING)
    codes = length_codes[chunks]
    meta["shortest"] = codes.min(axis=1)
    # whole below 2**53, where a quotient that is rounded never reaches the next whole number
    fitting = _LENGTHS[codes] * (most.astype(np.float64)[:, None] + 1)
    fitting /= surplus.astype(np.float64) + 1
    meta["fitting"] = codes_within(fitting.min(axis=1).astype(np.int64))
    meta["widths"] = gap_codes | (surplus_codes << 4)
    rows = np.zeros((int(row[-1]), ROW_BYTES), dtype=np.uint8)
    _put_rows(rows, row[:-1], gap_widths, gaps)
    _put_rows(rows, row[:-1] + gap_widths, surplus_widths, surplus)
    return meta, rows.tobytes()


def _put_rows(rows: U8, at: I64, widths: I64, blocks: U32) -> None:
    for width in BLOCK_WIDTHS[1:]:
        chosen = (widths == width).nonzero()[0]
        if len(chosen):
            packed = pack_rows(blocks[chosen], width).reshape(-1, ROW_BYTES)
            rows[ranges(at[chosen], np.full(len(chosen), width))] = packed


def _encode_tails(gaps: U32, surplus: U32, counts: I64) -> tuple[bytes, I64]:
    lengths = np.zeros(len(counts), dtype=np.int64)
    with_tail = counts.nonzero()[0]
    if not len(with_tail):
        return b"", lengths
    sizes = counts[with_tail]
    first = exclusive_sum(sizes)[:-1]
    gap_widths = bit_lengths(np.maximum.reduceat(gaps, first))
    codes = np.searchsorted(_TAIL_LARGEST, np.maximum.reduceat(surplus, first).astype(np.uint64))
    surplus_widths = _TAIL_WIDTH_OF[codes]
    lengths[with_tail] = 1 + (sizes * (gap_widths + surplus_widths) + 7) // 8
    starts = exclusive_sum(lengths[with_tail])
    offsets, widths = _tail_bits(starts[:-1], sizes, gap_widths, 0)
    words = pack_runs(int(starts[-1]), offsets, widths, gaps.astype(np.uint64))
    offsets, widths = _tail_bits(starts[:-1], sizes, surplus_widths, sizes * gap_widths)
    words = pack_runs(int(starts[-1]), offsets, widths, surplus.astype(np.uint64), words)
    headers = (gap_widths | (codes << 5)).astype(np.uint64)
    eights = np.full(len(headers), 8)
    words = pack_runs(int(starts[-1]), starts[:-1] * 8, eights, headers, words)
    return words_to_bytes(words, int(starts[-1])), lengths


def _tail_bits(starts: I64, counts: I64, widths: I64, skipped: I64 | int) -> tuple[I64, I64]:
    """Bit offset and width of each value of runs that lie behind their header byte."""
    each = np.repeat(widths, counts)
    ends = np.cumsum(each)
    before = exclusive_sum(counts * widths)[:-1]
    offsets = np.repeat((starts + 1) * 8 + skipped - before, counts)
    offsets += ends
    offsets -= each
    return offsets, each


def decode_tails(data: bytes | memoryview, lengths: I64, counts: I64) -> tuple[U64, U64]:
    """Gaps and frequencies of consecutive tails; `counts` are the postings in each."""
    buffer = padded(data)
    starts = exclusive_sum(lengths)[:-1]
    headers = buffer[starts].astype(np.int64)
    gap_widths, surplus_widths = headers & 31, _TAIL_WIDTH_OF[headers >> 5]
    if (lengths != 1 + (counts * (gap_widths + surplus_widths) + 7) // 8).any():
        msg = "a tail's length does not follow from its widths"
        raise MalformedError(msg)
    gaps = unpack_runs(buffer, *_tail_bits(starts, counts, gap_widths, 0))
    offsets, each = _tail_bits(starts, counts, surplus_widths, counts * gap_widths)
    frequencies = unpack_runs(buffer, offsets, each)
    frequencies += np.uint64(1)
    if (frequencies >> np.uint64(32)).any():
        msg = "a frequency beyond 2**32"
        raise MalformedError(msg)
    return gaps, frequencies


def chunks_of_tails(gaps: U64, counts: I64, last: I64) -> I64:
    """Chunks of tails; `last` is the chunk before each, -1 where there is none."""
    total = np.cumsum(gaps.astype(np.int64) + 1)
    before = np.zeros(len(counts), dtype=np.int64)
    before[1:] = total[np.cumsum(counts)[:-1] - 1]
    return total + np.repeat(last - before, counts)
