"""The sandbox that every tool and the indexer read through: only allowed files below the root.

Paths are checked as text, the door opens only below the root, and all other checks are made on the
open descriptor. A file is read from that descriptor and never opened again by name.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Final, TypeVar

from repo_mcp.documents import has_text, most_bytes_of
from repo_mcp.errors import Problem
from repo_mcp.safety.denylist import OUTSIDE, Denylist, folded
from repo_mcp.safety.sandbox.door import (
    Content,
    Door,
    FolderId,
    HandleInfo,
    Names,
    ReplacedError,
    RootState,
)
from repo_mcp.safety.sandbox.lexical import is_speakable, names_below
from repo_mcp.safety.sandbox.listing import Folder, StatKey

if TYPE_CHECKING:
    from repo_mcp.documents import DocumentReader
    from repo_mcp.safety.sandbox.scanning import LineScan, Scanned

_T = TypeVar("_T")
# archives that are read without unpacking them
_ARCHIVES: Final = (".jar", ".zip")
# times that a file is read again when it changes meanwhile
_ATTEMPTS: Final = 3
# longest part of an ignore file or repo_mcp.toml that is read
_RULES_MAX_BYTES: Final = 1 << 20
# git's own ignore rules: the only file below .git/ that is read
_EXCLUDE_FILE: Final = ".git/info/exclude"
# why a root can't be opened, by the error of the system
_ROOT_FAULTS: Final = {
    errno.ENOENT: "it does not exist",
    errno.ENOTDIR: "it is not a folder",
    errno.ELOOP: "a link has taken its place",
    errno.EACCES: "it can't be read",
}


# in a path, what the names "", "." and ".." look like
_NO_NAMES: Final = ("//", "/./", "/../")


class Sandbox:
    """Reads allowed files below one root, which stays open from the start."""

    def __init__(
        self,
        root: str,
        denylist: Denylist,
        *,
        max_file_bytes: int,
        data_dir: str = "",
        allow_hardlinks: bool = False,
        use_openat2: bool | None = None,
        door: Door | None = None,
        documents: DocumentReader | None = None,
    ) -> None:
        """Open the root, or read through a `door` to it; `data_dir` below it is never shown.

        With a reader of `documents`, files that are some have its text in place of their bytes.
        """
        self._documents = documents
        self._door = door or _door(root, use_openat2=use_openat2)
        self._denylist = denylist
        self._max_bytes = max_file_bytes
        self._allow_hardlinks = allow_hardlinks
        self._data_folders = _folders_inside(data_dir, self._door)
        self._data_names = {names[-1] for names in self._data_folders}
        # the parent of the path checked last, known to be allowed
        self._allowed_folder = ""

    def close(self) -> None:
        """Close the root."""
        self._door.close()

    @property
    def folder(self) -> FolderId:
        """The identity of the root folder."""
        return self._door.folder

    @property
    def anchor(self) -> str:
        """A path to the open root, for this process and as long as this sandbox is used."""
        return self._door.anchor

    def root_state(self) -> RootState:
        """The current target of the root's path."""
        return self._door.root_state()

    def check_root(self) -> None:
        """Raise a problem unless the root is still at its path: nothing is written then."""
        state = self._door.root_state()
        if state is RootState.MISSING:
            raise Problem("root_missing")
        if state is RootState.REPLACED:
            raise Problem("reopened")

    def own_path(self, path: str) -> str:
        """An absolute path of our own data; if it is below the root, then below the anchor."""
        for names in _names_inside(path, self._door):
            return os.path.join(self.anchor, *names)
        return path

    def read(self, path: str, *, follow: bool = True, most_bytes: int = 0) -> Content:
        """Read a file named by a client or the index; links inside the root are followed.

        `most_bytes` is for a file that may be larger than those of the index.
        """
        path_read, data, key = self.read_bytes(path, follow=follow, most_bytes=most_bytes)
        if self._documents is not None and has_text(path):
            text = self._documents.text(path, data)
            if text is data and len(data) > (most_bytes or self._max_bytes):
                raise _too_large(most_bytes or self._max_bytes)
            data = text
        return Content(path_read, data, key)

    def read_bytes(self, path: str, *, follow: bool = True, most_bytes: int = 0) -> Content:
        """The same without the text of documents: a file as it is."""
        names = self._names(path)
        most = self._most_bytes(path, most_bytes)
        data, key = self._with_open_file(
            names, lambda handle, opened: self._read_settled(handle, opened, most), follow=follow
        )
        return Content("/".join(names), data, key)

    def _most_bytes(self, path: str, most: int) -> int:
        """The largest size of a file that is read; 0 stands for the setting."""
        most = most or self._max_bytes
        return most if self._documents is None else most_bytes_of(path, most)

    def _is_plain(self, path: str) -> bool:
        """True for a file that is read as its bytes are."""
        return self._documents is None or not has_text(path)

    def scan(self, paths: Sequence[str], what: LineScan) -> list[Scanned]:
        """Scan files that a walk has found, in one go; None for each that `read` has to judge."""
        named = [
            at for at, path in enumerate(paths) if self._is_plain(path) and not self.is_denied(path)
        ]
        found: list[Scanned] = [None] * len(paths)
        results = self._door.scan(
            [paths[at] for at in named],
            what,
            most_bytes=self._max_bytes,
            hard_links=self._allow_hardlinks,
        )
        for at, result in zip(named, results, strict=True):
            found[at] = result
        return found

    def read_plain(self, paths: Sequence[str]) -> list[Content | None]:
        """Read files that a walk has found, in one go; None for each that `read` has to judge."""
        named = [
            path
            for path in paths
            if self._is_plain(path) and is_speakable(path) and not self.is_denied(path)
        ]
        results = self._door.read_plain(
            named, most_bytes=self._max_bytes, hard_links=self._allow_hardlinks
        )
        found = dict(zip(named, results, strict=True))
        return [Content(path, *plain) if (plain := found.get(path)) else None for path in paths]

    def file_key(self, path: str, *, most_bytes: int = 0) -> StatKey:
        """A file's key, without reading the file; refuses what `read` refuses."""
        most = self._most_bytes(path, most_bytes)
        return self._with_open_file(
            self._names(path),
            lambda handle, opened: self._settled_key(handle, opened, most),
            follow=True,
        )

    def read_rules(self, path: str) -> bytes:
        """Read a file of ignore rules or settings, never through a link; empty if unreadable."""
        try:
            names = _walk_names(path)
            if path != _EXCLUDE_FILE:
                self._check_allowed(names, folder=False)
            handle = self._door.open(names, _unchecked, follow=False)
        except Problem:
            return b""
        try:
            info = self._door.handle_info(handle)
            allowed = info.regular and (info.links < 2 or self._allow_hardlinks)
            return self._door.read(handle, _RULES_MAX_BYTES) if allowed else b""
        except Problem:
            return b""
        finally:
            self._door.release(handle)

    def normalize_path(self, path: str) -> str:
        """A client's path relative to the root, the root as ""; only its text is checked."""
        names = names_below(path, self._door.roots, windows=self._door.windows) if path else ()
        return "/".join(names)

    def list_folder(self, path: str) -> Folder:
        """List a folder that a walk has reached (the root is ""); links are not followed."""
        names = _walk_names(path) if path else ()
        self._check_allowed(names, folder=True)
        return self._door.list_folder(names)

    def list_names(self, path: str) -> Folder:
        """`list_folder` for a caller that does not ask for stat keys, which may be missing."""
        names = _walk_names(path) if path else ()
        self._check_allowed(names, folder=True)
        return self._door.list_names(names)

    def list_folders(self, paths: Sequence[str]) -> list[Folder | Problem]:
        """`list_folder` of many folders, or the `Problem` of each; on any thread."""
        named = [tuple(path.split("/")) for path in paths]
        found: list[Folder | Problem] = [Problem("path_outside")] * len(paths)
        allowed = []
        for at, (path, names) in enumerate(zip(paths, named, strict=True)):
            if not {"", ".", ".."}.isdisjoint(names):
                continue
            if self.is_denied(path, folder=True):
                found[at] = Problem("path_denied")
            else:
                allowed.append(at)
        results = self._door.list_folders([named[at] for at in allowed])
        for at, result in zip(allowed, results, strict=True):
            found[at] = result
        return found

    def same_folders(self, paths: Sequence[str], hashes: bytes, device: int) -> bytes:
        """Of each folder that a walk has reached, 1 if its columns have this hash, else 0.

        None may be the root. On any thread; `Folder.hash` is the hash.
        """
        names = "".join(f"/{path}" for path in paths) + "/"
        if any(mark in names for mark in _NO_NAMES) or "\0" in names:
            raise Problem("path_outside")
        return self._door.same_folders(paths, hashes, device)

    def is_denied(self, path: str, *, folder: bool = False) -> bool:
        """True if a path below the root is denied; quick for the entries of one folder."""
        parent, _, name = path.rpartition("/")
        if parent != self._allowed_folder:
            if parent and self._find_refusal(tuple(parent.split("/")), folder=True):
                return True
            self._allowed_folder = parent
        if self._data_names and folded(name) in self._data_names and self._is_data(path.split("/")):
            return True
        return bool(self._denylist.child_rule(parent, name, folder=folder))

    def is_outside(self, path: str) -> bool:
        """True for a denied path of which no answer tells that it is there."""
        return self._denylist.is_outside(path)

    def _names(self, path: str) -> Names:
        names = names_below(path, self._door.roots, windows=self._door.windows)
        self._check_allowed(names, folder=False)
        if not names:
            raise Problem("not_a_file")
        return names

    def _with_open_file(
        self, names: Names, action: Callable[[int, Names], _T], *, follow: bool
    ) -> _T:
        """Open a file and run the action; once more if the file is replaced, as by a save."""
        for _ in range(_ATTEMPTS):
            handle = self._door.open(names, self._check_allowed, follow=follow)
            try:
                return action(handle, names)
            except ReplacedError:
                continue
            finally:
                self._door.release(handle)
        raise Problem("file_changing")

    def _check_allowed(self, names: Names, *, folder: bool) -> None:
        problem = self._find_refusal(names, folder=folder)
        try:
            if problem is not None:
                raise problem
        finally:
            del problem  # a frame with what it raises is a cycle, and holds all frames above it

    def _find_refusal(self, names: Names, *, folder: bool) -> Problem | None:
        if self._is_data(names):
            return Problem("path_data")
        path = "/".join(names)
        rule = self._denylist.rule(path, folder=folder) if names else ""
        if rule == OUTSIDE:
            return Problem("not_found")
        return Problem("path_denied", f"rule {rule}") if rule else None

    def _is_data(self, names: Sequence[str]) -> bool:
        return any(
            [folded(name) for name in names[: len(data)]] == data for data in self._data_folders
        )

    def _read_settled(self, handle: int, names: Names, most: int) -> tuple[bytes, StatKey]:
        """All bytes and their key, read again if the file changes meanwhile."""
        for _ in range(_ATTEMPTS):
            key = self._check_readable(handle, most).key
            data = self._door.read(handle, most + 1)
            if len(data) > most:
                raise _too_large(most)
            if self._check_readable(handle, most).key == key:
                self._check_names(handle, names)
                return data, key
        raise Problem("file_changing")

    def _settled_key(self, handle: int, names: Names, most: int) -> StatKey:
        info = self._check_readable(handle, most)
        self._check_names(handle, names)
        return info.key

    def _check_readable(self, handle: int, most: int) -> HandleInfo:
        """The open file's info; raises a problem if the file must not be read."""
        info = self._door.handle_info(handle)
        if not info.regular:
            raise Problem("not_a_file")
        if info.links > 1 and not self._allow_hardlinks:
            raise Problem("path_hard_link")
        if info.key.size > most:
            raise _too_large(most)
        return info

    def _check_names(self, handle: int, opened: Names) -> None:
        """Refuse an open file whose real path is denied or outside; runs after the link count.

        A second hard link may have been removed since the open: the remaining one has to be the
        name that was opened, which is known to be allowed.
        """
        names = self._door.real_names(handle)
        if names is not None and names != opened:
            self._check_allowed(names, folder=False)


