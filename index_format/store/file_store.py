"""Index files in a folder: the only module of this library that touches a disk.

Files are read with positioned reads on a private descriptor and never mapped: when another program
cuts a mapped file short, touching the lost part kills the process, while a read merely comes up
short. Descriptors are opened without following a link, must be regular files, and are kept clear
of 0 to 2, where a stray print would write into the index.

A file comes into being under a temporary name, is synced, and only then renamed. A failed sync is
final: the kernel marks the lost pages clean, so a second try would report success over lost data.

The writer lock is the kernel's lock on one file that is created once and never deleted. It goes
away with the process that held it, so there is nothing to clean up and nothing to mistake for a
live writer. A process that forks while it holds the lock shares it with the child.
"""

from __future__ import annotations

import errno
import io
import os
import stat
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import takewhile, zip_longest
from typing import Final

from index_format import layout
from index_format.errors import (
    CorruptIndexError,
    FileMissingError,
    IndexBusyError,
    ReadOnlyStoreError,
    StoreError,
    StoreWriteError,
)
from index_format.store import names

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

QUARANTINE_NAME: Final = "quarantine"
_WINDOWS: Final = os.name == "nt"
# With O_NONBLOCK, a pipe under an index file's name can't hold up the open.
_SAFE_FLAGS: Final = ("CLOEXEC", "NOFOLLOW", "NOCTTY", "NONBLOCK", "BINARY", "NOINHERIT")
_OPEN_FLAGS: Final = sum(getattr(os, f"O_{flag}", 0) for flag in _SAFE_FLAGS)
_NEW_FLAGS: Final = os.O_RDWR | os.O_CREAT | os.O_EXCL
_NO_SUCH_SYNC: Final = {errno.EINVAL, errno.ENOTSUP, errno.ENOTTY}
_PIECE_BYTES: Final = 1024 * 1024
_LOCK_POLL_SECONDS: Final = 0.02
# Virus scanners and indexers hold new files open for a moment and thereby block their renaming.
_HELD_OPEN: Final = (PermissionError,) if _WINDOWS else ()
_RENAME_DELAYS: Final = (0.01, 0.02, 0.05, 0.1, 0.2, 0.4, 0.8) if _WINDOWS else ()
# a file in the place of the folder is moved aside by the first write
_MISSING: Final = (FileNotFoundError, NotADirectoryError)
_seeking = threading.Lock()


def _open_file(path: str, flags: int) -> io.FileIO:
    descriptor = _clear_of_standard(os.open(path, flags | _OPEN_FLAGS, 0o600))
    if stat.S_ISREG(os.fstat(descriptor).st_mode):
        return io.FileIO(descriptor, "r+" if flags & os.O_RDWR else "r")
    os.close(descriptor)
    raise OSError(errno.EISDIR, "a folder, pipe or device")


def _clear_of_standard(descriptor: int) -> int:
    if sys.platform == "win32" or descriptor >= 3:
        return descriptor
    try:
        return fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, 3)
    finally:
        os.close(descriptor)


def _new_file(folder: str, flags: int = 0) -> tuple[str, io.FileIO]:
    path = os.path.join(folder, f"tmp-{os.getpid():x}-{os.urandom(8).hex()}.part")
    return path, _open_file(path, _NEW_FLAGS | flags)


def _read_some(file: io.FileIO, length: int, offset: int) -> bytes:
    if sys.platform == "win32":
        with _seeking:
            position = file.tell()
            file.seek(offset)
            data = file.read(length) or b""
            file.seek(position)
            return data
    else:
        return os.pread(file.fileno(), length, offset)


def _read_exactly(file: io.FileIO, name: str, offset: int, length: int) -> bytes:
    data = _read_some(file, length, offset)
    while len(data) < length:  # one system call reads 2 GB at most
        more = _read_some(file, length - len(data), offset + len(data))
        if not more:
            got = f"{len(data)} bytes"
            raise CorruptIndexError(name, "file", offset, got, f"{length} bytes")
        data += more
    return data


def _pieces(file: io.FileIO) -> Iterator[bytes]:
    size = os.fstat(file.fileno()).st_size
    return (_read_some(file, _PIECE_BYTES, at) for at in range(0, size, _PIECE_BYTES))


def _write_fully(file: io.FileIO, data: bytes | bytearray | memoryview) -> None:
    rest = memoryview(data).cast("B")
    while rest:
        rest = rest[file.write(rest) :]


def _flush(descriptor: int) -> None:
    if sys.platform == "darwin":  # there, fsync alone stops at the drive's own memory
        with suppress(OSError):  # not every file system there has it
            fcntl.fcntl(descriptor, fcntl.F_FULLFSYNC)
            return
    os.fsync(descriptor)


