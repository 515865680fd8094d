"""A store that keeps a record of origin opens only what was published in it."""

from __future__ import annotations

import os
import shutil
from contextlib import closing
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest

from index_format import (
    Chunk,
    CorruptIndexError,
    Document,
    Field,
    FileStore,
    ForeignIndexError,
    Index,
    MemoryStore,
    Schema,
    Severity,
    Store,
    check,
    layout,
    repair,
)
from index_format.generation import origin
from index_format.generation.commit import load_current, recover
from index_format.generation.manifest import Manifest, encode, encode_pointer
from index_format.store.contract import ReadHandle
from index_format.store.faulty_store import MODELS, Fault, FaultyStore, Mode, SimulatedCrash

SCHEMA = Schema((Field("body"),))
KEY = b"a folder"
CURRENT = layout.CURRENT_NAME


def write(store: Store, *names: str) -> None:
    with Index(store, SCHEMA).writer() as writer:
        for name in names:
            tokens = writer.vocabulary.tokens([name])
            writer.add(Document(name, [Chunk(1, 1, {"body": tokens})]))
        writer.commit()


def paths(store: Store) -> list[str]:
    return list(Index(store, SCHEMA).snapshot().paths())


def files_of(store: Store) -> dict[str, bytes]:
    found = {}
    for name in store.names():
        with closing(store.open(name)) as handle:
            found[name] = handle.read(0, handle.size)
    return found


def built(*names: str, key: bytes = KEY) -> MemoryStore:
    store = MemoryStore(origin_key=key)
    write(store, *names)
    return store


def planted(store: MemoryStore, manifest: Manifest, *others: MemoryStore) -> MemoryStore:
    """The store after somebody put this manifest and segments of other stores into it."""
    name, data = layout.manifest_name(manifest.generation), encode(manifest)
    files = files_of(store)
    for other in others:
        files |= {key: value for key, value in files_of(other).items() if key.startswith("seg-")}
    files |= {name: data, CURRENT: encode_pointer(name, data)}
    return MemoryStore(files, origin_key=KEY, origin=store.origin)


def test_what_was_published_is_opened() -> None:
    store = built("a", "b")
    write(store, "c")
    assert paths(store) == ["a", "b", "c"]
    assert paths(MemoryStore(files_of(store), origin_key=KEY, origin=store.origin)) == paths(store)


def test_another_folder_does_not_open_a_copy() -> None:
    store = built("a")
    copied = MemoryStore(files_of(store), origin_key=b"another folder", origin=store.origin)
    with pytest.raises(ForeignIndexError, match="not written here"):
        load_current(copied)
    without = MemoryStore(files_of(store), origin_key=KEY)
    with pytest.raises(ForeignIndexError, match="no record"):
        load_current(without)


def test_a_planted_index_is_refused_by_every_way_in() -> None:
    store, evil = built("a"), built("a", "z")
    current = load_current(evil)
    for generation in (1, 2, 7):
        victim = planted(store, replace(current, generation=generation), evil)
        with pytest.raises(ForeignIndexError, match="not published here"):
            load_current(victim)
        with pytest.raises(ForeignIndexError), Index(victim, SCHEMA).writer():
            pass
    victim = planted(store, replace(current, generation=9), evil)
    assert recover(victim) == load_current(store)
    repair(victim)
    assert paths(victim) == ["a"]


def test_a_manifest_that_hides_files_of_true_segments_is_refused() -> None:
    store = built("a", "b")
    current = load_current(store)
    with pytest.raises(ForeignIndexError):
        load_current(planted(store, replace(current, settings="other")))


@pytest.mark.parametrize("damage", [b"", b"x", b"0" * 32 + b"\n", b"0" * 32 + b"\nseg-\n\xff"])
def test_a_record_of_other_bytes_is_refused(damage: bytes) -> None:
    store = built("a")
    store.origin = damage
    with pytest.raises(ForeignIndexError):
        load_current(store)


def test_a_segment_with_other_bytes_is_refused(tmp_path: Path) -> None:
    store = FileStore(tmp_path / "index", origin=tmp_path / "origin")
    write(store, "a")
    (segment,) = (tmp_path / "index").glob("seg-*")
    data = segment.read_bytes()
    segment.unlink()
    segment.write_bytes(data)  # the same bytes in another file
    assert paths(store) == ["a"]
    segment.write_bytes(data[:100] + bytes([data[100] ^ 1]) + data[101:])
    with pytest.raises(CorruptIndexError, match="the bytes of"):
        paths(store)


def test_a_segment_that_was_touched_is_read_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = FileStore(tmp_path / "index", origin=tmp_path / "origin")
    write(store, "a")
    (segment,) = (tmp_path / "index").glob("seg-*")
    os.utime(segment, (0, 0))
    read: list[str] = []
    name_of = origin._name_of

    def counted(handle: ReadHandle) -> str:
        read.append(handle.name)
        return name_of(handle)

    monkeypatch.setattr(origin, "_name_of", counted)
    paths(store)
    paths(FileStore(tmp_path / "index", origin=tmp_path / "origin"))
    assert read == [segment.name]
    write(store, "b")  # publishing records how the file is now
    read.clear()
    assert paths(store) == ["a", "b"]
    assert read == []


