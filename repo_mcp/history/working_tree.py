"""Files of a checkout that are not as a commit has them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Final

from index_format.tuples import NamedTuple
from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.git import (
    Commit,
    FileChange,
    StagedFile,
    Staging,
    UnreadObjectError,
    Version,
    find_version,
    read_staging,
    with_renames,
)
from repo_mcp.history.file_status import FileStatus
from repo_mcp.history.model import Check
from repo_mcp.history.repository_history import RepositoryHistory, blob_hash
from repo_mcp.indexing.keep.manager import IndexManager
from repo_mcp.indexing.walk.walk import Discovery
from repo_mcp.safety.sandbox import Sandbox, StatKey

_MODE: Final = b"100644"


class KnownStatus(NamedTuple):
    """A checkout's status as it is remembered between questions, and the index of its text."""

    status: FileStatus
    manager: IndexManager
    # the index has the files as they are now
    is_current: bool

    def staging(self, own: str) -> Staging:
        """Git's index, read once."""
        return self.status.staging(own)

    def differing(self, staging: Staging, discovery: Discovery, budget: Budget) -> list[str]:
        """The paths of files that may differ from git's index, or that no walk shows."""
        with self.manager.remembered() as memory:
            learned = self.status.learn(staging, memory)
        given = staging, discovery, budget, learned
        return self.status.differing(*given, is_current=self.is_current)


class Checkout:
    """The files of a checkout as they are now; those that are ignored are not listed."""

    def __init__(
        self,
        sandbox: Sandbox,
        discovery: Discovery,
        budget: Budget,
        known: KnownStatus | None = None,
    ) -> None:
        """Keep the arguments; walks nothing. `known` makes the comparison a short one."""
        self._sandbox = sandbox
        self._discovery = discovery
        self._budget = budget
        self._known = known

    def staging(self, own: str) -> Staging:
        """Git's index in a checkout's own folder of `.git`; one of `DAMAGE`."""
        return read_staging(own) if self._known is None else self._known.staging(own)

    def differing(self, staging: Staging) -> list[str]:
        """The paths of files that may differ from git's index, or that no walk shows."""
        if self._known is not None:
            return self._known.differing(staging, self._discovery, self._budget)
        return FileStatus().differing(staging, self._discovery, self._budget)

    def key(self, path: str) -> StatKey | Problem:
        """The size and the times of a file, or why they can't be told."""
        try:
            return self._sandbox.file_key(path)
        except Problem as problem:
            return problem.with_traceback(None)

    def read(self, path: str) -> bytes | Problem:
        """A file, or why it can't be read."""
        try:
            return self._sandbox.read(path).data
        except Problem as problem:
            return problem.with_traceback(None)


class WorkingChanges(NamedTuple):
    """The files that differ, and the contents of those in the checkout by their hashes."""

    changes: list[FileChange]
    contents: Mapping[bytes, bytes]


def working_changes(
    history: RepositoryHistory, commit: Commit, checkout: Checkout, check: Check
) -> WorkingChanges:
    """The files that differ between a commit and the checkout; one of `DAMAGE`.

    Files whose size and time are those that git has noted are not read.
    """
    staging = checkout.staging(history.git.own)
    # with the file of the commit, None where it has none, where that is known
    found: dict[str, Version | None] = {}
    unknown: set[str] = set()
    left_out: dict[str, StagedFile] = {}
    for old, new in staging.changed_since(history.objects, commit.tree, history.skip):
        check()
        if new is not None and new.is_left_out:
            left_out[os.fsdecode(new.path)] = new
        if old is not None:
            found[old.path] = old
        elif new is not None:
            found[os.fsdecode(new.path)] = None
    for path in checkout.differing(staging):
        check()
        tracked = staging.find(os.fsencode(path))
        key = None if tracked is None else checkout.key(path)
        if (
            key is None
            or tracked is None
            or isinstance(key, Problem)
            or not staging.is_as_added(tracked, key.size, key.mtime_ns)
        ):
            unknown.add(path)
    contents: dict[bytes, bytes] = {}
    changes: list[FileChange] = []
    for path in sorted(unknown.union(found)):
        check()
        try:
            before = (
                found[path] if path in found else find_version(history.objects, commit.tree, path)
            )
        except UnreadObjectError as error:
            history.skip(error.gap)
            continue
        now = checkout.read(path)
        if isinstance(now, Problem) and path in left_out:
            change = _left_out_change(before, left_out[path])
        else:
            change = _change(history, before, path, now, contents)
        if change is not None:
            changes.append(change)

    def content(identity: bytes) -> bytes | None:
        known = contents.get(identity)
        return history.reader.content_or_none(identity) if known is None else known

    return WorkingChanges(with_renames(changes, content), contents)


def _left_out_change(before: Version | None, tracked: StagedFile) -> FileChange | None:
    """The change of a file that is not checked out: it is as git's index has it."""
    if before is not None and before.identity == tracked.identity:
        return None
    path = os.fsdecode(tracked.path)
    after = Version(path, tracked.mode, tracked.identity)
    return FileChange(before or Version(path), after)


def _change(
    history: RepositoryHistory,
    before: Version | None,
    path: str,
    now: bytes | Problem,
    contents: dict[bytes, bytes],
) -> FileChange | None:
    if before is not None and not before.is_regular:
        return None
    if isinstance(now, Problem):
        is_gone = now.code == "not_found" and before is not None
        return FileChange(before, Version(path)) if is_gone and before is not None else None
    identity = blob_hash(now)
    if before is not None and before.identity != identity:
        old = history.reader.content_or_none(before.identity)
        # git may have written other ends of lines into the checkout
        if old is not None and old == now.replace(b"\r\n", b"\n"):
            return None
    if before is not None and before.identity == identity:
        return None
    contents[identity] = now
    return FileChange(before or Version(path), Version(path, _MODE, identity))
