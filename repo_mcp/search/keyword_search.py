"""Keyword search: the lines that hold all words, else the files that do, in the order of paths.

What is answered is what reading every file would give. The index only says which files may hold
the words; each is read as it is now.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Final, Literal, NamedTuple

from index_format import Snapshot
from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.sandbox import Sandbox
from repo_mcp.search.keyword_files import KeywordFiles
from repo_mcp.search.keyword_lines import (
    Keyword,
    KeywordLine,
    first_lines_of_each,
    lines_with_all,
)
from repo_mcp.search.keyword_words import PATIENCE, KeywordDictionaries

Scope = Literal["line", "file"]
LINE: Final = "line"
FILE: Final = "file"


class KeywordQuery(NamedTuple):
    """What is looked for: on a line, or anywhere in a file; and after which line of which file.

    Files that `allowed` is false for are not read.
    """

    words: tuple[str, ...]
    scope: Scope
    most: int
    case_sensitive: bool = False
    after_path: str = ""
    after_line: int = 0
    allowed: Callable[[str], bool] = lambda _: True


class KeywordMatch(NamedTuple):
    """A line that was found."""

    path: str
    line: int
    preview: str


class OutOfTimeError(Exception):
    """There was no time to read all files that may match: what was found is not all."""


class KeywordEngine:
    """Searches one tree of files; for any number of threads."""

    def __init__(self, sandbox: Sandbox, patience: int = PATIENCE) -> None:
        """Read files through this sandbox; after some searches, make what helps later ones."""
        self._sandbox = sandbox
        self._dictionaries = KeywordDictionaries(self._data, patience)

    def find(self, snapshot: Snapshot, query: KeywordQuery, budget: Budget) -> list[KeywordMatch]:
        """The first matches after the place that is given, by path and line."""
        files = KeywordFiles(snapshot, self._dictionaries, query.words, budget)
        if query.scope == LINE:
            return self.find_in(files.on_a_line(query.after_path), query, budget)
        return self.find_in(files.anywhere(query.after_path), query, budget)

    def find_in(
        self, paths: Iterable[str], query: KeywordQuery, budget: Budget
    ) -> list[KeywordMatch]:
        """The same in files that are given in the order of their paths."""
        found: list[KeywordMatch] = []
        look = _look(query)
        for path in paths:
            budget.check()
            if budget.spent:
                raise OutOfTimeError
            if path < query.after_path or not query.allowed(path):
                continue
            data = self._data(path)
            if data is not None:
                least = query.after_line if path == query.after_path else 0
                found += (KeywordMatch(path, *item) for item in look(data) if item.line > least)
                if len(found) >= query.most:
                    return found[: query.most]
        return found

    def _data(self, path: str) -> bytes | None:
        try:
            return self._sandbox.read(path, follow=False).data
        except Problem:
            return None


def _look(query: KeywordQuery) -> Callable[[bytes], Iterator[KeywordLine]]:
    """What finds the lines of one file."""
    wanted = [Keyword(word, case_sensitive=query.case_sensitive) for word in query.words]
    # the longest is on the fewest lines
    wanted.sort(key=lambda keyword: -keyword.size)
    if query.scope == FILE:
        return lambda data: iter(first_lines_of_each(data, wanted))
    return lambda data: iter(lines_with_all(data, wanted, query.most + query.after_line))
