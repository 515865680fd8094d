"""Opens what lies below the root and is not denied; every tool and the indexer read through it.

Paths are checked as text, the kernel (or the walk) keeps the opening below the root, and all else
is decided on the open descriptor: what it is, how large, under which real name. A file is read once
from that descriptor and never opened again by name.
"""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, NamedTuple

from repo_mcp.denylist import Denylist
from repo_mcp.errors import Problem
from repo_mcp.sandbox import openat2, walk
from repo_mcp.sandbox.lexical import names_below
from repo_mcp.sandbox.walk import flags

# O_NONBLOCK keeps a pipe under a file's name from holding up the open
_FILE: Final = flags("RDONLY", "NONBLOCK", "NOCTTY", "CLOEXEC")
_FOLDER: Final = flags("RDONLY", "DIRECTORY", "CLOEXEC")
_OUTSIDE: Final = {errno.EXDEV}
_ABSENT: Final = {errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG, errno.EINVAL}
_SPECIAL: Final = {errno.ENXIO, errno.ENODEV, errno.EISDIR, errno.EOPNOTSUPP}
_PIECE: Final = 1 << 20
_RULES_MAX_BYTES: Final = 1 << 20
# git's own list of ignored files: the only thing below .git/ that is read, and only for its rules
_EXCLUDE_FILE: Final = ".git/info/exclude"


class Content(NamedTuple):
    """A file that was read: its path below the root, and all of its bytes."""

    path: str
    data: bytes


class Listed(NamedTuple):
    """An entry of a folder; `kind` is file, folder, link or other."""

    name: str
    kind: str
    size: int


class Folder(NamedTuple):
    """A folder's entries, in the order of their names' bytes, and the device it lies on."""

    entries: list[Listed]
    unreadable_names: int
    device: int


class Sandbox:
    """A root folder, held open from the start."""

    def __init__(
        self,
        root: str,
        denylist: Denylist,
        *,
        max_file_bytes: int,
        data_dir: str = "",
        allow_hardlinks: bool = False,
        use_openat2: bool | None = None,
    ) -> None:
        """Open the root; `data_dir` is never shown, wherever below the root it lies."""
        if sys.platform == "win32":
            raise NotImplementedError("opening files safely on Windows is not written yet")
        self._descriptor = os.open(root, _FOLDER)
        self._roots = tuple(dict.fromkeys((os.path.abspath(root), os.path.realpath(root))))
        self._denylist = denylist
        self._max_bytes = max_file_bytes
        self._allow_hardlinks = allow_hardlinks
        self._data_folders = _folders_inside(data_dir, self._roots)
        self._openat2 = openat2.available() if use_openat2 is None else use_openat2

    def close(self) -> None:
        """Let go of the root."""
        os.close(self._descriptor)

    def read(self, path: str, *, follow: bool = True) -> Content:
        """Read a file that a client or the index names; links are followed inside the root."""
        names = names_below(path, self._roots, windows=os.name == "nt")
        self._check_allowed(names)
        if not names:
            raise Problem("not_a_file")
        descriptor = self._open(names, _FILE, follow=follow)
        try:
            return Content("/".join(names), self._read_all(descriptor))
        finally:
            os.close(descriptor)

    def rules(self, path: str) -> bytes:
        """A file of rules for this server, empty when it can't be read; never through a link."""
        names = tuple(path.split("/"))
        try:
            if path != _EXCLUDE_FILE:
                self._check_allowed(names)
            with self._opened(names, _FILE) as descriptor:
                _check_regular(os.fstat(descriptor))
                return _read_at_most(descriptor, _RULES_MAX_BYTES)[:_RULES_MAX_BYTES]
        except (Problem, OSError):
            return b""

    def folder(self, path: str) -> Folder:
        """List a folder that a walk has come to (the root is ""); links are not followed."""
        names = tuple(path.split("/")) if path else ()
        self._check_allowed(names)
        with self._opened(names, _FOLDER) as descriptor:
            entries, unreadable = _entries(descriptor)
            return Folder(entries, unreadable, os.fstat(descriptor).st_dev)

    def is_denied(self, path: str) -> bool:
        """Whether a path below the root is kept out of everything."""
        try:
            self._check_allowed(tuple(path.split("/")))
        except Problem:
            return True
        return False

    @contextmanager
    def _opened(self, names: tuple[str, ...], mode: int) -> Iterator[int]:
        """Open for the indexer: no links, and the one denied file that it reads rules from."""
        path = "/".join(names) or "."
        if self._openat2:
            descriptor = openat2.open_beneath(self._descriptor, path, mode, follow=False)
        else:
            descriptor, _ = walk.open_beneath(
                self._descriptor, names, mode, lambda _: None, follow=False
            )
        try:
            yield descriptor
        finally:
            os.close(descriptor)

    def _open(self, names: tuple[str, ...], mode: int, *, follow: bool) -> int:
        try:
            if self._openat2:
                return self._open_by_kernel(names, mode, follow=follow)
            return self._open_by_walk(names, mode, follow=follow)
        except OSError as error:
            raise _problem(error) from None

    def _open_by_kernel(self, names: tuple[str, ...], mode: int, *, follow: bool) -> int:
        try:
            path = "/".join(names)
            descriptor = openat2.open_beneath(self._descriptor, path, mode, follow=follow)
        except OSError as error:
            if error.errno in _OUTSIDE:
                raise
            # whatever failed, the walk sees a link to a denied file whether that exists or not
            return self._open_by_walk(names, mode, follow=follow)
        try:
            self._check_allowed(self._real_names(descriptor))
        except Problem:
            os.close(descriptor)
            raise
        return descriptor

    def _open_by_walk(self, names: tuple[str, ...], mode: int, *, follow: bool) -> int:
        return walk.open_beneath(self._descriptor, names, mode, self._check_allowed, follow=follow)[
            0
        ]

    def _real_names(self, descriptor: int) -> tuple[str, ...]:
        """Where the open file lies, as the kernel knows it: below the root as it lies now."""
        real, root = (os.readlink(f"/proc/self/fd/{n}") for n in (descriptor, self._descriptor))
        if os.fstat(descriptor).st_nlink == 0:  # the kernel's name for it is then no name any more
            raise Problem("not_found")
        found = _inside(real, (root,))
        if found is None:
            raise Problem("path_outside")
        return found

    def _check_allowed(self, names: tuple[str, ...]) -> None:
        if any(names[: len(data)] == data for data in self._data_folders):
            raise Problem("path_data")
        rule = self._denylist.rule("/".join(names)) if names else ""
        if rule:
            raise Problem("path_denied", f"rule {rule}")

    def _read_all(self, descriptor: int) -> bytes:
        found = os.fstat(descriptor)
        _check_regular(found)
        if found.st_nlink > 1 and not self._allow_hardlinks:
            raise Problem("path_hard_link")
        data = (
            b"" if found.st_size > self._max_bytes else _read_at_most(descriptor, self._max_bytes)
        )
        if max(found.st_size, len(data)) > self._max_bytes:
            raise Problem("file_too_large", f"{self._max_bytes} bytes")
        return data


