"""One tail is decoded as it is among others, and refuses what the others refuse."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from index_format.layout import BLOCK
from index_format.postings import Batch, decode_tail, decode_tails, encode
from index_format.wire import MalformedError

POSTINGS = st.lists(
    st.tuples(st.integers(1, 2**20), st.integers(1, 2**32 - 1) | st.just(1)),
    min_size=1,
    max_size=BLOCK - 1,
)


def encoded(postings: list[tuple[int, int]]) -> bytes:
    chunks = np.cumsum([step for step, _ in postings]).astype(np.uint32)
    frequencies = np.array([count for _, count in postings], dtype=np.uint32)
    codes = np.zeros(int(chunks[-1]) + 1, dtype=np.uint8)
    return encode(Batch(np.array([len(postings)]), chunks, frequencies), codes, 0).tails


@given(POSTINGS)
def test_alone_and_among_others_are_the_same(postings: list[tuple[int, int]]) -> None:
    data, count = encoded(postings), len(postings)
    alone = decode_tail(data, count)
    among = decode_tails(data, np.array([len(data)]), np.array([count]))
    assert [column.tolist() for column in alone] == [column.tolist() for column in among]
    assert alone[1].tolist() == [frequency for _, frequency in postings]


@given(POSTINGS, st.integers(-3, 3).filter(bool))
def test_another_length_is_refused(postings: list[tuple[int, int]], more: int) -> None:
    data = encoded(postings)
    other = data[:more] if more < 0 else data + bytes(more)
    if other:
        with pytest.raises(MalformedError):
            decode_tail(other, len(postings))


def test_a_frequency_beyond_its_type_is_refused() -> None:
    """32 bits of ones stand for 2**32 occurrences."""
    header = bytes([7 << 5])
    with pytest.raises(MalformedError, match="beyond"):
        decode_tail(header + b"\xff" * 4, 1)
