"""A file in place of a segment costs no reading beyond what the manifest says."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from index_format import CorruptIndexError, FileStore, check, repair
from index_format.store import file_store
from repo_mcp.services import Services
from repo_mcp.stored import STORED_KINDS
from tests.repo_mcp.repository.test_index_in_place import TREE, build, checkout

pytestmark = pytest.mark.servers

HUGE = 1 << 30
KINDS = [kind.folder for kind in STORED_KINDS]
# of what is as long as a segment: a sound one is read when it is published, a damaged one once
TWICE = 2


class ReadCounter:
    """The number of bytes that are read of each file."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.bytes: Counter[int] = Counter()
        read = file_store._read_some

        def counted(file: io.FileIO, length: int, offset: int) -> bytes:
            data = read(file, length, offset)
            self.bytes[Path(f"/proc/self/fd/{file.fileno()}").stat().st_ino] += len(data)
            return data

        monkeypatch.setattr(file_store, "_read_some", counted)


def segment_of(parts: Services, kind: str) -> Path:
    (found,) = (Path(parts.manager.index_dir) / kind).glob("seg-*.rix")
    return found


def ask_all(folder: Path) -> None:
    """Ask for status, text and graph as commands do, and refresh all after an edit."""
    parts = checkout(folder, TREE | {"pkg/m1.py": "def edited(): ...\n"})
    questions: list[Callable[[], object]] = [
        parts.manager.state,
        parts.manager.snapshot,
        parts.manager.graph,
        parts.manager.snapshot,
        parts.manager.graph,
        lambda: build(parts),
    ]
    for question in questions:
        with suppress(CorruptIndexError):
            question()
    assert parts.manager.graph().current
    assert not any(
        finding.severity == "error"
        for kind in KINDS
        for finding in check(FileStore(Path(parts.manager.index_dir) / kind))
    )


@pytest.mark.parametrize("kind", KINDS)
def test_a_file_of_another_length_is_not_read(
    tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    parts = checkout(tmp_path)
    build(parts)
    path = segment_of(parts, kind)
    with path.open("r+b") as file:
        file.truncate(HUGE)
    inode, counter = path.stat().st_ino, ReadCounter(monkeypatch)
    ask_all(tmp_path)
    assert counter.bytes[inode] < HUGE // 100


@pytest.mark.parametrize("kind", KINDS)
def test_a_file_with_other_bytes_is_read_once(
    tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    parts = checkout(tmp_path)
    build(parts)
    path = segment_of(parts, kind)
    data = bytearray(path.read_bytes())
    data[100] ^= 1
    path.write_bytes(data)
    inode, counter = path.stat().st_ino, ReadCounter(monkeypatch)
    ask_all(tmp_path)
    assert counter.bytes[inode] <= TWICE * len(data)


@pytest.mark.parametrize("kind", KINDS)
def test_check_and_repair_read_no_more_than_the_manifest_says(
    tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    parts = checkout(tmp_path)
    build(parts)
    path = segment_of(parts, kind)
    with path.open("r+b") as file:
        file.truncate(HUGE)
    (path.parent / f"seg-{'0' * 40}.rix").write_bytes(b"")
    with (path.parent / f"seg-{'0' * 40}.rix").open("r+b") as file:
        file.truncate(HUGE)
    counter, store = ReadCounter(monkeypatch), FileStore(path.parent)
    assert [item.file for item in check(store) if item.severity == "error"] == [path.name]
    repair(store)
    assert counter.bytes.total() < HUGE // 100
