"""What is remembered of the last refresh, beside the index: a clock has no place inside it."""

from __future__ import annotations

import json
import os
import secrets
from contextlib import suppress
from datetime import UTC, datetime
from typing import Final

_NAME: Final = "refresh.json"
_MAX_BYTES: Final = 1 << 16
_NEW: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
_READ: Final = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)


def prepare(data_dir: str) -> None:
    """Make the data folder, and keep it out of everybody's version control."""
    os.makedirs(data_dir, mode=0o700, exist_ok=True)
    with suppress(FileExistsError):
        _write_new(os.path.join(data_dir, ".gitignore"), b"*\n")


def now() -> str:
    """The time of day, as it is shown."""
    return datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def write(data_dir: str, timestamp: str) -> None:
    """Remember when the index was last brought up to date; readers find the old or the new."""
    path = os.path.join(data_dir, f"{_NAME}.{secrets.token_hex(8)}")
    _write_new(path, json.dumps({"timestamp": timestamp}).encode())
    os.replace(path, os.path.join(data_dir, _NAME))


def read(data_dir: str) -> str:
    """When that was; empty when it is not known."""
    with suppress(OSError, ValueError, AttributeError):
        descriptor = os.open(os.path.join(data_dir, _NAME), _READ)
        try:
            found = json.loads(os.read(descriptor, _MAX_BYTES)).get("timestamp")
        finally:
            os.close(descriptor)
        return _checked(found)
    return ""


def _checked(found: object) -> str:
    """Only what is a time is passed on: the file may have come with the repository."""
    if not isinstance(found, str):
        return ""
    return datetime.fromisoformat(found).isoformat(timespec="seconds").replace("+00:00", "Z")


def _write_new(path: str, data: bytes) -> None:
    descriptor = os.open(path, _NEW, 0o600)
    try:
        os.write(descriptor, data)
    finally:
        os.close(descriptor)
