"""Blocks of objects on the disk, bounded: what was fetched by a range is not fetched again.

    <folder>/<object>/<number>    xxh3_128 of the block, then the block

A block that is damaged, cut short or gone is fetched again, so nothing here is synced or locked,
and several processes may use one folder. The least recently used ones are removed when there are
too many; a use is noted once an hour.
"""

from __future__ import annotations

import os
import threading
from contextlib import suppress
from typing import Final

import xxhash

from repo_mcp import side_files

_DIGEST_BYTES: Final = 16
_NOTED_SECONDS: Final = 3600.0
# of the limit, what stays when blocks are removed
_KEPT_SHARE: Final = 0.8


class BlockCache:
    """Blocks in a folder that takes at most so many bytes; any thread may use it."""

    def __init__(self, folder: str, most_bytes: int) -> None:
        """Keep the arguments; the folder is made by the first block."""
        self.most_bytes = most_bytes
        self._folder = folder
        self._size: int | None = None
        self._guard = threading.Lock()

    def get(self, name: str, number: int, length: int) -> bytes | None:
        """A block of this length, or None if it is not there, whole."""
        path = self._path(name, number)
        with suppress(OSError):
            with open(path, "rb") as file:
                data = file.read(_DIGEST_BYTES + length + 1)
                used = os.fstat(file.fileno()).st_mtime
            block = data[_DIGEST_BYTES:]
            if len(block) == length and xxhash.xxh3_128_digest(block) == data[:_DIGEST_BYTES]:
                self._note(path, used)
                return block
        return None

    def put(self, name: str, number: int, block: bytes) -> None:
        """Keep a block, if the disk lets us."""
        folder, file = os.path.split(self._path(name, number))
        with suppress(OSError):
            side_files.make_folders(folder)
            side_files.put(folder, file, xxhash.xxh3_128_digest(block), block)
            self._grow(_DIGEST_BYTES + len(block))

    def forget(self, name: str) -> None:
        """Remove the blocks of an object."""
        folder = os.path.dirname(self._path(name, 0))
        with suppress(OSError), os.scandir(folder) as files:
            for file in files:
                with suppress(OSError):
                    size = file.stat(follow_symlinks=False).st_size
                    os.unlink(file.path)
                    with self._guard:
                        self._size = None if self._size is None else self._size - size
        with suppress(OSError):
            os.rmdir(folder)

    def _path(self, name: str, number: int) -> str:
        return os.path.join(self._folder, os.path.basename(name), str(number))

    def _note(self, path: str, used: float) -> None:
        import time  # noqa: PLC0415 a clock for the age of files alone

        if not 0 <= time.time() - used < _NOTED_SECONDS:
            os.utime(path)

    def _grow(self, size: int) -> None:
        with self._guard:
            if self._size is None:
                self._size = sum(item[1] for item in self._files())
            else:
                self._size += size
            if self._size > self.most_bytes:
                self._size = self._evict()

    def _evict(self) -> int:
        """Remove the least recently used blocks; the bytes that are left."""
        files = sorted(self._files())
        size = sum(item[1] for item in files)
        for _, length, path in files:
            if size <= self.most_bytes * _KEPT_SHARE:
                break
            with suppress(OSError):
                os.unlink(path)
                size -= length
        return size

    def _files(self) -> list[tuple[float, int, str]]:
        found = []
        for parent, _, files in os.walk(self._folder):
            for file in files:
                path = os.path.join(parent, file)
                with suppress(OSError):
                    about = os.lstat(path)
                    found.append((about.st_mtime, about.st_size, path))
        return found
