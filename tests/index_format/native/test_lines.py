"""Lines and ranges of lines are the same with compiled code and without."""

from __future__ import annotations

from contextlib import nullcontext

import pytest
from hypothesis import given
from hypothesis import strategies as st

from index_format.native import (
    NATIVE,
    check_column,
    columns,
    find_lines,
    find_ranges,
    lines,
    pack_column,
    pack_steps,
)

needs_compiled = pytest.mark.skipif(NATIVE is None, reason="nothing was compiled here")
CHARACTERS = "aBcX_19 \n\r.\0\u00e9\u0130\u03a3\u03c2\u4e2d\U00010428"
TEXTS = st.lists(
    st.sampled_from(CHARACTERS) | st.sampled_from(["parseHTTP", "x" * 63, "Y" * 65]), max_size=40
).map("".join)


@given(TEXTS, st.integers(-1, 9), st.integers(-1, 9))
def test_lines_are_where_the_model_finds_them(text: str, first: int, last: int) -> None:
    data = text.encode()
    assert find_lines(data, first, last) == lines.find_lines(data, first, last)


@needs_compiled
@given(
    st.lists(st.tuples(st.integers(-9, 2**33), st.integers(0, 2**20)), max_size=30),
    st.integers(-1, 2**33),
    st.integers(0, 50),
)
def test_ranges_are_those_of_the_model(
    ranges: list[tuple[int, int]], first: int, more: int
) -> None:
    starts, spans = (
        pack_steps([start for start, _ in ranges]),
        pack_column([span for _, span in ranges]),
    )
    asked = starts, spans, len(ranges), first, first + more
    assert find_ranges(*asked) == columns.find_ranges(*asked)


def is_column(data: bytes, count: int) -> bool:
    try:
        check_column(data, count)
    except (ValueError, IndexError):
        return False
    return True


@needs_compiled
@given(st.binary(max_size=9), st.binary(max_size=9), st.integers(-1, 9))
def test_columns_of_another_length_are_refused(starts: bytes, spans: bytes, count: int) -> None:
    sound = is_column(starts, count) and is_column(spans, count)
    with nullcontext() if sound else pytest.raises(ValueError, match="column"):
        assert len(find_ranges(starts, spans, count, -(2**62), 2**62)) <= count
