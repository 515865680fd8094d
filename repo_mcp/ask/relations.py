"""Finds the uses of a symbol and those in it, by one rule for all faces."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import chain
from typing import Final

from code_graph.model import EdgeType
from code_graph.query.dispatch import MOST_EDGES
from code_graph.query.edges import EdgeFilter, edges_out_of
from code_graph.query.model import ALL_TYPES, MENTIONS, USES, Completeness, PlacedEdge, Symbol
from code_graph.query.names import NameTarget
from code_graph.query.neighbours import (
    SUBTYPES,
    derived_edges_out_of,
    members_of,
    with_constructors,
)
from code_graph.query.snapshot import GraphSnapshot
from code_graph.query.whole_declaration import edges_from
from index_format.tuples import NamedTuple
from repo_mcp.ask.complete_uses import KnownUses, UseFinder
from repo_mcp.ask.uses import find_uses


class EdgeRelation(NamedTuple):
    """The edges that lead to a symbol, or from it, and what counts as the symbol."""

    types: tuple[EdgeType, ...]
    forward: bool = False
    # calling a type runs its constructors
    runs_constructors: bool = False
    # its members count as it, and uses among them are none
    has_members: bool = False


CALLERS: Final = EdgeRelation((EdgeType.CALLS,))
CALLEES: Final = EdgeRelation((EdgeType.CALLS,), forward=True, runs_constructors=True)
IMPLEMENTATIONS: Final = EdgeRelation(tuple(map(EdgeType, SUBTYPES.types)))
REFERENCES: Final = EdgeRelation(MENTIONS)
DEPENDENCIES: Final = EdgeRelation(ALL_TYPES, forward=True)
DEPENDENTS: Final = EdgeRelation((*MENTIONS, EdgeType.CONTAINS))
DEPENDENCIES_OF_WHOLE: Final = EdgeRelation(USES, forward=True, has_members=True)
DEPENDENTS_OF_WHOLE: Final = EdgeRelation(USES, has_members=True)


class RelatedUses(NamedTuple):
    """A page of the edges that a relation follows; the counts are of all pages."""

    edges: Sequence[PlacedEdge]
    counts: Completeness
    next_offset: int | None
    # the symbol, and its overloads or constructors
    ids: Sequence[int]
    members: Sequence[int] = ()


def find_related(
    graph: GraphSnapshot,
    targets: Sequence[NameTarget],
    relation: EdgeRelation,
    chosen: EdgeFilter,
    *,
    offset: int = 0,
    limit: int | None = None,
    with_external: bool = True,
) -> RelatedUses:
    """The uses of a symbol and its overloads, or those in the symbol itself."""
    ids = [target.id for target in targets]
    if relation.forward:
        ids = with_constructors(graph, ids[0]) if relation.runs_constructors else ids[:1]
    elif not relation.has_members:
        uses = find_uses(graph, ids, chosen, offset=offset, limit=limit or MOST_EDGES)
        return RelatedUses(uses.edges, uses.counts, uses.next_offset, ids)
    wholes = ids if relation.has_members else []
    members = [*chain.from_iterable(members_of(graph, number) for number in wholes)]
    parts = [*ids[1:], *members]
    if relation.forward:
        edges, counts = _used_by(graph, targets[0].symbol, parts, chosen)
    else:
        # uses of members count for all of them
        counts = find_uses(graph, ids, chosen).counts
        pages = (find_uses(graph, [number], chosen).edges for number in (*ids, *members))
        edges = [*chain.from_iterable(pages)]
    own = {*parts, *wholes}
    kept = [
        edge
        for edge in edges
        if (with_external or not edge.external)
        and not _is_inside(edge.target if relation.forward else edge.source, edge, own)
    ]
    end = len(kept) if limit is None else offset + limit
    following = end if end < len(kept) else None
    return RelatedUses(kept[offset:end], counts, following, ids, members)


def _is_inside(other: int, edge: PlacedEdge, own: set[int]) -> bool:
    """True for a use of a symbol's own part; that it contains the part is none."""
    return other in own and edge.type is not EdgeType.CONTAINS


def _used_by(
    graph: GraphSnapshot, symbol: Symbol | None, parts: Sequence[int], chosen: EdgeFilter
) -> tuple[list[PlacedEdge], Completeness]:
    """The uses in a symbol and its parts: of each those that code says, then those that follow."""
    if symbol is None:
        return [], Completeness()
    # a file's declarations are among its parts
    page = (
        edges_out_of(graph, symbol.id, chosen, limit=MOST_EDGES)
        if parts
        else edges_from(graph, symbol, chosen)
    )
    pages = [page, *(edges_out_of(graph, part, chosen, limit=MOST_EDGES) for part in parts)]
    numbers = (symbol.id, *parts)
    derived = [[*derived_edges_out_of(graph, number, chosen)] for number in numbers]
    counts = Completeness(
        sum(page.counts.resolved for page in pages) + sum(map(len, derived)),
        sum(page.counts.unresolved_same_name for page in pages),
        sum(page.counts.external for page in pages),
        any(page.counts.truncated for page in pages),
    )
    each = zip((page.edges for page in pages), derived, strict=True)
    return [*chain.from_iterable(chain.from_iterable(each))], counts


def known_uses(
    uses: UseFinder,
    symbols: Sequence[Symbol],
    relation: EdgeRelation,
    chosen: EdgeFilter,
    also: Collection[int] = (),
) -> KnownUses:
    """The knowledge of what a list of these edges may lack.

    `also` are members of the symbol, or the symbols that lead to it, as the list has them.
    """
    if relation.forward:
        return uses.inside(symbols[0], [*also], listed=chosen)
    if relation.types == IMPLEMENTATIONS.types:
        return uses.of_types(symbols)
    if also:
        return uses.of_all(symbols, also, listed=chosen)
    return uses.of_symbols(symbols, listed=chosen)
