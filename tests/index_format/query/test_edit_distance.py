"""Words within a few edits, against the textbook's recursion."""

from __future__ import annotations

from functools import cache

import pytest
from hypothesis import given, strategies as st

from index_format.query import edit_distance
from index_format.query.edit_distance import select_near

WORDS = st.text("abcé日\U0001d518\0\ud800", max_size=7)


@cache
def distance(a: str, b: str) -> int:
    if not a or not b:
        return len(a) + len(b)
    kept = distance(a[:-1], b[:-1]) + (a[-1] != b[-1])
    return min(kept, distance(a[:-1], b) + 1, distance(a, b[:-1]) + 1)


@given(st.lists(WORDS, max_size=20), WORDS, st.integers(0, 8))
def test_words_within_a_distance_are_found(words: list[str], text: str, limit: int) -> None:
    expected = [word for word in words if distance(word, text) <= limit]
    assert list(select_near(words, text, limit)) == expected


def test_many_words_are_taken_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(edit_distance, "_BATCH", 3)
    words = [f"{at:04}" for at in range(1200)]
    expected = [word for word in words if distance(word, "0123") <= 1]
    assert list(select_near(iter(words), "0123", 1)) == expected
