"""The door for Linux, macOS and other POSIX systems: by `openat2`, or name by name."""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Final

from repo_mcp.errors import Problem
from repo_mcp.safety.sandbox import openat2, walk
from repo_mcp.safety.sandbox.door import (
    Check,
    FolderId,
    HandleInfo,
    ListedFolders,
    Names,
    ReplacedError,
    RootState,
    list_each,
    same_each,
)
from repo_mcp.safety.sandbox.lexical import looks_short
from repo_mcp.safety.sandbox.listing import Folder, FolderColumns, FolderEntry, StatKey
from repo_mcp.safety.sandbox.walk import flags

if TYPE_CHECKING:
    from repo_mcp.native import ServerNative
    from repo_mcp.safety.sandbox.scanning import LineScan, Scanned

# O_NONBLOCK keeps the open from blocking on a pipe
_FILE: Final = flags("RDONLY", "NONBLOCK", "NOCTTY", "CLOEXEC")
_FOLDER: Final = flags("RDONLY", "DIRECTORY", "CLOEXEC")
_NO_LINK: Final = flags("NOFOLLOW")
_ABSENT: Final = {errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG, errno.EINVAL}
_SPECIAL: Final = {errno.ENXIO, errno.ENODEV, errno.EISDIR, errno.EOPNOTSUPP}
# a link, a path too long for one call, a tree with concurrent renames
_NEEDS_WALK: Final = {errno.ELOOP, errno.ENAMETOOLONG, errno.EAGAIN}
_PIECE: Final = 1 << 20
# in every short name of a file system, see `looks_short`
_SHORT_MARK: Final = "~"
_COMPILED: Final = "index_format.native"
# suffix with which Linux marks the path of a removed file
_DELETED: Final = " (deleted)"


