"""Chunks that hold several terms are those that hold each of them, whatever the segments are."""

from __future__ import annotations

import random

import pytest

from index_format import Field, Index, MemoryStore, Schema, chunks_with_all, decode_chunks
from tests.index_format.twins import Files, write

# how many of a hundred chunks have a term: lists of many blocks, of one, and of none
SHARES = {"most": 95, "half": 50, "some": 12, "few": 2, "none": 0}


def some_files(chance: random.Random, begin: int, end: int) -> Files:
    return {
        f"f{number:04}": [
            {"body": [term for term, share in SHARES.items() if chance.randrange(100) < share]}
            for _ in range(3)
        ]
        for number in range(begin, end)
    }


@pytest.mark.parametrize("commits", [1, 3])
def test_they_are_what_the_lists_of_all_terms_have_in_common(commits: int) -> None:
    chance = random.Random(commits)
    index = Index(MemoryStore(), Schema((Field("body", positions=False),)))
    for number in range(commits):
        write(index, some_files(chance, 100 * number, 100 * number + 400))
    snapshot = index.snapshot()
    for _ in range(60):
        terms = chance.choices([*SHARES, "unknown"], k=chance.randint(1, 4))
        lists = [snapshot.postings(0, term.encode()) for term in terms]
        expected = set.intersection(*(set(decode_chunks(found).tolist()) for found in lists))
        assert chunks_with_all(lists).tolist() == sorted(expected)


def test_no_terms_are_held_by_no_chunk() -> None:
    assert chunks_with_all([]).tolist() == []
