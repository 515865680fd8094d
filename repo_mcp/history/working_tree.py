"""Files of a checkout that are not as a commit has them."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Mapping
from typing import Final

from index_format.tuples import NamedTuple
from repo_mcp.errors import Problem
from repo_mcp.git import Commit, FileChange, Version, find_version, read_staging, with_renames
from repo_mcp.history.model import Check
from repo_mcp.history.repository_history import RepositoryHistory

_MODE: Final = b"100644"

# a file as it is now, or why it can't be read
ReadNow = Callable[[str], "bytes | Problem"]


class FoundFile(NamedTuple):
    """A file of the checkout, and what `stat` says of it."""

    path: str
    size: int
    mtime_ns: int


class WorkingChanges(NamedTuple):
    """The files that differ, and the contents of those in the checkout by their hashes."""

    changes: list[FileChange]
    contents: Mapping[bytes, bytes]


def working_changes(
    history: RepositoryHistory,
    commit: Commit,
    files: Iterable[FoundFile],
    read: ReadNow,
    check: Check,
) -> WorkingChanges:
    """The files that differ between a commit and the checkout; one of `DAMAGE`.

    Files whose size and time are those that git has noted are not read. New files are those among
    `files`, which leave out what is ignored.
    """
    staging = read_staging(history.git.own)
    found: dict[str, None] = {}
    for old, new in staging.changed_since(history.objects, commit.tree):
        check()
        found |= {item.path: None for item in (old,) if item is not None}
        found |= {os.fsdecode(item.path): None for item in (new,) if item is not None}
    seen: set[bytes] = set()
    for file in files:
        check()
        name = os.fsencode(file.path)
        seen.add(name)
        tracked = staging.find(name)
        if tracked is None or not tracked.is_as(file.size, file.mtime_ns):
            found[file.path] = None
    # those that are gone, and those that no search shows
    found |= {os.fsdecode(item.path): None for item in staging.files if item.path not in seen}
    contents: dict[bytes, bytes] = {}
    changes: list[FileChange] = []
    for path in sorted(found):
        check()
        change = _change(history, commit, path, read(path), contents)
        if change is not None:
            changes.append(change)

    def content(identity: bytes) -> bytes:
        known = contents.get(identity)
        return history.reader.content(identity) if known is None else known

    return WorkingChanges(with_renames(changes, content), contents)


def _change(
    history: RepositoryHistory,
    commit: Commit,
    path: str,
    now: bytes | Problem,
    contents: dict[bytes, bytes],
) -> FileChange | None:
    before = find_version(history.objects, commit.tree, path)
    if before is not None and not before.is_regular:
        return None
    if isinstance(now, Problem):
        is_gone = now.code == "not_found" and before is not None
        return FileChange(before, Version(path)) if is_gone and before is not None else None
    identity = _identity(now)
    if before is not None and before.identity != identity:
        old = history.reader.content(before.identity)
        # git may have written other ends of lines into the checkout
        if old == now.replace(b"\r\n", b"\n"):
            return None
    if before is not None and before.identity == identity:
        return None
    contents[identity] = now
    return FileChange(before or Version(path), Version(path, _MODE, identity))


def _identity(data: bytes) -> bytes:
    head = b"blob %d\0" % len(data)
    return hashlib.sha1(head + data, usedforsecurity=False).digest()
