"""The command `symbol`: one symbol, its definition, its uses, and what a change of it may reach."""

from __future__ import annotations

from functools import partial
from typing import Final

from repo_mcp.cli.graph.graph_query import GraphAnswer, GraphQuery, NameProblem, missing_answer
from repo_mcp.console import visible
from repo_mcp.repository import lines_with_word, summarize_symbol, symbol_answer
from repo_mcp.search import ExactEngine

_FOUND: Final = 0


def find_symbol(query: GraphQuery) -> GraphAnswer:
    """The likeliest symbol of a name, as `repo.symbol` shows it."""
    args = query.args
    services = query.services
    engine = ExactEngine(services.sandbox)
    lines = partial(lines_with_word, engine, query.text.snapshot, services.budget)
    found = summarize_symbol(query.graph, query.source, args.name, lines)
    if found is None:
        raise NameProblem(missing_answer(query.graph, args.name))
    record = symbol_answer(found, args.max_chars)
    rows = (row for text in record.as_text() for row in text.split("\n"))
    return GraphAnswer(_FOUND, record, lambda _: map(visible, rows))
