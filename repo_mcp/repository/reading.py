"""Reads current files: text or binary, line ranges, and similar paths for a missing one."""

from __future__ import annotations

from enum import Enum
from typing import Final

from index_format import CorruptIndexError, Snapshot
from index_format.analysis.content import lines
from index_format.tuples import NamedTuple
from repo_mcp import search
from repo_mcp.budget import Budget
from repo_mcp.documents import MISSING, is_unread
from repo_mcp.errors import Problem
from repo_mcp.safety.sandbox import Sandbox
from repo_mcp.text.files import Text, decode

_MOST_NEAR: Final = 3
_NEAR_SECONDS: Final = 0.2


class FileContent(NamedTuple):
    """A file's content; `text` is None if it is binary, `path` is relative to the root."""

    path: str
    data: bytes
    text: Text | None

    @property
    def lines(self) -> list[str]:
        """Lines without their ends; empty for a binary file."""
        return [] if self.text is None else lines(self.text.content)

    @property
    def lines_with_ends(self) -> list[str]:
        """The same lines with their ends; split at line feeds only, as everywhere here."""
        if self.text is None:
            return []
        rows = [f"{row}\n" for row in self.text.content.split("\n")]
        rows[-1] = rows[-1][:-1]
        return rows if rows[-1] else rows[:-1]


def read(sandbox: Sandbox, path: str) -> FileContent:
    """Read a file; raises a `Problem` if it can't be shown."""
    content = sandbox.read(path)
    if is_unread(content.path, content.data):
        raise Problem("document_unread", MISSING)
    return FileContent(content.path, content.data, decode(content.data))


class RangeFault(Enum):
    """The problem of a line range."""

    BEFORE_FIRST = "lines are counted from 1"
    BACKWARDS = "it ends before it begins"
    AFTER_LAST = "it begins after the last line"


class RangeProblem(Problem):
    """An invalid line range."""

    def __init__(self, fault: RangeFault, detail: str) -> None:
        super().__init__("argument_invalid", detail)
        self.fault = fault


class LineRange(NamedTuple):
    """Requested lines, counted from 1; without `last`, to the end of the file."""

    first: int = 1
    last: int | None = None

    def check(self) -> None:
        """Refuse a range that is invalid for every file."""
        first, last = self
        if min(first, first if last is None else last) < 1:
            raise RangeProblem(RangeFault.BEFORE_FIRST, RangeFault.BEFORE_FIRST.value)
        if last is not None and last < first:
            raise RangeProblem(RangeFault.BACKWARDS, f"line {last} is before line {first}")

    def within(self, total: int, *, least: int = 1) -> tuple[int, int]:
        """The range cut to a file of `total` lines; an empty file counts as `least` lines."""
        self.check()
        if self.first > max(total, least):
            raise RangeProblem(RangeFault.AFTER_LAST, f"the file has {total} lines")
        return self.first, total if self.last is None else min(self.last, total)


def with_near_paths(
    problem: Problem, path: str, snapshot: Snapshot | None, budget: Budget
) -> Problem:
    """The problem of a missing file, with similar paths from the index."""
    if snapshot is None:
        return problem
    limit = budget.within(_NEAR_SECONDS)
    try:
        found = [item.path for item in search.near_paths(snapshot, path, _MOST_NEAR, limit)]
    except CorruptIndexError:  # a search rebuilds it
        return problem
    return Problem("not_found", f"did you mean {', '.join(found)}") if found else problem
