"""Decodes full blocks and single tails, which searches read most: compiled, or with numpy.

`postings` defines the bytes and writes them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np

from index_format.codec.bits import I64, PADDING, U8, U32, U64, unpack_rows
from index_format.codec.postings import GAP_WIDTH_OF, ROWS_OF, SURPLUS_WIDTH_OF, TAIL_WIDTHS, Meta
from index_format.codec.wire import MalformedError
from index_format.layout import BLOCK, BLOCK_WIDTHS, ROW_BYTES
from index_format.native import (
    NATIVE,
    Buffer as Buffer,  # noqa: PLC0414 that is how a name is exported
    SparseTerm as SparseTerm,  # noqa: PLC0414 that is how a name is exported
    StoredTerm as StoredTerm,  # noqa: PLC0414 that is how a name is exported
)

# true if `decode_term` is there
COMPILED: Final = NATIVE is not None
_ORDER: Final = np.arange(BLOCK, dtype=np.int64)


def blocks_by_numpy(rows: U8, at: I64, meta: Meta, before: I64) -> tuple[U32, U32]:
    """Chunks and frequencies, (n, 128) each, of blocks whose rows begin at `at`.

    `before` is the last chunk of the block before each, -1 where a term begins.
    """
    codes: U8 = meta["widths"]
    gap_widths, surplus_widths = GAP_WIDTH_OF[codes], SURPLUS_WIDTH_OF[codes]
    chunks = _get_rows(rows, at, gap_widths)
    chunks += np.uint32(1)
    np.cumsum(chunks, axis=1, out=chunks)
    chunks += before.astype(np.uint32)[:, None]
    if not np.array_equal(chunks[:, -1], meta["last"]):
        msg = "a block does not end at the chunk its metadata names"
        raise MalformedError(msg)
    frequencies = _get_rows(rows, at + gap_widths, surplus_widths)
    frequencies += np.uint32(1)
    if ROWS_OF[codes].max(initial=0) >= BLOCK_WIDTHS[-1]:
        _check_widest(chunks[gap_widths == BLOCK_WIDTHS[-1]], frequencies)
    return chunks, frequencies


def blocks_by_compiled(rows: U8, at: I64, meta: Meta, before: I64) -> tuple[U32, U32]:
    """The same by compiled code."""
    chunks, frequencies = _arrays(NATIVE.decode_blocks, rows, at, meta, before)  # type: ignore[union-attr] # used where it is there
    return chunks.reshape(-1, BLOCK), frequencies.reshape(-1, BLOCK)


def _check_widest(far: U32, frequencies: U32) -> None:
    """Only numbers of 32 bits can run past 2**32 and come back."""
    if not (far[:, 1:] > far[:, :-1]).all() or not frequencies.all():
        msg = "a block's numbers run past 2**32"
        raise MalformedError(msg)


def _get_rows(rows: U8, at: I64, widths: I64) -> U32:
    blocks = np.zeros((len(at), BLOCK), dtype=np.uint32)
    for width in np.bincount(widths).nonzero()[0].tolist():
        if not width:
            continue
        chosen = (widths == width).nonzero()[0]
        index = at[chosen][:, None] + np.arange(width)
        packed = rows[index].reshape(len(chosen), ROW_BYTES * width)
        if len(chosen) == len(at):
            return unpack_rows(packed, width)
        blocks[chosen] = unpack_rows(packed, width)
    return blocks


def tail_by_numpy(data: bytes | memoryview, count: int, last: int) -> tuple[U32, U32]:
    """Chunks and frequencies of one tail; `last` is the chunk before it, -1 for none."""
    gaps, frequencies = _gaps_and_frequencies(data, count)
    chunks = np.cumsum(gaps.astype(np.int64) + 1) + last
    if int(chunks[-1]) >> 32:
        msg = "a chunk beyond 2**32"
        raise MalformedError(msg)
    return chunks.astype(np.uint32), frequencies.astype(np.uint32)


def tail_by_compiled(data: bytes | memoryview, count: int, last: int) -> tuple[U32, U32]:
    """The same by compiled code."""
    return _arrays(NATIVE.decode_tail, data, count, last)  # type: ignore[union-attr] # as above


def decode_term(term: StoredTerm) -> tuple[I64, U32]:
    """All postings of a term, by compiled code alone."""
    try:
        found = NATIVE.decode_term(*term)  # type: ignore[union-attr] # as above
    except ValueError as error:
        raise MalformedError(*error.args) from None
    return np.frombuffer(found[0], dtype=np.int64), np.frombuffer(found[1], dtype=np.uint32)


def _arrays(decode: Callable[..., tuple[bytes, bytes]], *asked: object) -> tuple[U32, U32]:
    try:
        chunks, frequencies = decode(*asked)
    except ValueError as error:
        raise MalformedError(*error.args) from None
    return np.frombuffer(chunks, dtype=np.uint32), np.frombuffer(frequencies, dtype=np.uint32)


def _gaps_and_frequencies(data: bytes | memoryview, count: int) -> tuple[U64, U64]:
    header = data[0]
    gap_width, surplus_width = header & 31, TAIL_WIDTHS[header >> 5]
    if len(data) != 1 + (count * (gap_width + surplus_width) + 7) // 8:
        msg = "a tail's length does not follow from its widths"
        raise MalformedError(msg)
    words: U64 = np.ndarray((len(data) + 1,), "<u8", bytes(data) + bytes(PADDING), strides=(1,))
    offsets = _ORDER[:count] * gap_width + 8
    gaps = words[offsets >> 3] >> (offsets & 7).astype(np.uint64)
    gaps &= np.uint64((1 << gap_width) - 1)
    if not surplus_width:
        return gaps, np.ones(count, dtype=np.uint64)
    offsets = _ORDER[:count] * surplus_width + (8 + count * gap_width)
    frequencies = words[offsets >> 3] >> (offsets & 7).astype(np.uint64)
    frequencies &= np.uint64((1 << surplus_width) - 1)
    frequencies += np.uint64(1)
    if int(frequencies.max()) >> 32:
        msg = "a frequency beyond 2**32"
        raise MalformedError(msg)
    return gaps, frequencies


decode_blocks: Final = blocks_by_numpy if NATIVE is None else blocks_by_compiled
decode_tail: Final = tail_by_numpy if NATIVE is None else tail_by_compiled
