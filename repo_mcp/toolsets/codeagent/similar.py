"""`find_similar`: the symbols whose code is most like that of one symbol."""

from __future__ import annotations

from repo_mcp.errors import Problem
from repo_mcp.graph.query.names import node_text
from repo_mcp.model import AnswerWarning
from repo_mcp.repository import OpenIndex, SimilarSearch, SimilarSymbol, SimilarSymbols
from repo_mcp.toolsets.codeagent.symbol_results import SimilarList, SimilarRow
from repo_mcp.toolsets.codeagent.symbols import (
    answered_from_graph,
    find_node,
    graph_warnings,
    limit_of,
    open_graph,
    state_of,
)
from repo_mcp.toolsets.kit.answers import Outcome
from repo_mcp.toolsets.kit.index_warnings import lacking_warning
from repo_mcp.toolsets.kit.services import Arguments, Context, ToolServices


class FindSimilar:
    """Finds symbols like one."""

    def __init__(self, services: ToolServices) -> None:
        self._services = services

    @answered_from_graph
    def __call__(self, arguments: Arguments, context: Context) -> Outcome:
        """The nearest symbols."""
        services, budget = self._services, context.budget
        warnings: list[AnswerWarning] = []
        limit = limit_of(arguments, warnings)
        engine = services.engine.similar
        if engine is None:
            raise Problem("vectors_off")
        graph, opened = open_graph(services, context)
        search = SimilarSearch(engine, graph, find_node(graph, arguments["node_id"]), limit)

        def answer(index: OpenIndex) -> tuple[SimilarSymbols, OpenIndex]:
            return services.repository.run_fresh_query(
                lambda index: search.find(index, budget),
                lambda found: found.stale_paths,
                index,
                services.wait,
                budget,
            )

        # damage of the text index is met in here, and of the graph outside
        found, index = services.repository.run_query(answer, services.wait, budget)
        if not found.complete:
            warnings.append(lacking_warning(index, services.repository))
        listed = [*warnings, *found.warnings, *graph_warnings(opened)]
        rows = [_row(item) for item in found.symbols]
        result = SimilarList(results=rows, snapshot=state_of(graph, opened))
        shown = [f"{row.file_path}:{row.line_start}-{row.line_end}" for row in rows]
        return Outcome(result, listed, shown=shown)


def _row(symbol: SimilarSymbol) -> SimilarRow:
    row = SimilarRow(
        node_id=node_text(symbol.id),
        name=symbol.name,
        qualified_name=symbol.qualified_name,
        node_type=symbol.node_type,
        language=symbol.language,
        file_path=symbol.path,
        line_start=symbol.start_line,
        line_end=symbol.end_line,
        similarity=symbol.similarity,
    )
    if symbol.likeness:
        row.near_duplicate = symbol.likeness
    return row
