"""Files as they are now: text or binary, ranges of lines, and paths near one that is missing."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from typing import Final, NamedTuple

from index_format import Snapshot
from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.safety.sandbox import Sandbox
from repo_mcp.search import near_paths
from repo_mcp.text.files import Text, decode, lines

_MOST_NEAR: Final = 3
_NEAR_SECONDS: Final = 0.2


class FileContent(NamedTuple):
    """What a file holds; `text` is None when it is binary, `path` is below the root."""

    path: str
    data: bytes
    text: Text | None

    @property
    def lines(self) -> list[str]:
        """Lines without their ends; none of a binary file."""
        return [] if self.text is None else lines(self.text.content)

    @property
    def lines_with_ends(self) -> list[str]:
        """The same lines as they stand: split at line feeds only, as everywhere in this server."""
        if self.text is None:
            return []
        rows = [f"{row}\n" for row in self.text.content.split("\n")]
        rows[-1] = rows[-1][:-1]
        return rows if rows[-1] else rows[:-1]


def read(sandbox: Sandbox, path: str) -> FileContent:
    """The file of this path; a `Problem` where there is none to be shown."""
    content = sandbox.read(path)
    return FileContent(content.path, content.data, decode(content.data))


def numbered(rows: Iterable[str], first: int) -> list[str]:
    """Lines as number, tab, text."""
    return [f"{number}\t{row}" for number, row in enumerate(rows, first)]


class RangeFault(Enum):
    """Why a range has no lines."""

    BEFORE_FIRST = "lines are counted from 1"
    BACKWARDS = "it ends before it begins"
    AFTER_LAST = "it begins after the last line"


class RangeProblem(Problem):
    """A range of lines that has none."""

    def __init__(self, fault: RangeFault, detail: str) -> None:
        super().__init__("argument_invalid", detail)
        self.fault = fault


class LineRange(NamedTuple):
    """Lines that a client asks for, from 1; without `last` to the end of the file."""

    first: int = 1
    last: int | None = None

    def check(self) -> None:
        """Refuse what is no range of any file."""
        first, last = self
        if min(first, first if last is None else last) < 1:
            raise RangeProblem(RangeFault.BEFORE_FIRST, RangeFault.BEFORE_FIRST.value)
        if last is not None and last < first:
            raise RangeProblem(RangeFault.BACKWARDS, f"lines {first} to {last} are none")

    def within(self, total: int, *, least: int = 1) -> tuple[int, int]:
        """First and last line of a file of so many lines; an empty one counts as having `least`."""
        self.check()
        if self.first > max(total, least):
            raise RangeProblem(RangeFault.AFTER_LAST, f"the file has {total} lines")
        return self.first, total if self.last is None else min(self.last, total)


def with_near_paths(
    problem: Problem, path: str, snapshot: Snapshot | None, budget: Budget
) -> Problem:
    """The problem of a missing file, with paths of the index that may be meant."""
    if snapshot is None:
        return problem
    limit = budget.within(_NEAR_SECONDS)
    found = [item.path for item in near_paths(snapshot, path, _MOST_NEAR, limit)]
    return Problem("not_found", f"perhaps {', '.join(found)}") if found else problem