def _flush_folder(path: str) -> None:
    if _WINDOWS:  # folders can't be synced there; the file system journals their changes
        return
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        _flush(descriptor)
    except OSError as error:
        if error.errno not in _NO_SUCH_SYNC:
            raise
    finally:
        os.close(descriptor)


def set_aside(path: str, quarantine: str) -> bool:
    """Move `path`, whatever it is, into the folder `quarantine`; whether it was there."""
    with suppress(FileNotFoundError):
        with suppress(FileExistsError):
            os.mkdir(quarantine, 0o700)
        name = f"{os.path.basename(path)}-{os.urandom(4).hex()}"
        os.rename(path, os.path.join(quarantine, name))
        return True
    return False


def _rename(source: str, target: str, quarantine: str) -> None:
    if os.path.isdir(target) and not os.path.islink(target):
        set_aside(target, quarantine)
    for delay in _RENAME_DELAYS:
        try:
            os.replace(source, target)
        except PermissionError:
            time.sleep(delay)
        else:
            return
    os.replace(source, target)


def _try_lock(file: io.FileIO) -> bool:
    try:
        if sys.platform == "win32":
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    return True


def _unlock(file: io.FileIO) -> None:
    """Needed although closing unlocks too: a forked child may still have the file open."""
    if sys.platform == "win32":
        msvcrt.locking(file.fileno(), msvcrt.LK_UNLCK, 1)
    else:
        fcntl.flock(file.fileno(), fcntl.LOCK_UN)


def _identity(found: os.stat_result) -> str:
    # nobody can ship an inode number or set the change time (on Windows, the time of creation)
    values = found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns
    return "-".join(f"{value:x}" for value in values)


def _stands_at(path: str, file: io.FileIO) -> bool:
    with suppress(FileNotFoundError):
        return os.path.samestat(os.lstat(path), os.fstat(file.fileno()))
    return False


class _FileReader:
    def __init__(self, name: str, file: io.FileIO) -> None:
        found = os.fstat(file.fileno())
        self.name = name
        self.size = found.st_size
        self.identity = _identity(found)
        self._file = file

    def read(self, offset: int, length: int) -> bytes:
        if min(offset, length) < 0 or offset + length > self.size:  # before room is made for it
            got = f"{self.size} bytes in all"
            raise CorruptIndexError(self.name, "file", offset, got, f"{length} bytes")
        try:
            return _read_exactly(self._file, self.name, offset, length)
        except (OSError, ValueError) as error:
            raise failed("read", self.name, error) from error

    def expect(self, ranges: Iterable[tuple[int, int]]) -> None:
        """Ask for nothing: the system reads ahead."""

    def close(self) -> None:
        self._file.close()

    __del__ = close  # snapshots share readers: the last one gone gives the file back


class _FileWriter:
    """A file under a temporary name; any failure removes it."""

    def __init__(self, folder: str, quarantine: str) -> None:
        self._folder = folder
        self._quarantine = quarantine
        self._path, self._file = _new_file(folder)

    def write(self, data: bytes | bytearray | memoryview) -> None:
        with self._final("write", os.path.basename(self._path)):
            _write_fully(self._file, data)

    def publish(self, name: str) -> None:
        names.check_published(name)
        with self._final("publish", name):
            _flush(self._file.fileno())
            if self._holds_ours(name):
                self.discard()
            else:
                self._move(os.path.join(self._folder, name))

    def replace(self, path: str, data: bytes) -> None:
        with self._final("replace", os.path.basename(path)):
            _write_fully(self._file, data)
            _flush(self._file.fileno())
            self._move(path)

    def discard(self) -> None:
        if not self._file.closed:
            with suppress(OSError):
                self._file.close()
            with suppress(OSError):
                os.unlink(self._path)

    def _holds_ours(self, name: str) -> bool:
        """True if a file of this name has our bytes; an unreadable one has not."""
        with suppress(OSError), self._open(name) as theirs:
            pairs = zip_longest(_pieces(self._file), _pieces(theirs))
            return all(ours == other for ours, other in pairs)
        return False

    def _open(self, name: str) -> io.FileIO:
        return _open_file(os.path.join(self._folder, name), os.O_RDONLY)

    def _move(self, target: str) -> None:
        if _WINDOWS:  # an open file can't be renamed there
            self._file.close()
        _rename(self._path, target, self._quarantine)
        self._file.close()

    @contextmanager
    def _final(self, operation: str, name: str) -> Iterator[None]:
        with writing(operation, name):
            try:
                yield
            except OSError:
                self.discard()
                raise


