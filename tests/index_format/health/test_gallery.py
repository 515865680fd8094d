"""Every damaged index of the gallery fails as it should, and is healed as far as it can be."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest

from index_format.errors import IndexFormatError, UnsupportedVersionError
from index_format.generation.index import Index
from index_format.health.check import Severity, check
from index_format.health.repair import RepairReport, repair
from index_format.model import Field, Schema
from index_format.store.contract import Store
from index_format.store.file_store import FileStore
from index_format.store.memory_store import MemoryStore
from tests.index_format.health.gallery_cases import DAMAGES
from tests.index_format.health.gallery_expected import ALL, EXPECTED, Heals
from tests.index_format.health.golden import GALLERY, gallery_files, read
from tests.index_format.samples import (
    SCHEMA,
    answers,
    files_of,
    index_in,
    segment_names,
    tiny,
    tiny_documents,
)

NEWER = "manifest-of-newer-version"
NAMES = sorted(DAMAGES)
HEALED = [name for name in NAMES if name != NEWER]


def copied(name: str, folder: Path) -> FileStore:
    """A copy of a damaged index."""
    return FileStore(shutil.copytree(GALLERY / name, folder / name))


def wrong(store: Store) -> list[str]:
    return [str(found) for found in check(store) if found.severity is Severity.ERROR]


def opening(store: Store) -> IndexFormatError | None:
    """The error that asking everything ends with."""
    try:
        answers(index_in(store).snapshot())
    except IndexFormatError as error:
        return error
    return None


def outcome(done: RepairReport) -> Heals | None:
    again = done.again if done.complete else ALL
    return Heals(len(done.dropped), again) if done.published else None


def test_the_gallery_holds_every_damage_and_nothing_else() -> None:
    assert sorted(path.name for path in GALLERY.iterdir()) == NAMES == sorted(EXPECTED)


def test_the_gallery_is_made_by_its_table() -> None:
    assert {path.name: read(path) for path in GALLERY.iterdir()} == gallery_files()


@pytest.mark.parametrize("name", NAMES)
def test_opening_fails_where_the_damage_is(name: str, tmp_path: Path) -> None:
    store = copied(name, tmp_path)
    expected, error = EXPECTED[name], opening(store)
    assert (type(error) if error else None) is expected.opens
    assert getattr(error, "section", "") == expected.section


@pytest.mark.parametrize("name", NAMES)
def test_a_check_finds_the_damage(name: str, tmp_path: Path) -> None:
    store = copied(name, tmp_path)
    found = tuple(f"{item.severity} {item.section}" for item in check(store))
    assert found == EXPECTED[name].found


@pytest.mark.parametrize("name", HEALED)
def test_a_repair_does_what_can_be_done(name: str, tmp_path: Path) -> None:
    store = copied(name, tmp_path)
    assert outcome(repair(store)) == EXPECTED[name].heals


@pytest.mark.parametrize("name", HEALED)
def test_a_repair_removes_nothing_but_the_pointer(name: str, tmp_path: Path) -> None:
    store = copied(name, tmp_path)
    before = files_of(store)
    repair(store)
    after = files_of(store)
    assert {key: after.get(key) for key in before if key != "CURRENT"} == {
        key: data for key, data in before.items() if key != "CURRENT"
    }


@pytest.mark.parametrize("name", HEALED)
def test_a_second_repair_finds_nothing_to_do(name: str, tmp_path: Path) -> None:
    store = copied(name, tmp_path)
    repair(store, fallback=SCHEMA)
    before = files_of(store)
    assert not repair(store, fallback=SCHEMA).published
    assert (files_of(store), wrong(store)) == (before, [])


@pytest.mark.parametrize("name", HEALED)
def test_adding_what_a_repair_asks_for_gives_the_whole_index_back(
    name: str, tmp_path: Path
) -> None:
    store = copied(name, tmp_path)
    done = repair(store, fallback=SCHEMA)
    index = index_in(store)
    add_again(index, done)
    index.compact(full=True)
    expected = compacted()
    files = files_of(store)
    assert {key: files[key] for key in segment_names(store)} == expected
    index.collect_garbage(grace_seconds=-1.0)
    assert list(check(store)) == []


def add_again(index: Index, done: RepairReport) -> None:
    """The caller's part of a repair: add the lost files again."""
    with index.writer() as writer:
        documents = tiny_documents(writer.vocabulary)
        for path in documents if not done.complete else done.again:
            writer.add(documents[path])
        writer.commit()


def compacted() -> Mapping[str, bytes]:
    store = tiny()
    index_in(store).compact(full=True)
    files = files_of(store)
    return {name: files[name] for name in segment_names(store)}


def test_an_index_of_a_newer_version_is_left_alone(tmp_path: Path) -> None:
    store = copied(NEWER, tmp_path)
    before = files_of(store)
    with pytest.raises(UnsupportedVersionError):
        repair(store, fallback=SCHEMA)
    assert files_of(store) == before


def test_an_empty_store_has_nothing_to_check_or_to_repair() -> None:
    store = MemoryStore()
    assert list(check(store)) == []
    assert repair(store, fallback=SCHEMA) == RepairReport(None, published=False, complete=False)
    assert store.names() == []


def test_without_any_generation_a_repair_begins_an_empty_one() -> None:
    store = MemoryStore(gallery_files()["both-manifests-missing"])
    schema = Schema((Field("other"),))
    done = repair(store, fallback=schema)
    assert (done.published, done.complete) == (True, False)
    snapshot = Index(store, schema).snapshot()
    assert (snapshot.generation, list(snapshot.paths())) == (1, [])
