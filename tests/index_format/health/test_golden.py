"""Indexes written once stay readable, and today's code still writes the same bytes."""

from __future__ import annotations

from pathlib import Path

import pytest

from index_format import layout
from index_format.health.check import check
from index_format.store.file_store import FileStore
from tests.index_format.health.golden import (
    ANSWERS,
    GOLDEN,
    INDEXES,
    golden_files,
    read,
    readable_versions,
    told,
)
from tests.index_format.samples import index_in

FOLDERS = sorted(path for version in readable_versions() for path in (GOLDEN / version).iterdir())


def test_there_is_a_golden_folder_for_every_version_that_is_read_and_no_other() -> None:
    assert readable_versions()
    assert sorted(path.name for path in GOLDEN.iterdir()) == sorted(readable_versions())


@pytest.mark.parametrize("version", readable_versions())
def test_every_version_has_all_indexes(version: str) -> None:
    assert sorted(path.name for path in (GOLDEN / version).iterdir()) == sorted(INDEXES)


@pytest.mark.requirement("CARD-segments")
@pytest.mark.parametrize("folder", FOLDERS, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_a_golden_index_gives_its_answers(folder: Path) -> None:
    snapshot = index_in(FileStore(folder, create=False)).snapshot()
    assert told(snapshot) == (folder / ANSWERS).read_text(encoding="utf-8")


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_a_golden_index_is_sound(folder: Path) -> None:
    assert list(check(FileStore(folder, create=False))) == []


@pytest.mark.parametrize("name", INDEXES)
def test_a_fresh_build_has_the_golden_bytes(name: str) -> None:
    assert golden_files(name) == read(GOLDEN / f"v{layout.FORMAT_VERSION}" / name)
