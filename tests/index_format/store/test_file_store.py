"""Properties of a real folder alone: links, limits, other processes, failing system calls."""

from __future__ import annotations

import errno
import os
import resource
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from index_format import layout
from index_format.errors import (
    CorruptIndexError,
    FileMissingError,
    ReadOnlyStoreError,
    StoreError,
    StoreWriteError,
)
from index_format.store import file_store
from index_format.store.file_store import FileStore
from tests.index_format.samples import get, put

ROOT = Path(__file__).parents[3]
SEGMENT = layout.segment_name(b"\x01" * layout.SEGMENT_DIGEST_BYTES)
OTHER_SEGMENT = layout.segment_name(b"\x02" * layout.SEGMENT_DIGEST_BYTES)
WRITE_ERRORS = [errno.EIO, errno.ENOSPC, errno.EDQUOT, errno.EFBIG]
REFUSALS = [errno.EROFS, errno.EACCES, errno.EPERM]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "index"


@pytest.fixture
def store(folder: Path) -> FileStore:
    store = FileStore(folder)
    put(store, SEGMENT, b"data")
    return store


@contextmanager
def lowered(limit: int, value: int) -> Iterator[None]:
    before = resource.getrlimit(limit)
    resource.setrlimit(limit, (value, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(limit, before)


@pytest.fixture
def read_only_folder(folder: Path, store: FileStore) -> Iterator[Path]:
    """A folder that even root can't write to."""
    assert store.names() == [SEGMENT]
    attributes = shutil.which("chattr")
    if os.geteuid() != 0:
        folder.chmod(0o500)
    elif attributes is None or subprocess.run([attributes, "+i", folder], check=False).returncode:
        pytest.skip("this file system has no way to keep root from writing")
    yield folder
    if os.geteuid() != 0:
        folder.chmod(0o700)
    elif attributes is not None:
        subprocess.run([attributes, "-i", folder], check=True)


def failing(number: int) -> Callable[..., None]:
    def fail(*_arguments: object, **_options: object) -> None:
        raise OSError(number, os.strerror(number))

    return fail


def test_reading_makes_no_folder(folder: Path) -> None:
    store = FileStore(folder)
    assert store.names() == []
    assert store.writable
    with pytest.raises(FileMissingError):
        store.open(SEGMENT)
    assert store.age(SEGMENT) == 0.0
    assert not folder.exists()


def test_writing_makes_the_folder_unless_forbidden(tmp_path: Path) -> None:
    FileStore(tmp_path / "a" / "b").create().discard()
    assert (tmp_path / "a" / "b").is_dir()
    store = FileStore(tmp_path / "c", create=False)
    assert not store.writable
    for call in (store.create, store.scratch, store.lock(0.0).__enter__, store.sync):
        with pytest.raises(StoreWriteError):
            call()
    assert not (tmp_path / "c").exists()


def test_only_the_owner_gets_in(folder: Path) -> None:
    mask = os.umask(0)
    try:
        store = FileStore(folder)
        put(store, SEGMENT, b"data")
        with store.lock(0.0):
            store.replace(layout.CURRENT_NAME, b"data")
    finally:
        os.umask(mask)
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()}
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert modes == dict.fromkeys([SEGMENT, layout.CURRENT_NAME, layout.LOCK_NAME], 0o600)


def test_foreign_files_are_neither_listed_nor_reachable(folder: Path, store: FileStore) -> None:
    (folder / "notes.txt").write_text("keep")
    (folder / "sub").mkdir()
    with store.lock(0.0):
        assert store.names() == [SEGMENT]


def test_a_link_is_not_followed(folder: Path, store: FileStore, tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.write_bytes(b"secret")
    for name in (OTHER_SEGMENT, layout.CURRENT_NAME, layout.LOCK_NAME):
        (folder / name).symlink_to(target)
    for name in (OTHER_SEGMENT, layout.CURRENT_NAME):
        with pytest.raises(CorruptIndexError, match="regular file"):
            store.open(name)
    with store.lock(0.0):  # which moved the link aside
        assert not (folder / layout.LOCK_NAME).is_symlink()
    put(store, OTHER_SEGMENT, b"data")
    store.replace(layout.CURRENT_NAME, b"data")
    assert not any((folder / name).is_symlink() for name in store.names())
    assert target.read_bytes() == b"secret"


@pytest.mark.parametrize("make", [Path.mkdir, os.mkfifo], ids=["folder", "pipe"])
def test_only_regular_files_are_opened(
    folder: Path, store: FileStore, make: Callable[[Path], None]
) -> None:
    make(folder / OTHER_SEGMENT)
    with pytest.raises(CorruptIndexError, match="regular file"):
        store.open(OTHER_SEGMENT)
    make(folder / layout.LOCK_NAME)
    with store.lock(0.0):  # which moved it aside
        assert (folder / layout.LOCK_NAME).is_file()


def test_a_file_cut_short_while_open_is_damage(folder: Path, store: FileStore) -> None:
    put(store, OTHER_SEGMENT, bytes(100_000))
    with closing(store.open(OTHER_SEGMENT)) as reader:
        os.truncate(folder / OTHER_SEGMENT, 5_000)
        assert reader.read(0, 5_000) == bytes(5_000)
        with pytest.raises(CorruptIndexError) as caught:
            reader.read(4_000, 2_000)
    error = caught.value
    assert (error.got, error.expected) == ("1000 bytes", "2000 bytes")


def test_large_files_are_compared_to_their_end(store: FileStore) -> None:
    data = bytes(file_store._PIECE_BYTES * 2 + 1)
    put(store, OTHER_SEGMENT, data[:-1] + b"x")
    put(store, OTHER_SEGMENT, data)
    assert get(store, OTHER_SEGMENT) == data


def test_a_file_kept_is_left_as_it_is(folder: Path, store: FileStore) -> None:
    before = (folder / SEGMENT).stat()
    put(store, SEGMENT, b"data")
    after = (folder / SEGMENT).stat()
    assert (after.st_ino, after.st_ctime_ns) == (before.st_ino, before.st_ctime_ns)


def test_the_file_size_limit_is_a_write_error(store: FileStore) -> None:
    handle = store.create()
    with lowered(resource.RLIMIT_FSIZE, 10_000):
        handle.write(bytes(9_000))
        with pytest.raises(StoreWriteError) as caught:
            handle.write(bytes(9_000))
        with pytest.raises(StoreWriteError):
            store.replace(layout.CURRENT_NAME, bytes(20_000))
    assert caught.value.operation == "write"
    assert caught.value.reason == os.strerror(errno.EFBIG)
    assert store.names() == [SEGMENT]


@pytest.mark.servers
def test_a_full_disk_is_a_write_error(tmp_path: Path) -> None:
    mount, unmount = shutil.which("mount"), shutil.which("umount")
    options = ["-t", "tmpfs", "-o", "size=64k", "none"]
    if (
        not (mount and unmount)
        or subprocess.run([mount, *options, tmp_path], check=False).returncode
    ):
        pytest.skip("needs the right to mount a small file system")
    try:
        store = FileStore(tmp_path)
        put(store, SEGMENT, b"data")
        with pytest.raises(StoreWriteError) as caught:
            put(store, OTHER_SEGMENT, bytes(100_000))
        assert caught.value.reason == os.strerror(errno.ENOSPC)
        assert store.names() == [SEGMENT]
        assert get(store, SEGMENT) == b"data"
        put(store, OTHER_SEGMENT, b"small")
        assert get(store, OTHER_SEGMENT) == b"small"
    finally:
        subprocess.run([unmount, tmp_path], check=True)


def test_running_out_of_descriptors_is_a_store_error(store: FileStore) -> None:
    with closing(store.open(SEGMENT)) as reader:
        with lowered(resource.RLIMIT_NOFILE, 3):
            with pytest.raises(StoreError):
                store.open(SEGMENT)
            with pytest.raises(StoreWriteError):
                store.create()
            assert reader.read(0, 4) == b"data"
        assert get(store, SEGMENT) == b"data"


@pytest.mark.parametrize("number", WRITE_ERRORS)
def test_a_failed_sync_is_final(
    folder: Path, store: FileStore, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    handle = store.create()
    handle.write(b"lost")
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", failing(number))
        with pytest.raises(StoreWriteError) as caught:
            handle.publish(OTHER_SEGMENT)
        with pytest.raises(StoreWriteError):
            store.replace(layout.CURRENT_NAME, b"lost")
        with pytest.raises(StoreWriteError):
            store.sync()
    assert (caught.value.operation, caught.value.name) == ("publish", OTHER_SEGMENT)
    assert caught.value.reason == os.strerror(number)
    assert str(folder) not in str(caught.value)
    with pytest.raises(StoreWriteError):
        handle.publish(OTHER_SEGMENT)
    assert [path.name for path in folder.iterdir()] == [SEGMENT]
    put(store, OTHER_SEGMENT, b"second try")
    assert get(store, OTHER_SEGMENT) == b"second try"


@pytest.mark.parametrize("number", [*WRITE_ERRORS, *REFUSALS])
def test_a_failed_rename_leaves_what_was_there(
    store: FileStore, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    store.replace(layout.CURRENT_NAME, b"old")
    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", failing(number))
        with pytest.raises(ReadOnlyStoreError if number in REFUSALS else StoreWriteError):
            store.replace(layout.CURRENT_NAME, b"new")
    assert get(store, layout.CURRENT_NAME) == b"old"
    assert store.names() == [layout.CURRENT_NAME, SEGMENT]


def test_a_file_system_without_folder_sync_is_no_error(
    store: FileStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.sync()
    monkeypatch.setattr(os, "fsync", failing(errno.EINVAL))
    store.sync()
    with pytest.raises(StoreWriteError):
        put(store, OTHER_SEGMENT, b"data")


def test_a_rename_that_is_held_up_is_tried_again(
    folder: Path, store: FileStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    rename, tries = os.replace, []

    def replace(source: str, target: str) -> None:
        if Path(target).parent == folder:  # other threads rename, too
            tries.append(Path(target).name)
            if len(tries) < 3:
                raise PermissionError(errno.EACCES, "held open")
        rename(source, target)

    monkeypatch.setattr(file_store, "_RENAME_DELAYS", (0.0, 0.0))
    monkeypatch.setattr(os, "replace", replace)
    store.replace(layout.CURRENT_NAME, b"data")
    assert tries == [layout.CURRENT_NAME] * 3
    assert get(store, layout.CURRENT_NAME) == b"data"


@pytest.mark.servers
def test_a_read_only_folder_is_read_and_not_written(read_only_folder: Path) -> None:
    store = FileStore(read_only_folder)
    assert not store.writable
    assert get(store, SEGMENT) == b"data"
    calls: list[Callable[[], object]] = [
        store.create,
        store.scratch,
        lambda: store.replace(layout.CURRENT_NAME, b"data"),
        lambda: store.remove(SEGMENT),
        lambda: store.lock(0.0).__enter__(),
    ]
    for call in calls:
        with pytest.raises(ReadOnlyStoreError):
            call()
    assert store.names() == [SEGMENT]
    assert get(store, SEGMENT) == b"data"


@pytest.mark.servers
def test_data_files_never_take_the_place_of_standard_streams(folder: Path) -> None:
    script = """
import os, sys
from index_format.store.file_store import FileStore
os.close(0)
os.close(1)
store = FileStore(sys.argv[1])
handle = store.create()
handle.write(b"data")
assert handle._file.fileno() > 2
handle.publish(sys.argv[2])
reader = store.open(sys.argv[2])
scratch = store.scratch()
with store.lock(0):
    numbers = [reader._file.fileno(), scratch._file.fileno()]
    print(min(numbers), any(map(os.get_inheritable, numbers)), file=sys.stderr)
"""
    arguments = [sys.executable, "-W", "ignore", "-c", script, str(folder), SEGMENT]
    done = subprocess.run(arguments, cwd=ROOT, stderr=subprocess.PIPE, text=True, check=False)
    lowest, inheritable = done.stderr.split()
    assert int(lowest) > 2
    assert inheritable == "False"
