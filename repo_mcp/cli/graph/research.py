"""The command `research`: a question over several hops, as a report with the evidence."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, Final

from index_format.records import replace
from repo_mcp.answers.research import FindingRow, ResearchResult
from repo_mcp.cli.command_line import CommandLine
from repo_mcp.cli.display import Display
from repo_mcp.cli.graph.graph_query import GraphAnswer
from repo_mcp.cli.search.scope import current_folder, path_in, shown_path
from repo_mcp.cli.search.style import Style
from repo_mcp.errors import Problem
from repo_mcp.model import SearchHit
from repo_mcp.repository import OpenGraph, OpenIndex
from repo_mcp.research import (
    MOST_HOPS,
    Chain,
    EdgeEvidence,
    Focus,
    Hop,
    Node,
    Report,
    Research,
    ResearchAnswer,
    ResearchFinding,
    Step,
    Subject,
    research_opened,
    research_result,
)
from repo_mcp.search import MEASURED_BEST, RankedEngine, SearchOptions, path_filters
from repo_mcp.services import Services
from repo_mcp.vectors.choice import choose_embedder

_HEADING: Final = "#"
# the question about a folder without one
_OVERVIEW: Final = "architecture"
_NO_QUESTION: Final = "what to research is missing: repo-mcp research QUESTION"
_FINDING: Final = "- "


class ResearchCommand:
    """Asks one question."""

    def __init__(self, args: CommandLine, services: Services) -> None:
        """Raises `Problem` for options that make no sense."""
        roots = services.roots
        self._services = services
        self._most = args.max_chars
        self._folder = current_folder(roots)
        query = " ".join(args.words).strip() or args.focus or (_OVERVIEW if args.path else "")
        if not query:
            raise Problem("argument_invalid", _NO_QUESTION)
        if args.depth > MOST_HOPS:
            raise Problem("argument_invalid", f"--depth {args.depth}: at most {MOST_HOPS}")
        focus = Focus(args.focus) if args.focus else None
        below = path_in(roots, args.path) if args.path else ""
        self._asked = Research(query, args.depth, focus, below)
        self._engine = RankedEngine(
            services.sandbox,
            services.languages,
            embedder=choose_embedder(services.settings.embedding_model),
            by_meaning=services.settings.ranks_by_meaning,
        )

    def __call__(self, opened: OpenGraph, index: OpenIndex) -> GraphAnswer:
        """The report."""
        stale: set[str] = set()
        options = SearchOptions(path_filters(self._asked.folder), meaning=MEASURED_BEST)

        def search(text: str, limit: int) -> Sequence[SearchHit]:
            if index.snapshot is None:
                return ()
            budget = self._services.budget
            found = self._engine.search_code(index.snapshot, text, limit, budget, options)
            stale.update(found.stale_paths)
            return found.hits

        answer = self._research(opened, index, search)
        report = answer.report
        return GraphAnswer(
            bool(any(hop.total for hop in report.hops) or report.chains),
            research_result(report, self._most),
            lambda style: _lines(style, self._seen_from_here(report)),
            outdated=answer.outdated(stale),
        )

    def _research(
        self, opened: OpenGraph, index: OpenIndex, search: Callable[[str, int], Sequence[SearchHit]]
    ) -> ResearchAnswer:
        services = self._services
        ask = partial(
            research_opened, opened, index, services.sandbox, search, self._asked, services.budget
        )
        if not sys.stderr.isatty():
            return ask()
        with Display(sys.stderr) as display:
            return ask(lambda done, total, text: display.phase(f"{done} of {total}: {text}"))

    def _seen_from_here(self, report: Report) -> ResearchResult:
        """The report with paths as seen from the current folder, as they can be opened."""
        parts = {
            name: _with_paths(getattr(report, name), self._folder)
            for name in ("subjects", "hops", "chains")
        }
        return research_result(replace(report, **parts), self._most)


def _with_paths(part: Any, folder: str) -> Any:  # noqa: ANN401 any part of a report
    """A part of a report with its paths as seen from a folder."""
    if isinstance(part, Node):
        path = shown_path(part.path, folder) if part.path else ""
        return part._replace(path=path, name=path if part.name == part.path else part.name)
    if isinstance(part, EdgeEvidence):
        return part._replace(path=shown_path(part.path, folder))
    if isinstance(part, ResearchFinding | Hop | Chain | Step | Subject):
        inner: dict[str, Any] = part._asdict()
        return part._replace(**{name: _with_paths(item, folder) for name, item in inner.items()})
    return [_with_paths(item, folder) for item in part] if isinstance(part, list | tuple) else part


def _lines(style: Style, result: ResearchResult) -> Iterator[str]:
    """The text of the report; headings and symbols stand out."""
    rows = {row.as_line(): row for hop in result.hops for row in hop.findings}
    if style.terminal:  # a diagram is for programs that draw it
        result.diagram = ""
    for line in "\n".join(result.as_text()).rstrip("\n").split("\n"):
        if line.startswith(_HEADING):
            yield style("heading", line)
        elif (row := rows.get(line)) is not None:
            yield _finding(style, row)
        else:
            yield style("plain", line)


def _finding(style: Style, row: FindingRow) -> str:
    begun = f"{_FINDING}{row.symbol}"
    rest = row.as_line().removeprefix(begun)
    return f"{_FINDING}{style('symbol', row.symbol)}{style('plain', rest)}"
