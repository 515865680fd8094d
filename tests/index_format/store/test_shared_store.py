"""Segments that lie elsewhere: found by name, listed as needed, never removed there."""

from __future__ import annotations

import math
from collections.abc import Mapping
from hashlib import blake2b

import pytest

from index_format import (
    FileMissingError,
    Index,
    MemoryStore,
    ReadHandle,
    SegmentLostError,
    SharedStore,
    check,
    layout,
    share_segments,
)
from index_format.generation.compaction import TIER_WIDTH
from index_format.store.contract import Store
from index_format.store.faulty_store import MODELS, Fault, FaultyStore, Model, SimulatedCrash
from tests.index_format.samples import SCHEMA, document, get, put

KEY = b"key of this folder"


class MemorySource:
    """Segments in memory, and the list of one store."""

    def __init__(self, files: Mapping[str, bytes] | None = None) -> None:
        self.store = MemoryStore(files)
        self.listed: frozenset[str] = frozenset()

    def open(self, name: str) -> ReadHandle:
        return self.store.open(name)

    def needed(self) -> frozenset[str]:
        return self.listed.intersection(self.store.names())

    def list_needed(self, segments: frozenset[str]) -> None:
        self.listed = segments


def name_of(data: bytes) -> str:
    return layout.segment_name(blake2b(data, digest_size=layout.SEGMENT_DIGEST_BYTES).digest())


ONE, TWO = name_of(b"one"), name_of(b"two")


def shared(own: Store | None = None) -> tuple[SharedStore, MemorySource]:
    source = MemorySource({ONE: b"one", TWO: b"two"})
    return SharedStore(own or MemoryStore(), source), source


def test_only_what_is_needed_is_listed_and_all_can_be_opened() -> None:
    store, source = shared()
    assert store.names() == []
    assert get(store, ONE) == b"one"
    store.borrow([TWO])
    assert store.names() == [TWO]
    assert store.borrowed() == source.listed == {TWO}
    with pytest.raises(FileMissingError):
        store.open(layout.CURRENT_NAME)


def test_what_is_not_needed_any_more_stays_elsewhere() -> None:
    store, source = shared()
    store.borrow([ONE, TWO])
    assert store.remove(ONE)
    assert (store.names(), source.listed) == ([TWO], frozenset({TWO}))
    assert source.store.names() == sorted([ONE, TWO])
    assert not store.remove(ONE)


def test_an_own_copy_comes_first() -> None:
    store, _ = shared()
    store.borrow([ONE])
    put(store, ONE, b"mended")
    assert get(store, ONE) == b"mended"
    assert store.borrowed() == frozenset()
    assert store.remove_copy(ONE)
    assert get(store, ONE) == b"one"
    assert store.age(ONE) == math.inf


def grown(own: Store, count: int = 3) -> Index:
    index = Index(own, SCHEMA)
    with index.writer() as writer:
        for number in range(count):
            texts = [{"body": f"word{number} all"}]
            writer.add(document(f"{number}.txt", texts, writer.vocabulary))
            writer.commit()
    return index


def copied(own: Store) -> MemorySource:
    segments = [name for name in own.names() if name.startswith("seg-")]
    return MemorySource({name: get(own, name) for name in segments})


def terms(store: Store) -> list[tuple[str, bytes]]:
    snapshot = Index(store, SCHEMA).snapshot()
    found = ((path, snapshot.file(path)) for path in snapshot.paths())
    return [(path, file.fingerprint) for path, file in found if file]


def test_copies_give_way_to_what_is_elsewhere() -> None:
    own = MemoryStore(origin_key=KEY)
    index = grown(own)
    entries, source, before = index.snapshot().manifest.segments, copied(own), terms(own)
    store = SharedStore(own, source)
    assert share_segments(store, entries) == sum(entry.length for entry in entries)
    assert [name for name in own.names() if name.startswith("seg-")] == []
    assert terms(store) == before
    assert [finding for finding in check(store) if finding.severity == "error"] == []
    use = Index(store, SCHEMA).disk_use()
    assert use.shared == sum(entry.length for entry in entries)
    assert use.total < use.shared


@pytest.mark.parametrize("merges", [True, False])
def test_what_is_elsewhere_is_merged_only_where_that_is_wanted(*, merges: bool) -> None:
    own = MemoryStore(origin_key=KEY)
    entries = grown(own, 2 * TIER_WIDTH).snapshot().manifest.segments
    store = SharedStore(own, copied(own), merges=merges)
    share_segments(store, entries)
    index = Index(store, SCHEMA)
    assert bool(index.compact()) == merges
    assert (index.snapshot().manifest.segments == entries) == (not merges)


def test_what_is_altered_elsewhere_keeps_its_copy() -> None:
    own = MemoryStore(origin_key=KEY)
    entries = grown(own).snapshot().manifest.segments
    source = copied(own)
    spoiled = entries[0].name
    files = {name: get(source.store, name) for name in source.store.names()}
    source.store = MemoryStore({**files, spoiled: b"x" * entries[0].length})
    store = SharedStore(own, source)
    share_segments(store, entries)
    assert [name for name in own.names() if name.startswith("seg-")] == [spoiled]
    assert len(terms(store)) == 3


def test_a_segment_that_is_nowhere_is_lost() -> None:
    own = MemoryStore()
    entries = grown(own).snapshot().manifest.segments
    source = copied(own)
    store = SharedStore(own, source)
    share_segments(store, entries)
    source.store = MemoryStore()
    with pytest.raises(SegmentLostError):
        Index(store, SCHEMA).snapshot()


def test_garbage_is_needed_no_longer() -> None:
    own = MemoryStore()
    index = grown(own)
    source = copied(own)
    store = SharedStore(own, source)
    share_segments(store, index.snapshot().manifest.segments)
    merged = Index(store, SCHEMA)
    merged.compact(full=True)
    merged.collect_garbage(grace_seconds=0)
    assert source.listed == frozenset()
    assert len(source.store.names()) == 3


@pytest.mark.parametrize("model", MODELS)
def test_a_crash_while_copies_are_removed_leaves_all_readable(model: Model) -> None:
    made = MemoryStore(origin_key=KEY)
    index = grown(made)
    entries, before = index.snapshot().manifest.segments, terms(made)
    files = {name: get(made, name) for name in made.names()}

    def own(at: int | None = None) -> FaultyStore:
        fault = None if at is None else Fault(at, "crash")
        return FaultyStore(files, fault, origin_key=KEY, origin=made.origin)

    whole = own()
    share_segments(SharedStore(whole, copied(made)), entries)
    assert len(whole.operations) > 3
    for at in range(len(whole.operations)):
        faulty, source = own(at), copied(made)
        with pytest.raises(SimulatedCrash):
            share_segments(SharedStore(faulty, source), entries)
        for survivor in faulty.survivors(model):
            store = SharedStore(survivor, source)
            assert terms(store) == before
            share_segments(store, entries)
            assert terms(store) == before
