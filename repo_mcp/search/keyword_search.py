"""Keyword search: the lines that hold all words, else the files that do, in the order of paths.

What is answered is what reading every file would give. The index only says which files may hold
the words; each is read as it is now.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final, Literal, NamedTuple

from index_format import Snapshot
from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.sandbox import Sandbox
from repo_mcp.search.keyword_files import Candidate, KeywordFiles
from repo_mcp.search.keyword_lines import (
    Keyword,
    KeywordLine,
    Rows,
    first_lines_of_each,
    lines_with_all,
)
from repo_mcp.search.keyword_texts import KeywordTexts
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
        self._texts = KeywordTexts()
        self._patience = patience

    def find(self, snapshot: Snapshot, query: KeywordQuery, budget: Budget) -> list[KeywordMatch]:
        """The first matches after the place that is given, by path and line."""
        files = KeywordFiles(snapshot, self._dictionaries, query.words, budget)
        self._patience -= 1
        if query.scope == LINE:
            return self._found(files.on_a_line(query.after_path), query, budget)
        return self._found(files.anywhere(query.after_path), query, budget)

    def find_in(
        self, paths: Iterable[str], query: KeywordQuery, budget: Budget
    ) -> list[KeywordMatch]:
        """The same in files that are given in the order of their paths."""
        return self._found(map(Candidate, paths), query, budget)

    def _found(
        self, candidates: Iterable[Candidate], query: KeywordQuery, budget: Budget
    ) -> list[KeywordMatch]:
        found: list[KeywordMatch] = []
        look = _Look(query)
        for candidate in candidates:
            path = candidate.path
            budget.check()
            if budget.spent:
                raise OutOfTimeError
            if path < query.after_path or not query.allowed(path):
                continue
            data = None if self._is_in_vain(candidate, look) else self._read(candidate)
            if data is not None:
                shown = query.after_line if path == query.after_path else 0
                lines = look.at_file(data, query.most - len(found) + shown)
                found += (KeywordMatch(path, *line) for line in lines if line.line > shown)
                if len(found) >= query.most:
                    return found[: query.most]
        return found

    def _is_in_vain(self, candidate: Candidate, look: _Look) -> bool:
        """Whether a file is known to have had no match when it was indexed."""
        if candidate.reader is None:
            return False
        known = self._texts.of(candidate.reader, candidate.number)
        return known is not None and not look.may_match(known)

    def _read(self, candidate: Candidate) -> bytes | None:
        """A file as it is now."""
        data = self._data(candidate.path)
        if data is not None and candidate.reader is not None and self._patience < 0:
            self._texts.keep(candidate.reader, candidate.number, data)
        return data

    def _data(self, path: str) -> bytes | None:
        try:
            return self._sandbox.read(path, follow=False).data
        except Problem:
            return None


class _Look:
    """One query, ready to be looked for in files."""

    def __init__(self, query: KeywordQuery) -> None:
        self._query = query
        exact = query.case_sensitive
        self._wanted = [Keyword(word, case_sensitive=exact) for word in query.words]
        self._loose = self._wanted
        if exact:
            self._loose = [Keyword(word, case_sensitive=False) for word in query.words]

    def at_file(self, data: bytes, most: int) -> list[KeywordLine]:
        """The first matches in a file, so many or a few more."""
        rows = Rows.of(data, self._wanted)
        return [] if rows is None else self._lines(rows, self._wanted, most)

    def may_match(self, rows: Rows) -> bool:
        """Whether there is any match in lines that are given in small letters."""
        return bool(rows.data) and bool(self._lines(rows, self._loose, 1))

    def _lines(self, rows: Rows, wanted: Sequence[Keyword], most: int) -> list[KeywordLine]:
        if self._query.scope == FILE:
            return first_lines_of_each(rows, wanted)
        return lines_with_all(rows, wanted, most)
