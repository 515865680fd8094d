"""A commit publishes what changed, in an order that does not tell how it came about."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from itertools import permutations

import pytest

from index_format import Index, MemoryStore, SegmentEntry, Vocabulary, build_segment
from index_format.generation.commit import load_current, read_pointer
from index_format.layout import CURRENT_NAME
from index_format.store.memory_store import MemoryReader
from tests.index_format.generation.canonical_build import built, content, current_segments
from tests.index_format.samples import SCHEMA, add_all, document, index_in

FILES = content(12)
GROUPS = 4


def segments(store: MemoryStore, word: str = "") -> list[SegmentEntry]:
    """Segments as workers write them: each of the next three files."""
    found = []
    paths = sorted(FILES)
    for first in range(0, len(paths), 3):
        vocabulary = Vocabulary()
        documents = [
            document(path, [*FILES[path], {"body": word}], vocabulary)
            for path in paths[first : first + 3]
        ]
        found.append(build_segment(store, SCHEMA, documents, vocabulary))
    return found


def adopted(order: Sequence[int], commits: int) -> tuple[SegmentEntry, ...]:
    """The segments listed once all are adopted and all but the first are replaced."""
    store = MemoryStore()
    early, late = segments(store), segments(store, "late")
    with index_in(store).writer() as writer:
        for turn, number in enumerate(order):
            writer.adopt(early[number])
            if turn < commits:
                writer.commit()
        for turn, number in enumerate(number for number in order if number):
            writer.adopt(late[number])
            if turn < commits:
                writer.commit()
        writer.commit()
    return load_current(store).segments


@pytest.mark.parametrize("order", list(permutations(range(GROUPS))))
@pytest.mark.parametrize("commits", range(3))
def test_neither_the_order_of_adoption_nor_a_commit_on_the_way_shows(
    order: tuple[int, ...], commits: int
) -> None:
    assert adopted(order, commits) == adopted(range(GROUPS), 0)


def test_a_replaced_segment_comes_before_those_that_replace_it() -> None:
    store = MemoryStore()
    early, late = segments(store), segments(store, "late")
    with index_in(store).writer() as writer:
        for entry in early:
            writer.adopt(entry)
        writer.remove(min(FILES))
        writer.adopt(late[-1])
        writer.commit()
    assert [bool(entry.dead_files) for entry in load_current(store).segments] == [
        True,
        False,
        False,
        False,
    ]


def test_segments_that_are_listed_already_are_not_published_again() -> None:
    store = MemoryStore()
    for entries in (segments(store), random.Random(1).sample(segments(store), GROUPS)):
        with index_in(store).writer() as writer:
            for entry in entries:
                writer.adopt(entry)
            assert writer.commit().generation == 1


def test_a_canonical_segment_that_is_written_again_is_not_published_again() -> None:
    store = built("sorted", FILES)
    (entry,) = load_current(store).segments
    before = read_pointer(store)
    with index_in(store).writer() as writer:
        add_all(writer, FILES)
        writer.commit()
    assert entry.canonical
    assert read_pointer(store) == before


def test_settings_count_when_a_commit_is_made() -> None:
    store = MemoryStore()
    index = Index(store, SCHEMA, settings="first")
    with index.writer() as writer:
        assert writer.commit().generation == 1
    index.settings = "other"
    with index.writer() as writer:
        index.settings = "first"
        assert writer.commit().generation == 1
        index.settings = "second"
        assert writer.commit().manifest.settings == "second"
        assert writer.commit().generation == 2


def test_a_commit_that_compacts_publishes_the_canonical_layout_at_once() -> None:
    store = MemoryStore()
    with index_in(store).writer() as writer:
        add_all(writer, content())
        assert writer.commit(compact=True).generation == 1
    assert current_segments(store) == current_segments(built("sorted", content()))
    assert index_in(store).compact(full=True) == 0


def test_a_commit_that_compacts_to_what_there_is_publishes_nothing() -> None:
    store = built("shuffled", content())
    before = read_pointer(store)
    with index_in(store).writer() as writer:
        for path, chunks in content().items():
            add_all(writer, {path: chunks})
            writer.flush()
        changed = [writer.has_changes]
        writer.commit(compact=True)
        changed.append(writer.has_changes)
    assert changed == [True, False]
    assert read_pointer(store) == before


def test_a_commit_that_compacts_leaves_a_layout_alone_that_does_not_change() -> None:
    store = MemoryStore()
    for _ in range(2):
        with index_in(store).writer() as writer:
            for entry in segments(store):
                writer.adopt(entry)
            assert writer.commit(compact=writer.base is not None).generation == 1


class CountingStore(MemoryStore):
    """Counts how often each file is opened."""

    def __init__(self) -> None:
        super().__init__()
        self.opened: Counter[str] = Counter()

    def open(self, name: str) -> MemoryReader:
        self.opened[name] += 1
        return super().open(name)


def test_a_generation_is_read_once_however_often_it_is_asked_for() -> None:
    store = CountingStore()
    index = index_in(store)
    with index.writer() as writer:
        add_all(writer, FILES)
        writer.commit()
    snapshot = index.snapshot()
    store.opened.clear()
    for _ in range(3):
        assert index.snapshot(snapshot) is snapshot
    with index.writer(previous=snapshot) as writer:
        assert writer.base is snapshot
        writer.remove(min(FILES))
        newer = writer.commit()
    assert index.snapshot(newer) is newer
    # the pointer, and the segment with a removed file to see that it is whole
    (changed,) = newer.manifest.segments
    assert set(store.opened) == {CURRENT_NAME, changed.name}
