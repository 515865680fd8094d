"""Reads clients' configuration files, and replaces them atomically with a backup."""

from __future__ import annotations

import os
import secrets
import stat
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

from repo_mcp.cli.clients.jsonc_tree import EditError

BACKUP: Final = ".repo-mcp.bak"
_LARGEST: Final = 64 << 20
_BOM: Final = "\ufeff"
_READ: Final = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_NEW: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
_PRIVATE: Final = 0o600


class ClientFile(NamedTuple):
    """A file as it was read; `path` is where it really lies, `found` is None when there is none."""

    path: Path
    text: str
    found: os.stat_result | None = None
    crlf: bool = False
    bom: bool = False

    def encode(self, text: str) -> bytes:
        """A text as bytes, written as this file is."""
        ended = text.replace("\n", "\r\n") if self.crlf else text
        return f"{_BOM if self.bom else ''}{ended}".encode()


def read(path: Path, inside: Path | None = None) -> ClientFile:
    """The file, through links; those of a project must not lead out of it (`inside`)."""
    real = Path(os.path.realpath(path))
    if inside is not None and not real.is_relative_to(os.path.realpath(inside)):
        raise EditError("a link leads out of the project")
    try:
        descriptor = os.open(real, _READ)
    except FileNotFoundError:
        return ClientFile(real, "")
    except OSError as error:
        raise EditError(f"it can't be read: {error.strerror}") from None
    found = os.fstat(descriptor)
    if not stat.S_ISREG(found.st_mode) or found.st_size > _LARGEST:
        os.close(descriptor)
        raise EditError("it is no plain file of a bearable size")
    with os.fdopen(descriptor, "rb") as file:
        data = file.read()
    try:
        text = data.decode("utf-8")
    except ValueError:
        raise EditError("it is not UTF-8") from None
    bom = text.startswith(_BOM)
    ends = text.count("\n")
    crlf = bool(ends) and text.count("\r\n") == ends
    plain = text.removeprefix(_BOM)
    return ClientFile(real, plain.replace("\r\n", "\n") if crlf else plain, found, crlf, bom)


def replace(held: ClientFile, text: str, *, private: bool) -> Path | None:
    """Put a text in place of what was read; gives where that is kept, None when there was none.

    A new file is readable by others unless `private`; one that is there keeps its mode.
    """
    try:
        held.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700 if private else 0o777)
        backup = None
        if held.found is not None:
            backup = held.path.with_name(held.path.name + BACKUP)
            _put(backup, held.encode(held.text), held.found, held.path, private=private)
        _put(held.path, held.encode(text), held.found, held.path, private=private)
    except OSError as error:
        raise EditError(f"it can't be written: {error.strerror}") from None
    return backup


def _put(
    target: Path, data: bytes, like: os.stat_result | None, read_at: Path, *, private: bool
) -> None:
    """Write beside the target, then take its place: whoever reads finds one of the two whole."""
    fresh = target.with_name(f".{target.name}.{secrets.token_hex(8)}.tmp")
    mode = stat.S_IMODE(like.st_mode) if like else (_PRIVATE if private else 0o666)
    descriptor = os.open(fresh, _NEW, _PRIVATE if like else mode)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(descriptor)
        if like is not None:
            _resemble(fresh, like, mode)
        _check_unchanged(read_at, like)
        fresh.replace(target)
    except BaseException:
        with suppress(OSError):
            fresh.unlink()
        raise


def _resemble(fresh: Path, like: os.stat_result, mode: int) -> None:
    """The owner and the mode of the file that it takes the place of."""
    if hasattr(os, "chown") and (like.st_uid, like.st_gid) != (os.geteuid(), os.getegid()):
        with suppress(OSError):
            os.chown(fresh, like.st_uid, like.st_gid)
    fresh.chmod(mode)


def _check_unchanged(path: Path, like: os.stat_result | None) -> None:
    """Another program, the client most likely, may have written to it meanwhile."""
    try:
        now = path.stat()
    except FileNotFoundError:
        now = None
    if _key(now) != _key(like):
        raise EditError("another program changed it just now: try again")


def _key(found: os.stat_result | None) -> tuple[int, ...]:
    return (found.st_ino, found.st_size, found.st_mtime_ns) if found else ()
