"""Segments that two stores have as one file: nothing is read again, and each goes on alone."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from index_format import (
    CorruptIndexError,
    FileStore,
    Index,
    MemoryStore,
    SharedStore,
    Store,
    adopt_manifest,
    export_manifest,
    import_manifest,
    link_segments,
)
from index_format.generation import origin
from tests.index_format.oracle import File, Tree, commit_change, contents, expected, index_in
from tests.index_format.samples import SCHEMA, get
from tests.index_format.store.test_shared_store import MemorySource

TREE: Tree = {"a.txt": File(({"body": "one two"},)), "b.txt": File(({"body": "three"},))}
OTHER: Tree = {**TREE, "a.txt": File(({"body": "four"},))}


def store_at(folder: Path) -> FileStore:
    return FileStore(folder / "index", origin=folder / "origin")


def linked(source: Store, target: Store) -> None:
    """Have the generation of a store in another one."""
    data = export_manifest(index_in(source).snapshot().manifest, "settings")
    manifest = import_manifest(data, SCHEMA)
    with source.lock(0), target.lock(0):
        link_segments(source, target, manifest.segments)
        adopt_manifest(target, manifest, "settings")


@pytest.fixture
def source(tmp_path: Path) -> FileStore:
    store = store_at(tmp_path / "source")
    commit_change(store, {}, TREE)
    return store


def numbers(folder: Path) -> set[int]:
    return {path.stat().st_ino for path in folder.glob("index/seg-*")}


def test_both_have_one_file_and_nothing_is_read_for_it(
    source: FileStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = store_at(tmp_path / "target")

    def refuse(*_: object) -> None:
        pytest.fail("a segment was hashed")

    monkeypatch.setattr(origin, "_name_of", refuse)
    linked(source, target)
    for store in (source, target):
        assert contents(Index(store, SCHEMA).snapshot()) == expected(TREE)
    assert numbers(tmp_path / "source") == numbers(tmp_path / "target")


def test_each_goes_on_by_itself(source: FileStore, tmp_path: Path) -> None:
    target = store_at(tmp_path / "target")
    linked(source, target)
    commit_change(source, TREE, OTHER)
    index_in(source).compact(full=True)
    index_in(source).collect_garbage(grace_seconds=0)
    assert contents(index_in(source).snapshot()) == expected(OTHER)
    assert contents(Index(target, SCHEMA).snapshot()) == expected(TREE)
    assert not numbers(tmp_path / "source") & numbers(tmp_path / "target")
    linked(source, target)  # what it has is not linked twice
    assert contents(Index(target, SCHEMA).snapshot()) == expected(OTHER)


@pytest.mark.parametrize("reason", [errno.EXDEV, errno.EPERM, errno.EMLINK])
def test_a_disk_that_links_nothing_gets_copies(
    source: FileStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reason: int
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(reason, "no links here")

    monkeypatch.setattr(os, "link", refuse)
    target = store_at(tmp_path / "target")
    linked(source, target)
    assert contents(Index(target, SCHEMA).snapshot()) == expected(TREE)
    assert not numbers(tmp_path / "source") & numbers(tmp_path / "target")


def test_another_file_of_the_name_is_replaced(source: FileStore, tmp_path: Path) -> None:
    target = store_at(tmp_path / "target")
    name = next((tmp_path / "source/index").glob("seg-*")).name
    (tmp_path / "target/index").mkdir(parents=True)
    (tmp_path / "target/index" / name).write_bytes(b"planted")
    with pytest.raises(CorruptIndexError):
        linked(source, target)
    linked(source, target)  # what was planted is gone
    assert contents(Index(target, SCHEMA).snapshot()) == expected(TREE)


def test_a_damaged_segment_goes_nowhere(source: FileStore, tmp_path: Path) -> None:
    path = next((tmp_path / "source/index").glob("seg-*"))
    manifest = index_in(source).snapshot().manifest
    path.write_bytes(path.read_bytes()[:-1] + b"x")
    target = store_at(tmp_path / "target")
    with source.lock(0), target.lock(0), pytest.raises(CorruptIndexError):
        link_segments(source, target, manifest.segments)
    assert target.names() == []


def test_segments_of_a_source_are_read_there_by_both(tmp_path: Path) -> None:
    published = MemoryStore()
    commit_change(published, {}, TREE)
    names = [entry.name for entry in index_in(published).snapshot().manifest.segments]
    data = export_manifest(index_in(published).snapshot().manifest, "settings")
    files = {name: get(published, name) for name in names}
    stores = []
    for name in ("one", "other"):
        shared = SharedStore(store_at(tmp_path / name), MemorySource(files))
        stores.append(shared)
    with stores[0].lock(0):
        stores[0].borrow(names)
        adopt_manifest(stores[0], import_manifest(data, SCHEMA), "settings")
    linked(*stores)
    assert contents(Index(stores[1], SCHEMA).snapshot()) == expected(TREE)
    assert stores[1].borrowed() == frozenset(names)
    assert not numbers(tmp_path / "one") | numbers(tmp_path / "other")


def test_stores_in_memory_have_copies() -> None:
    source, target = MemoryStore(), MemoryStore()
    commit_change(source, {}, TREE)
    linked(source, target)
    assert contents(Index(target, SCHEMA).snapshot()) == expected(TREE)
