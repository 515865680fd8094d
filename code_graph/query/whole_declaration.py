"""The edges of a declaration as it stands in its file, which may be sources of what is around it.

What a file uses is used by its declarations, and what computes a variable's value belongs to the
function, class or file around it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from code_graph.model import EdgeType, UnresolvedUse
from code_graph.query.dispatch import MOST_EDGES
from code_graph.query.edges import (
    EdgeFilter,
    edges_of_rows,
    edges_out_of,
    unresolved_of,
)
from code_graph.query.model import VALUES, Completeness, EdgePage, PlacedEdge, Symbol
from code_graph.query.snapshot import GraphSnapshot

_FILE: Final = "file"
_PARTS: Final = frozenset({EdgeType.CONTAINS, EdgeType.BELONGS_TO})


def is_wider(symbol: Symbol) -> bool:
    """True if edges from other symbols are part of what a symbol uses."""
    return symbol.node_type == _FILE or symbol.node_type in VALUES


def edges_from(graph: GraphSnapshot, symbol: Symbol, chosen: EdgeFilter) -> EdgePage:
    """All edges of a symbol: of a file those of its declarations to what is not in it.

    Of a variable or property they are those on the lines of its declaration.
    """
    if not is_wider(symbol):
        return edges_out_of(graph, symbol.id, chosen, limit=MOST_EDGES)
    own = frozenset(graph.ids_in(symbol.path))
    edges = [
        edge
        for edge in edges_of_rows(graph, symbol.path, chosen)
        if _is_of(symbol, edge, own) and (edge.external or graph.symbol(edge.target) is not None)
    ]
    external = sum(bool(edge.external) for edge in edges)
    unresolved = sum(use.type in chosen.types for use in unresolved_from(graph, symbol))
    counts = Completeness(len(edges) - external, unresolved, external)
    return EdgePage(edges, counts)


def unresolved_from(graph: GraphSnapshot, symbol: Symbol) -> Iterator[UnresolvedUse]:
    """The uses of a symbol, as `edges_from` has them, whose target is unknown."""
    record = graph.snapshot.file(symbol.path)
    if not is_wider(symbol):
        yield from unresolved_of(graph, symbol.id)
    elif record is not None:
        lines = range(symbol.start_line, symbol.end_line + 1)
        for use in graph.edges(graph.file_of(record.first_chunk)).unresolved():
            if symbol.node_type == _FILE or use.line in lines:
                yield use


def _is_of(symbol: Symbol, edge: PlacedEdge, own: frozenset[int]) -> bool:
    if symbol.node_type == _FILE:
        return edge.source == symbol.id or edge.target not in own
    is_inside = symbol.start_line <= edge.line <= symbol.end_line
    return is_inside and edge.type not in _PARTS and edge.target != symbol.id
