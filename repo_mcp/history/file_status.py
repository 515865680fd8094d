"""The files of a checkout that git's index has otherwise, by folders that are known to be the same.

A folder with an equal digest has the files that it had, and none of them has changed. So of a
folder it is remembered which of its files differ from git's index, and only folders that have
changed since, or whose entries in git's index have, are compared again.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import Final

from index_format.tuples import NamedTuple
from repo_mcp.budget import Budget
from repo_mcp.git import Staging, mark_of_staging, read_staging
from repo_mcp.indexing.walk.known_folders import (
    KnownFolders,
    SameFolders,
    UnchangedFolders,
    same_but,
)
from repo_mcp.indexing.walk.memory import WalkMemory
from repo_mcp.indexing.walk.memory_file import DamagedBlocksError
from repo_mcp.indexing.walk.walk import Discovery
from repo_mcp.safety.sandbox import StatKey

# tracked files of which git's index is kept between questions, as objects of some 300 bytes
_MOST_KEPT: Final = 300_000
_NOT_READ: Final = Staging((), {})


class _FolderStatus(NamedTuple):
    """A folder by its digest: names of files that differ, and of tracked ones no walk shows."""

    digest: bytes
    differing: tuple[str, ...]
    unseen: tuple[str, ...]


class FileStatus:
    """Remembers which files of each folder differ from git's index; for one thread at a time."""

    def __init__(self) -> None:
        """Nothing is compared yet."""
        self._staging = _NOT_READ
        # the folders of tracked files
        self._tracked: frozenset[str] = frozenset()
        self._folders: dict[str, _FolderStatus] = {}
        # by which git's index is known to be the one that was read
        self._mark = b""

    def staging(self, own: str) -> Staging:
        """Git's index in a checkout's own folder of `.git`, read once; one of `DAMAGE`."""
        mark = mark_of_staging(own)
        if mark and mark == self._mark and self._staging is not _NOT_READ:
            return self._staging
        found = read_staging(own)
        self._mark = mark  # of before it was read, so that a newer one is read again
        return found

    def learn(self, staging: Staging, memory: WalkMemory | None) -> KnownFolders | None:
        """The folders that a run of the index knows; those that were not compared are now."""
        self._follow(staging)
        if memory is None:
            return None
        try:
            known = memory.known_folders()
            for path, digest in zip(known.paths, known.digests, strict=True):
                if digest and self._lacks(path, digest):
                    self._folders[path] = self._compared(path, digest, memory.keys_of(path))
        except DamagedBlocksError:
            return None
        return known

    def differing(
        self,
        staging: Staging,
        discovery: Discovery,
        budget: Budget,
        learned: KnownFolders | None = None,
        *,
        is_current: bool = False,
    ) -> list[str]:
        """The paths of files that may differ from git's index, or that no walk shows.

        If what was `learned` from the index `is_current`, no file has changed since.
        """
        self._follow(staging)
        known = self._known() if learned is None else learned
        same: SameFolders | None = None
        if learned is not None and is_current:
            rows = zip(known.paths, known.digests, strict=True)
            same = same_but(known, (path for path, digest in rows if self._lacks(path, digest)))
        seen: set[str] = set()
        for found in discovery.by_folder(known, budget, same=same):
            if isinstance(found, UnchangedFolders):
                seen.update(known.paths[found.first : found.end])
                continue
            seen.add(found.folder)
            if found.files is not None:
                cut = len(found.folder)
                files = ((file.path[cut:], file.key) for file in found.files)
                self._folders[found.folder] = self._compared(found.folder, found.digest, files)
        self._folders = {path: row for path, row in self._folders.items() if path in seen}
        paths = [*self._paths()]
        if len(staging.files) > _MOST_KEPT:
            self._staging, self._folders = _NOT_READ, {}
        return paths

    def _follow(self, staging: Staging) -> None:
        """Forget folders of which git's index has other files now."""
        before = self._staging
        if staging is before:
            return
        self._staging = staging
        self._tracked = frozenset(map(os.fsdecode, staging.folders()))
        for file in {*before.files} ^ {*staging.files} if before.files else ():
            self._folders.pop(os.fsdecode(file.path[: file.path.rfind(b"/") + 1]), None)
        # files may differ because they were changed when git's index was written
        kept = self._folders.items() if before.files else ()
        self._folders = {path: row for path, row in kept if not row.differing}

    def _known(self) -> KnownFolders:
        rows = sorted(self._folders.items())
        return KnownFolders([path for path, _ in rows], [row.digest for _, row in rows])

    def _lacks(self, path: str, digest: bytes) -> bool:
        row = self._folders.get(path)
        return row is None or row.digest != digest

    def _compared(
        self, folder: str, digest: bytes, files: Iterable[tuple[str, StatKey]]
    ) -> _FolderStatus:
        staging, differing = self._staging, []
        staged = staging.in_folder(os.fsencode(folder))
        for name, key in files:
            tracked = staged.pop(os.fsencode(name), None)
            if tracked is None or not staging.is_as_added(tracked, key.size, key.mtime_ns):
                differing.append(name)
        unseen = (os.fsdecode(name) for name, file in staged.items() if not file.is_left_out)
        return _FolderStatus(digest, tuple(differing), tuple(unseen))

    def _paths(self) -> Iterator[str]:
        """The files that differ, and tracked ones that no walk shows."""
        for folder, row in self._folders.items():
            if row.differing or row.unseen:
                yield from (folder + name for name in (*row.differing, *row.unseen))
        for folder in self._tracked.difference(self._folders):
            names = self._staging.in_folder(os.fsencode(folder))
            unseen = (name for name, file in names.items() if not file.is_left_out)
            yield from (folder + os.fsdecode(name) for name in unseen)
