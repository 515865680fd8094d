"""Files that the user names: opened without waiting for another program, written whole or not.

A file is written beside its place and takes it at the end, so that readers see the old or the new
one, and what another program has put there meanwhile stays.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable
from contextlib import suppress
from typing import BinaryIO, Final, TypeVar

from repo_mcp.errors import Problem

_BINARY: Final = getattr(os, "O_BINARY", 0)
_NO_LINK: Final = getattr(os, "O_NOFOLLOW", 0)
_READ: Final = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | _BINARY
_NEW: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NO_LINK | _BINARY
_PRIVATE: Final = 0o600
SHARED: Final = 0o666
# bytes of a file that tell its kind
_START_BYTES: Final = 4096

Made = TypeVar("Made")


def open_regular(path: str, *, follow: bool = True) -> BinaryIO:
    """Open a regular file for reading; for anything else raises `OSError`, and never waits."""
    if not follow and os.path.islink(path):
        raise OSError(errno.ELOOP, "it is a link")
    descriptor = os.open(path, _READ | (0 if follow else _NO_LINK))
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, "it is not a regular file")
    return os.fdopen(descriptor, "rb")


def write_own(
    path: str, write: Callable[[BinaryIO], Made], is_own: Callable[[bytes], bool], otherwise: str
) -> Made:
    """Write a new file, or one in place of a regular file whose first bytes say that it may go.

    Returns what `write` does; raises `OSError`, and `Problem` with the text `otherwise`.
    """
    try:
        with open_regular(path, follow=False) as file:
            found = os.fstat(file.fileno())
            if not is_own(file.read(_START_BYTES)):
                raise Problem("argument_invalid", otherwise)
    except FileNotFoundError:
        return write_new(path, write)
    return replace(path, write, found)


def write_new(path: str, write: Callable[[BinaryIO], Made], mode: int = SHARED) -> Made:
    """Write a file where there is none; raises `FileExistsError` if there is one."""
    if os.path.lexists(path):
        raise FileExistsError(errno.EEXIST, "it is there already")

    def place(fresh: str) -> None:
        try:
            os.link(fresh, path)
        except FileExistsError:
            raise
        except OSError:  # not every file system has links
            if os.path.lexists(path):
                raise FileExistsError(errno.EEXIST, "it is there already") from None
            os.rename(fresh, path)

    return _write_beside(path, write, mode, place)


def replace(path: str, write: Callable[[BinaryIO], Made], found: os.stat_result) -> Made:
    """Write a file in place of the one that was `found`, with its owner and mode.

    Raises `ChangedError` if another program has changed that one meanwhile.
    """

    def place(fresh: str) -> None:
        _copy_owner_and_mode(fresh, found)
        check_unchanged(path, found)
        os.replace(fresh, path)

    return _write_beside(path, write, _PRIVATE, place)


def write_copy(path: str, write: Callable[[BinaryIO], Made], like: os.stat_result) -> Made:
    """Write a file with the owner and mode of another one, in place of any that is there."""

    def place(fresh: str) -> None:
        _copy_owner_and_mode(fresh, like)
        os.replace(fresh, path)

    return _write_beside(path, write, _PRIVATE, place)


class ChangedError(OSError):
    """A file was changed by another program since it was read."""


def check_unchanged(path: str, found: os.stat_result) -> None:
    """Raise `ChangedError` unless a path still leads to the file that was found there."""
    try:
        now = os.stat(path)
    except OSError:
        now = None
    if now is None or _key(now) != _key(found):
        raise ChangedError(errno.EBUSY, "another program changed it just now: try again")


def _key(found: os.stat_result) -> tuple[int, ...]:
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns


def _write_beside(
    path: str, write: Callable[[BinaryIO], Made], mode: int, place: Callable[[str], None]
) -> Made:
    folder, name = os.path.split(path)
    fresh = os.path.join(folder, f".{name[:200]}.{os.urandom(8).hex()}.tmp")
    descriptor = os.open(fresh, _NEW, mode)
    try:
        with os.fdopen(descriptor, "wb") as file:
            made = write(file)
            file.flush()
            os.fsync(descriptor)
        place(fresh)
    finally:
        with suppress(OSError):
            os.unlink(fresh)
    return made


def _copy_owner_and_mode(fresh: str, found: os.stat_result) -> None:
    if hasattr(os, "chown") and (found.st_uid, found.st_gid) != (os.geteuid(), os.getegid()):
        with suppress(OSError):
            os.chown(fresh, found.st_uid, found.st_gid)
    os.chmod(fresh, stat.S_IMODE(found.st_mode))
