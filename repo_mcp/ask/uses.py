"""Lists the uses of a symbol that are known: every face shows this list, or a part of it."""

from __future__ import annotations

from collections.abc import Sequence

from code_graph.query.dispatch import MOST_EDGES, without_listed
from code_graph.query.edges import EdgeFilter, edges_into
from code_graph.query.model import Completeness, PlacedEdge
from code_graph.query.neighbours import derived_edges_into
from code_graph.query.snapshot import GraphSnapshot
from index_format.tuples import NamedTuple


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