def _inside(path: str, roots: tuple[str, ...]) -> tuple[str, ...] | None:
    """Names of an absolute path below one of the roots; None when it is below none."""
    for root in roots:
        top = [name for name in root.split("/") if name]
        names = [name for name in path.split("/") if name]
        if path and names[: len(top)] == top:
            return tuple(names[len(top) :])
    return None


def _folders_inside(data_dir: str, roots: tuple[str, ...]) -> list[tuple[str, ...]]:
    """The data folder's names below the root, as given and as it really lies."""
    if not data_dir:
        return []
    found = {
        _inside(path, roots) for path in (os.path.abspath(data_dir), os.path.realpath(data_dir))
    }
    return [names for names in found if names]


def _check_regular(found: os.stat_result) -> None:
    if not stat.S_ISREG(found.st_mode):
        raise Problem("not_a_file")


def _read_at_most(descriptor: int, most: int) -> bytes:
    """All bytes, but no more than one beyond `most`: a file's size may be a lie."""
    pieces: list[bytes] = []
    left = most + 1
    while left > 0 and (piece := os.read(descriptor, min(left, _PIECE))):
        pieces.append(piece)
        left -= len(piece)
    return b"".join(pieces)


def _problem(error: OSError) -> Problem:
    if error.errno in _OUTSIDE:
        return Problem("path_outside")
    if error.errno in _ABSENT:
        return Problem("not_found")
    if error.errno in _SPECIAL:
        return Problem("not_a_file")
    if error.errno == errno.ELOOP:
        return Problem("path_invalid", "too many links")
    return Problem("unreadable")


def _entries(descriptor: int) -> tuple[list[Listed], int]:
    found: list[tuple[bytes, Listed]] = []
    unreadable = 0
    with os.scandir(descriptor) as entries:
        for entry in entries:
            try:
                key = entry.name.encode("utf-8")
                found.append((key, _listed(entry)))
            except UnicodeEncodeError:
                unreadable += 1
            except FileNotFoundError:  # it went away while the folder was listed
                continue
    return [item for _, item in sorted(found)], unreadable


def _listed(entry: os.DirEntry[str]) -> Listed:
    if entry.is_symlink():
        return Listed(entry.name, "link", 0)
    if entry.is_dir(follow_symlinks=False):
        return Listed(entry.name, "folder", 0)
    if entry.is_file(follow_symlinks=False):
        return Listed(entry.name, "file", entry.stat(follow_symlinks=False).st_size)
    return Listed(entry.name, "other", 0)
