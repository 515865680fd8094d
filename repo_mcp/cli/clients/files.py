"""Reads clients' configuration files, and replaces them atomically with a backup."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import takewhile
from pathlib import Path
from typing import Final

from index_format.tuples import NamedTuple
from repo_mcp import user_files


class EditError(Exception):
    """A file can't be edited safely; the message says why."""


BACKUP: Final = ".repo-mcp.bak"
_LARGEST: Final = 64 << 20
# of a file that comes with a project, which may be hostile
_LARGEST_IN_PROJECT: Final = 64 << 10
# a list that gets one more rule is written on one line
_MOST_TIMES_LONGER: Final = 8
_BOM: Final = "\ufeff"
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
    largest = _LARGEST if inside is None else _LARGEST_IN_PROJECT
    try:
        with user_files.open_regular(str(real)) as file:
            found = os.fstat(file.fileno())
            data = file.read(largest + 1)
    except FileNotFoundError:
        return ClientFile(real, "")
    except OSError as error:
        raise EditError(f"it can't be read: {error.strerror}") from None
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


@contextmanager
def one_at_a_time() -> Iterator[None]:
    """Until it ends, no other run of this user changes clients' files, so that none is lost.

    Where there is no home folder or no lock, a file that was changed meanwhile is still refused.
    """
    lock = _lock()
    try:
        yield
    finally:
        if lock is not None:
            os.close(lock)


def _lock() -> int | None:
    with suppress(ImportError, OSError):
        import fcntl  # noqa: PLC0415 Windows has none

        descriptor = os.open(Path.home(), os.O_RDONLY)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        except OSError:
            os.close(descriptor)
            raise
        return descriptor
    return None


def replace(
    original: ClientFile, text: str, *, private: bool, keeps_backup: bool = False
) -> Path | None:
    """Replace a file's text; returns the path of the backup, None if there is no new one.

    A new file is readable by others unless `private`; an existing one keeps its mode.
    """
    data, found = original.encode(text), original.found
    try:
        if found is None:
            folder_mode, mode = (0o700, _PRIVATE) if private else (0o777, user_files.SHARED)
            original.path.parent.mkdir(parents=True, exist_ok=True, mode=folder_mode)
            user_files.write_new(str(original.path), lambda file: file.write(data), mode)
            return None
        user_files.check_unchanged(str(original.path), found)
        backup, before = _backup_of(original), original.encode(original.text)
        if not keeps_backup:
            user_files.write_copy(str(backup), lambda file: file.write(before), found)
        user_files.replace(str(original.path), lambda file: file.write(data), found)
    except (FileExistsError, user_files.ChangedError):
        raise EditError("another program changed it just now: try again") from None
    except OSError as error:
        raise EditError(f"it can't be written: {error.strerror}") from None
    return None if keeps_backup else backup


def backup_text(original: ClientFile) -> str | None:
    """The text of the file's backup; None without one, or if it can't be that of this file."""
    most = _MOST_TIMES_LONGER * len(original.encode(original.text))
    with suppress(OSError, ValueError):
        with user_files.open_regular(str(_backup_of(original)), follow=False) as file:
            data = file.read(most + 1)
        text = data.decode("utf-8")
        text = text.removeprefix(_BOM)
        plain = text.replace("\r\n", "\n") if original.crlf else text
        return plain if original.encode(plain) == data else None
    return None


def has_backup(original: ClientFile) -> bool:
    """True if a backup says that the file was there before."""
    return _backup_of(original).exists()


def remove(original: ClientFile, above: Path) -> None:
    """Remove a file, and the folders below `above` that are left empty."""
    try:
        if original.found is not None:
            user_files.check_unchanged(str(original.path), original.found)
        original.path.unlink()
    except OSError as error:
        raise EditError(f"it can't be removed: {error.strerror}") from None
    top = Path(os.path.realpath(above))
    folders = (
        original.path.parents if original.path.is_relative_to(top) else (original.path.parent,)
    )
    with suppress(OSError):  # one of them holds other files
        for folder in takewhile(lambda folder: folder != top, folders):
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
