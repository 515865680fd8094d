"""Removes the indexes that were asked the longest ago, once all in a folder take too much room."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Final

from index_format.tuples import NamedTuple
from repo_mcp import side_files

# a running server may work with what was asked a short while ago
_KEPT_SECONDS: Final = 24 * 3600.0
# the file in a folder whose time is that of the last question
USED: Final = "used"


class _Shelf(NamedTuple):
    """The folder of the indexes of one package or revision."""

    used: float
    path: str
    size: int


def mark_used(shelf: str, folder: str, most_bytes: int) -> None:
    """Note that the indexes of a shelf are used now; for new ones, old ones of the folder go."""
    if not os.path.isdir(shelf):
        remove_unused(folder, most_bytes)
    with suppress(OSError):
        side_files.make_folders(shelf)
        side_files.put(shelf, USED)


def remove_unused(
    folder: str, most_bytes: int, clock: Callable[[], float] = time.time
) -> list[str]:
    """Remove what was used the longest ago until the rest takes at most so many bytes.

    Nothing that was used within a day is removed. Returns the folders that were.
    """
    shelves = sorted(_shelves(folder))
    size = sum(shelf.size for shelf in shelves)
    removed: list[str] = []
    for shelf in shelves:
        if size <= most_bytes or shelf.used > clock() - _KEPT_SECONDS:
            break
        shutil.rmtree(shelf.path, ignore_errors=True)
        removed.append(shelf.path)
        size -= shelf.size
    return removed


def _shelves(folder: str) -> Iterator[_Shelf]:
    for ecosystem in _folders_in(folder):
        for path in _folders_in(ecosystem):
            yield _Shelf(_used(path), path, _size(path))


def _used(path: str) -> float:
    try:
        return os.stat(os.path.join(path, USED)).st_mtime
    except OSError:
        return 0.0


def _folders_in(folder: str) -> list[str]:
    try:
        with os.scandir(folder) as entries:
            found = [entry.path for entry in entries if entry.is_dir(follow_symlinks=False)]
    except OSError:
        return []
    return sorted(found)


def _size(folder: str) -> int:
    size = 0
    for above, _, names in os.walk(folder):
        for name in names:
            try:
                found = os.lstat(os.path.join(above, name))
                # what has other names elsewhere stays on the disk
                size += found.st_size // max(found.st_nlink, 1)
            except OSError:
                continue
    return size
