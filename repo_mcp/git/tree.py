"""The files of one commit, as a repository has them, and those that the last commits changed."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from itertools import islice
from typing import Final

from repo_mcp.git.deltas import is_file_name, tree_entries
from repo_mcp.git.history import GitHistory, common_folder, git_folder
from repo_mcp.git.objects import GitObjects
from repo_mcp.git.packs import DAMAGE
from repo_mcp.git.work import TreeWork

_TREE: Final = re.compile(rb"\Atree ([0-9a-f]{40})$", re.MULTILINE)
# the largest file that is ever indexed, and a folder of a million
_MAX_BLOB_BYTES: Final = 256 << 20
_FOLDER: Final = b"40000"
# regular files, whatever their rights: links and other repositories have other modes
_FILES: Final = b"100"
# ancestors of HEAD that it is compared with
_MOST_COMMITS: Final = 32


class GitTree:
    """The files of one commit, of a checkout, a clone or a bare repository at a folder."""

    def __init__(self, repository: str, commit: str, objects: GitObjects | None = None) -> None:
        """Find the folder of objects, unless they are given; nothing is read of it."""
        if objects is None:
            own = common_folder(git_folder(repository) or os.path.realpath(repository))
            objects = GitObjects(os.path.join(own, "objects"), _MAX_BLOB_BYTES)
        self._repository = repository
        self._objects = objects
        self._commit = commit
        self._folders: dict[str, Mapping[bytes, tuple[bytes, str]]] = {}

    @property
    def is_known(self) -> bool:
        """True if the commit is there, and its tree."""
        return bool(self._entries(""))

    def at(self, commit: str) -> GitTree:
        """The files of another commit, by the same reader of objects."""
        return GitTree(self._repository, commit, self._objects)

    def changed_since(self, other: GitTree) -> Iterator[str]:
        """The regular files, in the order of git's trees, that another commit has not or not so.

        Of very many the first ones.
        """
        with suppress(*DAMAGE):
            yield from self._changed(other, "", TreeWork())

    def _changed(self, other: GitTree, folder: str, work: TreeWork) -> Iterator[str]:
        before = other._entries(folder)
        work.add_folder(os.fsencode(folder), None, 0)
        for name, entry in self._entries(folder).items():
            if entry == before.get(name):
                continue
            path = os.fsdecode(name) if not folder else f"{folder}/{os.fsdecode(name)}"
            if entry[0] == _FOLDER:
                yield from self._changed(other, path, work)
            elif entry[0].startswith(_FILES):
                work.add_path(os.fsencode(folder), None, os.fsencode(path))
                yield path

    def content(self, path: str) -> bytes | None:
        """The content of a regular file; None if the commit has none, or it can't be read."""
        folder, _, name = path.rpartition("/")
        mode, identity = self._entries(folder).get(os.fsencode(name), (b"", ""))
        if not mode.startswith(_FILES):
            return None
        try:
            found = self._objects.read(identity)
        except DAMAGE:
            return None
        return found.data if found.kind == "blob" else None

    def close(self) -> None:
        """Close all files."""
        self._objects.close()

    def _entries(self, folder: str) -> Mapping[bytes, tuple[bytes, str]]:
        """The entries of a folder; none if there is none."""
        known = self._folders.get(folder)
        if known is None:
            try:
                entries = tree_entries(self._tree(folder))
                known = {
                    name.removesuffix(b"/"): (mode, identity.hex())
                    for name, (mode, identity) in entries.items()
                    if is_file_name(name.removesuffix(b"/"))
                }
            except DAMAGE:
                known = {}
            self._folders[folder] = known
        return known

    def _tree(self, folder: str) -> bytes:
        if folder:
            above, _, name = folder.rpartition("/")
            mode, identity = self._entries(above).get(os.fsencode(name), (b"", ""))
            found = self._objects.read(identity) if mode == _FOLDER else None
        else:
            commit = self._objects.read(self._commit)
            row = _TREE.search(commit.data) if commit.kind == "commit" else None
            found = self._objects.read(row[1].decode()) if row else None
        return found.data if found is not None and found.kind == "tree" else b""


def recent_files(root: str, most: int) -> list[str]:
    """Up to `most` files of HEAD, those that changed last first; none without a history."""
    history = GitHistory(root)
    head = history.head()
    if not head:
        return []
    now = GitTree(root, head)
    found: dict[str, None] = {}
    try:
        for commit in islice(history.ancestors(), _MOST_COMMITS):
            before = now.at(commit)
            if not before.is_known:  # the end of a shallow clone
                break
            found.update(dict.fromkeys(islice(now.changed_since(before), most)))
            if len(found) >= most:
                break
    finally:
        now.close()
    return list(found)[:most]
