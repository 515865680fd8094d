"""Lines are the same with compiled code and without."""

from __future__ import annotations

from array import array
from collections.abc import Callable

import pytest
from hypothesis import given, strategies as st

from index_format.native import MAX_WORD
from repo_mcp.native import NATIVE, LineScan, find_lines, lines, prefix_lines, scan_lines

needs_compiled = pytest.mark.skipif(NATIVE is None, reason="nothing was compiled here")
CHARACTERS = "aBcX_19 \n\r.\0\u00e9\u0130\u03a3\u03c2\u4e2d\U00010428"
TEXTS = st.lists(
    st.sampled_from(CHARACTERS)
    | st.sampled_from(["parseHTTP", "x" * (MAX_WORD - 1), "Y" * (MAX_WORD + 1)]),
    max_size=40,
).map("".join)


@given(TEXTS, st.integers(-1, 9), st.integers(-1, 9))
def test_lines_are_where_the_model_finds_them(text: str, first: int, last: int) -> None:
    data = text.encode()
    assert find_lines(data, first, last) == lines.find_lines(data, first, last)


SIMPLE = [b"foo", b"Foo", b"fooo", b"_", b" ", b"\n", b"x" * 40, b"foo\n", b"foo foo\n", b"."]
BEYOND = [b"\xc3\xa9", b"\xef\xbb\xbf", b"\xf0\x90\x90\xa8"]
OTHER = [b"\r", b"\0", b"\xff", b"\xed\xa0\x80", b"\xc0\x80", b"\xe4\xb8"]
PIECES = st.sampled_from([SIMPLE, SIMPLE + BEYOND, SIMPLE + BEYOND + OTHER]).flatmap(
    lambda pieces: st.lists(st.sampled_from(pieces), max_size=30).map(b"".join)
)


@given(
    PIECES,
    st.sampled_from([b"foo", b"o", b"oo", b"xx", b"\xc3\xa9", b"o f", b"x" * 17]),
    st.tuples(st.booleans(), st.booleans()),
    st.integers(-1, 3),
)
def test_lines_with_a_needle_are_those_of_the_model(
    data: bytes, needle: bytes, flags: tuple[bool, bool], most: int
) -> None:
    what = LineScan(needle, *flags, most)
    assert scan_lines(data, what) == lines.scan_lines(data, what)


@needs_compiled
@given(
    st.lists(st.sampled_from([b"", b"a b", b"\xff\0", b"x" * 40]), max_size=9),
    st.lists(st.integers(0, 2**32 - 1), min_size=9, max_size=9) | st.just([]),
    st.binary(max_size=9),
    st.binary(max_size=3),
)
def test_lines_get_the_heads_that_the_model_gives_them(
    rows: list[bytes], known: list[int], head: bytes, mark: bytes
) -> None:
    text = b"".join(row + b"\n" for row in rows)
    numbers = array("I", known[: len(rows)]).tobytes()
    assert prefix_lines(text, numbers, head, mark) == lines.prefix_lines(text, numbers, head, mark)


@pytest.mark.parametrize("prefixed", [prefix_lines, lines.prefix_lines])
def test_lines_and_numbers_that_do_not_fit_are_refused(
    prefixed: Callable[[bytes, bytes, bytes, bytes], bytes],
) -> None:
    assert prefixed(b"a\n\n", b"", b"p:", b":") == b"p:a\np:\n"
    for text, numbers in ((b"a", b""), (b"a\n", b"1234" * 2), (b"a\nb\n", b"1234")):
        with pytest.raises(ValueError, match=r"."):
            prefixed(text, numbers, b"", b"")
