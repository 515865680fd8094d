"""The door to a commit: its files are read from the objects of `.git`, and no file of a checkout.

A link of the commit is followed to what the same commit has there, and never out of it. Hashes of
objects take the place of times, so that equal keys mean equal contents.
"""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Mapping
from typing import Final

from repo_mcp.errors import Problem
from repo_mcp.git.commits import read_links
from repo_mcp.git.deltas import tree_entries
from repo_mcp.git.gaps import ObjectGap, gaps_text
from repo_mcp.git.history import GitHistory
from repo_mcp.git.objects import GitObject
from repo_mcp.git.packs import DAMAGE
from repo_mcp.safety.sandbox.door import (
    Check,
    FolderId,
    HandleInfo,
    Names,
    RootState,
)
from repo_mcp.safety.sandbox.listing import Folder, FolderEntry, StatKey
from repo_mcp.safety.sandbox.one_by_one import OneByOneDoor

# the largest file that is ever indexed
_MOST_BYTES: Final = 256 << 20
_KEPT_BYTES: Final = 64 << 20
_FOLDER: Final = b"40000"
_LINK: Final = b"120000"
_FILE: Final = b"100"
_MOST_LINKS: Final = 16
_MOST_TARGET: Final = 4096
_MOST_FOLDERS: Final = 100_000
_NO_NAMES: Final = frozenset({"", "."})
_UP: Final = ".."
_GIT: Final = ".git"
_SECOND: Final = 1_000_000_000

Entries = Mapping[str, tuple[bytes, bytes]]


