"""A part of a column is read like the whole of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, strategies as st

from index_format import native
from index_format.native import column_array, column_slice, columns, pack_column, unpack_column

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


any_numbers = st.lists(
    st.integers(-300, 300) | st.integers(-(1 << 64), 1 << 64) | st.integers(-(1 << 63), 1 << 62)
)


@pytest.mark.parametrize("name", ["pack_column", "pack_signed", "pack_steps"])
@given(any_numbers)
def test_compiled_and_plain_code_make_the_same_columns(name: str, numbers: list[int]) -> None:
    made: list[bytes | type[Exception]] = []
    for pack in (getattr(native, name), getattr(columns, name)):
        try:
            made.append(pack(iter(numbers)))
        except OverflowError as error:
            made.append(type(error))
    assert made[0] == made[1]


@pytest.mark.parametrize("pack", [native.pack_column, columns.pack_column])
def test_what_is_no_number_has_no_column(pack: Callable[[Any], bytes]) -> None:
    with pytest.raises(TypeError):
        pack(["1"])
    with pytest.raises(TypeError):
        pack(1)
