"""Exact search: the same lines as reading every file, but only candidate files are read.

The index gives candidate files; matches come from their current content.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from typing import Final

from index_format import Snapshot
from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.model import AnswerWarning
from repo_mcp.safety.sandbox import Sandbox
from repo_mcp.search.dictionary.words import CACHE_AFTER, Dictionaries
from repo_mcp.search.exact.candidates import Candidates
from repo_mcp.search.exact.pattern import LineMatcher, build_matcher
from repo_mcp.search.exact.query import (
    FILE,
    LIMIT_REACHED,
    LINE,
    ExactAnswer,
    ExactQuery,
    FileCount,
    Scope,
)
from repo_mcp.search.matching_lines import FileMatches, LineMatch, normalize_lines

__all__ = ["FILE", "LIMIT_REACHED", "LINE", "ExactAnswer", "ExactEngine", "ExactQuery", "Scope"]

# added to a file's line count, so that short files do not rank as dense for their length alone
_LINES_ADDED: Final = 100


class ExactEngine:
    """Searches snapshots of one repository; thread-safe."""

    def __init__(self, sandbox: Sandbox, cache_after: int = CACHE_AFTER) -> None:
        """`cache_after` is the number of searches after which dictionary caches are filled."""
        self._sandbox = sandbox
        # no method of this object: dropping it has to drop the sandbox, and with it the open root
        self._dictionaries = Dictionaries(partial(_read_bytes, sandbox), cache_after)

    def find(self, snapshot: Snapshot, query: ExactQuery, budget: Budget) -> ExactAnswer:
        """The matching lines within limit and time budget, and whether these are all."""
        matcher = build_matcher(query)
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
        """Like `find`, in these files and their order, without the index."""
        return _Search(self._sandbox, build_matcher(query), query, budget).in_order(paths)


def _read_bytes(sandbox: Sandbox, path: str) -> bytes | None:
    try:
        return sandbox.read(path, follow=False).data
    except Problem:
        return None


class _Search:
    """Runs one query over files and collects its answer."""

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
        """Matching lines file by file, until the limit is reached."""
        query, limit = self._query, self._query.limit
        files = self._read_files(paths)
        for path, rows in files:
            left = None if limit is None else limit - len(self._matches)
            shown = query.after_line if path == query.after_path else 0
            found = self._match_file(path, rows, left if left is None else left + shown)
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
        """Counts matches in all files, then collects lines from the densest files."""
        limit = self._query.limit
        counts: list[tuple[float, FileCount]] = []
        for path, rows in self._read_files(candidates):
            found = self._match_file(path, rows, 0)
            if found.count:
                density = found.count / (rows.count(b"\n") + _LINES_ADDED)
                counts.append((-density, FileCount(path, found.count)))
        counts.sort()
        self._per_file = [count for _, count in counts]
        for path, _ in self._per_file:
            left = None if limit is None else limit - len(self._matches)
            if left == 0:
                break
            self._matches += self._matching_lines(path, left)
        total = sum(count.lines for count in self._per_file)
        self._cut = bool(limit) and len(self._matches) < total
        return self._answer(candidates)

    def _matching_lines(self, path: str, most: int | None) -> list[LineMatch]:
        rows = self._read_lines(path)
        return [] if rows is None else self._match_file(path, rows, most).lines

    def _match_file(self, path: str, rows: bytes, most: int | None) -> FileMatches:
        found, skipped_lines = self._matcher.match_file(path, rows, most)
        self._skipped_lines += skipped_lines
        return found

    def _read_files(self, paths: Iterable[str]) -> Iterator[tuple[str, bytes]]:
        """Files that may match, read until the time budget is spent."""
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
            rows = self._read_lines(path)
            if rows is None:
                self._gone += 1
                continue
            self._looked_at += 1
            if rows:
                yield path, rows

    def _read_lines(self, path: str) -> bytes | None:
        """The current lines of a file; empty if its bytes rule out a match."""
        try:
            data = self._sandbox.read(path, follow=False).data
        except Problem:
            return None
        return normalize_lines(data) if self._matcher.may_match(data) else b""

    def _answer(self, paths: Iterable[str]) -> ExactAnswer:
        """The finished answer."""
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
            # the file at which time ran out was yielded, but not read
            count = self._passed + 1 + paths.count_rest()
            why = "" if paths.is_narrowed else "; the pattern has no word to narrow the files by"
            text = (
                f"out of time after {self._passed} of {count} files that may match"
                f"{why}: narrow the search to some files, or add a longer word to the pattern"
            )
            yield AnswerWarning("out_of_time", text)
        if self._cut:
            text = f"stopped at {self._query.limit} matching lines; there may be more"
            yield AnswerWarning(LIMIT_REACHED, text)
        if self._gone:
            text = f"{self._gone} file(s) of the index are gone, unreadable or binary"
            yield AnswerWarning("gone", text)
        if self._skipped_lines:
            text = f"{self._skipped_lines} line(s) skipped: too long for an expression of this size"
            yield AnswerWarning("long_lines", text)
