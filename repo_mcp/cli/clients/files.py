"""Reads clients' configuration files, and replaces them atomically with a backup."""

from __future__ import annotations

import os
import secrets
import stat
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

from repo_mcp.cli.clients.errors import EditError

BACKUP: Final = ".repo-mcp.bak"
_LARGEST: Final = 64 << 20
# of a file that comes with a project, which may be hostile
_LARGEST_IN_PROJECT: Final = 64 << 10
_BOM: Final = "\ufeff"
_READ: Final = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_NEW: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
_PRIVATE: Final = 0o600


class ClientFile(NamedTuple):
    """A file's content; `path` is its real path, `found` is None if it does not exist."""

    path: Path
    text: str
    found: os.stat_result | None = None
    crlf: bool = False
    bom: bool = False

    def encode(self, text: str) -> bytes:
        """Encode a text with this file's line ends and BOM."""
        converted = text.replace("\n", "\r\n") if self.crlf else text
        return f"{_BOM if self.bom else ''}{converted}".encode()


def read(path: Path, inside: Path | None = None) -> ClientFile:
    """Read a file, following symlinks, which must not lead out of the folder `inside`."""
    real = Path(os.path.realpath(path))
    if inside is not None and not real.is_relative_to(os.path.realpath(inside)):
        raise EditError("a symlink leads out of the project")
    try:
        descriptor = os.open(real, _READ)
    except FileNotFoundError:
        return ClientFile(real, "")
    except OSError as error:
        raise EditError(f"it can't be read: {error.strerror}") from None
    found = os.fstat(descriptor)
    if not stat.S_ISREG(found.st_mode):
        os.close(descriptor)
        raise EditError("it is not a regular file")
    largest = _LARGEST if inside is None else _LARGEST_IN_PROJECT
    with os.fdopen(descriptor, "rb") as file:
        data = file.read(largest + 1)
    if len(data) > largest:
        raise EditError(f"it has more than {largest} bytes")
    try:
        text = data.decode("utf-8")
    except ValueError:
        raise EditError("it is not UTF-8") from None
    bom = text.startswith(_BOM)
    ends = text.count("\n")
    crlf = bool(ends) and text.count("\r\n") == ends
    plain = text.removeprefix(_BOM)
    return ClientFile(real, plain.replace("\r\n", "\n") if crlf else plain, found, crlf, bom)


def replace(original: ClientFile, text: str, *, private: bool) -> Path | None:
    """Replace a file's text; returns the path of the backup, None for a new file.

    A new file is readable by others unless `private`; an existing one keeps its mode.
    """
    try:
        original.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700 if private else 0o777)
        backup = None
        if original.found is not None:
            backup = _backup_of(original)
            _write_atomically(
                backup,
                original.encode(original.text),
                original.found,
                original.path,
                private=private,
            )
        _write_atomically(
            original.path, original.encode(text), original.found, original.path, private=private
        )
    except OSError as error:
        raise EditError(f"it can't be written: {error.strerror}") from None
    return backup


def has_backup(original: ClientFile) -> bool:
    """Whether a backup says that the file was there before."""
    return _backup_of(original).exists()


def remove(original: ClientFile, above: Path) -> None:
    """Remove a file, and its folder if that is left empty and is not `above`."""
    try:
        _check_unchanged(original.path, original.found)
        original.path.unlink()
    except OSError as error:
        raise EditError(f"it can't be removed: {error.strerror}") from None
    folder = original.path.parent
    if folder != Path(os.path.realpath(above)):
        with suppress(OSError):  # it holds other files
            folder.rmdir()


def remove_backups(original: ClientFile) -> list[Path]:
    """Remove the backups beside a file; returns what was removed."""
    path = _backup_of(original)
    try:
        path.unlink()
    except OSError:
        return []
    return [path]


def _backup_of(original: ClientFile) -> Path:
    return original.path.with_name(original.path.name + BACKUP)


def _write_atomically(
    target: Path, data: bytes, like: os.stat_result | None, read_at: Path, *, private: bool
) -> None:
    """Write a temporary file and rename it: readers see the old or the new file, whole."""
    fresh = target.with_name(f".{target.name}.{secrets.token_hex(8)}.tmp")
    mode = stat.S_IMODE(like.st_mode) if like else (_PRIVATE if private else 0o666)
    descriptor = os.open(fresh, _NEW, _PRIVATE if like else mode)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(descriptor)
        if like is not None:
            _copy_owner_and_mode(fresh, like, mode)
        _check_unchanged(read_at, like)
        fresh.replace(target)
    except BaseException:
        with suppress(OSError):
            fresh.unlink()
        raise


def _copy_owner_and_mode(fresh: Path, like: os.stat_result, mode: int) -> None:
    """Give a file the owner and mode of the one it replaces."""
    if hasattr(os, "chown") and (like.st_uid, like.st_gid) != (os.geteuid(), os.getegid()):
        with suppress(OSError):
            os.chown(fresh, like.st_uid, like.st_gid)
    fresh.chmod(mode)


def _check_unchanged(path: Path, like: os.stat_result | None) -> None:
    """Raise if another program, such as the client, has changed the file meanwhile."""
    try:
        current = path.stat()
    except FileNotFoundError:
        current = None
    if _key(current) != _key(like):
        raise EditError("another program changed it just now: try again")


def _key(found: os.stat_result | None) -> tuple[int, ...]:
    return (found.st_ino, found.st_size, found.st_mtime_ns) if found else ()
