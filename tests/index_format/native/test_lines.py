"""Lines and ranges of lines are the same with compiled code and without."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from contextlib import nullcontext
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from index_format import native
from index_format.native import (
    MAX_WORD,
    NATIVE,
    LineScan,
    check_column,
    columns,
    find_endings,
    find_lines,
    find_ranges,
    find_scopes,
    lines,
    pack_column,
    pack_signed,
    pack_steps,
    prefix_lines,
    scan_lines,
)

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


names = st.text("aB_.é漢😀", max_size=5)


@needs_compiled
@given(
    st.lists(st.tuples(st.integers(-9, 2**33), st.integers(0, 2**20), names), max_size=30),
    st.integers(-1, 2**33),
    st.integers(0, 50),
)
def test_ranges_are_those_of_the_model(
    ranges: list[tuple[int, int, str]], first: int, more: int
) -> None:
    asked = (
        "".join(name for _, _, name in ranges),
        pack_column([len(name) for _, _, name in ranges]),
        pack_steps([start for start, _, _ in ranges]),
        pack_column([span for _, span, _ in ranges]),
        len(ranges),
        first,
        first + more,
    )
    assert find_ranges(*asked) == columns.find_ranges(*asked)


@needs_compiled
@given(st.lists(st.text("aB_b", max_size=5), max_size=9), st.text("ab", max_size=3))
def test_endings_are_those_of_the_model(held: list[str], ending: str) -> None:
    lengths = pack_column([len(name) for name in held])
    asked = "".join(held).encode(), lengths, len(held), ending.encode()
    found = find_endings(*asked)
    assert found == columns.find_endings(*asked)
    normalized = [name.replace("_", "").lower() for name in held]
    assert [at for at, name in enumerate(normalized) if name.endswith(ending)] == found


ITEMS = st.lists(st.tuples(names, st.integers(-2, 5)), min_size=1, max_size=9)


@needs_compiled
@given(ITEMS, st.data())
def test_scopes_are_those_of_the_model(items: list[tuple[str, int]], data: st.DataObject) -> None:
    """Parents that lead nowhere, or round and round, end them early."""
    asked = (
        "".join(name for name, _ in items),
        pack_column([len(name) for name, _ in items]),
        pack_signed([back for _, back in items]),
        len(items),
        data.draw(st.integers(0, len(items) - 1)),
    )
    found = find_scopes(*asked)
    assert found == columns.find_scopes(*asked)
    assert found[0] == items[asked[-1]][0]
    assert len(found) <= len(items) + 1


@pytest.mark.parametrize("library", [native, columns])
@pytest.mark.parametrize("number", [-1, 1])
def test_scopes_of_no_item_are_refused(library: ModuleType, number: int) -> None:
    with pytest.raises(IndexError):
        library.find_scopes("a", pack_column([1]), pack_column([0]), 1, number)


@pytest.mark.parametrize("length", [2, 4])
@pytest.mark.parametrize("library", [native, columns])
def test_names_of_another_length_than_their_text_are_refused(
    library: ModuleType, length: int
) -> None:
    lengths, zeros = pack_column([length]), pack_column([0])
    with pytest.raises(ValueError, match="longer or shorter"):
        library.find_endings(b"abc", lengths, 1, b"c")
    with pytest.raises(ValueError, match="longer or shorter"):
        library.find_scopes("abc", lengths, zeros, 1, 0)
    with pytest.raises(ValueError, match="longer or shorter"):
        library.find_ranges("abc", lengths, zeros, zeros, 1, 0, 9)


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
        lengths = pack_column([0] * max(count, 0))
        assert len(find_ranges("", lengths, starts, spans, count, -(2**62), 2**62)) <= count
