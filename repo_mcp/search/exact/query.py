"""Query and answer of an exact search."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final, Literal

from index_format.records import Record
from index_format.tuples import NamedTuple
from repo_mcp.model import AnswerWarning
from repo_mcp.search.line_matches import LineMatch
from repo_mcp.search.regex.parser import WRITTEN, LineEnds

Scope = Literal["line", "file"]
LINE: Final = "line"
FILE: Final = "file"
# code of the warning that more lines may match than the limit allows
LIMIT_REACHED: Final = "limit_reached"


# parts of an expression that are no letters of the text: escapes, and names of groups
_NO_LETTERS: Final = re.compile(
    r"\\[pP](?:\{[^}]*\}|[A-Z])|\\[xuU]\{[^}]*\}|\\.|\(\?P?<\w+>", re.DOTALL
)


def is_small(pattern: str, *, regex: bool) -> bool:
    """True if a pattern has no capital letter, so that smart case ignores letter case."""
    letters = _NO_LETTERS.sub("", pattern) if regex else pattern
    return not any(map(str.isupper, letters))


class ExactQuery(Record):
    """Patterns of an exact search, and which matching lines to return.

    Patterns are literals, or expressions with `regex`. A line must match all of them; with scope
    `file` the file must, and the first matching line of each pattern is returned.

    `limit` is the maximum number of lines: None for all, 0 to only count. Matches up to line
    `after_line` of `after_path` are skipped, and files for which `allowed` is false are not read.
    Files come by `rank` of their path, if one is given, and by path. Without `counted`, the search
    stops at the limit even within a file, so `per_file` may be too low for the last file. After
    `most_bytes` of files it stops, too. After `most_searches` calls of the engine of expressions,
    one for each matching line that is only counted, no more lines are counted: those of a file,
    and with limit 0 those of further files.
    """

    patterns: tuple[str, ...]
    regex: bool = False
    ignore_case: bool = False
    whole_word: bool = False
    context: int = 0
    limit: int | None = 100
    allowed: Callable[[str], bool] | None = None
    rank: Callable[[str], int] | None = None
    scope: Scope = LINE
    counted: bool = True
    after_path: str = ""
    after_line: int = 0
    most_bytes: int | None = None
    most_searches: int | None = None
    # true to tell where lines match, which takes far longer where much of them does
    columns: bool = True
    # maximum number of lines of a file; None for all
    per_file: int | None = None
    # find the lines that do not match, in all files
    inverted: bool = False
    # of a structural pattern: its languages, all without one, and whether to tell what its
    # metavariables stand for
    languages: tuple[str, ...] = ()
    bindings: bool = False
    # of matches across lines, to return the line in which each begins instead of all of its lines
    whole_matches: bool = False
    # what may match a line end beside a written one; then only matches across lines are returned,
    # by the text between blanks at their edges
    line_ends: LineEnds = WRITTEN

    @property
    def most_of_file(self) -> int | None:
        """The most lines of one file that the answer may need; None for all."""
        return None if self.limit is None else self.limit + self.after_line

    def place(self, path: str) -> tuple[int, str]:
        """The place of a file among others; that of no file comes first."""
        return (self.rank(path) if self.rank is not None and path else 0), path


class FileCount(NamedTuple):
    """A file and the number of its matching lines."""

    path: str
    lines: int


class ScannedFile(NamedTuple):
    """A file that was read, its matching lines, and its size in bytes, where known.

    `matching` counts the matching lines; it is None for a file that is gone, unreadable or binary.
    `skipped` lines were too long; `searches` counts calls of the engine of expressions. Over a
    `broken` file the parser has ended or taken too long. One searched `in_parts` may have matches
    that are longer than a part.
    """

    path: str
    matching: int | None
    lines: Sequence[LineMatch] = ()
    size: int = 0
    skipped: int = 0
    searches: int = 0
    broken: bool = False
    in_parts: bool = False


# is given each file with its count and its matching lines as soon as they are found
OnFile = Callable[[FileCount, Sequence[LineMatch]], None]


class ExactAnswer(Record):
    """Matching lines, in the order of files and lines.

    `per_file` counts all matching lines of each searched file; `complete` is true if no file and no
    line was left out. `files_gone` counts candidates that are gone, unreadable or binary.
    """

    matches: Sequence[LineMatch]
    per_file: tuple[FileCount, ...]
    files_looked_at: int
    complete: bool
    warnings: tuple[AnswerWarning, ...]
    files_gone: int = 0
    out_of_time: bool = False
    # true if files may match that were not looked at, for limits of lines, work or time
    ended_early: bool = False
