"""What a way to open below a root promises, and what is handed out of it.

Whatever the system: nothing is opened outside the root, no link is followed that leads there, and
what a path led to is judged by what is open, never by looking its name up once more.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

Names = tuple[str, ...]


class Check(Protocol):
    """Raises a problem for names that must not be opened; asked before they are."""

    def __call__(self, names: Names, *, folder: bool) -> None:
        """Look at real names below the root; `folder` when they are on the way only."""


class StatKey(NamedTuple):
    """What the system says of a file: equal keys mean that nobody touched it since."""

    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int


class Content(NamedTuple):
    """A file that was read: its path below the root, all bytes, and its key before and after."""

    path: str
    data: bytes
    key: StatKey


class FolderEntry(NamedTuple):
    """An entry of a folder; `kind` is file, folder, link or other, and only files have a key."""

    name: str
    kind: str
    key: StatKey | None


class Folder(NamedTuple):
    """A folder's entries, in the order of their names' bytes, and the device it lies on."""

    entries: list[FolderEntry]
    unreadable_names: int
    device: int


class About(NamedTuple):
    """What is open: whether it is a regular file, and how many names it has."""

    regular: bool
    links: int
    key: StatKey


class ReplacedError(Exception):
    """What was opened has lost its name since; another file may bear it now."""


class Door(Protocol):
    """One system's way to open below a root; what is open goes by a number."""

    @property
    def windows(self) -> bool:
        """Whether names mean what they mean on Windows."""

    @property
    def roots(self) -> tuple[str, ...]:
        """How an absolute path into the root may begin."""

    def spellings(self, path: str) -> tuple[str, ...]:
        """A path made absolute: as given, and as it really lies."""

    def open(self, names: Names, check: Check, *, follow: bool) -> int:
        """Open a file for reading; `check` sees the real names of what a link leads to."""

    def about(self, handle: int) -> About:
        """What is open now."""

    def place(self, handle: int) -> Names | None:
        """Where below the root the file lies that is open; None where the system can't tell.

        Raises a problem when it lies elsewhere, `ReplacedError` when it lies nowhere any more.
        """

    def read(self, handle: int, most: int) -> bytes:
        """All bytes from the first on, but no more than `most`: a file's size may be a lie."""

    def release(self, handle: int) -> None:
        """Close what was opened."""

    def folder(self, names: Names) -> Folder:
        """List a folder; links on the way to it are not followed."""

    def close(self) -> None:
        """Let go of the root."""
