"""A part of a column is read like the whole of it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from index_format.native import column_array, column_slice, pack_column, unpack_column

numbers = st.lists(st.integers(0, 1 << 8) | st.integers(0, (1 << 62) - 1), max_size=30)


@given(numbers, st.integers(0, 30), st.integers(0, 30))
def test_a_slice_is_part_of_the_whole(given_numbers: list[int], begin: int, length: int) -> None:
    column, count = pack_column(given_numbers), len(given_numbers)
    begin = min(begin, count)
    found = column_slice(column, count, begin, begin + length)
    assert found.tolist() == unpack_column(column, count)[begin : begin + length]
    assert column_array(column, count).tolist() == given_numbers


def test_a_slice_of_no_column_is_refused() -> None:
    with pytest.raises(ValueError, match="numbers"):
        column_slice(b"\2\0", 3, 0, 1)
