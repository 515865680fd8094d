"""Objects as files of a folder: the contract without any library.

An object is written under a temporary name, synced, and then gets its own. Links are never followed
for the last part of a name. Objects are compared and replaced under the kernel's lock of one file:
a folder that several machines share works as well, as far as its file system locks files.
"""

from __future__ import annotations

import os
import re
import secrets
import stat
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Final

from index_format import FileStore, IndexFormatError
from repo_mcp import side_files
from repo_mcp.errors import Problem
from repo_mcp.remote.objects.contract import ObjectRow, VersionedObject

_FLAGS: Final = sum(getattr(os, f"O_{name}", 0) for name in ("NOFOLLOW", "NONBLOCK", "CLOEXEC"))
_BINARY: Final = getattr(os, "O_BINARY", 0)
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*(?:/[A-Za-z0-9][A-Za-z0-9._-]*)*")
_TEMPORARY: Final = ".part"
# of this program's own small files, see `side_files`
_OTHER_TEMPORARY: Final = ".tmp"
_LOCK_FOLDER: Final = "v1/lock"
_LOCK_SECONDS: Final = 30.0
_PIECE_BYTES: Final = 4 << 20
_OTHERS_WRITE: Final = 0o022
# larger objects are never replaced
_MOST_REPLACED: Final = 1 << 20
_Move = Callable[[str, str], None]


