"""Interface of the platform doors, which open files below a root, and the records they return.

On every system: nothing is opened outside the root, no link that leads there is followed, and
decisions are made on the open descriptor, never by looking up the name again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Enum
from typing import TYPE_CHECKING, Protocol

from index_format.tuples import NamedTuple
from repo_mcp.errors import Problem
from repo_mcp.safety.sandbox.listing import HASH_BYTES, Folder, StatKey

if TYPE_CHECKING:
    from repo_mcp.safety.sandbox.scanning import LineScan, Scanned

Names = tuple[str, ...]
ListedFolders = list[Folder | Problem]


class FolderId(NamedTuple):
    """Device and inode of a folder: no other folder has both while this one is open."""

    device: int
    inode: int


class RootState(Enum):
    """The target of a root's path, compared with the folder that was opened."""

    SAME = "to the open folder"
    LINK_MOVED = "to the open folder, but the link by which the root was given leads elsewhere"
    REPLACED = "to another folder"
    MISSING = "to nothing, to something that is not a folder, or to an unreadable one"


class Check(Protocol):
    """Raises a problem for names that must not be opened; called before they are."""

    def __call__(self, names: Names, *, folder: bool) -> None:
        """Check real names below the root; `folder` if they are only a folder on the way."""


class Content(NamedTuple):
    """A file that was read: path below the root, all bytes, and the key, equal before and after."""

    path: str
    data: bytes
    key: StatKey


class HandleInfo(NamedTuple):
    """Type, number of hard links and key of an open file."""

    regular: bool
    links: int
    key: StatKey


class ReplacedError(Exception):
    """The open file has lost its name since; another file may have that name now."""


def list_each(list_folder: Callable[[Names], Folder], folders: Sequence[Names]) -> ListedFolders:
    """List folders one by one."""
    found: ListedFolders = []
    for names in folders:
        try:
            found.append(list_folder(names))
        except Problem as problem:
            found.append(problem)
    return found


def same_each(
    list_folders: Callable[[Sequence[Names]], ListedFolders],
    paths: Sequence[str],
    hashes: bytes,
    device: int,
) -> bytes:
    """Of each folder, 1 if it is of this device and its columns have this hash, else 0."""
    same = bytearray(len(paths))
    for at, found in enumerate(list_folders([tuple(path.split("/")) for path in paths])):
        if isinstance(found, Folder) and found.device == device:
            same[at] = found.hash == hashes[at * HASH_BYTES : (at + 1) * HASH_BYTES]
    return bytes(same)


class Door(Protocol):
    """Opens files below a root on one platform; open files are integer handles."""

    @property
    def windows(self) -> bool:
        """True if names follow the rules of Windows."""

    @property
    def roots(self) -> tuple[str, ...]:
        """The absolute paths by which the root may be named."""

    @property
    def folder(self) -> FolderId:
        """The open root, by what its descriptor says."""

    @property
    def anchor(self) -> str:
        """A path by which this process reaches the root, as long as the door is open.

        On Linux it leads to the open root even if that has been moved or replaced.
        """

    def root_state(self) -> RootState:
        """The current target of the root's path; nothing is opened by it."""

    def spellings(self, path: str) -> tuple[str, ...]:
        """The absolute path as given, and with all links resolved."""

    def open(self, names: Names, check: Check, *, follow: bool) -> int:
        """Open a file for reading; `check` sees the real names of a link's target."""

    def handle_info(self, handle: int) -> HandleInfo:
        """Type, links and key of the open file, as they are now."""

    def real_names(self, handle: int) -> Names | None:
        """The open file's path below the root, or None if the system can't tell.

        Raises a problem if the file is outside, `ReplacedError` if it has no name any more.
        """

    def read(self, handle: int, most: int) -> bytes:
        """All bytes, but no more than `most`: a file's size may be wrong."""

    def scan(
        self, paths: Sequence[str], what: LineScan, *, most_bytes: int, hard_links: bool
    ) -> list[Scanned]:
        """Scan plain files that are allowed; None for each that is not, or has another name."""

    def read_plain(
        self, paths: Sequence[str], *, most_bytes: int, hard_links: bool
    ) -> Sequence[tuple[bytes, StatKey] | None]:
        """Read plain files that are allowed; None for each that is not, or has another name."""

    def release(self, handle: int) -> None:
        """Close a handle."""

    def list_folder(self, names: Names) -> Folder:
        """List a folder; links on the way to it are not followed."""

    def list_names(self, names: Names) -> Folder:
        """The same without stat keys where these cost more."""

    def list_folders(self, folders: Sequence[Names]) -> ListedFolders:
        """The same of many folders, or why one can't be listed; on any thread."""

    def same_folders(self, paths: Sequence[str], hashes: bytes, device: int) -> bytes:
        """Of each folder, 1 if its columns have this hash, else 0; on any thread.

        A folder of another device than this, or that can't be listed, is not the same.
        """

    def close(self) -> None:
        """Close the root, unless it is closed; the last reference that is dropped does the same."""
