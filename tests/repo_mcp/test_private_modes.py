"""Files written for a user are for that user alone, whatever the mask of permissions allows."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from repo_mcp import side_files
from repo_mcp.audit.log import AuditEntry, AuditLog
from repo_mcp.indexing.build.shared_folder import SharedFolder
from repo_mcp.remote.objects.blocks import BlockCache
from repo_mcp.remote.objects.folder import FolderObjects

pytestmark = pytest.mark.skipif(os.name == "nt", reason="folders inherit who may read them there")


@pytest.fixture(autouse=True)
def no_mask() -> Iterator[None]:
    before = os.umask(0)
    yield
    os.umask(before)


def put_objects(folder: Path) -> None:
    objects = FolderObjects(str(folder), ("v1", "v1/segments"))
    objects.make_private()
    objects.put("v1/segments/a", [b"segment"])
    objects.create("v1/commits/deep/b", b"{}")
    assert objects.replace("v1/commits/deep/b", b"[]", b"{}")


def make_objects(folder: Path) -> None:
    FolderObjects(str(folder / "deep"), ("v1",)).make()


def keep_blocks(folder: Path) -> None:
    BlockCache(str(folder), 1 << 20).put("seg-a.rix", 0, b"block")


def put_side_files(folder: Path) -> None:
    side_files.prepare(str(folder))
    side_files.put(str(folder), "plain", b"1")
    side_files.put_tagged(str(folder), "tagged", b"2")
    side_files.put_headed(str(folder), "headed", b"3", [b"4"])


def log_calls(folder: Path) -> None:
    log = AuditLog(str(folder), max_bytes=1)
    for number in range(3):
        assert log.record(AuditEntry(str(number), "repo.search", {}, ok=True)) == ""


def list_segments(folder: Path) -> None:
    SharedFolder(str(folder), str(folder / "data"), "index").list_needed(frozenset(["seg-a.rix"]))


@pytest.mark.parametrize(
    "write", [put_objects, make_objects, keep_blocks, put_side_files, log_calls, list_segments]
)
def test_only_the_owner_gets_at_what_is_written(
    tmp_path: Path, write: Callable[[Path], None]
) -> None:
    folder = tmp_path / "private"
    write(folder)
    found = [folder, *folder.rglob("*")]
    assert len(found) > 1
    for path in found:
        wanted = 0o700 if path.is_dir() else 0o600
        assert stat.S_IMODE(path.stat().st_mode) == wanted, path