class RevisionDoor(OneByOneDoor):
    """Opens files of one commit of the repository that a folder is a checkout of; thread-safe."""

    windows = False

    def __init__(self, root: str, commit: str) -> None:
        """Find the commit; raises a `Problem` where it is not there."""
        self._root = root
        self._commit = commit
        self._git = GitHistory(root)
        if self._git.unread:
            raise Problem("history_unread", self._git.unread)
        self._objects = self._git.open_objects(_MOST_BYTES, _KEPT_BYTES)
        self._closing = weakref.finalize(self, self._objects.close)
        self._lock = threading.Lock()
        try:
            found = read_links(self._objects, bytes.fromhex(commit))
        except DAMAGE:
            found = None
        if found is None:
            raise Problem("history_unread", "this commit is not there")
        self._time_ns = found.time * _SECOND
        self._folders: dict[bytes, Entries] = {}
        self._tree = found.tree
        self._open: dict[int, tuple[Names, bytes]] = {}
        self._last = 0

    @property
    def roots(self) -> tuple[str, ...]:
        """The paths of the checkout: the files of the commit have these names, too."""
        return tuple(dict.fromkeys((self._root, os.path.realpath(self._root))))

    @property
    def folder(self) -> FolderId:
        """The identity of the commit: no other one has both numbers."""
        return FolderId(int(self._commit[:15], 16), int(self._commit[15:30], 16))

    @property
    def anchor(self) -> str:
        """The path of the checkout."""
        return self._root

    def root_state(self) -> RootState:
        """The state of the repository: nothing takes the place of a commit."""
        is_there = os.path.isdir(self._git.common) and os.path.isdir(self._root)
        return RootState.SAME if is_there else RootState.MISSING

    def open(self, names: Names, check: Check, *, follow: bool) -> int:
        """The number of a file that is open from now on; links are followed within the commit."""
        check(names, folder=False)
        for _ in range(_MOST_LINKS):
            at, mode, identity = self._find(names)
            if mode.startswith(_FILE) and at == len(names):
                with self._lock:
                    self._last += 1
                    self._open[self._last] = names, identity
                    return self._last
            if mode != _LINK:
                raise Problem("not_a_file" if mode and at == len(names) else "not_found")
            if not follow:
                raise Problem("not_a_file")
            names = self._behind(names, at, identity)
            check(names, folder=False)
        raise Problem("not_found")

    def _behind(self, names: Names, at: int, link: bytes) -> Names:
        """The names that a link, which is the first `at` of these, leads to."""
        target = os.fsdecode(self._object(link).data[:_MOST_TARGET])
        if target.startswith("/") or "\0" in target:
            raise Problem("path_outside")
        found = list(names[: at - 1])
        for name in (*target.split("/"), *names[at:]):
            if name == _UP:
                if not found:
                    raise Problem("path_outside")
                found.pop()
            elif name not in _NO_NAMES:
                found.append(name)
        return tuple(found)

    def _find(self, names: Names) -> tuple[int, bytes, bytes]:
        """Mode and hash of the first of these names that is no folder, or of the last one.

        Before them, how many names lead there; no mode where there is none.
        """
        tree, mode = self._tree, _FOLDER
        for at, name in enumerate(names, 1):
            mode, identity = self._entries(tree).get(name, (b"", b""))
            if mode != _FOLDER or at == len(names):
                return at, mode, identity
            tree = identity
        return 0, _FOLDER, tree

    def _entries(self, tree: bytes) -> Entries:
        known = self._folders.get(tree)
        if known is None:
            found = self._object(tree)
            if found.kind != "tree":
                raise Problem("unreadable")
            named = (
                (os.fsdecode(name.removesuffix(b"/")), entry)
                for name, entry in tree_entries(found.data).items()
            )
            known = {name: entry for name, entry in named if _is_name(name)}
            if len(self._folders) >= _MOST_FOLDERS:
                self._folders.clear()
            self._folders[tree] = known
        return known

    def _object(self, identity: bytes) -> GitObject:
        try:
            with self._lock:
                return self._objects.get(identity)
        except DAMAGE:
            raise Problem("unreadable") from None

    def _key(self, identity: bytes) -> StatKey:
        """The size and the hash: equal for equal contents, and never a time that is still going."""
        try:
            with self._lock:
                size = self._objects.size(identity)
        except DAMAGE:
            raise Problem("unreadable") from None
        change = -(int.from_bytes(identity[:8], "big") >> 1)
        return StatKey(size, self._time_ns, change, int.from_bytes(identity[8:16], "big"))

    def handle_info(self, handle: int) -> HandleInfo:
        """Type and key of an open file."""
        return HandleInfo(regular=True, links=1, key=self._key(self._open[handle][1]))

    def real_names(self, handle: int) -> Names | None:
        """The open file's path."""
        return self._open[handle][0]

    def read(self, handle: int, most: int) -> bytes:
        """All bytes, but no more than `most`."""
        names, identity = self._open[handle]
        found = self._object(identity)
        if found.kind != "blob":
            gap = ObjectGap("/".join(names), "blob", identity, is_partial=self._git.is_partial)
            raise Problem("history_unread", gaps_text([gap]))
        return found.data[:most]

    def _read_plain(self, names: Names, most: int) -> tuple[bytes, StatKey] | None:
        try:
            at, mode, identity = self._find(names)
            if at != len(names) or not mode.startswith(_FILE):
                return None
            key = self._key(identity)
            if key.size > most:
                return None
            found = self._object(identity)
        except Problem:
            return None
        return (found.data, key) if found.kind == "blob" else None

    def release(self, handle: int) -> None:
        """Forget an open file."""
        with self._lock:
            self._open.pop(handle, None)

    def list_folder(self, names: Names) -> Folder:
        """List a folder."""
        return self._list(names, with_keys=True)

    def list_names(self, names: Names) -> Folder:
        """The same without keys: a size has to be looked up for each."""
        return self._list(names, with_keys=False)

    def _list(self, names: Names, *, with_keys: bool) -> Folder:
        at, mode, tree = self._find(names)
        if mode != _FOLDER or at != len(names):
            raise Problem("not_a_folder" if mode else "not_found")
        entries: list[FolderEntry] = []
        unreadable = 0
        for name, (kind, identity) in self._entries(tree).items():
            if not _is_text(name):
                unreadable += 1
            elif kind == _FOLDER:
                entries.append(FolderEntry(name, "folder", None))
            elif kind.startswith(_FILE):
                key = self._key(identity) if with_keys else None
                entries.append(FolderEntry(name, "file", key))
            else:  # a link, or a commit of another repository
                entries.append(FolderEntry(name, "link" if kind == _LINK else "other", None))
        entries.sort(key=lambda entry: entry.name.encode())
        return Folder(entries, unreadable, 0)

    def close(self) -> None:
        """Close all files, unless they are; the last reference does it, too."""
        self._closing()


def _is_name(name: str) -> bool:
    """True for a name that a file can have in a checkout; git writes no others."""
    return not (name in _NO_NAMES or name == _UP or "/" in name or name.casefold() == _GIT)


def _is_text(name: str) -> bool:
    """True for a name of Unicode: others are counted alone, as in a checkout."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True
