"""What is asked of an exact search, and what is answered."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from repo_mcp.search.matching_lines import FileMatches, LineMatch


@dataclass(frozen=True, slots=True)
class ExactQuery:
    """What is looked for, and how much is wanted of it.

    `limit` is the most matching lines to show: None for all, 0 to count them only. Files that
    `allowed` is false for are not read. `ranked` puts files first that match densely.
    """

    pattern: str
    regex: bool = False
    ignore_case: bool = False
    whole_word: bool = False
    context: int = 0
    limit: int | None = 100
    allowed: Callable[[str], bool] | None = None
    ranked: bool = False


class FileCount(NamedTuple):
    """A file and how many of its lines match."""

    path: str
    lines: int


@dataclass(frozen=True, slots=True)
class ExactAnswer:
    """Matching lines in the order of paths and lines, or of ranked files and their lines.

    `per_file` counts all matching lines of the files that were looked at; `complete` says that no
    file was left out, and no line that should be shown.
    """

    matches: tuple[LineMatch, ...]
    per_file: tuple[FileCount, ...]
    files_looked_at: int
    complete: bool
    warnings: tuple[str, ...]


class ExactResult:
    """An answer as it grows, and what is to be said of it."""

    def __init__(self) -> None:
        """Nothing was found yet."""
        self.matches: list[LineMatch] = []
        self.per_file: list[FileCount] = []
        self.may_match = 0
        self.narrowed = False
        self.passed = 0
        self.looked_at = 0
        self.gone = 0
        self.skipped_lines = 0
        self.out_of_time = False
        self._limit: int | None = None

    def add(self, found: FileMatches) -> None:
        """What a file holds."""
        if found.count:
            self.matches += found.lines
            self.per_file.append(FileCount(found.path, found.count))

    def stopped(self, limit: int, *, whole: bool) -> None:
        """There are as many lines as were asked for; `whole` when there are no more."""
        self._limit = None if whole else limit

    def answer(self) -> ExactAnswer:
        """The answer, when no more is to come."""
        stopped = self.out_of_time or self._limit is not None
        return ExactAnswer(
            tuple(self.matches),
            tuple(self.per_file),
            self.looked_at,
            not stopped and not self.skipped_lines,
            tuple(self._warnings()),
        )

    def _warnings(self) -> Iterator[str]:
        if self.out_of_time:
            why = "" if self.narrowed else "; nothing in the pattern says in which files to look"
            yield (
                f"out of time after {self.passed} of {self.may_match} files that may hold a match"
                f"{why}: narrow the search to some files, or give a longer word that must be there"
            )
        if self._limit is not None:
            yield f"stopped at {self._limit} matching lines: there may be more"
        if self.gone:
            yield f"{self.gone} file(s) of the index are gone, unreadable or binary by now"
        if self.skipped_lines:
            yield f"{self.skipped_lines} line(s) are too long for an expression of this size"
