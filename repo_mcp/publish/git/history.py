"""Which commit a checkout is at, those before it, and what is in one, as the files of `.git` say.

No program is started and nothing outside of `.git` is read: of a worktree, the folders that its
`.git` file names. What can't be read ends the history there. That costs nothing but a publication
that is further away, or a file that is read from the checkout instead.
"""

from __future__ import annotations

import os
import re
from collections import deque
from collections.abc import Iterator, Mapping
from typing import Final

from repo_mcp.publish.git.objects import DAMAGE, GitObjects, content, tree_entries

_HASH: Final = re.compile(r"[0-9a-f]{40}")
_REF: Final = re.compile(r"refs/[A-Za-z0-9._/@+-]{1,200}")
_PARENT: Final = re.compile(rb"^parent ([0-9a-f]{40})$", re.MULTILINE)
_TREE: Final = re.compile(rb"\Atree ([0-9a-f]{40})$", re.MULTILINE)
_SMALL_BYTES: Final = 4096
_MAX_PACKED_REFS: Final = 64 << 20
_MAX_COMMIT_BYTES: Final = 1 << 20
# the largest file that is ever indexed, and a folder of a million
_MAX_BLOB_BYTES: Final = 256 << 20
_FOLDER: Final = b"40000"
# regular files, whatever their rights: links and other repositories have other modes
_FILES: Final = b"100"


class GitHistory:
    """The history of the checkout at a folder."""

    def __init__(self, root: str) -> None:
        """Find the folders of `.git`; there may be none."""
        self._own = _git_folder(root)
        common = _text(os.path.join(self._own, "commondir")) if self._own else ""
        self._common = os.path.join(self._own, common) if common else self._own
        self._objects = GitObjects(os.path.join(self._common, "objects"), _MAX_COMMIT_BYTES)

    def head(self) -> str:
        """The commit that is checked out; empty if that is not known."""
        if not self._own:
            return ""
        text = _text(os.path.join(self._own, "HEAD"))
        for _ in range(5):
            if _HASH.fullmatch(text):
                return text
            name = text.removeprefix("ref: ")
            if name == text or not _REF.fullmatch(name) or ".." in name:
                return ""
            text = self._ref(name)
        return ""

    def ancestors(self) -> Iterator[str]:
        """The commits before HEAD, the nearest first; reads as far as they are asked for."""
        head = self.head()
        seen, waiting = {head}, deque([head] if head else [])
        while waiting:
            for parent in self._parents(waiting.popleft()):
                if parent not in seen:
                    seen.add(parent)
                    waiting.append(parent)
                    yield parent

    def _ref(self, name: str) -> str:
        for folder in (self._own, self._common):
            text = _text(os.path.join(folder, *name.split("/")))
            if text:
                return text
        packed = content(os.path.join(self._common, "packed-refs"), _MAX_PACKED_REFS)
        row = rb"^([0-9a-f]{40}) " + re.escape(name.encode()) + rb"$"
        found = re.search(row, packed, re.MULTILINE)
        return found[1].decode() if found else ""

    def _parents(self, commit: str) -> list[str]:
        try:
            found = self._objects.read(commit)
        except DAMAGE:
            return []
        if found.kind != "commit":
            return []
        return [parent.decode() for parent in _PARENT.findall(found.data.partition(b"\n\n")[0])]


class GitTree:
    """The files of one commit, of a checkout, a clone or a bare repository at a folder."""

    def __init__(self, repository: str, commit: str) -> None:
        """Find the folder of objects; nothing is read of it."""
        own = _git_folder(repository) or repository
        common = _text(os.path.join(own, "commondir"))
        own = os.path.join(own, common) if common else own
        self._objects = GitObjects(os.path.join(own, "objects"), _MAX_BLOB_BYTES)
        self._commit = commit
        self._folders: dict[str, Mapping[bytes, tuple[bytes, str]]] = {}

    @property
    def is_known(self) -> bool:
        """Whether the commit is there, and its tree."""
        return bool(self._entries(""))

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
                known = tree_entries(self._tree(folder))
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


def _git_folder(root: str) -> str:
    path = os.path.join(root, ".git")
    if os.path.isdir(path):
        return path
    named = _text(path)
    folder = named.removeprefix("gitdir: ")
    return os.path.join(root, folder) if folder != named else ""


def _text(path: str) -> str:
    return content(path, _SMALL_BYTES).decode("utf-8", "replace").strip()
