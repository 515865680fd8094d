"""Small files in the data folder, each replaced atomically; losing one is harmless.

The data folder may have come with the repository, and files may be brought into it later. So each
file is read up to a limit, and a *tagged* file only if it was written here: its first line is a
digest of the rest, keyed as the index's record of origin is (`FileStore.origin_key`).
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import BinaryIO, Final

import index_format
from index_format.blake2 import blake2b, compare_digest

# age at which a temporary file is taken for a killed process's leftover and removed
_LEFT_OVER_SECONDS: Final = 60.0
_NEW: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
_READ: Final = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
_APPEND: Final = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0)
_TEMPORARY: Final = ".tmp"
_IGNORE_FILE: Final = ".gitignore"
TAG_BYTES: Final = 16
_TAG_LINE_BYTES: Final = 2 * TAG_BYTES + 1
_LENGTH_LINE_BYTES: Final = 17
_PIECE_BYTES: Final = 1 << 20
_LOCK_SECONDS: Final = 1.0


def prepare(data_dir: str) -> None:
    """Create the data folder with a `.gitignore`, and remove leftover temporary files."""
    make_folders(data_dir)
    with suppress(OSError):  # it exists, or the folder is read-only
        _write_new(os.path.join(data_dir, _IGNORE_FILE), b"*\n")
    for name in os.listdir(data_dir):
        if name.endswith(_TEMPORARY):
            path = os.path.join(data_dir, name)
            with suppress(OSError):
                if time.time() - os.lstat(path).st_mtime > _LEFT_OVER_SECONDS:
                    os.unlink(path)


def make_folders(path: str, mode: int = 0o700) -> None:
    """Make a folder, and those above it that are missing, all with these permissions."""
    missing = []
    while path and not os.path.isdir(path):
        missing.append(path)
        path = os.path.dirname(path)
    for folder in reversed(missing):
        try:
            os.mkdir(folder, mode)
        except FileExistsError:
            if not os.path.isdir(folder):
                raise


def put(
    data_dir: str,
    name: str,
    *parts: bytes | bytearray,
    durable: bool = False,
    more: Iterable[bytes] = (),
) -> None:
    """Write a file of these parts, and `more`, atomically in place of an older one.

    Leaves nothing behind on failure. A `durable` one outlives a loss of power.
    """
    target = os.path.join(data_dir, name)
    path = os.path.join(data_dir, f"{name}.{os.urandom(8).hex()}{_TEMPORARY}")
    try:
        _write_new(path, *parts, durable=durable, more=more)
        if os.path.isdir(target) and not os.path.islink(target):
            from repo_mcp.stored import QUARANTINE_FOLDER  # noqa: PLC0415 as above

            index_format.set_aside(target, os.path.join(data_dir, QUARANTINE_FOLDER))
        os.replace(path, target)
        if durable and os.name != "nt":  # folders can't be synced there
            _sync_folder(data_dir)
    except BaseException:
        with suppress(OSError):
            os.unlink(path)
        raise


def get(data_dir: str, name: str, limit: int) -> bytes:
    """A file's content; raises `OSError` if it can't be read or has more bytes than `limit`."""
    with _open(data_dir, name, limit) as file:
        return file.read(limit)


def touch(data_dir: str, name: str, seconds: float) -> None:
    """Set the time of a file, in seconds since the epoch; a link is not followed."""
    follows = os.utime not in os.supports_follow_symlinks
    os.utime(os.path.join(data_dir, name), (seconds, seconds), follow_symlinks=follows)


def touched_at(data_dir: str, name: str) -> float:
    """The time of a file, in seconds since the epoch; raises `OSError` if there is none."""
    return os.lstat(os.path.join(data_dir, name)).st_mtime


def put_tagged(data_dir: str, name: str, data: bytes | bytearray) -> None:
    """Write a file that `get_tagged` reads."""
    key = _key(data_dir, create=True)
    tag = blake2b(data, key=key, digest_size=TAG_BYTES)
    put(data_dir, name, tag.hexdigest().encode() + b"\n", data)


def get_tagged(data_dir: str, name: str, limit: int) -> bytes:
    """The content of a file that was written here by `put_tagged`; else raises `OSError`.

    Holds no more than a piece of it in memory before its tag is known to be right.
    """
    with _open(data_dir, name, limit + _TAG_LINE_BYTES) as file:
        tag = blake2b(key=_key(data_dir), digest_size=TAG_BYTES)
        line = file.read(_TAG_LINE_BYTES)
        while piece := file.read(_PIECE_BYTES):
            tag.update(piece)
        if not compare_digest(line, tag.hexdigest().encode() + b"\n"):
            message = f"{name} was not written here"
            raise OSError(message)
        file.seek(_TAG_LINE_BYTES)
        return file.read(limit)


def put_headed(data_dir: str, name: str, head: bytes, rest: Iterable[bytes]) -> None:
    """Write a file of which `open_headed` checks the head alone."""
    key = _key(data_dir, create=True)
    line = b"%0*x\n" % (_LENGTH_LINE_BYTES - 1, len(head))
    tag = blake2b(line + head, key=key, digest_size=TAG_BYTES)
    put(data_dir, name, tag.hexdigest().encode() + b"\n", line, head, more=rest)


@contextmanager
def open_headed(data_dir: str, name: str, limit: int) -> Iterator[tuple[bytes, BinaryIO]]:
    """The head of a file that `put_headed` wrote here, and the file, which is at its rest.

    The head vouches for the rest, by digests. Else raises `OSError`.
    """
    with _open(data_dir, name, limit) as file:
        line = file.read(_TAG_LINE_BYTES)
        length = file.read(_LENGTH_LINE_BYTES)
        with suppress(ValueError):
            head = file.read(min(int(length, 16), limit))
            tag = blake2b(length + head, key=_key(data_dir), digest_size=TAG_BYTES)
            if compare_digest(line, tag.hexdigest().encode() + b"\n"):
                yield head, file
                return
    message = f"{name} was not written here"
    raise OSError(message)


def append(data_dir: str, name: str, data: bytes | bytearray) -> None:
    """Add bytes at the end of a file in one write; who reads meanwhile sees their beginning."""
    descriptor = os.open(os.path.join(data_dir, name), _APPEND, 0o600)
    with os.fdopen(descriptor, "ab", buffering=0) as file:
        file.write(data)


def get_end(data_dir: str, name: str, begin: int, limit: int) -> bytes:
    """The content of a file from a place on; all of one that is shorter. Else as `get`."""
    with _open(data_dir, name, limit) as file:
        file.seek(begin if begin <= os.fstat(file.fileno()).st_size else 0)
        return file.read(limit)


class Tagger:
    """Makes digests that only who has the key of a data folder can make, of parts of a file."""

    def __init__(self, data_dir: str, *, create: bool = False) -> None:
        """Read the key, or `create` it; raises `OSError` if there is none."""
        self._key = _key(data_dir, create=create)

    def tag(self, data: bytes) -> bytes:
        """The digest of some bytes."""
        return blake2b(data, key=self._key, digest_size=TAG_BYTES).digest()


def digest_of(data: bytes) -> str:
    """A digest by which a tagged file can vouch for another one."""
    return blake2b(data, digest_size=TAG_BYTES).hexdigest()


def forget(data_dir: str, name: str) -> None:
    """Remove a file."""
    with suppress(OSError):
        os.unlink(os.path.join(data_dir, name))


def _key(data_dir: str, *, create: bool = False) -> bytes:
    from repo_mcp.stored import INDEX_FOLDER  # noqa: PLC0415 as above

    store = index_format.FileStore(os.path.join(data_dir, INDEX_FOLDER), create=create)
    try:
        try:
            return store.origin_key()
        except index_format.FileMissingError:
            if not create:
                raise
        with store.lock(_LOCK_SECONDS):  # makes the lock file, of which the key is made
            return store.origin_key()
    except index_format.IndexFormatError as error:
        raise OSError(str(error)) from error


def _open(data_dir: str, name: str, limit: int) -> BinaryIO:
    descriptor = os.open(os.path.join(data_dir, name), _READ)
    found = os.fstat(descriptor)
    if not stat.S_ISREG(found.st_mode) or found.st_size > limit:
        os.close(descriptor)
        message = f"{name} is no file of at most {limit} bytes"
        raise OSError(message)
    return os.fdopen(descriptor, "rb")


def _write_new(
    path: str, *parts: bytes | bytearray, durable: bool = False, more: Iterable[bytes] = ()
) -> None:
    with os.fdopen(os.open(path, _NEW, 0o600), "wb") as file:
        file.writelines(parts)
        file.writelines(more)
        if durable:
            file.flush()
            os.fsync(file.fileno())


def _sync_folder(path: str) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
