"""A file's past as `.git` alone tells it, where no index of commits has it.

Each commit's tree is read as far as the file, and compared with that of its first parent.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from repo_mcp.git import (
    DAMAGE,
    Commit,
    CommitWalk,
    Version,
    diff_lines,
    find_version,
    read_links,
)
from repo_mcp.history.file_history import FileCommit
from repo_mcp.history.model import Check
from repo_mcp.history.repository_history import RepositoryHistory
from repo_mcp.stored_commits import CommitFile

# trees in which the place of the file is remembered
_MOST_KEPT: Final = 4_096


class FileWalk:
    """The commits of one file, back through its renames."""

    def __init__(self, history: RepositoryHistory, path: str, check: Check) -> None:
        """Read nothing yet."""
        self._history = history
        self._path = path
        self._check = check
        self._versions: dict[bytes, Version | None] = {}
        # commits that were asked so far
        self.count = 0

    def commits(self) -> Iterator[FileCommit]:
        """The commits without merges that have changed the file, the newest first."""
        walk = CommitWalk(self._history.objects)
        for identity, date, parents in walk.newest_first([self._history.find("HEAD")]):
            self._check()
            self.count += 1
            file = self._change(identity, parents) if len(parents) < _MERGED else None
            if file is None:
                continue
            # else another file took its name from it
            if file.kind == "R" and file.path == self._path:
                self._path, self._versions = file.old_path, {}
            yield FileCommit(identity, date, file)

    def _change(self, identity: bytes, parents: tuple[bytes, ...]) -> CommitFile | None:
        """The change of a commit to the file; None where it has none, or can't be read."""
        new = self._version(identity)
        old = self._version(parents[0]) if parents else None
        if new == old:
            return None
        if new is not None and old is not None:
            return CommitFile("M", self._path)
        commit = self._history.commit(identity)
        changes = () if commit is None else self._history.reader.changes(commit, self._history.skip)
        for change in changes:
            if self._path in {change.new.path, change.old.path}:
                old_path = change.old.path if change.kind == "R" else ""
                return CommitFile(change.kind, change.path, old_path)
        return None

    def _version(self, commit: bytes) -> Version | None:
        try:
            links = read_links(self._history.objects, commit)
            if links is None:
                return None
            if links.tree not in self._versions:
                found = find_version(self._history.objects, links.tree, self._path)
                # a commit is compared with its parent, which comes soon after it
                if len(self._versions) >= _MOST_KEPT:
                    self._versions.clear()
                self._versions[links.tree] = found
            return self._versions[links.tree]
        except DAMAGE:
            return None


# parents of a merge
_MERGED: Final = 2


def counted_lines(history: RepositoryHistory, commit: Commit, file: CommitFile) -> CommitFile:
    """A changed file with the numbers of its lines that are new and gone."""
    texts = history.texts(history.change_of(commit, file))
    if texts is None:
        return file
    hunks = diff_lines(*texts, whole=True)
    added = sum(hunk.new_end - hunk.new for hunk in hunks)
    return file._replace(added=added, removed=sum(hunk.old_end - hunk.old for hunk in hunks))
