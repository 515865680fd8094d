"""Commits that have added or removed a text, as `git log -S` and `-G` find them.

The index says which changed lines may have it; these are then compared in full.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Final

from index_format.tuples import NamedTuple
from repo_mcp.budget import Budget
from repo_mcp.git import (
    DAMAGE,
    MANY_LINES,
    Commit,
    FileChange,
    ObjectGap,
    diff_lines,
)
from repo_mcp.history.commit_index import CommitIndex, Mask
from repo_mcp.history.model import ChangedLines, CommitHit
from repo_mcp.history.repository_history import RepositoryHistory
from repo_mcp.search import ExactQuery, LineMatcher, build_matcher
from repo_mcp.stored_commits import CommitFile

# files of a commit, and hunks of each, that an answer has
_MOST_FILES: Final = 3
_MOST_HUNKS: Final = 2
# bytes of files whose changed lines are not indexed
_MOST_UNREAD_BYTES: Final = 256 << 20
# lines of a hunk around one that matches, and lines that are shown of one side
_CONTEXT: Final = 2
_MOST_LINES: Final = 8


class SoughtText(NamedTuple):
    """A text or an expression that changed lines are to have."""

    pattern: str
    regex: bool = False
    ignore_case: bool = False


class _FileHit(NamedTuple):
    """A file: how often a text is there before and after, or how many lines with it changed."""

    path: str
    before: int
    after: int
    hunks: Sequence[ChangedLines]


class Pickaxe:
    """Finds commits by the lines that they change, the newest first."""

    def __init__(
        self,
        history: RepositoryHistory,
        index: CommitIndex,
        sought: SoughtText,
        within: Callable[[str], bool] = lambda _: True,
    ) -> None:
        """Parse the pattern; a wrong one is a `Problem`. Only files `within` count."""
        self._within = within
        self._history = history
        self._index = index
        query = ExactQuery((sought.pattern,), regex=sought.regex, ignore_case=sought.ignore_case)
        self._matcher: LineMatcher = build_matcher(query)
        is_plain = not sought.regex and not sought.ignore_case
        # of a text in its letter case, its count tells; empty for others
        self._needle = sought.pattern.encode() if is_plain else b""
        self._across_lines = "\n" in sought.pattern
        self._unread_left = _MOST_UNREAD_BYTES

    def find(
        self, allowed: Mask, budget: Budget, after: int = -1, *, oldest_first: bool = False
    ) -> Iterator[tuple[int, CommitHit]]:
        """Place and hit of each commit behind a place, as they are asked for."""
        places, numbers = self._index.changed_with(self._matcher.required, budget)
        wanted = allowed[places] & (places > after)
        rows = zip(places[wanted].tolist(), numbers[wanted].tolist(), strict=True)
        commits = [
            (place, [number - 1 for _, number in group if number])
            for place, group in groupby(rows, key=itemgetter(0))
        ]
        for place, files in reversed(commits) if oldest_first else commits:
            budget.check()
            hit = self._hit(place, files, budget)
            if hit is not None:
                yield place, hit

    def _hit(self, place: int, numbers: Sequence[int], budget: Budget) -> CommitHit | None:
        commit = self._history.commit(self._index.table.identity(place))
        if commit is None:
            return None
        changed = self._index.files(place)
        files: list[str] = []
        hunks: list[ChangedLines] = []
        before = behind = 0
        for number in dict.fromkeys(numbers):
            budget.check()
            file = changed[number] if number < len(changed) else None
            if file is None or not any(map(self._within, _names(file))):
                continue
            if (place, number + 1) in self._index.unread_files:
                if self._unread_left <= 0:
                    gap = ObjectGap(file.path, "commit", commit.identity, MANY_LINES)
                    self._history.skip(gap)
                    break
                self._unread_left -= self._size_of(commit, file)
            found = self._file_hit(commit, file)
            if found is None:
                continue
            before, behind = before + found.before, behind + found.after
            files.append(found.path)
            if len(files) <= _MOST_FILES:
                hunks += found.hunks
        if not files:
            return None
        more = max(len(files) - _MOST_FILES, 0)
        return CommitHit(commit, files[:_MOST_FILES], hunks, before, behind, more)

    def _size_of(self, commit: Commit, file: CommitFile) -> int:
        """Bytes of both sides of a file, at least one."""
        try:
            versions = self._history.change_of(commit, file)
            sizes = [
                self._history.objects.size(item.identity) for item in versions if item.is_there
            ]
        except DAMAGE:
            return 1
        return max(sum(sizes), 1)

    def _file_hit(self, commit: Commit, file: CommitFile) -> _FileHit | None:
        try:
            change = self._history.change_of(commit, file)
            texts = self._history.texts(change)
        except DAMAGE:
            return None
        return None if texts is None else self._hit_file(change, texts)

    def _hit_file(self, change: FileChange, texts: tuple[bytes, bytes]) -> _FileHit | None:
        """A file's counts before and after, and the hunks with the text; None if it is no hit."""
        counts = [text.count(self._needle) for text in texts] if self._needle else None
        if counts is not None and counts[0] == counts[1]:
            return None
        hunks: list[ChangedLines] = []
        lines = [0, 0]
        for hunk in diff_lines(*texts, whole=True):
            sides = (texts[0][hunk.old_at : hunk.old_stop], texts[1][hunk.new_at : hunk.new_stop])
            matching = [self._matching_lines(side) for side in sides]
            if not any(matching):
                continue
            lines = [count + len(side) for count, side in zip(lines, matching, strict=True)]
            if len(hunks) < _MOST_HUNKS:
                near = _around([side[:_MOST_LINES] for side in matching])
                hunks.append(self._history.shown_hunk(change, hunk, texts, near))
        if counts is None and not any(lines):
            return None
        before, behind = counts or lines
        return _FileHit(change.path, before, behind, hunks)

    def _matching_lines(self, lines: bytes) -> list[int]:
        """The places of the lines that match, from 0."""
        if not self._across_lines and self._needle and self._needle not in lines:
            return []
        rows = lines if lines.endswith(b"\n") else lines + b"\n"
        return [number - 1 for number in self._matcher.line_numbers(rows)]


def _names(file: CommitFile) -> Sequence[str]:
    """The paths of a file before and after a commit."""
    return [path for path in (file.path, file.old_path) if path]


def _around(found: Sequence[Sequence[int]]) -> tuple[Sequence[int], Sequence[int]]:
    """Lines of each side that are shown: those that match, and some around them."""
    shown: list[list[int]] = []
    for lines in found:
        near = {at for line in lines for at in range(line - _CONTEXT, line + _CONTEXT + 1)}
        shown.append(sorted(at for at in near if at >= 0)[:_MOST_LINES])
    return shown[0], shown[1]
