"""Limits of what is read of a repository at once, in proportion to the bytes that are there.

Objects of git name each other, and are packed: a few kilobytes may stand for more paths, or more
bytes, than any machine has. Each limit is far above what repositories have of which somebody has
a checkout.
"""

from __future__ import annotations

import os
from typing import Final

from repo_mcp.git.gaps import CROWDED, PACKED, ObjectGap, UnreadObjectError

# of one object, and of those that its deltas are applied to on the way
MOST_OBJECT_BYTES: Final = 64 << 20
# a folder of 90,000 files
MOST_TREE_BYTES: Final = 4 << 20
# of a commit: more parents than any has, and a message that nobody has written
MOST_COMMIT_BYTES: Final = 16 << 20
# files that differ between two trees, with the characters of their paths
MOST_PATHS: Final = 50_000
_MOST_PATH_BYTES: Final = 16 << 20
# the folders that are compared for that, each as if it had so many bytes more
_MOST_FOLDER_BYTES: Final = 256 << 20
_FOLDER_BYTES: Final = 2048
# bytes that one question unpacks, and how many more for each that it has read: text is packed to a
# fifth or a tenth
_MOST_UNPACKED: Final = 256 << 20
_UNPACKED_EACH: Final = 64


class TreeWork:
    """The cost of one comparison of trees; raises an `UnreadObjectError` when it is too much."""

    def __init__(self) -> None:
        """Nothing is done yet."""
        self._paths = self._path_bytes = self._folder_bytes = 0

    def add_folder(self, folder: bytes, identity: bytes | None, size: int) -> None:
        """Count a folder that is read."""
        self._folder_bytes += size + len(folder) + _FOLDER_BYTES
        if self._folder_bytes > _MOST_FOLDER_BYTES:
            raise UnreadObjectError(crowded(folder, identity))

    def add_path(self, folder: bytes, identity: bytes | None, path: bytes) -> None:
        """Count a file of a folder that differs."""
        self._paths += 1
        self._path_bytes += len(path)
        if self._paths > MOST_PATHS or self._path_bytes > _MOST_PATH_BYTES:
            raise UnreadObjectError(crowded(folder, identity))


def crowded(folder: bytes, identity: bytes | None) -> ObjectGap:
    """The folder at which a comparison has ended."""
    return ObjectGap(os.fsdecode(folder.rstrip(b"/")), "tree", identity or b"", CROWDED)


class UnpackingWork:
    """Bytes that one question unpacks; `ObjectLimitError` when they are far more than it reads."""

    def __init__(self) -> None:
        """Nothing is unpacked yet."""
        self._read = self._made = 0

    def begin(self) -> None:
        """Another question begins."""
        self._read = self._made = 0

    def add(self, read: int, made: int) -> None:
        """Count bytes that were read, and what they were unpacked to."""
        self._read += read
        self._made += made
        if self._made > _MOST_UNPACKED + _UNPACKED_EACH * self._read:
            raise ObjectLimitError(PACKED)


class ObjectLimitError(ValueError):
    """An object that is over a limit; says over which one."""
