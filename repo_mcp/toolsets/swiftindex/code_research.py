"""`code_research`: questions over several hops of the symbol graph and the search."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from repo_mcp.answers.research import ResearchResult
from repo_mcp.model import AnswerWarning, SearchHit
from repo_mcp.repository import OpenGraph, OpenIndex
from repo_mcp.research import (
    MOST_HOPS,
    Focus,
    Research,
    ResearchAnswer,
    research_opened,
    research_result,
)
from repo_mcp.search import MEASURED_BEST, SearchOptions, path_filters
from repo_mcp.toolsets.kit.answers import Outcome
from repo_mcp.toolsets.kit.index_warnings import linking_warning
from repo_mcp.toolsets.kit.services import Arguments, Context, ToolHandler
from repo_mcp.toolsets.swiftindex.finding import (
    FilteredQuery,
    find_hits,
    folder_of,
    index_warnings,
    open_index,
)

# the longest that the hops of one call take
_SECONDS: Final = 20.0


class CodeResearch(ToolHandler):
    """Researches questions."""

    def __call__(self, arguments: Arguments, context: Context) -> Outcome:
        """The report, as much of it as fits."""
        services = self._services
        folder = folder_of(services, arguments["path"])
        warnings: list[AnswerWarning] = []
        depth = services.clamp("depth", arguments["depth"], MOST_HOPS, warnings)
        focus = Focus(arguments["focus"]) if arguments["focus"] else None
        asked = Research(arguments["query"], depth, focus, folder)
        open_index(services, folder, context.budget)

        def answer(_: OpenIndex) -> Outcome:
            found, opened, index = services.repository.run_graph_query(
                lambda opened, index: self._research(asked, opened, index, context),
                ResearchAnswer.outdated,
                services.wait,
                context.budget,
            )
            services.background.freshen()
            listed = [*warnings, *index_warnings(services, index)]
            listed += [] if opened.follows else [linking_warning(opened)]
            if left := found.outdated():
                listed.append(left.warning())
            result = research_result(found.report)
            return Outcome(result, listed, shown=_places(result))

        return services.repository.run_query(answer, services.wait, context.budget)

    def _research(
        self, asked: Research, opened: OpenGraph, index: OpenIndex, context: Context
    ) -> ResearchAnswer:
        services, budget = self._services, context.budget
        options = SearchOptions(path_filters(asked.folder), meaning=MEASURED_BEST)

        def search(text: str, limit: int) -> Sequence[SearchHit]:
            question = FilteredQuery(text, limit, options)
            return find_hits(services, question, index, budget)[0].hits

        return research_opened(
            opened,
            index,
            services.repository.sandbox,
            search,
            asked,
            budget.within(_SECONDS),
            context.progress,
        )


def _places(result: ResearchResult) -> list[str]:
    """All places that findings show, for the audit log."""
    return sorted({place for hop in result.hops for row in hop.findings for place in row.evidence})
