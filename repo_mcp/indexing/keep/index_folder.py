"""Chooses the folder of the index, so that processes with other settings keep one of their own.

The first is the data folder itself, the others are `other-1` to `other-3` in it. Each has a file
`in_use` with the signature of the settings of its index; the processes that use it hold a shared
lock on that file, which the system releases however they end. A process takes the folder of its
signature, else the first that nobody uses, whose index it then replaces. Folders that were not used
for a week are emptied.
"""

from __future__ import annotations

import os
import stat
import sys
import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import Final

from repo_mcp import side_files
from repo_mcp.errors import Problem
from repo_mcp.safety.sandbox import archive_of
from repo_mcp.stored import ALL_KINDS

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

_OTHERS: Final = 3
_IN_USE: Final = "in_use"
# the record of origin of earlier versions
_OLD_ORIGIN: Final = "place"
# there if files that are read elsewhere were lost once: from then on this index has its own
_KEEPS_COPIES: Final = "keeps-copies"
_MAX_SIGNATURE: Final = 64
_FORGET_SECONDS: Final = 7 * 24 * 3600.0
_OPEN: Final = (
    os.O_RDWR
    | os.O_CREAT
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)
# Windows has no shared locks here: each user locks one of so many bytes behind the signature
_LOCK_START: Final = 1 << 16
_LOCK_BYTES: Final = 1 << 16


def index_folders(data_dir: str) -> Iterator[str]:
    """The folders in which an index may be, the first choice first."""
    yield data_dir
    yield from (os.path.join(data_dir, f"other-{n + 1}") for n in range(_OTHERS))


def refuse_links(root: str, index_dir: str) -> None:
    """Refuse a folder of indexes, or an index in it, that a symlink in the repository leads to."""
    for kind in ALL_KINDS:
        if os.path.islink(os.path.join(index_dir, kind.folder)):
            raise Problem("data_link")
    folder, above = index_dir, root + os.sep
    while folder.startswith(above):
        if os.path.islink(folder):
            raise Problem("data_link")
        folder = os.path.dirname(folder)


def prepare_data(root: str, data_dir: str) -> None:
    """Create the data folder of a root, which must be there."""
    if not (os.path.isdir(root) or archive_of(root)[0]):
        raise Problem("index_unavailable", "the repository's folder is gone")
    side_files.prepare(data_dir)
    side_files.forget(data_dir, _OLD_ORIGIN)


def keeps_copies(index_dir: str) -> bool:
    """True if an index has lost shared files before, and has its own since then.

    One that a container sees without them would otherwise be made anew in turn, here and there.
    """
    return os.path.lexists(os.path.join(index_dir, _KEEPS_COPIES))


def keep_copies(index_dir: str) -> None:
    """Let an index have its own copy of what others publish, before it is used."""
    with suppress(OSError):
        side_files.put(index_dir, _KEEPS_COPIES)


