"""The command `similar`: the symbols whose code is most like that of one."""

from __future__ import annotations

from collections.abc import Iterator

from repo_mcp.cli.graph.graph_query import GraphAnswer, GraphQuery, symbol_text
from repo_mcp.cli.graph.records import (
    SimilarAnswer,
    SimilarSymbolRecord,
    symbol_record,
    target_record,
)
from repo_mcp.cli.search.style import Style
from repo_mcp.errors import Problem
from repo_mcp.repository import SimilarSearch, SimilarSymbol
from repo_mcp.search import RankedEngine
from repo_mcp.vectors.choice import choose_embedder


def find_similar(query: GraphQuery) -> GraphAnswer:
    """Near-duplicates first, then by similarity."""
    services, args = query.services, query.args
    engine = RankedEngine(
        services.sandbox,
        services.languages,
        embedder=choose_embedder(services.settings.embedding_model),
    ).similar
    if engine is None:
        raise Problem("vectors_off")
    target = query.target(args.name)
    if target.symbol is None:
        raise Problem("argument_invalid", f"{target.name} is declared elsewhere")
    search = SimilarSearch(engine, query.graph, target.symbol, args.limit)
    found = search.find(query.text, services.budget)
    rows = [_row(item) for item in found.symbols]

    def lines(style: Style) -> Iterator[str]:
        for row in rows:
            likeness = f" {row.near_duplicate}" if row.near_duplicate else ""
            more = style("aside", f"  {row.similarity:.2f}{likeness}")
            yield f"{symbol_text(style, row.symbol)}{more}"

    return GraphAnswer(
        bool(rows),
        SimilarAnswer(symbol=target_record(target), results=rows),
        lines,
        [f"note: {warning.text}" for warning in found.warnings if warning.code != "stale"],
    )


def _row(item: SimilarSymbol) -> SimilarSymbolRecord:
    row = SimilarSymbolRecord(symbol=symbol_record(item), similarity=item.similarity)
    if item.likeness:
        row.near_duplicate = item.likeness
    return row