class PosixDoor:
    """Opens files below a root, which stays open: if it is moved, it is followed."""

    windows = False
    _root = -1

    def __init__(self, root: str, *, real: str = "", use_openat2: bool | None = None) -> None:
        """Open the root, which may be given through a link.

        `real` is the path to which it led earlier: that is opened then, and no link is followed.
        """
        self._by_kernel = openat2.is_available() if use_openat2 is None else use_openat2
        self._given = os.path.abspath(root)
        self._real = real or os.path.realpath(root)
        self._root = _open_root(self._real, by_kernel=self._by_kernel)
        self._opened = os.fstat(self._root)
        self.folder = _id_of(self._opened)
        self.roots = tuple(dict.fromkeys((self._given, self._real)))
        self.anchor = self._find_anchor()

    def root_state(self) -> RootState:
        """One `stat`, or two if the root was given through a link."""
        found = _folder_at(self._real)
        if found is None or not self._is_readable(found):
            return RootState.MISSING
        if _id_of(found) != self.folder:
            return RootState.REPLACED
        if self._given != self._real:
            given = _folder_at(self._given)
            if given is None or _id_of(given) != self.folder:
                return RootState.LINK_MOVED
        return RootState.SAME

    def spellings(self, path: str) -> tuple[str, ...]:
        """The absolute path as given, and with all links resolved."""
        return tuple(dict.fromkeys((os.path.abspath(path), os.path.realpath(path))))

    def open(self, names: Names, check: Check, *, follow: bool) -> int:
        """Open a file; only its being below the root has been checked."""
        return self._open(names, _FILE, check, follow=follow)

    def handle_info(self, handle: int) -> HandleInfo:
        """Type, links and key of the open file."""
        found = os.fstat(handle)
        return HandleInfo(stat.S_ISREG(found.st_mode), found.st_nlink, _key(found))

    def real_names(self, handle: int) -> Names | None:
        """The kernel's path of the open file itself, even if another file has that name now."""
        try:
            here, root = _path_of(handle), _path_of(self._root)
            if here is None or root is None:
                return None
            if here.endswith(_DELETED) and not _is_at(handle, here):
                raise ReplacedError
        except FileNotFoundError:  # the error of macOS for a removed file
            raise ReplacedError from None
        except OSError:  # the path is longer than the system can return
            raise Problem("unreadable") from None
        top = root.rstrip("/") + "/"
        if not here.startswith(top):
            raise Problem("path_outside")
        return tuple(here[len(top) :].split("/"))

    def read(self, handle: int, most: int) -> bytes:
        """Read to the end of the file, but no more than `most` bytes.

        A short read that ends exactly at the file's size is the end; no further call is made. A
        file that stays as long as it says is read at once, as joining pieces holds them twice.
        """
        pieces: list[bytes] = []
        got = 0
        size = os.fstat(handle).st_size
        piece = size + 1
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

    def scan(
        self, paths: Sequence[str], what: LineScan, *, most_bytes: int, hard_links: bool
    ) -> list[Scanned]:
        """Scan in compiled code, which opens with `openat2` and compares the real path."""
        from repo_mcp.safety.sandbox.scanning import NATIVE, NeedleLines  # noqa: PLC0415 watching needs none

        names = self._plain_names(paths)
        if NATIVE is None or names is None:
            return [None] * len(paths)
        found = NATIVE.scan_files(self._root, *names, most_bytes, hard_links, what)
        return [NeedleLines(*item) if isinstance(item, tuple) else item for item in found]

    def read_plain(
        self, paths: Sequence[str], *, most_bytes: int, hard_links: bool
    ) -> Sequence[tuple[bytes, StatKey] | None]:
        """Read in compiled code, as `scan` does."""
        from repo_mcp.safety.sandbox.scanning import NATIVE  # noqa: PLC0415 as above

        names = self._plain_names(paths)
        if NATIVE is None or names is None:
            return [None] * len(paths)
        found = NATIVE.read_files(self._root, *names, most_bytes, hard_links)
        return [item and (item[0], StatKey(*item[1])) for item in found]

    def _plain_names(self, paths: Sequence[str]) -> tuple[bytes, tuple[bytes, ...]] | None:
        """The root's own path with its slash, and the paths in bytes; None if only Python reads."""
        if not self._by_kernel:
            return None
        try:
            top = _path_of(self._root)
            names = tuple(map(os.fsencode, paths))
            if top is None or any(b"\0" in name for name in names):
                return None
            return os.fsencode(top.rstrip("/") + "/"), names
        except (OSError, UnicodeEncodeError):
            return None

    def release(self, handle: int) -> None:
        """Close a descriptor."""
        os.close(handle)

    def list_folder(self, names: Names) -> Folder:
        """List a folder through its descriptor."""
        return self._list(names, lambda handle: _listed_by_native(handle) or _listed(handle))

    def list_names(self, names: Names) -> Folder:
        """List a folder without asking the system about each file."""
        return self._list(names, _listed_names)

    def _list(self, names: Names, list_open: Callable[[int], Folder]) -> Folder:
        descriptor = self._open(names, _FOLDER, _no_check, follow=False)
        try:
            return list_open(descriptor)
        except OSError as error:
            raise _problem(error, follow=False) from None
        finally:
            os.close(descriptor)

    def list_folders(self, folders: Sequence[Names]) -> ListedFolders:
        """List folders in one call of compiled code, others one by one."""
        native = _native() if self._by_kernel else None
        paths = ["/".join(names) for names in folders]
        if native is None or any("\0" in path or looks_short(path) for path in paths):
            return list_each(self.list_folder, folders)
        encoded = tuple(path.encode("utf-8", "surrogatepass") or b"." for path in paths)
        results = native.list_folders(self._root, encoded)
        if results is None:
            return list_each(self.list_folder, folders)
        found: ListedFolders = []
        for names, result in zip(folders, results, strict=True):
            listed = None if isinstance(result, int) else _native_folder(result)
            found += list_each(self.list_folder, [names]) if listed is None else [listed]
        return found

    def same_folders(self, paths: Sequence[str], hashes: bytes, device: int) -> bytes:
        """Compare folders in one call of compiled code, which makes no object of them."""
        native = _native() if self._by_kernel else None
        joined = "\0".join([*paths, ""])
        if native is not None and _SHORT_MARK not in joined:
            encoded = joined.encode("utf-8", "surrogatepass")
            found = native.same_folders(self._root, encoded, hashes, device)
            if found is not None:
                return found
        return same_each(self.list_folders, paths, hashes, device)

    def close(self) -> None:
        """Close the root."""
        root, self._root = self._root, -1
        if root >= 0:
            os.close(root)

    __del__ = close  # calls that began before the root was replaced may still read from it

    def _is_readable(self, found: os.stat_result) -> bool:
        """True if the folder can be read, as it could when it was opened."""
        opened = self._opened
        before = opened.st_mode, opened.st_uid, opened.st_gid
        if before == (found.st_mode, found.st_uid, found.st_gid):
            return True
        return os.access(self._real, os.R_OK | os.X_OK)

    def _find_anchor(self) -> str:
        anchor = f"/proc/self/fd/{self._root}"
        found = _folder_at(anchor) if sys.platform == "linux" else None
        return anchor if found is not None and _id_of(found) == self.folder else self._real

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


