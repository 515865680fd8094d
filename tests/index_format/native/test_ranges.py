"""Ranges, endings and scopes in columns are the same with compiled code and without."""

from __future__ import annotations

from contextlib import nullcontext
from types import ModuleType

import pytest
from hypothesis import given, strategies as st

from index_format import native
from index_format.native import (
    NATIVE,
    check_column,
    columns,
    find_endings,
    find_ranges,
    find_scopes,
    pack_column,
    pack_signed,
    pack_steps,
)

needs_compiled = pytest.mark.skipif(NATIVE is None, reason="nothing was compiled here")
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