def _too_large(most: int) -> Problem:
    return Problem("file_too_large", f"{most} bytes")


def open_root(root: str, real: str = "", folder: Sequence[int] = ()) -> Door:
    """Open a root; raises a `Problem`.

    With `real`, the path to which it led earlier, that is opened; with `folder`, what was there
    earlier, it has to be that.
    """
    try:
        door = _door(root, real)
    except OSError as error:
        raise Problem("root_missing", _ROOT_FAULTS.get(error.errno or 0, "")) from None
    archive, _ = archive_of(real or root)
    how = os.R_OK if archive else os.R_OK | os.X_OK
    if not os.access(archive or real or root, how):
        raise Problem("root_missing", _ROOT_FAULTS[errno.EACCES])
    if folder and door.folder != tuple(folder):
        raise Problem("reopened")
    return door


def archive_of(path: str) -> tuple[str, str]:
    """The archive that a path is that of or leads into, and the folder in it; empty if none."""
    if not any(f"{ending}{os.sep}" in f"{path}{os.sep}" for ending in _ARCHIVES):
        return "", ""
    archive, inner = path.rstrip(os.sep), ""
    while archive and not (archive.endswith(_ARCHIVES) and os.path.isfile(archive)):
        archive, _, name = archive.rpartition(os.sep)
        inner = f"{name}/{inner}" if inner else name
    return archive, inner if archive else ""


