"""One tail is decoded as it is among others, and refuses what the others refuse."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, strategies as st

from index_format.codec.bits import U32
from index_format.codec.decoding import tail_by_compiled, tail_by_numpy
from index_format.codec.postings import Batch, decode_tails, encode
from index_format.codec.wire import MalformedError
from index_format.layout import BLOCK
from index_format.native import NATIVE

POSTINGS = st.lists(
    st.tuples(st.integers(1, 2**20), st.integers(1, 2**32 - 1) | st.just(1)),
    min_size=1,
    max_size=BLOCK - 1,
)

Decode = Callable[[bytes, int, int], tuple[U32, U32]]

needs_compiled = pytest.mark.skipif(NATIVE is None, reason="nothing was compiled here")
each_way = pytest.mark.parametrize(
    "decode_tail",
    [tail_by_numpy, pytest.param(tail_by_compiled, marks=needs_compiled)],
    ids=["plain", "compiled"],
)


def encoded(postings: list[tuple[int, int]]) -> bytes:
    chunks = np.cumsum([step for step, _ in postings]).astype(np.uint32)
    frequencies = np.array([count for _, count in postings], dtype=np.uint32)
    codes = np.zeros(int(chunks[-1]) + 1, dtype=np.uint8)
    return encode(Batch(np.array([len(postings)]), chunks, frequencies), codes, 0).tails


@each_way
@given(POSTINGS, st.integers(-1, 2**31))
def test_alone_and_among_others_are_the_same(
    decode_tail: Decode, postings: list[tuple[int, int]], last: int
) -> None:
    data, count = encoded(postings), len(postings)
    chunks, frequencies = decode_tail(data, count, last)
    gaps, among = decode_tails(data, np.array([len(data)]), np.array([count]))
    assert chunks.tolist() == (np.cumsum(gaps.astype(np.int64) + 1) + last).tolist()
    assert frequencies.tolist() == among.tolist() == [frequency for _, frequency in postings]


@each_way
@given(POSTINGS, st.integers(-3, 3).filter(bool))
def test_another_length_is_refused(
    decode_tail: Decode, postings: list[tuple[int, int]], more: int
) -> None:
    data = encoded(postings)
    other = data[:more] if more < 0 else data + bytes(more)
    if other:
        with pytest.raises(MalformedError):
            decode_tail(other, len(postings), -1)


@each_way
def test_numbers_beyond_their_type_are_refused(decode_tail: Decode) -> None:
    """32 bits of ones stand for 2**32 occurrences; a chunk behind the last there can be."""
    header = bytes([7 << 5])
    with pytest.raises(MalformedError, match="beyond"):
        decode_tail(header + b"\xff" * 4, 1, -1)
    with pytest.raises(MalformedError, match="beyond"):
        decode_tail(b"\x00", 1, 2**32 - 1)
