"""The contract of every store, whatever it keeps its files in."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from index_format import layout
from index_format.errors import (
    CorruptIndexError,
    FileMissingError,
    IndexBusyError,
    InvalidInputError,
    StoreError,
    StoreWriteError,
)
from index_format.store.contract import ReadHandle, Store
from index_format.store.faulty_store import FaultyStore
from index_format.store.file_store import FileStore
from index_format.store.memory_store import MemoryStore
from index_format.store.shared_store import SharedStore
from tests.index_format.samples import get, put
from tests.waiting import HANG

SEGMENT = layout.segment_name(b"\x01" * layout.SEGMENT_DIGEST_BYTES)
OTHER_SEGMENT = layout.segment_name(b"\x02" * layout.SEGMENT_DIGEST_BYTES)
MANIFEST = layout.manifest_name(1)
HOSTILE_NAMES = [
    "",
    ".",
    "..",
    "../CURRENT",
    "/etc/passwd",
    "CURRENT\n",
    "CURRENT\0",
    "current",
    "C:CURRENT",
    "sub/CURRENT",
    "sub\\CURRENT",
    "manifest-1.json",
    "manifest-0000000000001.json",
    "manifest-00000000000\u0661.json",
    f"{SEGMENT}/..",
    f"{SEGMENT}\n",
    SEGMENT.upper(),
    "tmp-0-.part",
    "tmp-0-0.part/../CURRENT",
    layout.LOCK_NAME,
]


class StoreContract:
    """A new store is one subclass with a fixture."""

    @pytest.fixture
    def store(self, tmp_path: Path) -> Store:
        raise NotImplementedError

    def test_an_empty_store_has_no_names(self, store: Store) -> None:
        assert store.names() == []
        assert store.writable

    def test_a_missing_file_is_named(self, store: Store) -> None:
        with pytest.raises(FileMissingError) as caught:
            store.open(SEGMENT)
        assert caught.value.name == SEGMENT

    def test_published_bytes_come_back(self, store: Store) -> None:
        handle = store.create()
        handle.write(b"one")
        handle.write(bytearray(b"two"))
        handle.write(memoryview(b"\1\0\0\0\2\0\0\0").cast("I"))
        handle.write(b"")
        handle.publish(SEGMENT)
        assert get(store, SEGMENT) == b"onetwo\1\0\0\0\2\0\0\0"

    def test_a_file_is_invisible_until_published(self, store: Store) -> None:
        handle = store.create()
        handle.write(b"data")
        with pytest.raises(FileMissingError):
            store.open(SEGMENT)
        handle.publish(SEGMENT)
        assert store.names() == [SEGMENT]

    def test_discarding_leaves_nothing(self, store: Store) -> None:
        handle = store.create()
        handle.write(b"data")
        handle.discard()
        handle.discard()
        assert store.names() == []

    def test_discarding_after_publishing_does_nothing(self, store: Store) -> None:
        handle = store.create()
        handle.publish(SEGMENT)
        handle.discard()
        assert get(store, SEGMENT) == b""

    @pytest.mark.parametrize("end", [lambda h: h.publish(SEGMENT), lambda h: h.discard()])
    def test_a_finished_handle_takes_no_more(
        self, store: Store, end: Callable[[object], None]
    ) -> None:
        handle = store.create()
        end(handle)
        with pytest.raises(StoreWriteError):
            handle.write(b"more")
        with pytest.raises(StoreWriteError):
            handle.publish(OTHER_SEGMENT)
        assert OTHER_SEGMENT not in store.names()

    def test_publishing_the_same_bytes_again_changes_nothing(self, store: Store) -> None:
        put(store, SEGMENT, b"data")
        put(store, SEGMENT, b"data")
        assert store.names() == [SEGMENT]
        assert get(store, SEGMENT) == b"data"

    @pytest.mark.parametrize("damaged", [b"", b"dat", b"dbta", b"data and more"])
    def test_publishing_heals_a_damaged_file(self, store: Store, damaged: bytes) -> None:
        put(store, SEGMENT, damaged)
        put(store, SEGMENT, b"data")
        assert store.names() == [SEGMENT]
        assert get(store, SEGMENT) == b"data"

    def test_replacing_puts_new_bytes_in_place_of_old(self, store: Store) -> None:
        store.replace(layout.CURRENT_NAME, b"old")
        with closing(store.open(layout.CURRENT_NAME)) as reader:
            store.replace(layout.CURRENT_NAME, b"newer")
            assert (reader.size, reader.read(0, 3)) == (3, b"old")
        assert get(store, layout.CURRENT_NAME) == b"newer"
        assert store.names() == [layout.CURRENT_NAME]

    def test_an_open_file_outlives_its_name(self, store: Store) -> None:
        put(store, SEGMENT, b"data")
        with closing(store.open(SEGMENT)) as reader:
            assert store.remove(SEGMENT)
            assert reader.read(1, 2) == b"at"
        assert store.names() == []

    def test_removing_what_is_gone_is_no_error(self, store: Store) -> None:
        put(store, SEGMENT, b"data")
        assert store.remove(SEGMENT)
        assert not store.remove(SEGMENT)

    @pytest.mark.parametrize(
        ("offset", "length"), [(0, 5), (4, 1), (5, 0), (2, 1 << 62), (-1, 1), (1, -1)]
    )
    def test_reading_past_the_end_is_damage(self, store: Store, offset: int, length: int) -> None:
        put(store, SEGMENT, b"data")
        with closing(store.open(SEGMENT)) as reader:
            with pytest.raises(CorruptIndexError) as caught:
                reader.read(offset, length)
            assert reader.read(4, 0) == b""
        error = caught.value
        assert (error.file, error.section, error.offset) == (SEGMENT, "file", offset)

    def test_a_closed_file_is_not_read(self, store: Store) -> None:
        put(store, SEGMENT, b"data")
        reader = store.open(SEGMENT)
        reader.close()
        reader.close()
        with pytest.raises(StoreError):
            reader.read(0, 1)

    @pytest.mark.parametrize("name", HOSTILE_NAMES)
    def test_names_outside_the_grammar_are_refused(self, store: Store, name: str) -> None:
        handle = store.create()
        calls: list[Callable[[], object]] = [
            lambda: store.open(name),
            lambda: store.remove(name),
            lambda: store.age(name),
            lambda: store.replace(name, b""),
            lambda: handle.publish(name),
        ]
        for call in calls:
            with pytest.raises(InvalidInputError):
                call()
        handle.discard()
        assert store.names() == []

    def test_the_pointer_is_replaced_and_all_else_published(self, store: Store) -> None:
        handle = store.create()
        with pytest.raises(InvalidInputError):
            handle.publish(layout.CURRENT_NAME)
        handle.discard()
        for name in (SEGMENT, MANIFEST):
            with pytest.raises(InvalidInputError):
                store.replace(name, b"data")
        assert store.names() == []

    def test_names_are_sorted(self, store: Store) -> None:
        names = [OTHER_SEGMENT, MANIFEST, SEGMENT]
        for name in names:
            put(store, name, b"data")
        store.replace(layout.CURRENT_NAME, b"data")
        store.sync()
        assert store.names() == sorted([*names, layout.CURRENT_NAME])

    def test_scratch_gives_back_what_was_written(self, store: Store) -> None:
        with closing(store.scratch()) as scratch:
            scratch.write(b"ab")
            scratch.write(memoryview(b"cdef"))
            assert scratch.read(1, 3) == b"bcd"
            scratch.write(bytearray(b"g"))
            assert scratch.read(0, 7) == b"abcdefg"
            with pytest.raises(CorruptIndexError):
                scratch.read(6, 2)
            assert store.names() == []
        scratch.close()
        with pytest.raises(StoreWriteError):
            scratch.write(b"more")
        with pytest.raises(StoreError):
            scratch.read(0, 1)

    def test_age_is_never_negative(self, store: Store) -> None:
        put(store, SEGMENT, b"data")
        assert store.age(SEGMENT) >= 0.0
        assert store.age(OTHER_SEGMENT) == 0.0

    def test_there_is_one_writer(self, store: Store) -> None:
        with store.lock(0.0):
            with pytest.raises(IndexBusyError), store.lock(0.02):
                pytest.fail("two writers hold the lock")
            put(store, SEGMENT, b"data")
        with store.lock(0.0):
            assert get(store, SEGMENT) == b"data"

    def test_an_error_releases_the_lock(self, store: Store) -> None:
        with pytest.raises(KeyError), store.lock(0.0):
            raise KeyError
        with store.lock(0.0):
            assert store.names() == []

    def test_a_waiting_writer_gets_its_turn(self, store: Store) -> None:
        turns: list[str] = []

        def wait() -> None:
            with store.lock(HANG):
                turns.append("second")

        with store.lock(0.0):
            thread = threading.Thread(target=wait)
            thread.start()
            turns.append("first")
        thread.join(HANG)
        assert turns == ["first", "second"]

    def test_threads_publish_side_by_side(self, store: Store) -> None:
        names = [layout.segment_name(bytes([n]) * layout.SEGMENT_DIGEST_BYTES) for n in range(8)]
        threads = [threading.Thread(target=put, args=(store, n, n.encode())) for n in names]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(HANG)
        assert {name: get(store, name) for name in store.names()} == {n: n.encode() for n in names}


class TestFileStore(StoreContract):
    @pytest.fixture
    def store(self, tmp_path: Path) -> Store:
        return FileStore(tmp_path / "index")


class TestMemoryStore(StoreContract):
    @pytest.fixture
    def store(self, tmp_path: Path) -> Store:
        assert tmp_path.is_dir()
        return MemoryStore()

    def test_time_passes_for_files(self) -> None:
        now = [100.0]
        store = MemoryStore({SEGMENT: b"data"}, clock=lambda: now[0])
        now[0] = 130.0
        put(store, SEGMENT, b"data")
        put(store, OTHER_SEGMENT, b"data")
        now[0] = 131.0
        assert (store.age(SEGMENT), store.age(OTHER_SEGMENT)) == (31.0, 1.0)


class NoSegments:
    """A source without any segment."""

    def open(self, name: str) -> ReadHandle:
        raise FileMissingError(name)

    def needed(self) -> frozenset[str]:
        return frozenset()

    def list_needed(self, segments: frozenset[str]) -> None:
        raise AssertionError(segments)


class TestSharedStore(StoreContract):
    @pytest.fixture
    def store(self, tmp_path: Path) -> Store:
        return SharedStore(FileStore(tmp_path / "index"), NoSegments())


class TestFaultyStore(StoreContract):
    @pytest.fixture
    def store(self, tmp_path: Path) -> Store:
        assert tmp_path.is_dir()
        return FaultyStore()

    # Unlike the others it shows files under construction: the next process would find them.
    def test_a_file_is_invisible_until_published(self, store: Store) -> None:
        handle = store.create()
        assert [layout.TEMPORARY_NAME.fullmatch(name) is not None for name in store.names()] == [
            True
        ]
        handle.publish(SEGMENT)
        assert store.names() == [SEGMENT]
