"""Chunks cover the file, are overlapping windows or whole units, and keep their ids."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, strategies as st

from repo_mcp.indexing.build.chunking import ChunkIds, chunk_spans
from repo_mcp.model import Windows

DEFAULT = Windows()


@pytest.mark.requirement("INT-09.2-chunks")
def test_the_defaults_are_those_of_the_specification() -> None:
    assert Windows(200, 30) == DEFAULT
    assert chunk_spans(500, (), DEFAULT) == [(1, 200), (171, 370), (341, 500)]


@pytest.mark.parametrize(
    ("count", "expected"),
    [(0, []), (1, [(1, 1)]), (200, [(1, 200)]), (201, [(1, 200), (171, 201)])],
)
def test_short_files(count: int, expected: list[tuple[int, int]]) -> None:
    assert chunk_spans(count, (), DEFAULT) == expected


@given(st.integers(1, 3000), st.integers(2, 300), st.integers(0, 299))
def test_windows_cover_the_file_and_overlap(count: int, size: int, overlap: int) -> None:
    overlap = min(overlap, size - 1)
    found = chunk_spans(count, (), Windows(size, overlap))
    assert (found[0][0], found[-1][1]) == (1, count)
    for (_, last), (first, _) in pairwise(found):
        assert last - first + 1 == overlap
    assert all(last - first < size for first, last in found)


@pytest.mark.requirement("INT-09.2-chunks")
@given(st.integers(1, 2000), st.sets(st.integers(-5, 2100), min_size=1, max_size=40))
def test_units_cover_the_file_and_begin_at_cuts(count: int, cuts: set[int]) -> None:
    found = chunk_spans(count, sorted(cuts), DEFAULT)
    assert (found[0][0], found[-1][1]) == (1, count)
    for (_, last), (first, _) in pairwise(found):
        assert first == last + 1 or last - first + 1 == DEFAULT.overlap
        assert first == last + 1 or first not in cuts
    starts = [first for first, _ in found]
    assert all(later - first <= DEFAULT.lines for first, later in pairwise(starts))


def test_short_units_are_joined_and_long_ones_are_not() -> None:
    cuts = [1, 5, 9, 40, 45, 300]
    assert chunk_spans(310, cuts, DEFAULT) == [
        (1, 8),
        (9, 39),
        (40, 44),
        (45, 244),
        (215, 299),
        (300, 310),
    ]
    assert chunk_spans(90, range(1, 90, 10), DEFAULT) == [(1, 60), (61, 90)]


@pytest.mark.requirement("INT-09.2-chunks")
def test_an_id_stays_while_path_and_text_stay() -> None:
    first = [ChunkIds("x.py").next(b"a"), ChunkIds("y.py").next(b"a"), ChunkIds("x.py").next(b"b")]
    assert len(set(first)) == 3
    ids = ChunkIds("x.py")
    again = [ids.next(text) for text in (b"b", b"a", b"a", b"a")]
    assert again[:2] == [first[2], first[0]]
    assert len(set(again)) == 4
