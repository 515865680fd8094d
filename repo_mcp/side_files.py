"""Small files in the data folder, each replaced atomically; losing one is harmless."""

from __future__ import annotations

import os
import secrets
import time
from contextlib import suppress
from typing import Final

# age at which a temporary file is taken for a killed process's leftover and removed
_LEFT_OVER_SECONDS: Final = 60.0
_MAX_BYTES: Final = 1 << 30
_NEW: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
_READ: Final = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
_TEMPORARY: Final = ".tmp"


def prepare(data_dir: str) -> None:
    """Create the data folder with a `.gitignore`, and remove leftover temporary files."""
    os.makedirs(data_dir, mode=0o700, exist_ok=True)
    if not os.listdir(data_dir):
        with suppress(FileExistsError):
            _write_new(os.path.join(data_dir, ".gitignore"), b"*\n")
    for name in os.listdir(data_dir):
        if name.endswith(_TEMPORARY):
            path = os.path.join(data_dir, name)
            with suppress(OSError):
                if time.time() - os.lstat(path).st_mtime > _LEFT_OVER_SECONDS:
                    os.unlink(path)


def put(data_dir: str, name: str, data: bytes) -> None:
    """Write a file atomically, replacing an older one; leaves nothing behind on failure."""
    path = os.path.join(data_dir, f"{name}.{secrets.token_hex(8)}{_TEMPORARY}")
    try:
        _write_new(path, data)
        os.replace(path, os.path.join(data_dir, name))
    except OSError:
        with suppress(OSError):
            os.unlink(path)
        raise


def get(data_dir: str, name: str) -> bytes:
    """A file's content; raises `OSError` if it can't be read."""
    descriptor = os.open(os.path.join(data_dir, name), _READ)
    with os.fdopen(descriptor, "rb") as file:
        return file.read(_MAX_BYTES)


def forget(data_dir: str, name: str) -> None:
    """Remove a file."""
    with suppress(OSError):
        os.unlink(os.path.join(data_dir, name))


def _write_new(path: str, data: bytes) -> None:
    with os.fdopen(os.open(path, _NEW, 0o600), "wb") as file:
        file.write(data)