class _FileScratch(_FileReader):
    """A file without a name: the system frees it when the process ends."""

    def write(self, data: bytes | bytearray | memoryview) -> None:
        with writing("write", self.name):
            _write_fully(self._file, data)
            self.size += memoryview(data).nbytes


class FileStore:
    """A folder of index files; reading from it never writes to it."""

    def __init__(
        self,
        folder: str | os.PathLike[str],
        *,
        create: bool = True,
        clock: Callable[[], float] = time.monotonic,
        origin: str | os.PathLike[str] | None = None,
        quarantine: str | os.PathLike[str] | None = None,
    ) -> None:
        """Use this folder; it is made by the first write, unless `create` forbids it.

        `clock` measures how long a writer waits for the lock. `origin` is the file outside the
        folder that records what was published here; without it, any index in the folder is read.
        What stands in the place of an index file and is none is moved into the folder `quarantine`
        (by default one in this folder) when the file is written or removed.
        """
        self.keeps_origin = origin is not None
        self._origin = _absolute(origin or "")
        self._clock = clock
        self._folder = _absolute(folder)
        self._quarantine = _absolute(quarantine or self._at(QUARANTINE_NAME))
        self._create = create
        self.writable = self._is_writable()

    def names(self) -> list[str]:
        """Names of all index files, sorted; files of other kinds and the lock don't count."""
        with reading("list", "folder"), suppress(*_MISSING):
            return sorted(filter(names.is_listed, os.listdir(self._folder)))
        return []

    def open(self, name: str) -> _FileReader:
        """Open a file; `CorruptIndexError` where a link, folder or device has its name."""
        names.check_listed(name)
        with reading("open", name):
            return _FileReader(name, _open_file(self._at(name), os.O_RDONLY))

    def link_from(self, source: FileStore, name: str) -> bool:
        """Have the file of another store here, too; False where the disk can't.

        It is one file with two names, and stays until both are removed.
        """
        names.check_published(name)
        here, there = self._at(name), source._at(name)
        with writing("link", name):
            self._make_folder()
        with suppress(OSError):
            with suppress(FileExistsError):
                os.link(there, here)
            return os.path.samestat(os.lstat(there), os.lstat(here))
        return False

    def create(self) -> _FileWriter:
        """Begin a new file under a temporary name."""
        with writing("create", "temporary file"):
            self._make_folder()
            return _FileWriter(self._folder, self._quarantine)

    def scratch(self) -> _FileScratch:
        """Begin a scratch file on the same disk."""
        with writing("create", "scratch"):
            self._make_folder()
            path, file = _new_file(self._folder, getattr(os, "O_TEMPORARY", 0))
            if not _WINDOWS:
                os.unlink(path)
            return _FileScratch("scratch", file)

    def replace(self, name: str, data: bytes) -> None:
        """Put `data` under `name`: readers find the old or the new bytes, whole."""
        names.check_replaced(name)
        self.create().replace(self._at(name), data)

    def origin_key(self) -> bytes:
        """Made of what the system chose for the folder and its lock file, which is made once."""
        with reading("read", layout.LOCK_NAME):
            lock = os.lstat(self._at(layout.LOCK_NAME))
            folder = os.lstat(self._folder)
        return f"{folder.st_ino} {lock.st_ino} {lock.st_ctime_ns}".encode()

    def read_origin(self) -> bytes:
        """The record of what was published here; `FileMissingError` when there is none."""
        name = layout.ORIGIN_NAME
        with reading("read", name), _open_file(self._origin, os.O_RDONLY) as file:
            if os.fstat(file.fileno()).st_size > layout.MAX_ORIGIN_BYTES:
                raise CorruptIndexError(name, "file", 0, "a longer file", "a record")
            return file.read(layout.MAX_ORIGIN_BYTES) or b""

    def write_origin(self, data: bytes) -> None:
        """Replace that record, atomically."""
        self.create().replace(self._origin, data)
        with writing("sync", layout.ORIGIN_NAME):
            _flush_folder(os.path.dirname(self._origin))

    def sync(self) -> None:
        """Make the folder's names durable; files were synced before they got their names."""
        with writing("sync", "folder"):
            _flush_folder(self._folder)

    def remove(self, name: str) -> bool:
        """Remove a file; False if it is missing or (on Windows) held open."""
        names.check_listed(name)
        with writing("remove", name), suppress(FileNotFoundError, *_HELD_OPEN):
            path = self._at(name)
            if os.path.islink(path) or not os.path.isdir(path):
                os.unlink(path)
                return True
            return set_aside(path, self._quarantine)
        return False

    def age(self, name: str) -> float:
        """Seconds since publishing by the wall clock; 0 when unknown or in the future."""
        names.check_listed(name)
        with suppress(OSError):
            found = os.lstat(self._at(name))
            # Renaming sets the change time (on Windows, that is the time of creation).
            return max(0.0, time.time() - max(found.st_mtime, found.st_ctime))
        return 0.0

    @contextmanager
    def lock(self, wait_seconds: float) -> Iterator[None]:
        """Hold the writer lock, against other processes and other threads of this one alike."""
        self.writable = self._is_writable()
        with writing("lock", layout.LOCK_NAME):
            file = self._wait_for_lock(self._clock() + wait_seconds)
        with file:
            try:
                yield
            finally:
                _unlock(file)

    def _wait_for_lock(self, deadline: float) -> io.FileIO:
        while True:
            self._make_folder()
            path = self._at(layout.LOCK_NAME)
            file = self._open_lock(path)
            # If the whole folder was deleted, so was the lock file: a lock on the old one is void.
            if _try_lock(file) and _stands_at(path, file):
                return file
            file.close()
            left = deadline - self._clock()
            if left <= 0:
                message = "another writer holds the lock of this index"
                raise IndexBusyError(message)
            time.sleep(min(left, _LOCK_POLL_SECONDS))

    def _open_lock(self, path: str) -> io.FileIO:
        try:
            return _open_file(path, os.O_RDWR | os.O_CREAT)
        except OSError as error:
            if error.errno not in _NOT_A_FILE or not set_aside(path, self._quarantine):
                raise
            return _open_file(path, os.O_RDWR | os.O_CREAT)

    def _is_writable(self) -> bool:
        path = self._folder
        while self._create and not os.path.lexists(path):
            path = os.path.dirname(path)
        return os.path.isdir(path) and os.access(path, os.W_OK | os.X_OK)

    def _at(self, name: str) -> str:
        return os.path.join(self._folder, name)

    def _make_folder(self) -> None:
        if not self._create or os.path.isdir(self._folder):
            return
        if os.path.isfile(self._folder):
            set_aside(self._folder, self._quarantine)
        parents = takewhile(lambda path: not os.path.isdir(path), _parents(self._folder))
        for path in (*reversed(list(parents)), self._folder):
            with suppress(FileExistsError):
                os.mkdir(path, 0o700)
            with suppress(PermissionError):  # a parent may be closed to us except for passing
                _flush_folder(os.path.dirname(path))


