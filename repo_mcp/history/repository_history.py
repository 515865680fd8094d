"""The history of one repository, as far as its files may be read."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final

from repo_mcp.errors import Problem
from repo_mcp.git import (
    DAMAGE,
    Commit,
    FileChange,
    GitHistory,
    GitObjects,
    Hunk,
    RevisionError,
    Revisions,
    Version,
    commit_or_none,
    find_version,
    merge_base,
    read_links,
)
from repo_mcp.history.model import ChangedLines
from repo_mcp.indexing.build.commits import MOST_BLOB_BYTES, CommitReader
from repo_mcp.safety.denylist import Denylist
from repo_mcp.safety.redaction import SUSPECT, looks_secret
from repo_mcp.safety.sandbox import Sandbox
from repo_mcp.stored_commits import CommitFile

# objects that are remembered between questions
_KEPT_BYTES: Final = 64 << 20
# stands for lines that are left out
GAP: Final = "…"


class RepositoryHistory:
    """Commits and files of a repository; one question at a time reads it."""

    def __init__(self, root: str, denylist: Denylist, sandbox: Sandbox) -> None:
        """Find the folders of `.git`; reads no object. `sandbox` gives files as they are now."""
        self._sandbox = sandbox
        self.git = GitHistory(root)
        self.denylist = denylist
        self._lock = threading.Lock()
        self.objects: GitObjects = self.git.open_objects(MOST_BLOB_BYTES, _KEPT_BYTES)
        self.reader = CommitReader(self.objects, denylist)

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Hold the reader of objects; raises a `Problem` where there is no history to be read."""
        if self.git.unread:
            raise Problem("history_unread", self.git.unread)
        if not self.git.head():
            raise Problem("no_history")
        with self._lock:
            try:
                yield
            except DAMAGE as error:
                reason = f"an object of .git can't be read ({type(error).__name__})"
                raise Problem("history_unread", reason) from error

    def current(self, path: str) -> bytes | None:
        """A file as it is now; None if it can't be read, or there is none."""
        try:
            return self._sandbox.read(path).data
        except Problem:
            return None

    def find(self, name: str) -> bytes:
        """The commit with a name; raises a `Problem`."""
        try:
            return Revisions(self.git, self.objects).find(name)
        except RevisionError as error:
            raise Problem("argument_invalid", str(error)) from None

    def named(self, name: str) -> Commit:
        """The commit with a name, HEAD by default; raises a `Problem`."""
        found = self.commit(self.find(name or "HEAD"))
        if found is None:
            raise Problem("history_unread", "this commit is not there")
        return found

    def commit(self, identity: bytes) -> Commit | None:
        """The commit of a hash; None where it is not there."""
        return commit_or_none(self.objects, identity)

    def common(self, one: Commit, other: Commit) -> Commit:
        """The last commit that two have before them; raises a `Problem` where there is none."""
        base = merge_base(self.objects, one.identity, other.identity)
        if base is None:
            raise Problem("argument_invalid", "the revisions have no commit in common")
        return self.named(base.hex())

    def version(self, commit: Commit, path: str) -> Version | None:
        """A file of a commit that may be read; raises a `Problem` for one that may not."""
        if self.denylist.rule(path):
            raise Problem("path_denied", path)
        found = find_version(self.objects, commit.tree, path)
        return found if found is not None and found.is_regular else None

    def change_of(self, commit: Commit, file: CommitFile) -> FileChange:
        """A change that the index has of a commit, with the versions of the file."""
        parent = read_links(self.objects, commit.parents[0]) if commit.parents else None
        old = new = None
        if parent is not None and file.kind != "A":
            old = find_version(self.objects, parent.tree, file.old_path or file.path)
        if file.kind != "D":
            new = find_version(self.objects, commit.tree, file.path)
        missing = Version(file.path)
        return FileChange(old or missing, new or missing)

    @staticmethod
    def shown_hunk(
        change: FileChange,
        hunk: Hunk,
        texts: tuple[bytes, bytes],
        lines: tuple[Sequence[int], Sequence[int]] | None = None,
    ) -> ChangedLines:
        """A hunk with a sign before each line; of these lines alone, if any are given.

        A line that looks secret is not shown.
        """
        old, new = lines or (range(hunk.old_end - hunk.old), range(hunk.new_end - hunk.new))
        rows = [*_signed("-", texts[0][hunk.old_at : hunk.old_stop], old)]
        rows += _signed("+", texts[1][hunk.new_at : hunk.new_stop], new)
        old_path = change.old.path if change.kind == "R" else ""
        return ChangedLines(change.path, hunk.old + 1, hunk.new + 1, rows, old_path)


def _signed(sign: str, data: bytes, lines: Sequence[int]) -> Iterator[str]:
    rows = data.decode("utf-8", "replace").split("\n")
    if not rows[-1]:
        rows.pop()
    previous = -1
    for line in lines:
        if line >= len(rows):
            break
        if line > previous + 1:
            yield GAP
        previous = line
        row = rows[line].removesuffix("\r")
        yield sign + (SUSPECT if looks_secret(row) else row)
    if lines and previous + 1 < len(rows):
        yield GAP
