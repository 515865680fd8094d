"""Query and answer of an exact search."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

from repo_mcp.model import AnswerWarning
from repo_mcp.search.matching_lines import LineMatch

Scope = Literal["line", "file"]
LINE: Final = "line"
FILE: Final = "file"
# the code of the warning that there may be more lines than the limit
LIMIT_REACHED: Final = "limit_reached"


@dataclass(frozen=True, slots=True)
class ExactQuery:
    """Patterns, and how many of the matching lines to return.

    Patterns are literals, or expressions with `regex`. A line matches that holds all of them; with
    scope `file` a file does, and the first line of each pattern stands for it.

    `limit` is the most lines to return: None for all, 0 to count them only. Matches up to line
    `after_line` of `after_path` are left out, and files that `allowed` is false for are not read.
    `ranked` puts files first that match densely. Without `counted`, a search stops at the limit
    even within a file, so that `per_file` says nothing about the last one.
    """

    patterns: tuple[str, ...]
    regex: bool = False
    ignore_case: bool = False
    whole_word: bool = False
    context: int = 0
    limit: int | None = 100
    allowed: Callable[[str], bool] | None = None
    ranked: bool = False
    scope: Scope = LINE
    counted: bool = True
    after_path: str = ""
    after_line: int = 0


class FileCount(NamedTuple):
    """A file and how many of its lines match."""

    path: str
    lines: int


@dataclass(frozen=True, slots=True)
class ExactAnswer:
    """Matching lines in the order of paths and lines, or of ranked files and their lines.

    `per_file` counts all matching lines of the files that were searched; `complete` is true when no
    file was left out, and no line that should be returned. `files_gone` counts candidates that are
    gone, unreadable or binary.
    """

    matches: tuple[LineMatch, ...]
    per_file: tuple[FileCount, ...]
    files_looked_at: int
    complete: bool
    warnings: tuple[AnswerWarning, ...]
    files_gone: int = 0
    out_of_time: bool = False