class IndexFolder:
    """The folder of the index with one signature; claimed by the first write."""

    def __init__(
        self, data_dir: str, signature: str, time: Callable[[], float] = time.time
    ) -> None:
        """Find the folder that other processes with the same settings use; writes nothing."""
        self._data_dir = data_dir
        self._time = time
        self.signature = signature
        self._lock: _UseLock | None = None
        known = (path for path in index_folders(data_dir) if _signature_in(path) == signature)
        self.path = next(known, data_dir)

    def claim(self) -> bool:
        """Hold a folder for this process, if it does not yet; whether that is another one.

        Where files can't be locked or written, it is the first one, shared with all.
        """
        if self._lock is not None:
            return False
        before = self.path
        self._lock, self.path = self._claim()
        return self.path != before

    def release(self) -> None:
        """Let other processes have the folder."""
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    @contextmanager
    def forgotten(self) -> Iterator[list[str]]:
        """Folders of other settings that were not used for a week; nobody takes them meanwhile."""
        with ExitStack() as held:
            found = []
            for path in index_folders(self._data_dir):
                with suppress(OSError):
                    if path != self.path and self._is_forgotten(path, held):
                        found.append(path)
            yield found

    def _is_forgotten(self, path: str, held: ExitStack) -> bool:
        lock = _UseLock.of(path, create=False)
        held.callback(lock.close)
        return self._time() - lock.used_at() > _FORGET_SECONDS and lock.take_alone()

    def _claim(self) -> tuple[_UseLock | None, str]:
        try:
            for alone in (False, True):
                for path in index_folders(self._data_dir):
                    lock = self._take(path, alone=alone)
                    if lock is not None:
                        lock.touch()
                        return lock, path
        except OSError:
            return None, self._data_dir
        raise Problem("data_shared")

    def _take(self, path: str, *, alone: bool) -> _UseLock | None:
        """The lock of a folder: one with our signature, or with `alone` one that nobody uses."""
        if not alone and _signature_in(path) != self.signature:
            return None
        if path != self._data_dir:
            with suppress(FileExistsError):
                os.mkdir(path, 0o700)
        lock = _UseLock.of(path)
        if alone and lock.take_alone():
            lock.write(self.signature)
        # waits for a process that is taking it, which may have our settings
        lock.share()
        if lock.read() == self.signature:  # nobody took it in between
            return lock
        lock.close()
        return None


class _UseLock:
    """The open file `in_use` of a folder."""

    def __init__(self, descriptor: int) -> None:
        self._file = descriptor
        # also when the manager that holds it is garbage
        self.close = weakref.finalize(self, os.close, descriptor)

    @classmethod
    def of(cls, folder: str, *, create: bool = True) -> _UseLock:
        if os.path.islink(folder):  # it may lead out of the repository
            raise NotADirectoryError(folder)
        flags = _OPEN if create else _OPEN & ~os.O_CREAT
        descriptor = os.open(os.path.join(folder, _IN_USE), flags, 0o600)
        if stat.S_ISREG(os.fstat(descriptor).st_mode):
            return cls(descriptor)
        os.close(descriptor)
        raise IsADirectoryError(folder)

    def take_alone(self) -> bool:
        """Lock it against everyone; whether nobody uses the folder."""
        try:
            if sys.platform == "win32":
                os.lseek(self._file, _LOCK_START, os.SEEK_SET)
                msvcrt.locking(self._file, msvcrt.LK_NBLCK, _LOCK_BYTES)
            else:
                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except (BlockingIOError, PermissionError):
            return False
        return True

    def share(self) -> None:
        """Lock it as one of its users."""
        if sys.platform == "win32":
            with suppress(OSError):  # held alone so far
                os.lseek(self._file, _LOCK_START, os.SEEK_SET)
                msvcrt.locking(self._file, msvcrt.LK_UNLCK, _LOCK_BYTES)
            import secrets  # noqa: PLC0415 readers need none

            os.lseek(self._file, _LOCK_START + secrets.randbelow(_LOCK_BYTES), os.SEEK_SET)
            msvcrt.locking(self._file, msvcrt.LK_LOCK, 1)
        else:
            fcntl.flock(self._file, fcntl.LOCK_SH)

    def read(self) -> str:
        os.lseek(self._file, 0, os.SEEK_SET)
        return os.read(self._file, _MAX_SIGNATURE).decode("ascii", "replace")

    def write(self, signature: str) -> None:
        os.lseek(self._file, 0, os.SEEK_SET)
        os.ftruncate(self._file, 0)
        os.write(self._file, signature.encode())

    def touch(self) -> None:
        os.utime(self._file)

    def used_at(self) -> float:
        return os.fstat(self._file).st_mtime


def _signature_in(folder: str) -> str:
    """The signature of the index in this folder; empty if it has none."""
    try:
        lock = _UseLock.of(folder, create=False)
    except OSError:
        return ""
    found = lock.read()
    lock.close()
    return found
