"""Live chunks are numbered by path and place, whatever segments they are in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain

import numpy as np
import pytest

from index_format.generation.index import Index
from index_format.generation.snapshot import Snapshot
from index_format.model import Field, Limits, Schema
from index_format.query.numbering import Numbering
from index_format.store.memory_store import MemoryStore
from tests.index_format.twins import Files, write

Commit = tuple[Files, list[str]]


def file(*lengths: int) -> list[Mapping[str, Sequence[str]]]:
    """Chunks of so many words."""
    return [{"body": ["a"] * length} for length in lengths]


def after(*commits: Commit) -> Snapshot:
    index = Index(MemoryStore(), Schema((Field("body"),)), limits=Limits(2, 4, 9))
    for changed, removed in commits:
        write(index, changed, removed)
    return index.snapshot()


COMMITS: dict[str, list[Commit]] = {
    "one": [({"b": file(1, 2), "a": file(3), "c": file()}, [])],
    "one with a dead file": [({"a": file(1), "b": file(2, 3), "c": file(4)}, []), ({}, ["b"])],
    "following": [({"a": file(1, 2)}, []), ({"b": file(3), "c": file(4)}, [])],
    "in reverse": [({"b": file(1, 2)}, []), ({"a": file(3), "A": file(4)}, [])],
    "interleaved": [({"a": file(1, 2), "c": file(3)}, []), ({"b": file(4), "d": file(5)}, [])],
    "replaced": [({"a": file(1, 2), "b": file(3)}, []), ({"a": file(4)}, [])],
    "empty": [({"a": file(1)}, []), ({}, ["a"])],
}


@pytest.mark.parametrize("name", COMMITS)
def test_numbers_follow_path_and_place(name: str) -> None:
    snapshot = after(*COMMITS[name])
    numbering = Numbering(snapshot)
    live: Files = {}
    for changed, removed in COMMITS[name]:
        live.update(changed)
        live = {path: chunks for path, chunks in live.items() if path not in removed}
    paths = sorted(live)
    chunks = [numbering.chunk(number) for number in range(numbering.count)]
    assert [snapshot.chunk(chunk).path for chunk in chunks] == [p for p in paths for _ in live[p]]
    lengths = [len(chunk["body"]) for chunk in chain.from_iterable(live[path] for path in paths)]
    assert numbering.length_codes(0).tolist() == lengths
    assert numbering.numbers(np.array(chunks, dtype=np.int64)).tolist() == list(range(len(chunks)))


def test_dead_chunks_have_no_number() -> None:
    numbering = Numbering(after(*COMMITS["one with a dead file"]))
    assert numbering.numbers(np.arange(4, dtype=np.int64)).tolist() == [0, -1, -1, 1]


@pytest.mark.parametrize(
    ("name", "expected"),
    [("one", True), ("following", True), ("one with a dead file", False), ("interleaved", False)],
)
def test_numbers_are_taken_as_they_are_where_they_are_right(name: str, *, expected: bool) -> None:
    assert Numbering(after(*COMMITS[name])).is_identity == expected


@pytest.mark.parametrize("number", [-1, 3])
def test_numbers_beyond_the_last_are_refused(number: int) -> None:
    with pytest.raises(IndexError, match="there are 3"):
        Numbering(after(*COMMITS["one"])).chunk(number)
