"""`find_similar`: the symbols whose code is most like that of one symbol."""

from __future__ import annotations

from repo_mcp.answers.records import record_of
from repo_mcp.answers.symbols import SimilarList, SimilarRow, symbol_fields
from repo_mcp.errors import Problem
from repo_mcp.model import AnswerWarning
from repo_mcp.repository import OpenIndex, SimilarSearch, SimilarSymbol, SimilarSymbols
from repo_mcp.toolsets.codeagent.symbols import (
    GraphCall,
    answer_from_graph,
    limit_of,
    state_of,
)
from repo_mcp.toolsets.kit.answers import Outcome
from repo_mcp.toolsets.kit.index_warnings import lacking_warning
from repo_mcp.toolsets.kit.services import Arguments, Context, ToolHandler


class FindSimilar(ToolHandler):
    """Finds symbols like one."""

    def __call__(self, arguments: Arguments, context: Context) -> Outcome:
        """The nearest symbols."""
        services, budget = self._services, context.budget
        warnings: list[AnswerWarning] = []
        limit = limit_of(arguments, warnings)
        engine = services.engine.similar
        if engine is None:
            raise Problem("vectors_off")

        def find(call: GraphCall) -> Outcome:
            symbol = call.symbol(arguments["node_id"])
            search = SimilarSearch(engine, call.graph, symbol, limit)

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
            said = [*warnings, *found.warnings]
            if not found.complete:
                said.insert(0, lacking_warning(index, services.repository))
            rows = [_row(item) for item in found.symbols]
            result = SimilarList(results=rows, snapshot=state_of(call))
            shown = [f"{row.file_path}:{row.line_start}-{row.line_end}" for row in rows]
            return Outcome(result, said, shown=shown)

        return answer_from_graph(services, context, find)


def _row(symbol: SimilarSymbol) -> SimilarRow:
    fields = {**symbol_fields(symbol), "similarity": symbol.similarity}
    row: SimilarRow = record_of(SimilarRow, fields)
    if symbol.likeness:
        row.near_duplicate = symbol.likeness
    return row
