"""Lists the known uses of a symbol, and those in its declaration: each face shows this, or a part.

What a file uses is used by its declarations, and what computes a variable's value belongs to the
function, class or file around it: edges of what is around a declaration may stand in it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from code_graph.model import EdgeType, UnresolvedUse
from code_graph.query.dispatch import MOST_EDGES, without_listed
from code_graph.query.edges import (
    EdgeFilter,
    edges_into,
    edges_of_rows,
    edges_out_of,
    unresolved_of,
)
from code_graph.query.model import VALUES, Completeness, EdgePage, PlacedEdge, Symbol
from code_graph.query.neighbours import derived_edges_into
from code_graph.query.snapshot import GraphSnapshot
from index_format.tuples import NamedTuple

_FILE: Final = "file"
_PARTS: Final = frozenset({EdgeType.CONTAINS, EdgeType.BELONGS_TO})


class UseList(NamedTuple):
    """A page of the uses of a symbol, and how many there are on all pages."""

    edges: Sequence[PlacedEdge]
    counts: Completeness
    next_offset: int | None = None


def find_uses(
    graph: GraphSnapshot,
    ids: Sequence[int],
    chosen: EdgeFilter,
    *,
    offset: int = 0,
    limit: int = MOST_EDGES,
) -> UseList:
    """The uses of a symbol and its overloads, by id: what code says, then what follows from it.

    The first are by path and line for each of the symbols; of the others there is one at a place.
    """
    if not ids:
        return UseList((), Completeness())
    stored: list[PlacedEdge] = []
    derived: list[PlacedEdge] = []
    count = 0
    pages = []
    for number in ids:
        room = limit - len(stored)
        begin = max(offset - count, 0)
        page = edges_into(graph, number, chosen, offset=begin, limit=room)
        known = None if begin or page.next_offset is not None else page.edges
        pages.append(page)
        stored += page.edges
        count += page.counts.resolved
        derived += derived_edges_into(graph, number, chosen, known)
    if len(ids) > 1:
        derived = _without_places(graph, ids, chosen, derived)
    more = derived[max(offset - count, 0) :][: limit - len(stored)]
    resolved, end = count + len(derived), offset + limit
    counts = without_listed(graph, graph.symbol(ids[0]), chosen, pages[0].counts)
    counts = counts._replace(resolved=resolved, truncated=end < resolved)
    return UseList([*stored, *more], counts, end if end < resolved else None)


def _without_places(
    graph: GraphSnapshot, ids: Sequence[int], chosen: EdgeFilter, derived: Sequence[PlacedEdge]
) -> list[PlacedEdge]:
    """The derived uses at places where no overload has a surer one, each place once."""
    pages = (edges_into(graph, number, chosen, limit=MOST_EDGES) for number in ids)
    stored = {edge.place for page in pages for edge in page.edges}
    once = {edge.place: edge for edge in reversed(derived) if edge.place not in stored}
    return [*once.values()][::-1]


def uses_inside(graph: GraphSnapshot, symbol: Symbol, chosen: EdgeFilter) -> EdgePage:
    """All edges of a symbol: of a file those of its declarations to what is not in it.

    Of a variable or property they are those on the lines of its declaration.
    """
    if not _has_edges_of_others(symbol):
        return edges_out_of(graph, symbol.id, chosen, limit=MOST_EDGES)
    own = frozenset(graph.ids_in(symbol.path))
    edges = [
        edge
        for edge in edges_of_rows(graph, symbol.path, chosen)
        if _is_of(symbol, edge, own) and (edge.external or graph.symbol(edge.target) is not None)
    ]
    external = sum(bool(edge.external) for edge in edges)
    unresolved = sum(use.type in chosen.types for use in unknown_uses_inside(graph, symbol))
    counts = Completeness(len(edges) - external, unresolved, external)
    return EdgePage(edges, counts)


def unknown_uses_inside(graph: GraphSnapshot, symbol: Symbol) -> Iterator[UnresolvedUse]:
    """The uses of a symbol, as `uses_inside` has them, whose target is unknown."""
    record = graph.snapshot.file(symbol.path)
    if not _has_edges_of_others(symbol):
        yield from unresolved_of(graph, symbol.id)
    elif record is not None:
        lines = range(symbol.start_line, symbol.end_line + 1)
        for use in graph.edges(graph.file_of(record.first_chunk)).unresolved():
            if symbol.node_type == _FILE or use.line in lines:
                yield use


def _has_edges_of_others(symbol: Symbol) -> bool:
    """True if edges from other symbols are part of what a symbol uses."""
    return symbol.node_type == _FILE or symbol.node_type in VALUES


def _is_of(symbol: Symbol, edge: PlacedEdge, own: frozenset[int]) -> bool:
    if symbol.node_type == _FILE:
        return edge.source == symbol.id or edge.target not in own
    is_inside = symbol.start_line <= edge.line <= symbol.end_line
    return is_inside and edge.type not in _PARTS and edge.target != symbol.id