def _open_root(path: str, *, by_kernel: bool) -> int:
    """Open the folder at an absolute path that has no links."""
    if by_kernel:
        top = os.open("/", _FOLDER)
        try:
            return openat2.open_beneath(top, path.strip("/") or ".", _FOLDER)
        finally:
            os.close(top)
    descriptor = os.open(path, _FOLDER | _NO_LINK)
    if os.path.realpath(path) != path:
        os.close(descriptor)
        raise OSError(errno.ELOOP, "a link is on the way to the root")
    return descriptor


def _folder_at(path: str) -> os.stat_result | None:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found if stat.S_ISDIR(found.st_mode) else None


def _id_of(found: os.stat_result) -> FolderId:
    return FolderId(found.st_dev, found.st_ino)


def _path_of(descriptor: int) -> str | None:
    """The path of an open descriptor, or None if the system can't tell."""
    if sys.platform == "darwin":
        import fcntl  # noqa: PLC0415 not on every system

        found = fcntl.fcntl(descriptor, fcntl.F_GETPATH, bytes(1024))
        return os.fsdecode(found.rstrip(b"\0"))
    return os.readlink(f"/proc/self/fd/{descriptor}") if _has_proc() else None


@cache
def _has_proc() -> bool:
    return os.path.isdir("/proc/self/fd")


def _is_at(descriptor: int, path: str) -> bool:
    """True if the open file exists at this path, so that the path only looks like a removed one."""
    try:
        return os.path.samestat(os.lstat(path), os.fstat(descriptor))
    except FileNotFoundError:
        return False


def _no_check(names: Names, *, folder: bool) -> None:
    """Accept all names: the caller has checked them, and no link is followed."""


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


def _listed_by_native(descriptor: int) -> Folder | None:
    """The folder by compiled code; None without it, or if a name is not UTF-8.

    A process that only watches folders has not loaded that code, which is large.
    """
    native = _native()
    listed = None if native is None else native.list_folder(descriptor)
    return None if listed is None else _native_folder(listed)


def _native() -> ServerNative | None:
    if _COMPILED not in sys.modules:
        return None
    from repo_mcp.native import NATIVE  # noqa: PLC0415 only where an index is read or written

    return NATIVE


def _native_folder(listed: tuple[bytes, bytes, bytes, int]) -> Folder | None:
    if not (listed[0].isascii() or _is_text(listed[0])):
        return None
    return Folder(FolderColumns(*listed[:3]), 0, listed[3])


def _is_text(names: bytes) -> bool:
    try:
        names.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _listed(descriptor: int) -> Folder:
    with os.scandir(descriptor) as found:
        entries, unreadable = _entries(found)
    return Folder(entries, unreadable, os.fstat(descriptor).st_dev)


def _listed_names(descriptor: int) -> Folder:
    with os.scandir(descriptor) as found:
        rows = [(entry.name, _letter(entry)) for entry in found]
    readable = [row for row in rows if row[0].isascii() or _is_utf8(row[0])]
    readable.sort()  # by name, as in `_entries`
    names = "".join([f"{name}\0" for name, _ in readable]).encode()
    kinds = "".join([letter for _, letter in readable]).encode()
    columns = FolderColumns(names, kinds, b"")
    return Folder(columns, len(rows) - len(readable), os.fstat(descriptor).st_dev)


def _letter(entry: os.DirEntry[str]) -> str:
    """The kind of an entry, by what its folder says of it."""
    if entry.is_file(follow_symlinks=False):
        return "f"
    if entry.is_dir(follow_symlinks=False):
        return "d"
    return "l" if entry.is_symlink() else "o"


def _entries(found: Iterable[os.DirEntry[str]]) -> tuple[list[FolderEntry], int]:
    entries: list[FolderEntry] = []
    unreadable = 0
    for entry in found:
        if not (entry.name.isascii() or _is_utf8(entry.name)):
            unreadable += 1
            continue
        try:
            entries.append(_folder_entry(entry))
        except FileNotFoundError:  # removed while the folder was listed
            continue
    entries.sort()  # by name: code points sort like the bytes of UTF-8
    return entries, unreadable


def _is_utf8(name: str) -> bool:
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _folder_entry(entry: os.DirEntry[str]) -> FolderEntry:
    if entry.is_file(follow_symlinks=False):
        found = entry.stat(follow_symlinks=False)
        if stat.S_ISREG(found.st_mode):
            return FolderEntry(entry.name, "file", _key(found))
    if entry.is_dir(follow_symlinks=False):
        return FolderEntry(entry.name, "folder", None)
    return FolderEntry(entry.name, "link" if entry.is_symlink() else "other", None)
