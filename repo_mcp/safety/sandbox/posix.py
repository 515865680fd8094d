"""The way to open below a root on Linux, macOS and their like: by the kernel, or name by name."""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections.abc import Iterable
from functools import cache
from typing import Final

from repo_mcp.errors import Problem
from repo_mcp.safety.sandbox import openat2, walk
from repo_mcp.safety.sandbox.door import (
    About,
    Check,
    Folder,
    FolderEntry,
    Names,
    ReplacedError,
    StatKey,
)
from repo_mcp.safety.sandbox.lexical import looks_short
from repo_mcp.safety.sandbox.walk import flags

# O_NONBLOCK keeps a pipe under a file's name from holding up the open
_FILE: Final = flags("RDONLY", "NONBLOCK", "NOCTTY", "CLOEXEC")
_FOLDER: Final = flags("RDONLY", "DIRECTORY", "CLOEXEC")
_ABSENT: Final = {errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG, errno.EINVAL}
_SPECIAL: Final = {errno.ENXIO, errno.ENODEV, errno.EISDIR, errno.EOPNOTSUPP}
# a link, a path too long to be asked for at once, a tree that is being moved about
_NEEDS_WALK: Final = {errno.ELOOP, errno.ENAMETOOLONG, errno.EAGAIN}
_PIECE: Final = 1 << 20
# how Linux marks the path of an entry that was removed
_DELETED: Final = " (deleted)"


class PosixDoor:
    """A root folder, held open from the start: where it moves to, it is followed."""

    windows = False

    def __init__(self, root: str, *, use_openat2: bool | None = None) -> None:
        """Open the root, which may be given through a link."""
        self._root = os.open(root, _FOLDER)
        self._by_kernel = openat2.available() if use_openat2 is None else use_openat2
        self.roots = self.spellings(root)

    def spellings(self, path: str) -> tuple[str, ...]:
        """A path as given, and as it really lies."""
        return tuple(dict.fromkeys((os.path.abspath(path), os.path.realpath(path))))

    def open(self, names: Names, check: Check, *, follow: bool) -> int:
        """Open a file; nothing is said of it yet but that it lies below the root."""
        return self._open(names, _FILE, check, follow=follow)

    def about(self, handle: int) -> About:
        """What the descriptor leads to."""
        found = os.fstat(handle)
        return About(stat.S_ISREG(found.st_mode), found.st_nlink, _key(found))

    def place(self, handle: int) -> Names | None:
        """What the kernel says of the very entry that was opened, whatever bears its name now."""
        try:
            here, root = _path_of(handle), _path_of(self._root)
            if here is None or root is None:
                return None
            if here.endswith(_DELETED) and not _is_at(handle, here):
                raise ReplacedError
        except FileNotFoundError:  # how macOS says so
            raise ReplacedError from None
        except OSError:  # a path that is longer than the system can say
            raise Problem("unreadable") from None
        top = root.rstrip("/") + "/"
        if not here.startswith(top):
            raise Problem("path_outside")
        return tuple(here[len(top) :].split("/"))

    def read(self, handle: int, most: int) -> bytes:
        """Read until nothing more comes, as much as is allowed.

        What is as long as the system says, and no longer when more is asked for, has ended.
        """
        pieces: list[bytes] = []
        got = 0
        size = os.fstat(handle).st_size
        piece = min(_PIECE, size + 1)
        try:
            while got < most and (data := os.pread(handle, min(most - got, piece), got)):
                pieces.append(data)
                got += len(data)
                if got == size < piece:
                    break
                piece = _PIECE
        except OSError as error:
            raise _problem(error, follow=True) from None
        return b"".join(pieces)

    def release(self, handle: int) -> None:
        """Close a descriptor."""
        os.close(handle)

    def folder(self, names: Names) -> Folder:
        """List a folder through its descriptor."""
        descriptor = self._open(names, _FOLDER, _no_check, follow=False)
        try:
            with os.scandir(descriptor) as found:
                entries, unreadable = _entries(found)
            return Folder(entries, unreadable, os.fstat(descriptor).st_dev)
        except OSError as error:
            raise _problem(error, follow=False) from None
        finally:
            os.close(descriptor)

    def close(self) -> None:
        """Close the root."""
        os.close(self._root)

    def _open(self, names: Names, mode: int, check: Check, *, follow: bool) -> int:
        try:
            path = "/".join(names) or "."
            if self._by_kernel and not looks_short(path):
                try:
                    return openat2.open_beneath(self._root, path, mode)
                except OSError as error:
                    if error.errno not in _NEEDS_WALK:
                        raise
            return walk.open_beneath(self._root, names, mode, check, follow=follow)
        except OSError as error:
            raise _problem(error, follow=follow) from None


def _path_of(descriptor: int) -> str | None:
    """The path of what is open; None where the system can't tell."""
    if sys.platform == "darwin":
        import fcntl  # noqa: PLC0415 not there on every system

        found = fcntl.fcntl(descriptor, fcntl.F_GETPATH, bytes(1024))
        return os.fsdecode(found.rstrip(b"\0"))
    return os.readlink(f"/proc/self/fd/{descriptor}") if _has_proc() else None


@cache
def _has_proc() -> bool:
    return os.path.isdir("/proc/self/fd")


def _is_at(descriptor: int, path: str) -> bool:
    """Whether a file has a name that looks as if it had been removed."""
    try:
        return os.path.samestat(os.lstat(path), os.fstat(descriptor))
    except FileNotFoundError:
        return False


def _no_check(names: Names, *, folder: bool) -> None:
    """Leave the names to whoever asked: without links they are what was asked for."""


def _problem(error: OSError, *, follow: bool) -> Problem:
    if error.errno == errno.EXDEV:
        return Problem("path_outside")
    if error.errno in _ABSENT:
        return Problem("not_found")
    if error.errno in _SPECIAL:
        return Problem("not_a_file")
    if error.errno == errno.ELOOP:
        return Problem("path_invalid", "too many links") if follow else Problem("not_a_file")
    return Problem("unreadable")


def _key(found: os.stat_result) -> StatKey:
    return StatKey(found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino)


def _entries(found: Iterable[os.DirEntry[str]]) -> tuple[list[FolderEntry], int]:
    entries: list[FolderEntry] = []
    unreadable = 0
    for entry in found:
        if not (entry.name.isascii() or _is_utf8(entry.name)):
            unreadable += 1
            continue
        try:
            entries.append(_listed(entry))
        except FileNotFoundError:  # it went away while the folder was listed
            continue
    entries.sort()  # names differ, and sort by code point as by the bytes of UTF-8
    return entries, unreadable


def _is_utf8(name: str) -> bool:
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _listed(entry: os.DirEntry[str]) -> FolderEntry:
    if entry.is_file(follow_symlinks=False):
        found = entry.stat(follow_symlinks=False)
        if stat.S_ISREG(found.st_mode):
            return FolderEntry(entry.name, "file", _key(found))
    if entry.is_dir(follow_symlinks=False):
        return FolderEntry(entry.name, "folder", None)
    return FolderEntry(entry.name, "link" if entry.is_symlink() else "other", None)
