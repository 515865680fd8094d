"""The command `symbol`: one symbol, its definition, its uses, and what a change of it may reach."""

from __future__ import annotations

from typing import Final

from repo_mcp.cli.graph.question import GraphAnswer, GraphQuery, NameProblem, missing_answer
from repo_mcp.console import visible
from repo_mcp.repository import summarize_symbol, symbol_answer

_FOUND: Final = 0


def find_symbol(question: GraphQuery) -> GraphAnswer:
    """The likeliest symbol of a name, as `repo.symbol` shows it."""
    args = question.args
    found = summarize_symbol(question.graph, question.source, args.name)
    if found is None:
        raise NameProblem(missing_answer(question.graph, args.name))
    record = symbol_answer(found, args.max_chars)
    rows = (row for text in record.as_text() for row in text.split("\n"))
    return GraphAnswer(_FOUND, record, lambda _: map(visible, rows))
