"""`repo.search` in modes literal and regex: matching lines by path, and how many there are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from typing import Any, Final

from index_format import Snapshot
from repo_mcp.budget import Budget
from repo_mcp.model import AnswerWarning
from repo_mcp.repository import OpenIndex
from repo_mcp.search import (
    LIMIT_REACHED,
    ExactAnswer,
    ExactEngine,
    ExactQuery,
    LineMatch,
    suggest_queries,
)
from repo_mcp.text.globs import Glob
from repo_mcp.toolsets.interrogator.exact_hits import HitPage, Symbols
from repo_mcp.toolsets.interrogator.results import MatchCount, SearchResult, SuggestedQuery
from repo_mcp.toolsets.kit.answers import Outcome
from repo_mcp.toolsets.kit.cursors import CHANGED, cursor_of, position_of
from repo_mcp.toolsets.kit.index_warnings import COMPARING, lacking_text, unmatched
from repo_mcp.toolsets.kit.services import Arguments, Context, ToolServices

_MOST_CONTEXT: Final = 20
# what a search that nothing narrows may take: less than the shortest patience of a client
_SECONDS: Final = 20.0
# what counting may take that goes on after there are enough lines to show
_COUNTING_SECONDS: Final = 0.15
_SUGGESTING_SECONDS: Final = 0.3
_MOST_FULLEST: Final = 8


@dataclass(frozen=True, slots=True)
class _Start:
    """After which line of which file to begin, and how many of that file were shown."""

    path: str = ""
    line: int = 0
    shown: int = 0


@dataclass(frozen=True, slots=True)
class _PageRequest:
    """One page that is wanted."""

    query: ExactQuery
    question: list[Any]
    start: _Start
    top_k: int
    page: int

    @property
    def is_first(self) -> bool:
        """Whether nothing was shown before."""
        return not self.start.path


class ExactSearch:
    """Searches for what is written exactly so."""

    def __init__(self, services: ToolServices) -> None:
        """Take what it works with."""
        self._services = services
        self._engine = ExactEngine(services.repository.sandbox)

    def __call__(self, arguments: Arguments, context: Context) -> Outcome:
        """A page of matching lines, those of one declaration together."""
        limit = context.budget.within(_SECONDS)
        return self._services.repository.ask(
            lambda index: self._found(arguments, index, limit),
            self._services.patience,
            context.budget,
        )

    def _found(self, arguments: Arguments, index: OpenIndex, budget: Budget) -> Outcome:
        warnings = [*self._services.background_notes]
        asked = self._asked(arguments, index, warnings)
        found = self._of_index(asked.query, index, budget)
        # that there are more is said by what an answer holds
        warnings += [item for item in found.warnings if item.code != LIMIT_REACHED]
        stopped = _has_stopped(found)
        matches = list(_after(asked.start, found.matches))
        more = stopped
        if not index.complete:
            looked = self._unindexed(asked, index, budget, warnings)
            matches += _after(asked.start, looked.matches)
            matches.sort(key=lambda match: (match.path, match.line))
            more |= _has_stopped(looked)
        elif not index.compared:
            warnings.append(COMPARING)
        result = _empty(arguments, index)
        if asked.is_first and index.snapshot is not None:
            if not matches:
                warnings += unmatched(arguments["file_glob"], index, budget)
                result.suggestions = self._near(asked.query, index.snapshot, budget, warnings)
            self._count(result, asked.query, found, index, budget, stopped=stopped)
        hits = self._page(asked, matches, result, index, warnings)
        result.hits = hits.hits()
        result.truncated = more or hits.lines < len(matches)
        if result.truncated:
            result.cursor = _cursor(asked, matches[: hits.lines], index)
        return Outcome(result, warnings, shown=hits.cited())

    def _asked(
        self, arguments: Arguments, index: OpenIndex, warnings: list[AnswerWarning]
    ) -> _PageRequest:
        services = self._services
        most = services.limits.max_search_hits
        top_k = services.at_most("top_k", arguments["top_k"] or most, most, warnings)
        around = arguments["context_lines"]
        around = services.at_most("context_lines", around, _MOST_CONTEXT, warnings)
        page = services.page(arguments["max_chars"], warnings)
        names = ("mode", "query", "file_glob", "ignore_case", "whole_word")
        question = [arguments[name] for name in names]
        start = _Start()
        if arguments["cursor"]:
            position = position_of(arguments["cursor"], question, str, int, int)
            path, line, shown = position.place
            start = _Start(path, max(line, 0), min(max(shown, 0), line))
            if position.generation != index.generation:
                warnings.append(CHANGED)
        glob = None if arguments["file_glob"] is None else Glob(arguments["file_glob"])

        def allowed(path: str) -> bool:
            return path >= start.path and (glob is None or glob.matches(path))

        query = ExactQuery(
            (arguments["query"],),
            regex=arguments["mode"] == "regex",
            ignore_case=arguments["ignore_case"],
            whole_word=arguments["whole_word"],
            context=around,
            limit=top_k + start.shown,
            allowed=allowed if start.path or glob is not None else None,
        )
        return _PageRequest(query, question, start, top_k, page)

    def _of_index(self, query: ExactQuery, index: OpenIndex, budget: Budget) -> ExactAnswer:
        if index.snapshot is None:
            return self._engine.find_in((), query, budget)
        return self._engine.find(index.snapshot, query, budget)

    def _unindexed(
        self, asked: _PageRequest, index: OpenIndex, budget: Budget, warnings: list[AnswerWarning]
    ) -> ExactAnswer:
        """What a moment's look at files finds that are not indexed yet; says how far it went."""
        repository = self._services.repository
        known = frozenset(index.snapshot.paths() if index.snapshot else ())
        moment = budget.within(repository.settings.first_answer_seconds)
        paths = (path for path in repository.manager.awaited(moment) if path not in known)
        found = self._engine.find_in(paths, asked.query, moment)
        files = found.files_looked_at + found.files_gone
        text = (
            f"{lacking_text(index, repository)}: {len(known)} files were searched in it, and"
            f" {files} others read for this answer; ask again for a complete one"
        )
        warnings.append(AnswerWarning("incomplete", text))
        return found

    def _count(
        self,
        result: SearchResult,
        query: ExactQuery,
        found: ExactAnswer,
        index: OpenIndex,
        budget: Budget,
        *,
        stopped: bool,
    ) -> None:
        """Say how many lines match in how many files; count on a moment where some are shown."""
        per_file, complete = found.per_file, found.complete
        if stopped and index.snapshot is not None:
            counting = budget.within(_COUNTING_SECONDS)
            every = replace(query, limit=0, context=0)
            answer = self._engine.find(index.snapshot, every, counting)
            if len(answer.per_file) >= len(per_file):
                per_file, complete = answer.per_file, answer.complete
        fullest = sorted(per_file, key=lambda item: (-item.lines, item.path))
        shown = fullest[:_MOST_FULLEST] if stopped else []
        result.matching_lines = sum(item.lines for item in per_file)
        result.matching_files = len(per_file)
        result.counted_all = index.complete and complete
        result.fullest_files = [MatchCount(path=item.path, lines=item.lines) for item in shown]

    def _near(
        self, query: ExactQuery, snapshot: Snapshot, budget: Budget, warnings: list[AnswerWarning]
    ) -> list[SuggestedQuery]:
        """What might have been meant where nothing is found."""
        limit = budget.within(_SUGGESTING_SECONDS)
        if not query.ignore_case:
            loose = replace(query, limit=0, context=0, ignore_case=True)
            found = self._engine.find(snapshot, loose, limit)
            count = sum(item.lines for item in found.per_file)
            if count:
                text = f"nothing matches as written; {count} line(s) do with ignore_case"
                warnings.append(AnswerWarning("case", text))
        if query.regex:
            return []
        near = suggest_queries(snapshot, query.patterns[0], budget.within(_SUGGESTING_SECONDS))
        return [SuggestedQuery(**asdict(item)) for item in near]

    def _page(
        self,
        asked: _PageRequest,
        matches: list[LineMatch],
        result: SearchResult,
        index: OpenIndex,
        warnings: list[AnswerWarning],
    ) -> HitPage:
        """As many of the lines as there is room for."""
        longest = max((len(match.path) for match in matches[: asked.top_k]), default=0)
        # the cursor holds a path
        room = self._services.room(asked.page, result, warnings) - 2 * longest
        hits = HitPage(Symbols(self._services.repository.sandbox, index.snapshot), room)
        for match in matches[: asked.top_k]:
            if not hits.add(match):
                break
        return hits


def _has_stopped(found: ExactAnswer) -> bool:
    """Whether there may be more lines than the limit allows."""
    return any(item.code == LIMIT_REACHED for item in found.warnings)


def _empty(arguments: Arguments, index: OpenIndex) -> SearchResult:
    return SearchResult(
        mode=arguments["mode"],
        hits=[],
        terms=[arguments["query"]],
        suggestions=[],
        truncated=False,
        cursor="",
        generation=index.generation,
    )


def _after(start: _Start, matches: tuple[LineMatch, ...] | list[LineMatch]) -> Iterator[LineMatch]:
    at = (start.path, start.line)
    return (match for match in matches if (match.path, match.line) > at)


def _cursor(asked: _PageRequest, shown: list[LineMatch], index: OpenIndex) -> str:
    """Where to go on; empty where nothing could be shown."""
    if not shown:
        return ""
    last = shown[-1]
    count = sum(match.path == last.path for match in shown)
    if last.path == asked.start.path:
        count += asked.start.shown
    return cursor_of(asked.question, index.generation, [last.path, last.line, count])