def test_a_folder_that_was_moved_is_opened_and_a_copy_is_not(tmp_path: Path) -> None:
    write(FileStore(tmp_path / "a" / "index", origin=tmp_path / "a" / "origin"), "x")
    (tmp_path / "a").rename(tmp_path / "b")
    assert paths(FileStore(tmp_path / "b" / "index", origin=tmp_path / "b" / "origin")) == ["x"]
    shutil.copytree(tmp_path / "b", tmp_path / "c")
    with pytest.raises(ForeignIndexError):
        paths(FileStore(tmp_path / "c" / "index", origin=tmp_path / "c" / "origin"))


def test_files_that_are_gone_leave_the_record(tmp_path: Path) -> None:
    store = FileStore(tmp_path / "index", origin=tmp_path / "origin")
    for number in range(20):
        write(store, str(number))
        Index(store, SCHEMA).compact(full=True)
        Index(store, SCHEMA).collect_garbage(grace_seconds=-1.0)
    rows = (tmp_path / "origin").read_text().splitlines()
    assert len(rows) < 10


@pytest.mark.parametrize("mode", ["crash", "tear"])
def test_a_crash_leaves_an_index_that_is_vouched_for(mode: Mode) -> None:
    begin = built("a")
    count = len(broken_off(begin, None).operations)
    judged = 0
    for at, model in product(range(count), MODELS):
        store = broken_off(begin, Fault(at, mode))
        for survivor in store.survivors(model):
            assert paths(survivor) in (["a"], ["a", "b"]), (at, model)
            judged += 1
    assert judged > count


def test_a_process_killed_in_the_first_publication_leaves_no_damage() -> None:
    begin = MemoryStore(origin_key=KEY)
    unpublished = 0
    for at in range(len(broken_off(begin, None).operations)):
        for survivor in broken_off(begin, Fault(at, "crash")).survivors("kill"):
            findings = list(check(survivor))
            assert {finding.severity for finding in findings} <= {Severity.NOTE}, at
            unpublished += any(finding.problem == "never published" for finding in findings)
            write(survivor, "c")
            assert "c" in paths(survivor)
    assert unpublished


def broken_off(begin: MemoryStore, fault: Fault | None) -> FaultyStore:
    store = FaultyStore(files_of(begin), fault, origin_key=KEY, origin=begin.origin)
    try:
        write(store, "b")
    except SimulatedCrash:
        assert fault is not None
    return store


THINGS = ["folder", "full folder", "link", "file", *(["pipe"] if hasattr(os, "mkfifo") else [])]


def plant(path: Path, kind: str) -> None:
    path.unlink(missing_ok=True)
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "link":
        path.symlink_to("nowhere")
    elif kind == "file":
        path.write_bytes(b"x")
    else:
        path.mkdir()
    if kind == "full folder":
        (path / "notes.txt").write_text("of a user")


def store_in(folder: Path) -> FileStore:
    return FileStore(folder / "index", origin=folder / "origin", quarantine=folder / "quarantine")


@pytest.mark.parametrize("thing", THINGS)
@pytest.mark.parametrize("victim", ["CURRENT", "manifest-000000000001.json", "seg", "writer.lock"])
def test_what_is_in_the_place_of_a_file_is_removed_or_moved_aside(
    tmp_path: Path, victim: str, thing: str
) -> None:
    store = store_in(tmp_path)
    write(store, "a")
    name = next((tmp_path / "index").glob(f"{victim}*")).name
    plant(tmp_path / "index" / name, thing)
    with store.lock(1.0):
        for item in store.names():
            store.remove(item)
    assert store.names() == []
    write(store, "a")
    assert paths(store) == ["a"]
    assert len(list(tmp_path.glob("quarantine/*/notes.txt"))) == (thing == "full folder")


@pytest.mark.parametrize("thing", THINGS)
@pytest.mark.parametrize("victim", ["CURRENT", "manifest-000000000001.json", "seg"])
def test_publishing_moves_what_is_in_the_place_of_a_file(
    tmp_path: Path, victim: str, thing: str
) -> None:
    write(store_in(tmp_path / "twin"), "a")
    twin = next((tmp_path / "twin" / "index").glob(f"{victim}*"))
    name, data = twin.name, twin.read_bytes()
    (tmp_path / "index").mkdir()
    plant(tmp_path / "index" / name, thing)
    store = store_in(tmp_path)
    if name == CURRENT:
        store.replace(name, data)
    else:
        handle = store.create()
        handle.write(data)
        handle.publish(name)
    assert (tmp_path / "index" / name).read_bytes() == data
    assert len(list(tmp_path.glob("quarantine/*/notes.txt"))) == (thing == "full folder")