class FolderObjects:
    """An `ObjectStore` in a folder."""

    lists: Final = True

    def __init__(self, folder: str, parts: Sequence[str] = ()) -> None:
        """Keep the path, and those of folders in it that have to be private; reads nothing.

        Without such folders, other users may read what the process's mask of permissions allows.
        """
        self.folder = folder
        self._private = parts
        self._folder_mode, self._file_mode = (0o700, 0o600) if parts else (0o777, 0o666)

    def get(self, name: str, most: int) -> VersionedObject | None:
        """An object of at most so many bytes, or None if there is none of this name."""
        with _problems():
            try:
                descriptor = self._open(name)
            except FileNotFoundError:
                return None
            with os.fdopen(descriptor, "rb") as file:
                data = file.read(most + 1)
        if len(data) > most:
            raise Problem("publication_invalid", f"{name}: more than {most} bytes")
        return VersionedObject(data, data)

    def read(self, name: str, start: int, length: int) -> bytes:
        """These bytes of an object, fewer if it is shorter; any thread may call it."""
        with _problems():
            try:
                descriptor = self._open(name)
            except FileNotFoundError:
                raise Problem("publication_invalid", f"{name} is missing") from None
            with os.fdopen(descriptor, "rb", buffering=0) as file:
                file.seek(start)
                return file.read(length) or b""

    def size(self, name: str) -> int | None:
        """The bytes of an object, None if there is none of this name."""
        with _problems():
            try:
                return os.lstat(self._path(name)).st_size
            except FileNotFoundError:
                return None

    def rows(self, folder: str) -> Iterator[ObjectRow]:
        """All objects below a folder, in no order."""
        for parent, files in self._files(self._path(folder)):
            below = os.path.relpath(parent, self.folder).replace(os.sep, "/")
            for file in files:
                if file.endswith((_TEMPORARY, _OTHER_TEMPORARY)):
                    continue
                with suppress(OSError):  # removed meanwhile
                    found = os.lstat(os.path.join(parent, file))
                    if stat.S_ISREG(found.st_mode):
                        yield ObjectRow(f"{below}/{file}", found.st_size, found.st_mtime)

    def put(self, name: str, pieces: Iterable[bytes]) -> None:
        """Write an object whole, in place of an older one; any thread may call it."""
        with _problems():
            self._write(name, pieces, os.replace)

    def create(self, name: str, data: bytes) -> bool:
        """Write an object if there is none of this name; whether it is so."""
        with _problems():
            try:
                self._write(name, [data], _link)
            except FileExistsError:
                return False
        return True

    def replace(self, name: str, data: bytes, version: object) -> bool:
        """Replace an object if it still has this version; whether it had."""
        with _problems(), FileStore(self._path(_LOCK_FOLDER)).lock(_LOCK_SECONDS):
            found = self.get(name, _MOST_REPLACED)
            if found is None or found.version != version:
                return False
            self.put(name, [data])
            return True

    def remove(self, name: str) -> None:
        """Remove an object; nothing happens when there is none."""
        with _problems(), suppress(FileNotFoundError):
            os.unlink(self._path(name))

    def touch(self, name: str) -> None:
        """Let an object be as young as if it were written now; nothing if there is none."""
        with _problems(), suppress(FileNotFoundError):
            os.utime(self._path(name), follow_symlinks=False)

    def sweep(self, seconds: float, now: float) -> None:
        """Remove what runs that were killed so long ago have left unfinished."""
        for parent, files in self._files(self.folder):
            for file in files:
                if file.endswith((_TEMPORARY, _OTHER_TEMPORARY)):
                    path = os.path.join(parent, file)
                    with suppress(OSError):
                        if now - os.lstat(path).st_mtime > seconds:
                            os.unlink(path)

    def make(self) -> None:
        """Make the folder, if it is not there."""
        with _problems():
            side_files.make_folders(self.folder, self._folder_mode)

    def make_private(self) -> None:
        """Make the folder for this user alone; refuse one that another user could write to."""
        with _problems():
            side_files.make_folders(os.path.dirname(self.folder))
            for folder in self._parts():
                with suppress(FileExistsError):
                    os.mkdir(folder, 0o700)
        self.check_private()

    def check_private(self) -> None:
        """Refuse a folder that another user could write to, or a link in place of it."""
        with _problems():
            for folder in self._parts():
                try:
                    found = os.lstat(folder)
                except FileNotFoundError:
                    continue
                if not stat.S_ISDIR(found.st_mode) or _is_of_others(found):
                    message = "others can write to the folder of shared index files"
                    raise Problem("store_unavailable", message)

    def _parts(self) -> list[str]:
        return [self.folder, *(self._path(part) for part in self._private)]

    def _files(self, top: str) -> Iterator[tuple[str, list[str]]]:
        """Folders with their files; a folder that can't be listed is not taken for an empty one."""
        with _problems():
            for parent, _, files in os.walk(top, onerror=_raise_unless_gone):
                yield parent, files

    def _path(self, name: str) -> str:
        if _NAME.fullmatch(name) is None:
            raise Problem("argument_invalid", "no name of an object")
        return os.path.join(self.folder, *name.split("/"))

    def _open(self, name: str) -> int:
        descriptor = os.open(self._path(name), os.O_RDONLY | _FLAGS | _BINARY)
        if stat.S_ISREG(os.fstat(descriptor).st_mode):
            return descriptor
        os.close(descriptor)
        raise OSError("no regular file")

    def _write(self, name: str, pieces: Iterable[bytes], move: _Move) -> None:
        target = self._path(name)
        folder = os.path.dirname(target)
        side_files.make_folders(folder, self._folder_mode)
        path = os.path.join(folder, f"{secrets.token_hex(8)}{_TEMPORARY}")
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _FLAGS | _BINARY
        try:
            with os.fdopen(os.open(path, flags, self._file_mode), "wb", buffering=0) as file:
                for piece in pieces:
                    rest = memoryview(piece)
                    while rest:
                        rest = rest[file.write(rest) :]
                os.fsync(file.fileno())
            move(path, target)
        finally:
            with suppress(OSError):
                os.unlink(path)
        _sync(folder)


def _link(path: str, target: str) -> None:
    """Give a file a second name, which must be free; the caller removes the first."""
    try:
        os.link(path, target)
    except FileExistsError:
        raise
    except OSError:  # the file system has no links: nearly as good, as such objects are small
        mode = stat.S_IMODE(os.lstat(path).st_mode)
        os.close(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _FLAGS, mode))
        os.replace(path, target)


def _is_of_others(found: os.stat_result) -> bool:
    """True if another user owns a folder, or may write to it."""
    if sys.platform == "win32":  # a user's own folders are private there by inheritance
        return False
    return found.st_uid != os.geteuid() or bool(found.st_mode & _OTHERS_WRITE)


def _sync(folder: str) -> None:
    if sys.platform == "win32":  # folders can't be synced there
        return
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _raise_unless_gone(error: OSError) -> None:
    if not isinstance(error, FileNotFoundError):
        raise error


@contextmanager
def _problems() -> Iterator[None]:
    """Turn errors of the file system into a `Problem` that names no path."""
    try:
        yield
    except (OSError, IndexFormatError) as error:
        cause = error.strerror if isinstance(error, OSError) else str(error)
        raise Problem("store_unavailable", cause or type(error).__name__) from error
