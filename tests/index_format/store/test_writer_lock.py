"""One writer at a time, across threads, stores and processes; readers never wait."""

from __future__ import annotations

import os
import shutil
import signal
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from io import FileIO
from pathlib import Path

import pytest

from index_format import layout
from index_format.errors import IndexBusyError
from index_format.store import file_store
from index_format.store.file_store import FileStore
from tests.waiting import HANG

ROOT = Path(__file__).parents[3]
HOLD_LOCK = """
import sys
from index_format.store.file_store import FileStore
with FileStore(sys.argv[1]).lock(10):
    print("held", flush=True)
    sys.stdin.read()
print("released", flush=True)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "index"


@pytest.fixture
def store(folder: Path) -> FileStore:
    store = FileStore(folder)
    store.replace(layout.CURRENT_NAME, b"data")
    return store


def read(store: FileStore) -> bytes:
    with closing(store.open(layout.CURRENT_NAME)) as handle:
        return handle.read(0, handle.size)


@contextmanager
def lock_holder(folder: Path) -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen(
        [sys.executable, "-c", HOLD_LOCK, str(folder)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "held\n"
            yield process
        finally:
            process.kill()


def test_the_lock_file_is_made_once_and_stays(folder: Path, store: FileStore) -> None:
    numbers = set()
    for _ in range(3):
        with store.lock(0.0):
            numbers.add((folder / layout.LOCK_NAME).stat().st_ino)
    assert numbers == {(folder / layout.LOCK_NAME).stat().st_ino}


def test_the_lock_of_a_deleted_folder_is_void(
    folder: Path, store: FileStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    try_lock = file_store._try_lock
    locked: list[FileIO] = []
    own = threading.get_ident()

    def lock_late(file: FileIO) -> bool:
        if threading.get_ident() != own:  # a server of another test ends meanwhile
            return try_lock(file)
        if not locked:
            shutil.rmtree(folder)
        locked.append(file)
        return try_lock(file)

    monkeypatch.setattr(file_store, "_try_lock", lock_late)
    with store.lock(HANG):
        assert file_store._stands_at(str(folder / layout.LOCK_NAME), locked[-1])
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert len(locked) == 2


def test_two_stores_of_one_folder_exclude_each_other(folder: Path, store: FileStore) -> None:
    other = FileStore(folder)
    with store.lock(0.0), pytest.raises(IndexBusyError), other.lock(0.0):
        pytest.fail("two writers hold the lock")
    with other.lock(0.0), pytest.raises(IndexBusyError), store.lock(0.02):
        pytest.fail("two writers hold the lock")


@pytest.mark.servers
def test_another_process_holds_the_lock_until_it_is_done(folder: Path, store: FileStore) -> None:
    with lock_holder(folder) as process:
        with pytest.raises(IndexBusyError), store.lock(0.05):
            pytest.fail("two writers hold the lock")
        output, _ = process.communicate("", timeout=HANG)
        assert output == "released\n"
        with store.lock(0.0):
            assert read(store) == b"data"


@pytest.mark.servers
def test_a_killed_writer_holds_no_lock(folder: Path, store: FileStore) -> None:
    with lock_holder(folder) as process:
        process.send_signal(signal.SIGKILL)
        process.wait(HANG)
        with store.lock(0.0):
            assert read(store) == b"data"


@pytest.mark.servers
def test_a_stopped_writer_stops_writers_only(folder: Path, store: FileStore) -> None:
    with lock_holder(folder) as process:
        process.send_signal(signal.SIGSTOP)
        _, status = os.waitpid(process.pid, os.WUNTRACED)
        assert os.WIFSTOPPED(status)
        with pytest.raises(IndexBusyError), store.lock(0.05):
            pytest.fail("two writers hold the lock")
        assert read(store) == b"data"
