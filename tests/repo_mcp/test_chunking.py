"""Chunks of lines: they cover the file, overlap as said, and keep their ids."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repo_mcp.indexing.chunking import LINES, OVERLAP, chunk_id, spans


def test_the_defaults_are_those_of_the_specification() -> None:
    assert (LINES, OVERLAP) == (200, 30)
    assert spans(500) == [(1, 200), (171, 370), (341, 500)]


@pytest.mark.parametrize(
    ("count", "expected"),
    [(0, []), (1, [(1, 1)]), (200, [(1, 200)]), (201, [(1, 200), (171, 201)])],
)
def test_short_files(count: int, expected: list[tuple[int, int]]) -> None:
    assert spans(count) == expected


@given(st.integers(1, 3000), st.integers(2, 300), st.integers(0, 299))
def test_chunks_cover_the_file_and_overlap(count: int, size: int, overlap: int) -> None:
    overlap = min(overlap, size - 1)
    found = spans(count, size, overlap)
    assert (found[0][0], found[-1][1]) == (1, count)
    for (_, last), (first, _) in pairwise(found):
        assert last - first + 1 == overlap
    assert all(last - first < size for first, last in found)


def test_an_id_changes_with_path_place_and_text_only() -> None:
    rows = ["a", "b", "c"]
    known = chunk_id("x.py", rows, 1, 2)
    assert chunk_id("x.py", ["a", "b", "changed"], 1, 2) == known
    others = [
        chunk_id("y.py", rows, 1, 2),
        chunk_id("x.py", ["a", "B", "c"], 1, 2),
        chunk_id("x.py", rows, 2, 3),
        chunk_id("x.py", ["b", "a", "b"], 2, 3),
    ]
    assert known not in others
    assert len(set(others)) == len(others)
