"""Values of answers from the history."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from index_format.tuples import NamedTuple
from repo_mcp.git import Commit


class CommitFilter(NamedTuple):
    """The commits that an answer may be of; an empty text or 0 restricts nothing."""

    path: str = ""  # a file, a folder, or a glob
    author: str = ""  # words of a name or an address
    since: int = 0  # the first second
    until: int = 0  # the second after the last one


class ChangedLines(NamedTuple):
    """Lines of a file that a commit has changed: a hunk, with a sign before each line."""

    path: str
    old_line: int
    new_line: int
    lines: Sequence[str]
    old_path: str = ""
    # names of the declarations that they are in
    symbols: Sequence[str] = ()


class CommitHit(NamedTuple):
    """A commit that an answer names, with what it has changed of what was asked."""

    commit: Commit
    files: Sequence[str] = ()
    hunks: Sequence[ChangedLines] = ()
    # how often a text is there before and after
    before: int = 0
    after: int = 0
    # files beyond those of `files`
    more_files: int = 0


class RelatedFile(NamedTuple):
    """A file that changes together with another one."""

    path: str
    together: int  # commits that have changed both
    of: int  # commits that have changed the other one
    last: bytes  # the last of them
    score: float


class PersonActivity(NamedTuple):
    """A person and their commits to a file or a folder."""

    name: str
    email: str
    commits: int
    last: str  # the day of the last one
    score: float


class BlamedRange(NamedTuple):
    """Lines of a file, from 1 on, and the commit that they come from."""

    first: int
    last: int
    commit: Commit
    path: str  # the file's path there
    origin_first: int


# raises where a question has been given up
Check = Callable[[], None]
