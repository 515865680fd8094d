"""Publishing, loading, recovering and collecting, with nothing going wrong but damage and races."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from index_format import layout
from index_format.errors import (
    CorruptIndexError,
    FileMissingError,
    IndexBusyError,
    IndexMissingError,
    InvalidInputError,
    UnsupportedVersionError,
)
from index_format.generation.commit import (
    collect_garbage,
    load_current,
    next_generation,
    publish,
    read_pointer,
    recover,
)
from index_format.generation.manifest import Manifest, checksum, encode, encode_pointer
from index_format.store.file_store import QUARANTINE_NAME, FileStore
from index_format.store.memory_store import MemoryReader, MemoryStore
from tests.index_format.generations import (
    CURRENT,
    add_segment,
    data_of,
    entry,
    files_of,
    manifest,
)
from tests.waiting import HANG

JUNK = f"seg-{'f' * 40}.rix"
LEFT_OVER = "tmp-1a-2b.part"


class RacingStore(MemoryStore):
    """Lets something happen just before a manifest is opened."""

    def __init__(self, files: dict[str, bytes], happen: Callable[[MemoryStore, str], None]) -> None:
        super().__init__(files)
        self._happen = happen

    def open(self, name: str) -> MemoryReader:
        if layout.MANIFEST_NAME.fullmatch(name):
            self._happen(self, name)
        return super().open(name)


def test_publishing_makes_a_generation_current() -> None:
    store = MemoryStore()
    add_segment(store, entry(1))
    add_segment(store, entry(2))
    publish(store, None, manifest(1, 1))
    assert load_current(store) == manifest(1, 1)
    first = read_pointer(store)
    publish(store, manifest(1, 1), manifest(2, 1, 2))
    assert load_current(store) == manifest(2, 1, 2)
    assert read_pointer(store) != first
    assert next_generation(store) == 3


def test_an_index_without_segments_is_an_index() -> None:
    store = MemoryStore()
    publish(store, None, manifest(1))
    assert load_current(store).segments == ()


@pytest.mark.parametrize("names", [[], [1], [JUNK, LEFT_OVER]])
def test_there_is_no_index_before_the_first_pointer(names: list[str | int]) -> None:
    files = {layout.manifest_name(n) if isinstance(n, int) else n: b"" for n in names}
    with pytest.raises(IndexMissingError):
        load_current(MemoryStore(files))


def test_a_lost_pointer_is_damage() -> None:
    files = files_of(manifest(1), manifest(2, 1))
    del files[CURRENT]
    with pytest.raises(CorruptIndexError) as caught:
        load_current(MemoryStore(files))
    assert caught.value.file == CURRENT


def test_a_lost_manifest_is_damage() -> None:
    files = files_of(manifest(1), manifest(2, 1))
    del files[layout.manifest_name(2)]
    with pytest.raises(CorruptIndexError) as caught:
        load_current(MemoryStore(files))
    assert caught.value.file == layout.manifest_name(2)


@pytest.mark.parametrize("name", [CURRENT, layout.manifest_name(1)])
def test_a_file_that_is_far_too_large_is_not_read(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(layout, "MAX_MANIFEST_BYTES", 1000)
    files = files_of(manifest(1)) | {name: bytes(layout.MAX_CURRENT_BYTES + 1)}
    with pytest.raises(CorruptIndexError, match="at most"):
        load_current(MemoryStore(files))


def test_every_flipped_bit_is_noticed() -> None:
    files = files_of(manifest(6, 1), manifest(7, 1, 2))
    assert load_current(MemoryStore(files)) == manifest(7, 1, 2)
    flips = 0
    for name in (CURRENT, layout.manifest_name(7)):
        for bit in range(len(files[name]) * 8):
            damaged = bytearray(files[name])
            damaged[bit // 8] ^= 1 << bit % 8
            with pytest.raises(CorruptIndexError):
                load_current(MemoryStore(files | {name: bytes(damaged)}))
            flips += 1
    assert flips > 4000


def test_damage_is_blamed_on_the_file_that_has_it() -> None:
    name, data = layout.manifest_name(7), encode(manifest(7, 1))
    pointer = encode_pointer(name, data)
    for current, held, blamed in (
        (encode_pointer(name, data + b"x"), data, CURRENT),
        (b"", data, CURRENT),
        (pointer, data[:-1], name),
        (pointer, bytes(len(data)), name),
        (pointer, b"", name),
    ):
        with pytest.raises(CorruptIndexError) as caught:
            load_current(MemoryStore({CURRENT: current, name: held}))
        assert caught.value.file == blamed


def test_a_reader_overtaken_by_a_writer_looks_again() -> None:
    after = files_of(manifest(2, 1))

    def overtake(store: MemoryStore, name: str) -> None:
        if name == layout.manifest_name(1):
            store._files = MemoryStore(after)._files

    store = RacingStore(files_of(manifest(1, 1)), overtake)
    assert load_current(store) == manifest(2, 1)


def test_a_reader_overtaken_time_and_again_gives_up() -> None:
    def overtake(store: MemoryStore, name: str) -> None:
        following = layout.manifest_name(int(name[9:21]) + 1)
        store._files = MemoryStore({CURRENT: encode_pointer(following, b"")})._files

    with pytest.raises(IndexBusyError):
        load_current(RacingStore(files_of(manifest(1)), overtake))


@pytest.mark.differential
def test_readers_beside_a_busy_writer_see_whole_generations(tmp_path: Path) -> None:
    store = FileStore(tmp_path)
    add_segment(store, entry(1))
    publish(store, None, manifest(1, 1))
    seen: list[Manifest] = []
    failures: list[Exception] = []
    done = threading.Event()

    def read() -> None:
        reader = FileStore(tmp_path, create=False)
        while not done.is_set():
            try:
                seen.append(load_current(reader))
            except IndexBusyError:
                continue
            except Exception as error:  # noqa: BLE001 - whatever it is, the test reports it
                failures.append(error)

    thread = threading.Thread(target=read)
    thread.start()
    current = manifest(1, 1)
    for generation in range(2, 40):
        publish(store, current, replace(current, generation=generation))
        current = replace(current, generation=generation)
        collect_garbage(store, current, grace_seconds=-1.0, keep_generations=0)
    done.set()
    thread.join(HANG)
    assert failures == []
    assert {found.segments for found in seen} <= {current.segments}
    assert load_current(store) == current


def test_publishing_needs_the_base_it_was_made_from() -> None:
    store = MemoryStore(files_of(manifest(1), manifest(2, 1)))
    before = store.names()
    for base, new in (
        (None, manifest(1)),
        (None, manifest(3)),
        (manifest(1), manifest(3)),
        (manifest(2), manifest(3)),
        (manifest(3), manifest(4)),
        (manifest(2, 1), manifest(2)),
        (manifest(2, 1), manifest(1)),
    ):
        with pytest.raises(InvalidInputError):
            publish(store, base, new)
    assert store.names() == before
    assert load_current(store) == manifest(2, 1)


def test_publishing_needs_the_segments() -> None:
    store = MemoryStore(files_of(manifest(1, 1)) | {entry(2).name: data_of(entry(2))[1:]})
    with pytest.raises(FileMissingError):
        publish(store, manifest(1, 1), manifest(2, 1, 3))
    with pytest.raises(CorruptIndexError):
        publish(store, manifest(1, 1), manifest(2, 1, 2))
    store.remove(entry(1).name)
    with pytest.raises(FileMissingError):
        publish(store, manifest(1, 1), manifest(2, 1))
    assert load_current(store) == manifest(1, 1)


@pytest.mark.parametrize("orphan", [b"", b"half a mani", encode(manifest(2)), bytes(300)])
@pytest.mark.parametrize("skip", [False, True])
def test_a_manifest_left_by_a_crash_is_no_obstacle(orphan: bytes, *, skip: bool) -> None:
    store = MemoryStore(files_of(manifest(1, 1)) | {layout.manifest_name(2): orphan})
    new = manifest(next_generation(store) if skip else 2, 1, settings="new")
    publish(store, manifest(1, 1), new)
    assert new.generation == (3 if skip else 2)
    assert load_current(store) == new


def test_a_first_manifest_left_by_a_crash_is_no_obstacle() -> None:
    store = MemoryStore({layout.manifest_name(1): encode(manifest(1, settings="orphan"))})
    assert next_generation(store) == 1
    publish(store, None, manifest(1))
    assert load_current(store) == manifest(1)
    assert next_generation(store) == 2


@pytest.mark.parametrize(
    "pointer", [b"", b"nonsense", encode_pointer(layout.manifest_name(9), b"")]
)
def test_recovery_finds_the_newest_sound_generation(pointer: bytes) -> None:
    files = files_of(manifest(1, 1), manifest(2, 1, 2))
    store = MemoryStore(files | {CURRENT: pointer, layout.manifest_name(3): b"{}"})
    with pytest.raises(CorruptIndexError):
        load_current(store)
    before = store.names()
    assert recover(store) == manifest(2, 1, 2)
    assert store.names() == before
    publish(store, recover(store), manifest(4, 2))
    assert load_current(store) == manifest(4, 2)


@pytest.mark.parametrize("damage", ["manifest", "missing", "short"])
def test_recovery_passes_over_what_is_not_whole(damage: str) -> None:
    files = files_of(manifest(1, 1), manifest(2, 1, 2))
    if damage == "manifest":
        files[layout.manifest_name(2)] = files[layout.manifest_name(2)][:-5]
    elif damage == "missing":
        del files[entry(2).name]
    else:
        files[entry(2).name] = data_of(entry(2))[:-1]
    assert recover(MemoryStore(files)) == manifest(1, 1)


def test_recovery_of_nothing() -> None:
    with pytest.raises(IndexMissingError):
        recover(MemoryStore({layout.manifest_name(1): b"", JUNK: b""}))


def test_an_index_beyond_recovery_is_built_anew() -> None:
    store = MemoryStore({CURRENT: b"?", layout.manifest_name(5): b"?"})
    number = next_generation(store)
    add_segment(store, entry(1))
    publish(store, None, manifest(number, 1))
    assert (number, load_current(store)) == (6, manifest(6, 1))


def test_the_index_of_another_version_is_replaced_and_not_overwritten() -> None:
    inner = b'{"format":%d}' % (layout.FORMAT_VERSION + 1)
    newer = b'{"checksum":"%s","manifest":%s}\n' % (checksum(inner).encode(), inner)
    name = layout.manifest_name(1)
    store = MemoryStore({CURRENT: encode_pointer(name, newer), name: newer})
    with pytest.raises(UnsupportedVersionError):
        load_current(store)
    with pytest.raises(InvalidInputError):
        publish(store, None, manifest(1))
    with pytest.raises(UnsupportedVersionError):
        load_current(store)
    publish(store, None, manifest(2))
    assert load_current(store) == manifest(2)


class Aging:
    """A store whose clock the test turns: two generations, the newer one published last."""

    def __init__(self) -> None:
        self.now = 0.0
        self.store = MemoryStore(clock=lambda: self.now)
        add_segment(self.store, entry(1))
        add_segment(self.store, entry(2))
        publish(self.store, None, manifest(1, 1, 2))

    def publish_second(self) -> None:
        add_segment(self.store, entry(3))
        publish(self.store, manifest(1, 1, 2), manifest(2, 2, 3))

    def collect(self, keep_generations: int = 1) -> list[str]:
        current = load_current(self.store)
        return collect_garbage(self.store, current, keep_generations=keep_generations)


def test_the_previous_generation_stays_while_readers_may_need_it() -> None:
    aging = Aging()
    aging.now = 1000.0
    aging.publish_second()
    aging.now += 60.0
    assert aging.collect() == []
    aging.now += 0.5
    assert aging.collect() == [layout.manifest_name(1), entry(1).name]
    assert aging.collect() == []
    assert load_current(aging.store) == manifest(2, 2, 3)
    assert aging.store.names() == sorted(files_of(manifest(2, 2, 3)))


def test_generations_before_the_previous_go_by_their_own_age() -> None:
    aging = Aging()
    aging.now = 1000.0
    aging.publish_second()
    publish(aging.store, manifest(2, 2, 3), manifest(3, 3))
    assert aging.collect() == [layout.manifest_name(1), entry(1).name]
    assert recover(aging.store) == manifest(3, 3)
    aging.now = 1061.0
    assert aging.collect() == [layout.manifest_name(2), entry(2).name]


def test_more_generations_are_kept_on_request() -> None:
    aging = Aging()
    aging.now = 1000.0
    aging.publish_second()
    publish(aging.store, manifest(2, 2, 3), manifest(3, 3))
    assert aging.collect(keep_generations=2) == []
    assert aging.collect(keep_generations=0) == [layout.manifest_name(1), entry(1).name]


def test_each_generation_stays_for_as_long_after_the_one_that_followed() -> None:
    aging = Aging()
    aging.now = 1000.0
    aging.publish_second()
    aging.now = 1050.0
    publish(aging.store, manifest(2, 2, 3), manifest(3, 3))
    aging.now = 1061.0
    assert aging.collect(keep_generations=2) == [layout.manifest_name(1), entry(1).name]


def test_left_overs_go_once_they_are_old() -> None:
    aging = Aging()
    orphan = layout.manifest_name(9)
    handle = aging.store.create()
    handle.write(encode(manifest(9, 1)))
    handle.publish(orphan)
    aging.store._put(JUNK, b"")
    aging.store._put(LEFT_OVER, b"")
    assert aging.collect() == []
    aging.now = 61.0
    assert sorted(aging.collect()) == sorted([orphan, JUNK, LEFT_OVER])
    assert aging.store.names() == sorted(files_of(manifest(1, 1, 2)))


def test_foreign_files_are_left_alone(tmp_path: Path) -> None:
    store = FileStore(tmp_path)
    publish(store, None, manifest(1))
    for name in ("notes.txt", "seg-.rix", "manifest-1.json", "CURRENT~", "tmp-x.part"):
        (tmp_path / name).write_text("keep")
    (tmp_path / JUNK).mkdir()
    (tmp_path / LEFT_OVER).write_text("rubbish")
    before = {path.name for path in tmp_path.iterdir()}
    assert collect_garbage(store, manifest(1), grace_seconds=-1.0) == [JUNK, LEFT_OVER]
    after = before - {JUNK, LEFT_OVER} | {QUARANTINE_NAME}
    assert {path.name for path in tmp_path.iterdir()} == after
    (kept,) = (tmp_path / QUARANTINE_NAME).iterdir()  # a folder may be somebody's
    assert kept.is_dir()


def test_superseded_files_stay_up_to_a_share_of_the_index() -> None:
    aging = Aging()
    aging.publish_second()
    publish(aging.store, manifest(2, 2, 3), manifest(3, 3))
    current = manifest(3, 3)
    everything = aging.store.names()
    assert collect_garbage(aging.store, current, spare=100.0) == []
    assert aging.store.names() == everything
    # the newest of them stays; what only the one before it needs goes
    third = sum(len(data) for data in files_of(current).values())
    second = len(encode(manifest(2, 2, 3))) + len(data_of(entry(2)))
    room = second / third
    assert collect_garbage(aging.store, current, spare=room) == [
        layout.manifest_name(1),
        entry(1).name,
    ]
    assert recover(aging.store) == current
    assert collect_garbage(aging.store, current, spare=0.0) == [
        layout.manifest_name(2),
        entry(2).name,
    ]
    assert aging.store.names() == sorted(files_of(current))


def test_young_left_overs_stay_only_where_there_is_room() -> None:
    aging = Aging()
    aging.store._put(LEFT_OVER, bytes(10_000))
    current = manifest(1, 1, 2)
    assert collect_garbage(aging.store, current, spare=100.0) == []
    assert collect_garbage(aging.store, current, spare=0.5) == [LEFT_OVER]
    assert load_current(aging.store) == current
