"""The history of one repository, as far as its files may be read."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import MappingProxyType
from typing import Final

from repo_mcp.errors import Problem
from repo_mcp.git import (
    DAMAGE,
    Commit,
    FileChange,
    GitHistory,
    GitObjects,
    Hunk,
    ObjectGap,
    RevisionError,
    Revisions,
    UnreadObjectError,
    Version,
    changed_files,
    commit_or_none,
    find_version,
    gaps_text,
    is_binary,
    merge_base,
    read_links,
    shown_path,
    with_renames,
)
from repo_mcp.history.model import ChangedLines
from repo_mcp.indexing.build.commits import MOST_BLOB_BYTES, CommitReader
from repo_mcp.model import AnswerWarning
from repo_mcp.safety.denylist import Denylist
from repo_mcp.safety.redaction import SUSPECT, looks_secret
from repo_mcp.safety.sandbox import Sandbox
from repo_mcp.stored_commits import CommitFile

# objects that are remembered between questions
_KEPT_BYTES: Final = 64 << 20
NONE_KNOWN: Final[Mapping[bytes, bytes]] = MappingProxyType({})
# stands for lines that are left out
GAP: Final = "…"
# characters of a line that are shown, and bytes of it that are looked at
MOST_SHOWN: Final = 2000
_MOST_ROW_BYTES: Final = 4 * MOST_SHOWN + 1000


class RepositoryHistory:
    """Commits and files of a repository; one question at a time reads it."""

    def __init__(
        self,
        root: str,
        denylist: Denylist,
        sandbox: Sandbox,
        branches: Sequence[str] | None = None,
    ) -> None:
        """Find the folders of `.git`; reads no object. `sandbox` gives files as they are now.

        With globs of `branches`, no commit of others is there.
        """
        self._sandbox = sandbox
        self.git = GitHistory(root, branches)
        self._denylist = denylist
        self._lock = threading.Lock()
        self.objects: GitObjects = self.git.open_objects(MOST_BLOB_BYTES, _KEPT_BYTES)
        self.reader = CommitReader(self.objects, denylist)
        # the objects that the question has gone on without, by path and hash
        self._gaps: dict[tuple[str, bytes], ObjectGap] = {}
        # whether the clone is a partial one, once that is asked
        self._is_partial: bool | None = None

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Hold the reader of objects; raises a `Problem` where there is no history to be read."""
        if self.git.unread:
            raise Problem("history_unread", self.git.unread)
        newest = self.git.newest()
        if not newest:
            raise Problem("no_history")
        with self._lock:
            self._gaps, self._is_partial = {}, None
            self.objects.work.begin()
            try:
                # without it everything would be missing, and nothing be found
                self.objects.data(bytes.fromhex(newest), "commit")
                yield
            except UnreadObjectError as error:
                gap = error.gap._replace(is_partial=self.git.is_partial)
                if self.is_denied(gap.path):
                    gap = gap._replace(path="")
                raise Problem("history_unread", gaps_text([gap])) from error
            except DAMAGE as error:
                reason = f"a file of .git can't be read ({type(error).__name__}: {error})"
                raise Problem("history_unread", reason) from error

    def skip(self, gap: ObjectGap) -> None:
        """Note what can't be read: the question goes on without it."""
        if self.is_denied(gap.path):
            return
        gap = gap._replace(path=shown_path(gap.path))
        if self._is_partial is None:
            self._is_partial = self.git.is_partial
        gap = gap._replace(is_partial=self._is_partial)
        self._gaps.setdefault((gap.path, gap.identity), gap)

    @property
    def gaps(self) -> Sequence[ObjectGap]:
        """The objects that the question has gone on without."""
        return [*self._gaps.values()]

    def gap_warnings(self) -> list[AnswerWarning]:
        """The objects that the question has gone on without, named in one line."""
        text = gaps_text(self.gaps)
        return [AnswerWarning("objects_unread", text)] if text else []

    def is_denied(self, path: str) -> bool:
        """True for a file of any commit that no answer shows."""
        return bool(self._denylist.rule(path))

    def check_path(self, path: str) -> None:
        """Raise a `Problem` for a path that no question may be about."""
        if self.is_denied(path):
            raise Problem("path_denied", path)

    def text_of(self, version: Version, known: Mapping[bytes, bytes] = NONE_KNOWN) -> bytes | None:
        """The content of a file of a commit; None where it can't be read, which is noted.

        None, too, for a denied one.
        """
        if self.is_denied(version.path):
            return None
        if version.identity in known:
            return known[version.identity]
        try:
            return self.objects.data(version.identity, "blob")
        except UnreadObjectError as error:
            self.skip(error.at(version.path).gap)
            return None

    def committed(self, version: Version) -> bytes:
        """The content of a file of a commit, by the checkout if that has it; one of `DAMAGE`."""
        try:
            return self.objects.data(version.identity, "blob")
        except UnreadObjectError as error:
            now = self.current(version.path)
            if now is not None and blob_hash(now) == version.identity:
                return now
            raise error.at(version.path) from None

    def texts(self, change: FileChange) -> tuple[bytes, bytes] | None:
        """A file before and after; None for what is no text, or can't be read: that is noted."""
        old, new = (self.text_of(item) if item.is_regular else b"" for item in change)
        if old is None or new is None or is_binary(old) or is_binary(new):
            return None
        return old, new

    def changes_between(self, old: bytes | None, new: bytes) -> list[FileChange]:
        """The files that differ between two trees, renamed ones as one; gaps are noted."""
        found = changed_files(self.objects, old, new, self.skip)
        return with_renames(found, self.reader.content_or_none)

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
            raise Problem("history_unread", f"the commit {name or 'HEAD'} is not there")
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
        self.check_path(path)
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

    def change_to(self, commit: Commit, path: str) -> FileChange | None:
        """A commit's change to a file, which may have had another name; None if it made none."""
        change = self.change_of(commit, CommitFile("M", path))
        if change.old.is_there and change.new.is_there:
            return change
        changes = self.reader.changes(commit, self.skip)
        return next((item for item in changes if item.new.path == path), None)

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


def blob_hash(data: bytes) -> bytes:
    """The hash that git gives a file with this content."""
    head = b"blob %d\0" % len(data)
    return hashlib.sha1(head + data, usedforsecurity=False).digest()


def _first_rows(data: bytes, most: int) -> list[str]:
    """The first lines of a text, each as far as it may be shown and some bytes more."""
    rows: list[str] = []
    at = 0
    while at < len(data) and len(rows) < most:
        end = data.find(b"\n", at)
        end = len(data) if end < 0 else end
        rows.append(data[at : min(end, at + _MOST_ROW_BYTES)].decode("utf-8", "replace"))
        at = end + 1
    return rows


def _signed(sign: str, data: bytes, lines: Sequence[int]) -> Iterator[str]:
    rows = _first_rows(data, max(lines, default=-1) + 2)
    previous = -1
    for line in lines:
        if line >= len(rows):
            break
        if line > previous + 1:
            yield GAP
        previous = line
        row = rows[line].removesuffix("\r")
        row = row if len(row) <= MOST_SHOWN else row[:MOST_SHOWN] + GAP
        yield sign + (SUSPECT if looks_secret(row) else row)
    if lines and previous + 1 < len(rows):
        yield GAP
