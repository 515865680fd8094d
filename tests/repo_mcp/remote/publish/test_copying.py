"""An index that is read in place is copied: whole or not at all, once, and used at once."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Final

import pytest

from index_format import (
    MemoryStore,
    SegmentEntry,
    SharedStore,
    Snapshot,
    Store,
    WeightedTerm,
    top_chunks,
)
from index_format.store.faulty_store import MODELS, Fault, FaultyStore, Model, SimulatedCrash
from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.model import Progress
from repo_mcp.remote.objects import ranges
from repo_mcp.remote.objects.blocks import BlockCache
from repo_mcp.remote.objects.contract import ObjectStore
from repo_mcp.remote.objects.ranges import RangeSource
from repo_mcp.remote.publish import Puller, SegmentCopier, copying
from repo_mcp.stored import STORED_KINDS, TEXT_INDEX
from tests.repo_mcp.remote.publish.checkouts import Checkout, budget, publish
from tests.repo_mcp.remote.publish.objects import Crash, DictObjects, FaultyObjects

KEY: Final = b"key of this folder"
BLOCK: Final = 1 << 12
MOST: Final = 1 << 30
WORDS: Final = random.Random(5)
# words that share no beginnings, so that segments have many pages
FILES: Final = {
    f"m{number}.py": " ".join(WORDS.randbytes(10).hex() for _ in range(500)) + " common"
    for number in range(8)
}
Own = Mapping[str, Store]


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Segments of a few kilobytes have many blocks."""
    monkeypatch.setattr(ranges, "BLOCK_BYTES", BLOCK)
    monkeypatch.setattr("index_format.segment.reader._SMALL_BYTES", BLOCK // 4)
    monkeypatch.setattr(ranges, "_MOST_BLOCKS", 4)
    monkeypatch.setattr(ranges, "_LIKELY_DIRECTORY", BLOCK)
    monkeypatch.setattr(ranges, "_REQUESTS", 1)
    monkeypatch.setattr(copying, "_PIECE_BYTES", 8 * BLOCK)


class FarCheckout(Checkout):
    """A checkout whose indexes are read at a place, and copied from there."""

    def __init__(
        self,
        folder: Path,
        objects: ObjectStore,
        monkeypatch: pytest.MonkeyPatch,
        own: Own | None = None,
        most: int = MOST,
    ) -> None:
        monkeypatch.setattr(ranges, "shared_reader", lambda _: objects)
        self.blocks = BlockCache(str(folder / "blocks"), most)
        self.own = own or {kind.folder: MemoryStore(origin_key=KEY) for kind in STORED_KINDS}
        self.room = float(MOST)
        stores: dict[str, Store] = {}
        for kind in STORED_KINDS:
            here = self.own[kind.folder]
            source = RangeSource("x://", str(folder), kind.folder, self.blocks, here)
            stores[kind.folder] = SharedStore(here, source, merges=False)
        super().__init__(stores=stores)

    def adopt(self, objects: ObjectStore) -> None:
        Puller(objects, budget(), requests=1, in_place=True).pull(self.local, "main")

    def copier(self, on_progress: Callable[[Progress], None] = lambda _: None) -> SegmentCopier:
        stores = self.stores
        return SegmentCopier(
            lambda kind: stores[kind.folder], self.blocks, lambda: self.room, on_progress
        )

    def copy(self) -> None:
        assert self.copier().copy(budget()).left == 0

    def own_segments(self) -> list[str]:
        return sorted(
            name for store in self.own.values() for name in store.names() if name.startswith("seg-")
        )


def all_segments(checkout: Checkout) -> list[str]:
    return sorted(name for names in checkout.segments().values() for name in names)


def list_entries(snapshot: Snapshot | None) -> Sequence[SegmentEntry]:
    return () if snapshot is None else snapshot.manifest.segments


def hits(snapshot: Snapshot | None) -> list[object]:
    assert snapshot is not None
    field = TEXT_INDEX.schema.fields[0].name
    return list(top_chunks(snapshot, [WeightedTerm(field, b"common")], 30))


@pytest.fixture
def source() -> Checkout:
    return Checkout(FILES)


@pytest.fixture
def place(source: Checkout) -> DictObjects:
    objects = DictObjects()
    publish(objects, source)
    return objects


@pytest.fixture
def counted(place: DictObjects) -> FaultyObjects:
    return FaultyObjects(place)


@pytest.fixture
def target(counted: FaultyObjects, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FarCheckout:
    made = FarCheckout(tmp_path, counted, monkeypatch)
    made.adopt(counted)
    return made


def test_answers_are_equal_before_during_and_after_copying(
    source: Checkout, target: FarCheckout
) -> None:
    expected = hits(source.snapshot(TEXT_INDEX))
    found: list[list[object]] = [hits(target.snapshot(TEXT_INDEX))]
    assert target.own_segments() == []

    def ask(_: Progress) -> None:
        found.append(hits(target.snapshot(TEXT_INDEX)))

    report = target.copier(ask).copy(budget())
    assert (report.copied, report.left) == (len(all_segments(source)), 0)
    found.append(hits(target.snapshot(TEXT_INDEX)))
    assert len(found) > 5
    assert all(item == expected for item in found)
    assert target.own_segments() == all_segments(source)
    assert target.contents() == source.contents()
    assert target.is_sound()


def test_nothing_is_asked_for_once_all_is_here(
    source: Checkout, target: FarCheckout, counted: FaultyObjects
) -> None:
    """Also not by those who had the segments open before."""
    early = target.snapshot(TEXT_INDEX)
    target.copy()
    counted.operations.clear()
    assert hits(early) == hits(source.snapshot(TEXT_INDEX))
    assert hits(target.snapshot(TEXT_INDEX)) == hits(early)
    assert target.contents() == source.contents()
    target.copy()
    assert target.is_sound()
    assert counted.operations == []
    assert [store.borrowed() for store in _far(target)] == [frozenset()] * len(STORED_KINDS)


def _far(checkout: Checkout) -> list[SharedStore]:
    return [store for store in checkout.stores.values() if isinstance(store, SharedStore)]


def test_no_block_is_asked_for_twice_and_none_stays(
    target: FarCheckout, counted: FaultyObjects, tmp_path: Path
) -> None:
    hits(target.snapshot(TEXT_INDEX))
    target.copy()
    reads = [item for item in counted.operations if item.startswith("read v1/segments")]
    sizes = [entry.length for kind in STORED_KINDS for entry in list_entries(target.snapshot(kind))]
    assert len(reads) <= sum(-(-size // BLOCK) for size in sizes)
    assert list((tmp_path / "blocks").rglob("*")) == []


def test_what_a_read_verifies_is_not_read_again(target: FarCheckout) -> None:
    """Segments are vouched for when they are copied: opening one hashes no byte of it."""
    target.copy()
    store = target.own[TEXT_INDEX.folder]
    assert isinstance(store, MemoryStore)
    for name in target.segments()[TEXT_INDEX.folder]:
        with closing(store.open(name)) as handle:
            assert f"{name} {handle.identity}" in store.read_origin().decode()


@pytest.mark.differential
@pytest.mark.parametrize("mode", ["before", "after"])
@pytest.mark.parametrize("error", [Crash, lambda: Problem("store_unavailable", "cut")])
def test_a_copy_that_ends_at_any_request_goes_on_with_the_rest(
    source: Checkout,
    place: DictObjects,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    mode: str,
    error: Callable[[], BaseException],
) -> None:
    whole = FarCheckout(tmp_path / "whole", place, monkeypatch)
    whole.adopt(place)
    counted = FaultyObjects(place)
    monkeypatch.setattr(ranges, "shared_reader", lambda _: counted)
    whole.copy()
    points = len(counted.operations)
    assert points > 5
    for at in range(points):
        far = FarCheckout(tmp_path / str(at), place, monkeypatch)
        far.adopt(place)
        faulty = FaultyObjects(place, at, "before" if mode == "before" else "after", error)
        monkeypatch.setattr(ranges, "shared_reader", lambda _, faulty=faulty: faulty)
        with pytest.raises((Crash, Problem)):
            far.copy()
        assert far.contents() == source.contents()
        done = len(faulty.operations)
        far.copy()
        # what had arrived is not asked for again
        assert len(faulty.operations) - done <= points - at
        assert far.own_segments() == all_segments(source)
        assert far.is_sound()


@pytest.mark.differential
@pytest.mark.parametrize("model", MODELS)
def test_a_copy_that_ends_at_any_write_leaves_a_sound_index(
    source: Checkout,
    place: DictObjects,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    model: Model,
) -> None:
    base = FarCheckout(tmp_path / "base", place, monkeypatch)
    base.adopt(place)

    def far(name: str, faults: Mapping[str, Fault] | None = None) -> FarCheckout:
        own = {folder: _faulty(base.own[folder], (faults or {}).get(folder)) for folder in base.own}
        shutil.copytree(tmp_path / "base", tmp_path / name)
        return FarCheckout(tmp_path / name, place, monkeypatch, own)

    whole = far("whole")
    whole.copy()
    folder = TEXT_INDEX.folder
    store = whole.own[folder]
    assert isinstance(store, FaultyStore)
    assert len(store.operations) > 5
    for at in range(len(store.operations)):
        made = far(str(at), {folder: Fault(at, "crash")})
        with pytest.raises(SimulatedCrash):
            made.copy()
        crashed = made.own[folder]
        assert isinstance(crashed, FaultyStore)
        for survivor in crashed.survivors(model):
            shutil.rmtree(tmp_path / "left", ignore_errors=True)
            shutil.copytree(tmp_path / str(at), tmp_path / "left")
            own = {kind: _kept(item) for kind, item in made.own.items() if kind != folder}
            own[folder] = survivor
            found = FarCheckout(tmp_path / "left", place, monkeypatch, own)
            assert found.contents() == source.contents()
            found.copy()
            assert found.contents() == source.contents()
            assert found.is_sound()


def _kept(store: Store) -> Store:
    assert isinstance(store, FaultyStore)
    (found,) = store.survivors("kill")
    return found


def _faulty(store: Store, fault: Fault | None) -> FaultyStore:
    assert isinstance(store, MemoryStore)
    files = {}
    for name in store.names():
        with closing(store.open(name)) as handle:
            files[name] = handle.read(0, handle.size)
    return FaultyStore(files, fault, origin_key=KEY, origin=store.origin)


def test_a_segment_with_other_bytes_is_refused_and_leaves_nothing(
    target: FarCheckout, place: DictObjects
) -> None:
    name = target.segments()[TEXT_INDEX.folder][0]
    data, modified = place.objects[f"v1/segments/{name}"]
    middle = len(data) // 2
    altered = data[:middle] + bytes([data[middle] ^ 1]) + data[middle + 1 :]
    place.objects[f"v1/segments/{name}"] = altered, modified
    with pytest.raises(Problem) as caught:
        target.copier().copy(budget())
    assert caught.value.code == "publication_invalid"
    assert name not in target.own_segments()


def test_a_block_that_was_damaged_on_its_way_is_fetched_again(
    target: FarCheckout, place: DictObjects
) -> None:
    name = target.segments()[TEXT_INDEX.folder][0]
    data, _ = place.objects[f"v1/segments/{name}"]
    target.blocks.put(name, 3, bytes(BLOCK))
    assert data[3 * BLOCK : 4 * BLOCK] != bytes(BLOCK)
    target.copy()
    assert target.is_sound()


def test_without_room_on_the_disk_all_stays_where_it_is(
    source: Checkout, target: FarCheckout
) -> None:
    target.room = 100.0
    report = target.copier().copy(budget())
    assert (report.copied, report.left) == (0, len(all_segments(source)))
    assert target.contents() == source.contents()
    target.room = float(MOST)
    target.copy()


def test_a_folder_of_blocks_that_holds_little_is_passed_by(
    source: Checkout, counted: FaultyObjects, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    most = 3 * (BLOCK + 16)
    far = FarCheckout(tmp_path, counted, monkeypatch, most=most)
    far.adopt(counted)
    far.copy()
    assert far.contents() == source.contents()
    sizes = [file.stat().st_size for file in (tmp_path / "blocks").rglob("*") if file.is_file()]
    assert sum(sizes) <= most


def test_while_a_writer_works_segments_are_left_to_another_time(
    target: FarCheckout, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(copying, "_LOCK_SECONDS", 0.0)
    text = target.stores[TEXT_INDEX.folder]
    before = len(target.segments()[TEXT_INDEX.folder])
    with text.lock(0.0):
        assert target.copier().copy(budget()).left == before
    target.copy()


def test_cancelled_work_ends_and_keeps_what_has_arrived(
    target: FarCheckout, counted: FaultyObjects
) -> None:
    steps: list[Progress] = []
    with pytest.raises(Problem) as caught:
        target.copier(steps.append).copy(Budget(cancelled=lambda: len(steps) == 2))
    assert caught.value.code == "cancelled"
    counted.operations.clear()
    target.copy()
    assert steps[-1].size > 0
    assert counted.operations
