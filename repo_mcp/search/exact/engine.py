"""Exact search: the lines that reading every file would give, found with the help of the index.

The index names candidate files; each is read as it is now, and only what is found in it is
answered.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from index_format import Snapshot
from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.model import AnswerWarning
from repo_mcp.safety.sandbox import Sandbox
from repo_mcp.search.dictionary.words import PATIENCE, Dictionaries
from repo_mcp.search.exact.candidates import Candidates
from repo_mcp.search.exact.pattern import LineMatcher, matcher_of
from repo_mcp.search.exact.query import (
    FILE,
    LIMIT_REACHED,
    LINE,
    ExactAnswer,
    ExactQuery,
    FileCount,
    Scope,
)
from repo_mcp.search.matching_lines import FileMatches, LineMatch, rows_of

__all__ = ["FILE", "LIMIT_REACHED", "LINE", "ExactAnswer", "ExactEngine", "ExactQuery", "Scope"]

# a file of few lines is not denser than one of many by that alone
_LINES_ADDED: Final = 100


class ExactEngine:
    """Searches snapshots of one repository; for any number of threads."""

    def __init__(self, sandbox: Sandbox, patience: int = PATIENCE) -> None:
        """Read files through this sandbox; after so many searches, make what helps later ones."""
        self._sandbox = sandbox
        self._dictionaries = Dictionaries(self._data, patience)

    def find(self, snapshot: Snapshot, query: ExactQuery, budget: Budget) -> ExactAnswer:
        """The lines that match, as far as limit and time allow, and whether these are all."""
        matcher = matcher_of(query)
        candidates = Candidates(
            snapshot,
            matcher.required,
            self._dictionaries,
            budget,
            every=query.ranked or not query.limit,
            after=query.after_path,
        )
        search = _Search(self._sandbox, matcher, query, budget)
        return search.ranked(candidates) if query.ranked else search.in_order(candidates)

    def find_in(self, paths: Iterable[str], query: ExactQuery, budget: Budget) -> ExactAnswer:
        """The same in the order of some files, without the index."""
        return _Search(self._sandbox, matcher_of(query), query, budget).in_order(paths)

    def _data(self, path: str) -> bytes | None:
        try:
            return self._sandbox.read(path, follow=False).data
        except Problem:
            return None


class _Search:
    """One query on its way through files, and its answer so far."""

    def __init__(
        self, sandbox: Sandbox, matcher: LineMatcher, query: ExactQuery, budget: Budget
    ) -> None:
        self._sandbox = sandbox
        self._matcher = matcher
        self._query = query
        self._budget = budget
        self._matches: list[LineMatch] = []
        self._per_file: list[FileCount] = []
        self._passed = 0
        self._looked_at = 0
        self._gone = 0
        self._skipped_lines = 0
        self._out_of_time = False
        self._cut = False

    def in_order(self, paths: Iterable[str]) -> ExactAnswer:
        """Lines of one file after the other, until there are enough."""
        query, limit = self._query, self._query.limit
        files = self._files(paths)
        for path, rows in files:
            left = None if limit is None else limit - len(self._matches)
            shown = query.after_line if path == query.after_path else 0
            found = self._found(path, rows, left if left is None else left + shown)
            if not found.count:
                continue
            lines = found.lines
            if shown:
                lines = [match for match in lines if match.line > shown][:left]
            self._matches += lines
            self._per_file.append(FileCount(path, found.count))
            if limit and len(self._matches) >= limit:
                whole = query.counted and len(found.lines) == found.count
                self._cut = not (whole and next(files, None) is None)
                break
        return self._answer(paths)

    def ranked(self, candidates: Candidates) -> ExactAnswer:
        """Counts of all files first, then the lines of the densest."""
        limit = self._query.limit
        counts: list[tuple[float, FileCount]] = []
        for path, rows in self._files(candidates):
            found = self._found(path, rows, 0)
            if found.count:
                density = found.count / (rows.count(b"\n") + _LINES_ADDED)
                counts.append((-density, FileCount(path, found.count)))
        counts.sort()
        self._per_file = [count for _, count in counts]
        for path, _ in self._per_file:
            left = None if limit is None else limit - len(self._matches)
            if left == 0:
                break
            self._matches += self._shown(path, left)
        total = sum(count.lines for count in self._per_file)
        self._cut = bool(limit) and len(self._matches) < total
        return self._answer(candidates)

    def _shown(self, path: str, most: int | None) -> list[LineMatch]:
        rows = self._rows(path)
        return [] if rows is None else self._found(path, rows, most).lines

    def _found(self, path: str, rows: bytes, most: int | None) -> FileMatches:
        found, skipped_lines = self._matcher.look(path, rows, most)
        self._skipped_lines += skipped_lines
        return found

    def _files(self, paths: Iterable[str]) -> Iterator[tuple[str, bytes]]:
        """Files that may match, read while there is time."""
        allowed = self._query.allowed
        for path in paths:
            self._budget.check()
            if self._budget.spent:
                self._out_of_time = True
                return
            if path < self._query.after_path:
                continue
            self._passed += 1
            if allowed is not None and not allowed(path):
                continue
            rows = self._rows(path)
            if rows is None:
                self._gone += 1
                continue
            self._looked_at += 1
            if rows:
                yield path, rows

    def _rows(self, path: str) -> bytes | None:
        """The lines of a file as it is now; empty where a look at its bytes shows no match."""
        try:
            data = self._sandbox.read(path, follow=False).data
        except Problem:
            return None
        return rows_of(data) if self._matcher.may_match(data) else b""

    def _answer(self, paths: Iterable[str]) -> ExactAnswer:
        """The answer, when no more is to come."""
        return ExactAnswer(
            tuple(self._matches),
            tuple(self._per_file),
            self._looked_at,
            not (self._out_of_time or self._cut or self._skipped_lines),
            tuple(self._warnings(paths)),
            self._gone,
            self._out_of_time,
        )

    def _warnings(self, paths: Iterable[str]) -> Iterator[AnswerWarning]:
        if self._out_of_time and isinstance(paths, Candidates):
            # the file at which time ran out was handed out, but not read
            count = self._passed + 1 + paths.count_rest()
            why = "" if paths.narrowed else "; nothing in the pattern says in which files to look"
            text = (
                f"out of time after {self._passed} of {count} files that may hold a match"
                f"{why}: narrow the search to some files, or give a longer word that must be there"
            )
            yield AnswerWarning("out_of_time", text)
        if self._cut:
            text = f"stopped at {self._query.limit} matching lines: there may be more"
            yield AnswerWarning(LIMIT_REACHED, text)
        if self._gone:
            text = f"{self._gone} file(s) of the index are gone, unreadable or binary by now"
            yield AnswerWarning("gone", text)
        if self._skipped_lines:
            text = f"{self._skipped_lines} line(s) are too long for an expression of this size"
            yield AnswerWarning("long_lines", text)
