"""`repo.search` for several queries at once: a part of the answer for each, in one size."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from repo_mcp.answers.lines import AnswerLine, NumberedLines
from repo_mcp.answers.repository import FileMatches, PassageHit, SearchResult
from repo_mcp.console import visible
from repo_mcp.errors import Problem
from repo_mcp.model import AnswerWarning
from repo_mcp.text.cutting import cut
from repo_mcp.toolsets.interrogator.line_order import runs_of
from repo_mcp.toolsets.kit.answers import Outcome, size
from repo_mcp.toolsets.kit.envelope import size_around
from repo_mcp.toolsets.kit.services import LEAST_PAGE, Arguments, Context, Handler, ToolServices

# queries of one call
_MOST_QUERIES: Final = 10
# the size of an answer to several, unless one is asked for: half of what clients cut
_PAGE: Final = 20_000
# characters of a query above its part of the answer
_LABEL: Final = 80
_ABOVE: Final = "above"


class SeveralSearches:
    """Asks one query after the other."""

    def __init__(self, services: ToolServices, search: Handler) -> None:
        """`search` answers a single one."""
        self._services = services
        self._search = search

    def __call__(self, arguments: Arguments, context: Context) -> Outcome:
        """The first pages of all queries; what an earlier part has shown is named in later ones."""
        warnings: list[AnswerWarning] = []
        if arguments["cursor"]:
            raise Problem("argument_invalid", "a cursor is of one query: leave out queries")
        page = self._services.page_size(arguments["max_chars"], warnings, _PAGE)
        queries = _queries(arguments, page, warnings)
        left = page - sum(size({"query": _label(query)}) for query in queries)
        outcomes: list[Outcome] = []
        problems: list[Problem] = []
        shown = _ShownLines()
        for at, query in enumerate(queries):
            share = max(left // (len(queries) - at), LEAST_PAGE)
            given = {**arguments, "query": query, "queries": None, "max_chars": share}
            try:
                outcome = self._search(given, context)
            except Problem as problem:
                problems.append(problem)
                text = f"{visible(_label(query))}: {problem.reason}"
                warnings.append(AnswerWarning("query_failed", text))
                continue
            result = _result_of(outcome)
            shown.leave_out(result)
            result.query = _label(query)
            left -= size_around(result, outcome.warnings)
            outcomes.append(outcome)
        if not outcomes:
            raise problems[0]
        first, *others = outcomes
        _result_of(first).others = [_result_of(other) for other in others]
        every = [item for outcome in outcomes for item in outcome.warnings]
        places = [place for outcome in outcomes for place in outcome.shown]
        return first._replace(warnings=[*warnings, *every], shown=places)


class _ShownLines:
    """Lines and passages that earlier parts of an answer show."""

    def __init__(self) -> None:
        self._hits: set[tuple[str, int, int]] = set()
        self._lines: set[tuple[str, int]] = set()

    def leave_out(self, result: SearchResult) -> None:
        """Name what an earlier part has instead of showing it again."""
        if result.hits is not None:
            self._leave_out_hits(result, result.hits)
        result.files = [self._without_lines(file) for file in result.files]

    def _leave_out_hits(self, result: SearchResult, hits: Sequence[PassageHit]) -> None:
        named = [hit for hit in hits if _span(hit) in self._hits]
        result.hits = [hit for hit in hits if _span(hit) not in self._hits]
        labels = [
            f"{hit.path}:{hit.start_line}-{hit.end_line}"
            f"{f' {hit.symbol}' if hit.symbol else ''} ({_ABOVE})"
            for hit in named
        ]
        result.left = [*labels, *result.left]
        self._hits |= {_span(hit) for hit in hits}

    def _without_lines(self, file: FileMatches) -> FileMatches:
        """The file with numbers in the place of runs of lines that are shown already."""
        kept: list[AnswerLine] = []
        above: list[int] = []
        name: str | None = None
        for run in _runs(file.lines.lines):
            name = name if run[0].heading is None else run[0].heading
            if all((file.path, line.number) in self._lines for line in run):
                above += [line.number for line in run if not line.around]
                continue
            kept += [run[0]._replace(heading=name), *run[1:]]
            name = None
        self._lines |= {(file.path, line.number) for line in file.lines.lines}
        if not above:
            return file
        also = f"{', '.join(text for text, _ in runs_of(above))} {_ABOVE}"
        also = f"{also}, {file.also}" if file.also else also
        if not kept:
            return FileMatches(path=file.path, also=also)
        return FileMatches(path=file.path, lines=NumberedLines(kept), ends=file.ends, also=also)


def _runs(lines: Sequence[AnswerLine]) -> Iterator[list[AnswerLine]]:
    """Lines that follow each other below one name."""
    run: list[AnswerLine] = []
    for line in lines:
        if run and (line.heading is not None or line.number != run[-1].number + 1):
            yield run
            run = []
        run.append(line)
    if run:
        yield run


def _span(hit: PassageHit) -> tuple[str, int, int]:
    return hit.path, hit.start_line, hit.end_line


def _result_of(outcome: Outcome) -> SearchResult:
    if not isinstance(outcome.result, SearchResult):
        raise TypeError(type(outcome.result))
    return outcome.result


def _label(query: str) -> str:
    return cut(query, _LABEL)


def _queries(arguments: Arguments, page: int, warnings: list[AnswerWarning]) -> list[str]:
    """The queries that a call asks, each once, as many as have room in its answer."""
    queries = [*dict.fromkeys((arguments["query"], *arguments["queries"]))]
    most = min(_MOST_QUERIES, max(page // LEAST_PAGE, 1))
    if left := ", ".join(visible(_label(query)) for query in queries[most:]):
        warnings.append(AnswerWarning("limit", f"left for another call: {left}"))
    return queries[:most]
