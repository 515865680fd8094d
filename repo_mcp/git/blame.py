"""The commit that each line of a file comes from, as `git blame` says it.

A line that a commit has like its parent comes from there; of several parents, the first that has
it. A file with the same content as a parent's is that parent's; one that a parent has under another
name is found as renames are.
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from index_format.tuples import NamedTuple
from repo_mcp.git.changes import Version, changed_files, with_renames
from repo_mcp.git.commits import Commit, read_commit
from repo_mcp.git.line_diff import Hunk, diff_lines
from repo_mcp.git.objects import GitObjects
from repo_mcp.git.packs import DAMAGE
from repo_mcp.git.versions import find_version

_KEPT_COMMITS: Final = 4096


class Origin(NamedTuple):
    """A file of a commit."""

    commit: bytes
    path: str


class BlamedLines(NamedTuple):
    """Lines of a file, from 0 on, and where they come from."""

    first: int
    size: int
    origin: Origin
    # the first of them there
    origin_first: int


# of a commit and a path: the commit that last changed it, going back by first parents
LastChange = Callable[[bytes, str], bytes]


def _itself(commit: bytes, _: str) -> bytes:
    return commit


class Blame:
    """Finds where lines come from."""

    def __init__(
        self,
        objects: GitObjects,
        last_change: LastChange = _itself,
        *,
        any_blanks: bool = False,
        check: Callable[[], None] = lambda: None,
    ) -> None:
        """With `any_blanks`, lines are alike that differ in blanks alone.

        `check` is called for each commit.
        """
        self._objects = objects
        self._last_change = last_change
        self._any_blanks = any_blanks
        self._check = check
        self._commits: dict[bytes, Commit | None] = {}
        self._waiting: dict[Origin, list[BlamedLines]] = defaultdict(list)
        self._queue: list[tuple[int, Origin]] = []
        self._found: list[BlamedLines] = []

    def lines(
        self, commit: bytes, path: str, lines: Sequence[tuple[int, int]] | None = None
    ) -> list[BlamedLines]:
        """Where these lines come from, by their first ones; `ValueError` without the file.

        Ranges are of lines from 0 on, without the last; None is all lines.
        """
        count = self._data(Origin(commit, path)).line_count
        ranges = [(0, count)] if lines is None else lines
        origin = Origin(commit, path)
        for first, end in ranges:
            if first < min(end, count):
                self._wait(origin, [BlamedLines(first, min(end, count) - first, origin, first)])
        while self._queue:
            self._check()
            _, origin = heapq.heappop(self._queue)
            found = self._waiting.pop(origin, [])
            if found:
                self._pass(origin, found)
        return list(_joined(sorted(self._found, key=lambda item: item.first)))

    def _wait(self, origin: Origin, lines: Sequence[BlamedLines]) -> None:
        """Let lines be of this origin, until its turn comes."""
        origin = Origin(self._last_change(origin.commit, origin.path), origin.path)
        commit = self._commit(origin.commit)
        moved = [BlamedLines(item.first, item.size, origin, item.origin_first) for item in lines]
        if commit is None:  # beyond the end of a shallow clone
            self._found += moved
            return
        if origin not in self._waiting:
            heapq.heappush(self._queue, (-commit.committer.time, origin))
        self._waiting[origin] += moved

    def _pass(self, origin: Origin, lines: list[BlamedLines]) -> None:
        """Pass lines to the parents that have them; others come from here."""
        own = self._data(origin)
        parents = self._parents(origin, own.version)
        for parent, version in parents:
            if version is not None and version.identity == own.version.identity:
                self._wait(Origin(parent, version.path), lines)
                return
        seen: set[bytes] = set()
        for parent, version in parents:
            if version is None or version.identity in seen or not lines:
                continue
            seen.add(version.identity)
            there = Origin(parent, version.path)
            before = self._content(version)
            hunks = diff_lines(before, own.text, any_blanks=self._any_blanks)
            passed, lines = _split(lines, hunks)
            if passed:
                self._wait(there, passed)
        self._found += lines

    def _parents(self, origin: Origin, version: Version) -> list[tuple[bytes, Version | None]]:
        """The file in each parent: at its path, else under the name that it had."""
        commit = self._commit(origin.commit)
        found: list[tuple[bytes, Version | None]] = []
        lacking: list[int] = []
        for parent in () if commit is None else commit.parents:
            there = self._commit(parent)
            if there is None:
                continue
            same = self._find(there, origin.path)
            if same is None:
                lacking.append(len(found))
            elif same.identity == version.identity:
                return [(parent, same)]
            found.append((parent, same))
        for number in lacking:
            parent = found[number][0]
            found[number] = parent, self._renamed(commit, parent, origin.path)
        return found

    def _find(self, commit: Commit, path: str) -> Version | None:
        try:
            found = find_version(self._objects, commit.tree, path)
        except DAMAGE:
            return None
        return found if found is not None and found.is_regular else None

    def _renamed(self, commit: Commit | None, parent: bytes, path: str) -> Version | None:
        """The file that the path of a commit was before, in a parent."""
        before = self._commit(parent)
        if commit is None or before is None:
            return None
        try:
            changes = changed_files(self._objects, before.tree, commit.tree)
            meant = [item for item in changes if not item.new.is_there or item.path == path]
            for item in with_renames(meant, self._content_of):
                if item.path == path and item.kind == "R" and item.old.is_regular:
                    return item.old
        except DAMAGE:
            pass
        return None

    def _data(self, origin: Origin) -> _Content:
        commit = self._commit(origin.commit)
        version = None if commit is None else self._find(commit, origin.path)
        if version is None:
            raise ValueError(origin.path)
        return _Content(version, self._content(version))

    def _content(self, version: Version) -> bytes:
        return self._content_of(version.identity)

    def _content_of(self, identity: bytes) -> bytes:
        found = self._objects.get(identity)
        if found.kind != "blob":
            raise ValueError(identity)
        return found.data

    def _commit(self, identity: bytes) -> Commit | None:
        if identity not in self._commits:
            if len(self._commits) >= _KEPT_COMMITS:
                self._commits.clear()
            try:
                self._commits[identity] = read_commit(self._objects, identity)
            except DAMAGE:
                self._commits[identity] = None
        return self._commits[identity]


class _Content(NamedTuple):
    """A file of a commit and its content."""

    version: Version
    text: bytes

    @property
    def line_count(self) -> int:
        """Number of lines."""
        return self.text.count(b"\n") + (not self.text.endswith(b"\n") and bool(self.text))


def _split(
    lines: Sequence[BlamedLines], hunks: Sequence[Hunk]
) -> tuple[list[BlamedLines], list[BlamedLines]]:
    """Lines that a parent has, with their places there, and those that it has not."""
    passed: list[BlamedLines] = []
    kept: list[BlamedLines] = []
    number = shift = 0
    for item in sorted(lines, key=lambda row: row.origin_first):
        at, end = item.origin_first, item.origin_first + item.size
        while at < end:
            while number < len(hunks) and hunks[number].new_end <= at:
                shift = hunks[number].old_end - hunks[number].new_end
                number += 1
            hunk = hunks[number] if number < len(hunks) else None
            if hunk is not None and hunk.new <= at:
                stop = min(end, hunk.new_end)
                kept.append(_part(item, at, stop, at))
            else:
                stop = end if hunk is None else min(end, hunk.new)
                passed.append(_part(item, at, stop, at + shift))
            at = stop
    return passed, kept


def _part(item: BlamedLines, begin: int, end: int, place: int) -> BlamedLines:
    first = item.first + begin - item.origin_first
    return BlamedLines(first, end - begin, item.origin, place)


def _joined(lines: Sequence[BlamedLines]) -> Iterator[BlamedLines]:
    """Neighbours of one origin together."""
    held: BlamedLines | None = None
    for item in lines:
        if (
            held is not None
            and held.origin == item.origin
            and held.first + held.size == item.first
            and held.origin_first + held.size == item.origin_first
        ):
            held = BlamedLines(held.first, held.size + item.size, held.origin, held.origin_first)
            continue
        if held is not None:
            yield held
        held = item
    if held is not None:
        yield held
