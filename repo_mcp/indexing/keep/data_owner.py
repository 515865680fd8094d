"""The root that a data folder belongs to: what is kept there of one is no answer about another.

The file `root.json` of a data folder says where its root is, and what tells a repository from
others if that is elsewhere one day. One that is inside its root says so by a path from there, and
moves with it. Whoever meets the folder of another root leaves it as it is. Files that were not
written here say nothing: no index beside them is trusted either.
"""

from __future__ import annotations

import json
import os
import re
from contextlib import suppress
from typing import Any, Final

from index_format import FileStore
from index_format.blake2 import blake2b
from index_format.tuples import NamedTuple
from repo_mcp import side_files
from repo_mcp.errors import Problem
from repo_mcp.stored import INDEX_FOLDER, QUARANTINE_FOLDER

_NAME: Final = "root.json"
_MAX_BYTES: Final = 32 << 10
_LOCK_SECONDS: Final = 10.0
_REMOTE: Final = re.compile(rb"^[ \t]*url[ \t]*=[ \t]*(\S+)", re.MULTILINE)


class _Root(NamedTuple):
    """A root as it is recorded: path, device and inode, commit, and where it was cloned from.

    The path is one from the data folder if that is inside. Of the address there is a digest alone,
    which is empty without any, as the commit is.
    """

    path: str
    folder: tuple[int, int]
    commit: str
    remote: str

    @property
    def values(self) -> bytes:
        return json.dumps([self.path, list(self.folder), self.commit, self.remote]).encode()


class DataOwner:
    """Tells the data folder of a root from that of another one; writes nothing before `claim`."""

    def __init__(self, root: str, data_dir: str, own_dir: str) -> None:
        """Keep real path of the root and data folder, and the path by which that is reached."""
        self._root = root
        self._data_dir = data_dir
        self._own_dir = own_dir
        # the file that was read last, as it was then
        self._checked: tuple[int, ...] = ()

    def check(self) -> None:
        """Raise a `Problem` if the folder belongs to another root; one that is new is nobody's."""
        try:
            found = os.lstat(os.path.join(self._own_dir, _NAME))
        except OSError:
            return
        mark = found.st_ino, found.st_mtime_ns, found.st_size
        if mark == self._checked:
            return
        recorded = self._recorded()
        if recorded is not None and not self._is_same(recorded):
            raise Problem("data_of_other_root", self._place(recorded))
        self._checked = mark

    def claim(self) -> None:
        """Record the root in a folder that exists, unless it belongs to another one."""
        self.check()
        recorded = self._recorded()
        if recorded is not None and recorded.path == self._path:
            return
        folder = os.path.join(self._own_dir, INDEX_FOLDER)
        quarantine = os.path.join(self._own_dir, QUARANTINE_FOLDER)
        with FileStore(folder, quarantine=quarantine).lock(_LOCK_SECONDS):
            self.check()  # again: another process may have come first
            side_files.put_tagged(self._own_dir, _NAME, self._described().values)

    @property
    def _path(self) -> str:
        """The path of the root, as it is recorded."""
        data = os.path.realpath(self._data_dir)
        if data.startswith(self._root.rstrip(os.sep) + os.sep):
            return os.path.relpath(self._root, data)
        return self._root

    def _place(self, recorded: _Root) -> str:
        """The full path of a root that is recorded."""
        return os.path.normpath(os.path.join(os.path.realpath(self._data_dir), recorded.path))

    def _described(self) -> _Root:
        from repo_mcp.git import GitHistory  # noqa: PLC0415 only where a folder is new, or has moved

        git = GitHistory(self._root)
        addresses = b"\0".join(sorted(_REMOTE.findall(git.config()))) if git.common else b""
        remote = blake2b(addresses, digest_size=16).hexdigest() if addresses else ""
        return _Root(self._path, _folder_of(self._root), git.head(), remote)

    def _recorded(self) -> _Root | None:
        """The root that was recorded here; None where nothing was."""
        with suppress(OSError, ValueError, TypeError):
            return _parsed(side_files.get_tagged(self._own_dir, _NAME, _MAX_BYTES))
        return None

    def _is_same(self, recorded: _Root) -> bool:
        """True if a root is this one, which may have been moved since."""
        if recorded.path == self._path:
            return True
        place = self._place(recorded)
        if os.path.lexists(place):  # or is the same folder by another path
            return _folder_of(place) == _folder_of(self._root)
        own = self._described()
        if not recorded.commit and not recorded.remote:
            return recorded.folder == own.folder
        return self._has_commit(recorded.commit) or recorded.remote == own.remote != ""

    def _has_commit(self, commit: str) -> bool:
        from repo_mcp.git import GitHistory  # noqa: PLC0415 as above

        return bool(commit) and GitHistory(self._root).has(commit)


def _folder_of(path: str) -> tuple[int, int]:
    try:
        found = os.stat(path)
    except OSError:
        return -1, -1
    return found.st_dev, found.st_ino


def _parsed(data: bytes) -> _Root:
    found: Any = json.loads(data)
    path, (device, inode), commit, remote = found
    if not all(isinstance(text, str) for text in (path, commit, remote)):
        raise TypeError
    return _Root(path, (int(device), int(inode)), commit, remote)
