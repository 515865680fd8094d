"""Keyword search: the lines that hold all words, else the files that do, in the order of paths.

What is answered is what reading every file would give. The index only says which files may hold
the words; each is read as it is now.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final, Literal, NamedTuple

from index_format import Snapshot
from index_format.segment.reader import SegmentReader
from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.safety.sandbox import Sandbox
from repo_mcp.search.keywords.ahead import Prepare, ReadAhead
from repo_mcp.search.keywords.files import Candidate, KeywordFiles
from repo_mcp.search.keywords.lines import (
    Keyword,
    KeywordLine,
    Rows,
    first_lines_of_each,
    lines_with_all,
)
from repo_mcp.search.keywords.texts import KeywordTexts
from repo_mcp.search.keywords.words import PATIENCE, KeywordDictionaries

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
        prepare = Prepare(self._dictionaries.prepare, self._keep)
        self._ahead = ReadAhead(prepare, self._texts.most)

    def find(self, snapshot: Snapshot, query: KeywordQuery, budget: Budget) -> list[KeywordMatch]:
        """The first matches after the place that is given, by path and line."""
        look = _Look(query)
        files = KeywordFiles(snapshot, (self._dictionaries, self._texts), look.wanted, budget)
        self._patience -= 1
        on_a_line = query.scope == LINE
        found = files.on_a_line if on_a_line else files.anywhere
        with self._ahead.searching():
            return self._found(found(query.after_path), look, budget)

    def find_in(
        self, paths: Iterable[str], query: KeywordQuery, budget: Budget
    ) -> list[KeywordMatch]:
        """The same in files that are given in the order of their paths."""
        return self._found(map(Candidate, paths), _Look(query), budget)

    def read_ahead(self, snapshot: Snapshot, allowed: Callable[[str], bool]) -> None:
        """Prepare what makes later searches quick, while none runs; returns at once.

        Of files that `allowed` is false for, nothing is read.
        """
        self._ahead.begin(snapshot.segments, allowed, texts=self._patience < 0)

    def finish_reading(self) -> None:
        """Wait until all is prepared."""
        self._ahead.join()

    def close(self) -> None:
        """Stop what runs."""
        self._ahead.close()

    def _found(
        self, candidates: Iterable[Candidate], look: _Look, budget: Budget
    ) -> list[KeywordMatch]:
        found: list[KeywordMatch] = []
        query = look.query
        for candidate in candidates:
            path = candidate.path
            budget.check()
            if budget.spent:
                raise OutOfTimeError
            if path < query.after_path or not query.allowed(path):
                continue
            rows = self._rows(candidate)
            if rows is not None:
                shown = query.after_line if path == query.after_path else 0
                lines = look.at_file(rows, query.most - len(found) + shown)
                found += (KeywordMatch(path, *line) for line in lines if line.line > shown)
                if len(found) >= query.most:
                    return found[: query.most]
        return found

    def _rows(self, candidate: Candidate) -> Rows | None:
        """The lines of a file as it is now; None where there are none to be had."""
        data = self._data(candidate.path)
        rows = None if data is None else Rows.of(data)
        if data is not None and candidate.reader is not None and self._patience < 0:
            self._texts.keep(candidate.reader, candidate.number, data, rows)
        return rows

    def _keep(self, path: str, reader: SegmentReader, number: int) -> None:
        """Keep the text of a file that no search has read yet."""
        if not self._texts.holds(reader, number):
            self._rows(Candidate(path, reader, number))

    def _data(self, path: str) -> bytes | None:
        try:
            return self._sandbox.read(path, follow=False).data
        except Problem:
            return None


class _Look:
    """One query, ready to be looked for in files."""

    def __init__(self, query: KeywordQuery) -> None:
        self.query = query
        exact = query.case_sensitive
        self.wanted = [Keyword(word, case_sensitive=exact) for word in query.words]

    def at_file(self, rows: Rows, most: int) -> list[KeywordLine]:
        """The first matches in a file, so many or a few more."""
        if not all(word.may_be_in(rows) for word in self.wanted):
            return []
        if self.query.scope == FILE:
            return first_lines_of_each(rows, self.wanted)
        return lines_with_all(rows, self.wanted, most)
