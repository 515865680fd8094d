"""Exact search: the same lines as reading every file, but only candidate files are read.

The index gives candidate files; matches come from their current content.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

from index_format import Snapshot
from index_format.records import replace
from index_format.tuples import NamedTuple
from repo_mcp.budget import Budget
from repo_mcp.model import AnswerWarning
from repo_mcp.safety.sandbox import Sandbox
from repo_mcp.search.dictionary.words import Dictionaries
from repo_mcp.search.distributed import OpenDistributed, search_distributed
from repo_mcp.search.exact.candidates import Candidates, CandidateUnion, Required
from repo_mcp.search.exact.pattern import build_matcher
from repo_mcp.search.exact.query import (
    FILE,
    LIMIT_REACHED,
    LINE,
    ExactAnswer,
    ExactQuery,
    FileCount,
    OnFile,
    ScannedFile,
    Scope,
)
from repo_mcp.search.exact.scan import FileScanner
from repo_mcp.search.line_matches import LineList
from repo_mcp.text.plurals import counted

__all__ = ["FILE", "LIMIT_REACHED", "LINE", "ExactAnswer", "ExactEngine", "ExactQuery", "Scope"]

_MOST_NAMED: Final = 3


class QueryPlan(NamedTuple):
    """The answering of a query: the clauses of files that may match, and their reading."""

    required: Required
    scan: Callable[[Iterable[str]], Iterator[ScannedFile]]
    # instead of `required`, clauses and the files that they are about
    groups: Sequence[tuple[Required, Callable[[str], bool]]] = ()


class ExactEngine:
    """Searches snapshots of one repository; thread-safe."""

    def __init__(self, sandbox: Sandbox, distributed: OpenDistributed | None = None) -> None:
        """`distributed` gives a snapshot that others read."""
        self._distributed = distributed
        self._sandbox = sandbox
        self._dictionaries = Dictionaries()

    def find(
        self,
        snapshot: Snapshot,
        query: ExactQuery,
        budget: Budget,
        on_file: OnFile | None = None,
    ) -> ExactAnswer:
        """The matching lines within limit and time budget, and whether these are all.

        With `on_file`, which is called in the order of paths, the answer has no lines.
        """
        plan = self._plan(query, budget)

        def search(there: Snapshot) -> ExactAnswer:
            candidates = self._candidates(there, plan, query, budget, every=not query.limit)
            return _Search(plan, query, on_file).in_order(candidates)

        found, missing = search_distributed(snapshot, self._distributed, budget, search)
        if not missing:
            return found
        return replace(found, complete=False, warnings=(*missing, *found.warnings))

    def narrow(
        self, snapshot: Snapshot, query: ExactQuery, budget: Budget
    ) -> list[Sequence[int]] | None:
        """The numbers of files that may match, by segment; None where the index excludes none."""
        plan = self._plan(query, budget)
        candidates = self._of_group(snapshot, plan.required, query, budget, every=True)
        found = candidates.by_segment()
        return found if candidates.is_narrowed else None

    def find_in(
        self,
        paths: Iterable[str],
        query: ExactQuery,
        budget: Budget,
        on_file: OnFile | None = None,
    ) -> ExactAnswer:
        """Like `find`, in these files and their order, without the index."""
        return _Search(self._plan(query, budget), query, on_file).in_order(paths)

    def _plan(self, query: ExactQuery, budget: Budget) -> QueryPlan:
        matcher = build_matcher(query)
        return QueryPlan(matcher.required, FileScanner(self._sandbox, matcher, query, budget).scan)

    def _candidates(
        self,
        snapshot: Snapshot,
        plan: QueryPlan,
        query: ExactQuery,
        budget: Budget,
        *,
        every: bool,
    ) -> Candidates | CandidateUnion:
        if not plan.groups:
            return self._of_group(snapshot, plan.required, query, budget, every=every)
        return CandidateUnion(
            [
                (self._of_group(snapshot, required, query, budget, every=every), is_meant)
                for required, is_meant in plan.groups
            ]
        )

    def _of_group(
        self,
        snapshot: Snapshot,
        required: Required,
        query: ExactQuery,
        budget: Budget,
        *,
        every: bool,
    ) -> Candidates:
        after = "" if query.rank else query.after_path
        return Candidates(snapshot, required, self._dictionaries, budget, every=every, after=after)


class _Search:
    """Runs one query over files and collects its answer."""

    def __init__(self, plan: QueryPlan, query: ExactQuery, on_file: OnFile | None) -> None:
        self._on_file = on_file
        self._read = plan.scan
        self._query = query
        self._matches = LineList()
        self._per_file: list[FileCount] = []
        # paths taken from the candidates, and how many of them are not read yet
        self._taken = 0
        self._waiting = 0
        self._looked_at = 0
        self._gone = 0
        self._skipped_lines = 0
        self._skipped_in: list[str] = []
        self._in_parts: list[str] = []
        self._broken: list[str] = []
        self._out_of_time = False
        self._cut = False
        self._cut_by_work = False

    def in_order(self, paths: Iterable[str]) -> ExactAnswer:
        """Matching lines file by file, until the limit is reached."""
        query, limit = self._query, self._query.limit
        files = (file for file in self._scan(paths) if file.matching)
        shown = 0
        for file in files:
            path, count, kept = file.path, file.matching, file.lines
            if query.per_file is not None:
                count, kept = min(count or 0, query.per_file), kept[: query.per_file]
            lines = kept
            if path == query.after_path and query.after_line:
                lines = [match for match in kept if match.line > query.after_line]
            left = len(lines) if limit is None else limit - shown
            self._per_file.append(FileCount(path, count or 0))
            lines_shown = lines if left >= len(lines) else lines[:left]
            shown += len(lines_shown)
            if self._on_file is None:
                self._matches.add(lines_shown)
            else:
                self._on_file(self._per_file[-1], lines_shown)
            if limit and shown >= limit:
                all_kept = len(kept) == count and left >= len(lines)
                self._cut = not (query.counted and all_kept and next(files, None) is None)
                break
        return self._answer(paths)

    def _scan(self, paths: Iterable[str]) -> Iterator[ScannedFile]:
        """Files that were read, until time or bytes are spent."""
        query, most = self._query, sys.maxsize
        bytes_left = most if query.most_bytes is None else query.most_bytes
        searches_left = query.most_searches if query.limit == 0 and query.most_searches else most
        for file in self._read(self._allowed_paths(paths)):
            if bytes_left <= 0 or searches_left <= 0:
                self._cut_by_work = True
                return
            bytes_left -= file.size
            searches_left -= file.searches
            if query.most_searches is not None and file.searches >= query.most_searches:
                self._cut_by_work = True  # not all of its lines are counted
            self._waiting -= 1
            self._gone += file.matching is None
            self._looked_at += file.matching is not None
            self._skipped_lines += file.skipped
            self._skipped_in += [file.path] if file.skipped else []
            self._in_parts += [file.path] if file.in_parts else []
            self._broken += [file.path] if file.broken else []
            yield file
        self._out_of_time = self._waiting > 0

    def _allowed_paths(self, paths: Iterable[str]) -> Iterator[str]:
        """The paths to read, counted when they are taken, which is some time before.

        Those of the first rank are read as they come, those of others after all that come.
        """
        query = self._query
        after = query.place(query.after_path)
        later: dict[int, list[str]] = {}
        for path in paths:
            place = query.place(path)
            if place < after:
                continue
            self._taken += 1
            if query.allowed is None or query.allowed(path):
                self._waiting += 1
                if place[0]:
                    later.setdefault(place[0], []).append(path)
                else:
                    yield path
        for rank in sorted(later):
            yield from later[rank]

    def _answer(self, paths: Iterable[str]) -> ExactAnswer:
        """The finished answer."""
        return ExactAnswer(
            self._matches,
            tuple(self._per_file),
            self._looked_at,
            not (self._out_of_time or self._cut or self._cut_by_work or self._leaves_out),
            tuple(self._warnings(paths)),
            self._gone,
            self._out_of_time,
            self._out_of_time or self._cut or self._cut_by_work,
        )

    @property
    def _leaves_out(self) -> bool:
        """True if lines were too long or too malformed to be matched."""
        return bool(self._skipped_lines or self._broken)

    def _warnings(self, paths: Iterable[str]) -> Iterator[AnswerWarning]:
        if self._out_of_time and isinstance(paths, Candidates | CandidateUnion):
            passed = self._taken - self._waiting
            count = self._taken + paths.count_rest()
            why = "" if paths.is_narrowed else "; the pattern has no word to narrow the files by"
            text = (
                f"out of time after {passed} of {count} files that may match"
                f"{why}: narrow the search to some files, or add a longer word to the pattern"
            )
            yield AnswerWarning("out_of_time", text)
        if self._cut:
            limit = counted(self._query.limit or 0, "matching line")
            text = f"stopped at {limit}; there may be more"
            yield AnswerWarning(LIMIT_REACHED, text)
        if self._gone:
            text = f"{counted(self._gone, 'file')} of the index gone, unreadable or binary"
            yield AnswerWarning("gone", text)
        if self._skipped_lines:
            lines, named = counted(self._skipped_lines, "line"), _listed(self._skipped_in)
            text = (
                rf"{lines} skipped, too long for an expression of this size; [A-Za-z0-9_] for \w or"
                f" fewer alternatives make it smaller: {named}"
            )
            yield AnswerWarning("long_lines", text)
        if self._in_parts:
            text = f"a match over a great many lines may be missed in {_listed(self._in_parts)}"
            yield AnswerWarning("in_parts", text)
        if self._broken:
            named = _listed(self._broken)
            files = counted(len(self._broken), "file")
            text = f"{files} left out, as the parser breaks over or takes too long for: {named}"
            yield AnswerWarning("broken", text)


def _listed(paths: Sequence[str]) -> str:
    """The first of some files, each once, and the number of the others."""
    names = [*dict.fromkeys(paths)]
    more = len(names) - _MOST_NAMED
    return ", ".join([*names[:_MOST_NAMED], *([f"{more} more"] if more > 0 else [])])
