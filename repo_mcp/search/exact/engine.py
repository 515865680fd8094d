"""Finds literals and expressions in all indexed files: the same lines as reading every file would.

The index says which files may hold a match; each is read as it is now, and only what is found in it
is answered.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from typing import Final

from index_format import Snapshot
from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.safety.sandbox import Sandbox
from repo_mcp.search.dictionary.scan import PATIENCE, Dictionaries
from repo_mcp.search.exact.answer import ExactAnswer, ExactQuery, ExactResult, FileCount
from repo_mcp.search.exact.candidates import Candidates
from repo_mcp.search.exact.pattern import Pattern, pattern_of
from repo_mcp.search.matching_lines import FileMatches, LineMatch, rows_of

__all__ = ["ExactAnswer", "ExactEngine", "ExactQuery"]

# a file of few lines is not denser than one of many by that alone
_LINES_ADDED: Final = 100
# where some matches are enough, files that are read before it pays to ask the index more
_FIRST_FILES: Final = 800


class ExactEngine:
    """Searches snapshots of one repository; for any number of threads."""

    def __init__(self, sandbox: Sandbox, patience: int = PATIENCE) -> None:
        """Read files through this sandbox; after so many searches, make what helps later ones."""
        self._sandbox = sandbox
        self._dictionaries = Dictionaries(self._data, patience)

    def find(self, snapshot: Snapshot, query: ExactQuery, budget: Budget) -> ExactAnswer:
        """The lines that match, as far as limit and time allow, and whether these are all."""
        pattern = pattern_of(
            query.pattern,
            regex=query.regex,
            ignore_case=query.ignore_case,
            whole_word=query.whole_word,
        )
        candidates = Candidates(snapshot, pattern.required, self._dictionaries, budget)
        search = _Search(self._sandbox, pattern, query, budget)
        return search.ranked(candidates) if query.ranked else search.in_order(candidates)

    def _data(self, path: str) -> bytes | None:
        try:
            return self._sandbox.read(path, follow=False).data
        except Problem:
            return None


class _Search:
    """One query on its way through files."""

    def __init__(
        self, sandbox: Sandbox, pattern: Pattern, query: ExactQuery, budget: Budget
    ) -> None:
        self._sandbox = sandbox
        self._pattern = pattern
        self._query = query
        self._budget = budget
        self._told = ExactResult()

    def in_order(self, candidates: Candidates) -> ExactAnswer:
        """Lines of one file after the other, until there are enough."""
        told, limit = self._told, self._query.limit
        files = self._files(self._paths(candidates, every=not limit))
        for path, rows in files:
            left = None if limit is None else limit - len(told.matches)
            found = self._found(path, rows, left)
            told.add(found)
            if limit and len(told.matches) >= limit:
                whole = len(found.lines) == found.count and next(files, None) is None
                told.stopped(limit, whole=whole)
                break
        return told.answer()

    def ranked(self, candidates: Candidates) -> ExactAnswer:
        """Counts of all files first, then the lines of the densest."""
        told, limit = self._told, self._query.limit
        counts: list[tuple[float, FileCount]] = []
        for path, rows in self._files(self._paths(candidates, every=True)):
            found = self._found(path, rows, 0)
            if found.count:
                density = found.count / (rows.count(b"\n") + _LINES_ADDED)
                counts.append((-density, FileCount(path, found.count)))
        counts.sort()
        told.per_file = [count for _, count in counts]
        for path, _ in told.per_file:
            left = None if limit is None else limit - len(told.matches)
            if left == 0:
                break
            told.matches += self._shown(path, left)
        total = sum(count.lines for count in told.per_file)
        if limit and len(told.matches) < total:
            told.stopped(limit, whole=False)
        return told.answer()

    def _paths(self, candidates: Candidates, *, every: bool) -> Iterator[str]:
        """All that may match; where some may be enough, the index is asked more after these."""
        last = b""
        for asked_more in (every, True):
            paths, self._told.narrowed = candidates.chosen(every=asked_more)
            self._told.may_match = len(paths)
            rest = paths[bisect_right(paths, last) :]
            some = rest if asked_more else rest[:_FIRST_FILES]
            for path in some:
                yield path.decode("utf-8", "surrogatepass")
            if len(some) == len(rest):
                return
            last = some[-1]

    def _shown(self, path: str, most: int | None) -> list[LineMatch]:
        rows = self._rows(path)
        return [] if rows is None else self._found(path, rows, most).lines

    def _found(self, path: str, rows: bytes, most: int | None) -> FileMatches:
        found = FileMatches(path, rows, self._query.context)
        self._told.skipped_lines += self._pattern.look(found, rows, most)
        return found

    def _files(self, paths: Iterator[str]) -> Iterator[tuple[str, bytes]]:
        """Files that may match, read while there is time."""
        allowed, told = self._query.allowed, self._told
        for path in paths:
            self._budget.check()
            if self._budget.spent:
                told.out_of_time = True
                return
            told.passed += 1
            if allowed is not None and not allowed(path):
                continue
            rows = self._rows(path)
            if rows is None:
                told.gone += 1
                continue
            told.looked_at += 1
            if rows:
                yield path, rows

    def _rows(self, path: str) -> bytes | None:
        """The lines of a file as it is now; empty where a look at its bytes shows no match."""
        try:
            data = self._sandbox.read(path, follow=False).data
        except Problem:
            return None
        return rows_of(data) if self._pattern.may_match(data) else b""