def _door(root: str, real: str = "", *, use_openat2: bool | None = None) -> Door:
    """The door of this platform, or that to an archive."""
    archive, inner = archive_of(real or root)
    if archive:
        from repo_mcp.safety.sandbox.archive import ArchiveDoor  # noqa: PLC0415 few look into any

        return ArchiveDoor(archive, inner)
    if sys.platform == "win32":
        from repo_mcp.safety.sandbox.windows import WindowsDoor  # noqa: PLC0415 of no use elsewhere
        from repo_mcp.safety.sandbox.windows_kernel import WindowsKernel  # noqa: PLC0415 as above

        return WindowsDoor(WindowsKernel(), root, real=real)
    from repo_mcp.safety.sandbox.posix import PosixDoor  # noqa: PLC0415 of no use elsewhere

    return PosixDoor(root, real=real, use_openat2=use_openat2)


def _walk_names(path: str) -> Names:
    """The names of a path that a walk built from folder entries."""
    names = tuple(path.split("/"))
    if not {"", ".", ".."}.isdisjoint(names):
        raise Problem("path_outside")
    return names


def _folders_inside(data_dir: str, door: Door) -> list[list[str]]:
    """The data folder's folded names below the root: as given, and with links resolved."""
    found = _names_inside(data_dir, door) if data_dir else ()
    return [[folded(name) for name in names] for names in found if names]


def _names_inside(path: str, door: Door) -> Iterator[Names]:
    """The names below the root of an absolute path's spellings that are inside."""
    for spelling in door.spellings(path):
        with suppress(Problem):  # it is outside the root
            yield names_below(spelling, door.roots, windows=door.windows)


def _unchecked(names: Names, *, folder: bool) -> None:
    """Accept all names: they have been checked, and no link is followed."""
