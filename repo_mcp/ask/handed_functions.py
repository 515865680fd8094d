"""Functions that are handed to a value: handlers of a signal, callbacks of an emitter."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from code_graph.brackets import matching
from code_graph.model import EdgeType
from code_graph.paths.path_kinds import is_test
from code_graph.query.edges import EdgeFilter, edges_into, edges_of_parts
from code_graph.query.model import FUNCTIONS, VALUES, Symbol
from code_graph.query.snapshot import GraphSnapshot
from repo_mcp.ask.unseen_users import mentioning_declarations
from repo_mcp.repository import SourceFiles
from repo_mcp.repository.symbol_places import SymbolPlace, cited_place

_READ: Final = EdgeFilter((EdgeType.REFERENCES,))
_MOST_USES: Final = 200
# lines from the beginning of a call to its end
_LONGEST_CALL: Final = 8


def handed_functions(graph: GraphSnapshot, files: SourceFiles, symbol: Symbol) -> list[SymbolPlace]:
    """Functions that code hands to a method of a value, or that it decorates; by their places."""
    if symbol.node_type not in VALUES:
        return []
    found = {item.id: item for item in _handed(graph, files, symbol)}
    for number in mentioning_declarations(graph, [symbol.id]).decorated:
        item = graph.symbol(number)
        if item is not None and item.node_type in FUNCTIONS and not is_test(item.path):
            found[number] = item
    ordered = sorted(found.values(), key=lambda item: (item.path, item.start_line))
    return [cited_place(graph, item) for item in ordered]


def _handed(graph: GraphSnapshot, files: SourceFiles, symbol: Symbol) -> Iterator[Symbol]:
    call = re.compile(rf"\b{re.escape(symbol.simple_name)}\s*(?:\??\.|->|::)\s*\w+\s*\(")
    for use in edges_into(graph, symbol.id, _READ, limit=_MOST_USES).edges:
        if is_test(use.path):
            continue
        rows = files.lines(use.path, use.line, use.line + _LONGEST_CALL)
        begun = call.search(rows[0]) if rows else None
        if begun is None:
            continue
        text = "\n".join(rows)
        last = use.line + text.count("\n", 0, max(matching(text, begun.end() - 1), 0))
        for edge in edges_of_parts(graph, use.source, _READ):
            if edge.path == use.path and use.line <= edge.line <= last:
                target = graph.symbol(edge.target) if edge.target else None
                if target is not None and target.node_type in FUNCTIONS:
                    yield target
