"""A generation is taken over whole and verified, or not at all."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace

import pytest
from hypothesis import given, strategies as st

from index_format import (
    CorruptIndexError,
    Index,
    IndexMissingError,
    Manifest,
    MemoryStore,
    SegmentEntry,
    Store,
    adopt_manifest,
    export_manifest,
    holds_segment,
    import_manifest,
    list_segment_paths,
    receive_segment,
)
from tests.index_format.oracle import File, Tree, commit_change, contents, expected, index_in
from tests.index_format.samples import SCHEMA

TREE: Tree = {
    "a.txt": File(({"body": "one two", "name": "a"},)),
    "b.txt": File(({"body": "two three"},)),
}
OTHER: Tree = {**TREE, "c.txt": File(({"body": "four"},))}

WORDS = st.lists(st.sampled_from(["one", "two", "three", "four", "five"]), max_size=4).map(" ".join)
FILES = st.builds(
    File, st.lists(st.fixed_dictionaries({"body": WORDS, "name": WORDS}), max_size=3).map(tuple)
)
TREES = st.dictionaries(st.sampled_from(["a", "b/c", "d", "e.txt"]), FILES, max_size=4)


def made(*versions: Tree) -> MemoryStore:
    store = MemoryStore()
    for old, new in zip(({}, *versions), versions, strict=False):
        commit_change(store, old, new)
    return store


def pieces(store: Store, entry: SegmentEntry, size: int = 7) -> list[bytes]:
    with closing(store.open(entry.name)) as handle:
        data = handle.read(0, handle.size)
    return [data[start : start + size] for start in range(0, len(data), size)]


def exported(store: Store) -> bytes:
    return export_manifest(index_in(store).snapshot().manifest, "portable")


def take_over(source: Store, target: Store) -> Manifest:
    manifest = import_manifest(exported(source), SCHEMA)
    with target.lock(0):
        for entry in manifest.segments:
            receive_segment(target, entry, pieces(source, entry))
        return adopt_manifest(target, manifest, "settings here")


@given(TREES, TREES)
def test_a_generation_that_was_taken_over_has_equal_contents(first: Tree, second: Tree) -> None:
    source, target = made(first, second), MemoryStore()
    taken = take_over(source, target)
    assert contents(Index(target, SCHEMA).snapshot()) == expected(second)
    assert taken.segments == index_in(source).snapshot().manifest.segments
    assert (taken.generation, taken.settings) == (1, "settings here")


def test_the_portable_form_does_not_depend_on_history() -> None:
    once, again = made(TREE), made(TREE, OTHER, TREE)
    for store in (once, again):
        index_in(store).compact(full=True)
    assert exported(once) == exported(again)


def test_what_is_there_is_not_published_again_and_what_differs_is_the_next_generation() -> None:
    target = made(OTHER)
    assert take_over(made(TREE), target).generation == 2
    before = target.names()
    assert take_over(made(TREE), target).generation == 2
    assert target.names() == before


@pytest.mark.parametrize("damage", ["altered", "short", "long", "empty"])
def test_a_segment_with_other_bytes_never_becomes_visible(damage: str) -> None:
    source, target = made(TREE), MemoryStore()
    (entry,) = import_manifest(exported(source), SCHEMA).segments
    parts = pieces(source, entry)
    wrong = {
        "altered": [bytes(reversed(parts[0])), *parts[1:]],
        "short": parts[:-1],
        "long": [*parts, b"x"],
        "empty": [],
    }[damage]
    with pytest.raises(CorruptIndexError):
        receive_segment(target, entry, wrong)
    assert target.names() == []
    assert not holds_segment(target, entry)


def test_a_segment_under_another_ones_name_is_not_held() -> None:
    source = made(TREE)
    (entry,) = import_manifest(exported(source), SCHEMA).segments
    planted = MemoryStore({entry.name: b"x" * entry.length})
    assert not holds_segment(planted, entry)
    receive_segment(planted, entry, pieces(source, entry))
    assert holds_segment(planted, entry)


@pytest.mark.parametrize(
    "lie",
    [
        {"chunks": 7, "live_chunks": 7},
        {"files": 1, "chunks": 2, "live_chunks": 2},
        {"live_totals": (1, 1)},
        {"seal": "0" * 32},
    ],
)
def test_a_manifest_that_contradicts_its_segments_leaves_nothing(lie: dict[str, object]) -> None:
    source, target = made(TREE), MemoryStore()
    manifest = import_manifest(exported(source), SCHEMA)
    (entry,) = manifest.segments
    receive_segment(target, entry, pieces(source, entry))
    wrong = replace(manifest, segments=(replace(entry, **lie),))  # type: ignore[arg-type]
    with target.lock(0), pytest.raises(CorruptIndexError):
        adopt_manifest(target, wrong, "")
    assert target.names() == []
    with pytest.raises(IndexMissingError):
        Index(target, SCHEMA).snapshot()


def test_a_damaged_index_makes_room() -> None:
    target = made(OTHER)
    target.replace("CURRENT", b"nonsense")
    taken = take_over(made(TREE), target)
    assert contents(Index(target, SCHEMA).snapshot()) == expected(TREE)
    assert taken.generation == 1


def test_paths_are_those_of_all_files() -> None:
    source = made(TREE)
    (entry,) = import_manifest(exported(source), SCHEMA).segments
    assert list(list_segment_paths(source, entry, SCHEMA)) == ["a.txt", "b.txt"]


def test_paths_that_are_read_page_by_page_are_all_given() -> None:
    source = made({f"{number:04}/{'long' * 50}.txt": File(()) for number in range(500)})
    names = [
        path
        for entry in import_manifest(exported(source), SCHEMA).segments
        for path in list_segment_paths(source, entry, SCHEMA)
    ]
    assert len(names) == 500
    assert names[-1] == f"0499/{'long' * 50}.txt"


def test_a_manifest_of_other_fields_is_refused() -> None:
    other = replace(SCHEMA, fields=SCHEMA.fields[:1])
    with pytest.raises(CorruptIndexError, match="fields"):
        import_manifest(exported(made(TREE)), other)