def _absolute(path: str | os.PathLike[str]) -> str:
    """The path from the root, without separators at its end; links and `..` stay."""
    text = os.fspath(path)
    whole = text if os.path.isabs(text) else os.path.join(os.getcwd(), text)
    return os.path.dirname(os.path.join(whole, ""))


def _parents(path: str) -> Iterator[str]:
    """The folders above a path, the nearest first."""
    while (parent := os.path.dirname(path)) != path:
        path = parent
        yield path


# On Windows, "permission denied" also means that another program holds the file open.
_REFUSED: Final = {errno.EROFS} | (
    set() if sys.platform == "win32" else {errno.EACCES, errno.EPERM}
)
_NOT_A_FILE: Final = {errno.ELOOP, errno.EMLINK, errno.ENXIO, errno.EISDIR}


@contextmanager
def reading(operation: str, name: str) -> Iterator[None]:
    """Turn errors of reading into a `StoreError`."""
    try:
        yield
    except (OSError, ValueError) as error:
        raise failed(operation, name, error) from error


@contextmanager
def writing(operation: str, name: str) -> Iterator[None]:
    """Turn errors of writing into a `StoreError`."""
    try:
        yield
    except (OSError, ValueError) as error:
        number, reason = _cause(error)
        if number in _REFUSED:
            message = f"{operation} {name}: {reason}"
            raise ReadOnlyStoreError(message) from error
        raise StoreWriteError(operation, name, reason) from error


def failed(operation: str, name: str, error: OSError | ValueError) -> Exception:
    """The exception to raise for an error of reading."""
    if isinstance(error, _MISSING):
        return FileMissingError(name)
    number, reason = _cause(error)
    if number in _NOT_A_FILE:
        return CorruptIndexError(name, "file", 0, reason, "a regular file")
    return StoreError(f"{operation} {name}: {reason}")


def _cause(error: OSError | ValueError) -> tuple[int | None, str]:
    """Number and reason, without the path; a closed file object raises a `ValueError`."""
    if isinstance(error, OSError):
        return error.errno, error.strerror or type(error).__name__
    return None, "already closed"
