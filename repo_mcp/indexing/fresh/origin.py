"""Tells an index that grew here from one that was put here.

A repository may come with a data folder whose index claims to be of its files and is not. What
nobody can ship or foresee are the numbers that this system gave to the index's folder and to its
lock file, and the moment in which it made that: they are written down when the index is begun, and
an index where they are others is begun anew.
"""

from __future__ import annotations

import os
from contextlib import suppress
from typing import Final

from index_format import LOCK_NAME
from repo_mcp import side_files

_NAME: Final = "place"


def claim(data_dir: str, folder: str) -> None:
    """Write down that this index is begun here."""
    side_files.put(data_dir, _NAME, _mark(folder))


def is_ours(data_dir: str, folder: str) -> bool:
    """Whether the index in this folder was begun here."""
    with suppress(OSError):
        return side_files.get(data_dir, _NAME) == _mark(folder)
    return False


def _mark(folder: str) -> bytes:
    lock = os.lstat(os.path.join(folder, LOCK_NAME))  # it is made once and never written to
    return f"{os.lstat(folder).st_ino} {lock.st_ino} {lock.st_ctime_ns}\n".encode()
