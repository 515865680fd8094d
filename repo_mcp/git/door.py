"""The door to a commit: its files are read from the objects of `.git`, and no file of a checkout.

A link of the commit is followed to what the same commit has there, and never out of it. Hashes of
objects take the place of times, so that equal keys mean equal contents.
"""

from __future__ import annotations

import math
import os
import threading
import weakref
from collections.abc import Mapping
from typing import Final

from repo_mcp.errors import Problem
from repo_mcp.git.commits import read_links
from repo_mcp.git.deltas import is_file_name, tree_entries
from repo_mcp.git.gaps import DAMAGED, ObjectGap, UnreadObjectError, gaps_text
from repo_mcp.git.history import GitHistory
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
_KEPT_BYTES: Final = 32 << 20
_FOLDER: Final = b"40000"
_LINK: Final = b"120000"
_FILE: Final = b"100"
_MOST_LINKS: Final = 16
_MOST_TARGET: Final = 4096
# entries of folders that are remembered
_MOST_ENTRIES: Final = 400_000
# files of a commit, beyond which its entries may not stand at more places than this on average
_FREE_FILES: Final = 100_000
_MOST_PLACES: Final = 16
_MOST_DEPTH: Final = 200
_NO_NAMES: Final = frozenset({"", "."})
_UP: Final = ".."
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
        self._held = 0
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

    def survey(self) -> list[ObjectGap]:
        """The folders that can't be read, each where it is first.

        Raises a `Problem` for a commit with far more files than its folders have entries: folders
        that have each other, or one folder at very many places, are a few hundred bytes.
        """
        counts: dict[bytes, float] = {}
        gaps: list[ObjectGap] = []
        entries = 0

        def count(tree: bytes, path: str, depth: int) -> float:
            nonlocal entries
            if tree not in counts:
                counts[tree] = math.inf  # as long as it is being counted, it is in itself
                inside: Entries = {}
                try:
                    inside = self._read_folder(tree) if depth else {}
                except UnreadObjectError as error:
                    gaps.append(self._gap(error.at(path).gap))
                entries += len(inside)
                counts[tree] = len(inside) + sum(
                    count(identity, f"{path}/{name}" if path else name, depth - 1)
                    for name, (mode, identity) in inside.items()
                    if mode == _FOLDER
                )
            return counts[tree]

        files = count(self._tree, "", _MOST_DEPTH)
        if files > max(_FREE_FILES, _MOST_PLACES * entries):
            text = "its folders stand for far more files than the repository has"
            raise Problem("history_unread", f"{self._commit[:12]}: {text}")
        return gaps

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
        target = os.fsdecode(self._data(link, "blob")[:_MOST_TARGET])
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
        try:
            return self._read_folder(tree)
        except UnreadObjectError as error:
            raise self._unread(error.gap) from None

    def _read_folder(self, tree: bytes) -> Entries:
        known = self._folders.get(tree)
        if known is None:
            with self._lock:
                data = self._objects.data(tree, "tree")
            try:
                entries = tree_entries(data)
            except ValueError:
                raise UnreadObjectError(ObjectGap("", "tree", tree, DAMAGED)) from None
            known = {
                os.fsdecode(bare): entry
                for name, entry in entries.items()
                if is_file_name(bare := name.removesuffix(b"/"))
            }
            if self._held + len(known) > _MOST_ENTRIES:
                self._folders.clear()
                self._held = 0
            self._folders[tree] = known
            self._held += len(known)
        return known

    def _data(self, identity: bytes, kind: str, path: str = "") -> bytes:
        """The content of an object of a type; a `Problem` where it can't be read."""
        try:
            with self._lock:
                return self._objects.data(identity, kind)
        except UnreadObjectError as error:
            raise self._unread(error.at(path).gap) from None

    def _unread(self, gap: ObjectGap) -> Problem:
        return Problem("history_unread", gaps_text([self._gap(gap)]))

    def _gap(self, gap: ObjectGap) -> ObjectGap:
        return gap._replace(is_partial=self._git.is_partial)

    def _key(self, identity: bytes) -> StatKey:
        """The size and the hash: equal for equal contents, and never a time that is still going."""
        try:
            with self._lock:
                size = self._objects.size(identity)
        except DAMAGE:
            raise self._unread(ObjectGap("", "blob", identity, DAMAGED)) from None
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
        return self._data(identity, "blob", "/".join(names))[:most]

    def _read_plain(self, names: Names, most: int) -> tuple[bytes, StatKey] | None:
        try:
            at, mode, identity = self._find(names)
            if at != len(names) or not mode.startswith(_FILE):
                return None
            key = self._key(identity)
            return None if key.size > most else (self._data(identity, "blob"), key)
        except Problem:
            return None

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
                entries.append(self._file_entry(name, identity, with_keys=with_keys))
            else:  # a link, or a commit of another repository
                entries.append(FolderEntry(name, "link" if kind == _LINK else "other", None))
        entries.sort(key=lambda entry: entry.name.encode())
        return Folder(entries, unreadable, 0)

    def _file_entry(self, name: str, identity: bytes, *, with_keys: bool) -> FolderEntry:
        """The entry of a file; one without a content costs no other its place in the list."""
        try:
            return FolderEntry(name, "file", self._key(identity) if with_keys else None)
        except Problem:
            return FolderEntry(name, "unreadable", None)

    def close(self) -> None:
        """Close all files, unless they are; the last reference does it, too."""
        self._closing()


def _is_text(name: str) -> bool:
    """True for a name of Unicode: others are counted alone, as in a checkout."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True
