"""Finds what a symbol is related to, and groups it in rows, by one rule for all faces."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Final

from code_graph.model import EdgeType
from code_graph.query.choice import target_of
from code_graph.query.dispatch import MOST_EDGES
from code_graph.query.edges import EdgeFilter, edges_out_of
from code_graph.query.model import (
    ALL_TYPES,
    LISTED,
    MENTIONS,
    TYPES,
    USES,
    Completeness,
    PlacedEdge,
    Symbol,
)
from code_graph.query.names import NameTarget, node_text
from code_graph.query.neighbours import (
    SUBTYPES,
    derived_edges_out_of,
    members_of,
    surest_edges,
    with_constructors,
)
from code_graph.query.paths import ReachedSymbol, closure
from code_graph.query.snapshot import GraphSnapshot
from index_format.tuples import NamedTuple
from repo_mcp.ask.complete_uses import KnownUses, UseFinder
from repo_mcp.ask.uses import find_uses, uses_inside
from repo_mcp.repository import SourceFiles
from repo_mcp.repository.outside import OutsideUse, use_of
from repo_mcp.repository.symbol_places import SymbolPlace

# places of an edge that are read
MOST_PLACES: Final = 200
# levels of a hierarchy that are followed
_LEVELS: Final = 16


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
CALLEES_OF_WHOLE: Final = EdgeRelation((EdgeType.CALLS,), forward=True, has_members=True)
IMPLEMENTATIONS: Final = EdgeRelation(tuple(map(EdgeType, SUBTYPES.types)))
BASES: Final = EdgeRelation(IMPLEMENTATIONS.types, forward=True)
MEMBERS: Final = EdgeRelation((EdgeType.CONTAINS,), forward=True)
REFERENCES: Final = EdgeRelation(MENTIONS)
DEPENDENCIES: Final = EdgeRelation(ALL_TYPES, forward=True)
DEPENDENTS: Final = EdgeRelation((*MENTIONS, EdgeType.CONTAINS))
DEPENDENCIES_OF_WHOLE: Final = EdgeRelation(USES, forward=True, has_members=True)
DEPENDENTS_OF_WHOLE: Final = EdgeRelation(USES, has_members=True)


_BELOW: Final = EdgeFilter(IMPLEMENTATIONS.types, LISTED)


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


class EdgeGroup(NamedTuple):
    """The edges of one kind between a symbol and another, found in one way, each place once."""

    other: NameTarget
    # the symbol at this end, by id
    near: int
    edges: Sequence[PlacedEdge]
    # edges from the symbol that was asked about to the other one
    distance: int = 1
    # the condition of their lines, and builds that leave these out
    built: str = ""

    @property
    def kind(self) -> str:
        """The type of the edges."""
        return self.edges[0].type.name.lower()

    @property
    def words(self) -> tuple[str, str]:
        """The confidence of the edges, and the strategy by which they were found."""
        return self.edges[0].words


def group_edges(
    graph: GraphSnapshot,
    edges: Iterable[PlacedEdge],
    *,
    forward: bool = False,
    outside: Mapping[OutsideUse, tuple[Symbol, SymbolPlace]] | None = None,
    by_file: bool = False,
    files: SourceFiles | None = None,
) -> list[EdgeGroup]:
    """The edges of each kind with their other end, in the order of the first ones.

    Of symbols `outside` of the repository the declarations are known that are given. By the `files`
    those on lines that no build compiles come last.
    """
    declared = {use: symbol for use, (symbol, _) in (outside or {}).items()} if forward else {}
    groups: dict[tuple[object, ...], dict[tuple[str, int, int], PlacedEdge]] = {}
    for edge in edges:
        symbol = declared.get(use_of(edge)) if declared else None
        end: object = edge.source or -1 - edge.source_chunk
        if forward:
            end = (edge.target, edge.external) if symbol is None else symbol.id
        mark = "" if files is None else files.mark(edge.path, edge.line)
        key = end, edge.type, edge.confidence, edge.strategy, mark, edge.path if by_file else ""
        groups.setdefault(key, {}).setdefault(edge.place, edge)
    rows: list[EdgeGroup] = []
    for places in groups.values():
        own = [*places.values()]
        edge, near = own[0], own[0].source if forward else own[0].target
        symbol = declared.get(use_of(edge))
        if symbol is not None:
            other = target_of(symbol)
        elif forward:
            other = target_named(graph, edge.target, edge.external)
        else:
            other = source_named(graph, edge)
        built = "" if files is None else files.mark(edge.path, edge.line)
        rows.append(EdgeGroup(other, near, own, built=built))
    return rows if files is None else sorted(rows, key=lambda row: _is_left_out(files, row))


def _is_left_out(files: SourceFiles, group: EdgeGroup) -> bool:
    return bool(group.built) and files.is_left_out(group.edges[0].path, group.edges[0].line)


def group_reached(
    graph: GraphSnapshot,
    reached: Iterable[ReachedSymbol],
    chosen: EdgeFilter,
    *,
    forward: bool = False,
    most_places: int = MOST_PLACES,
) -> Iterator[EdgeGroup]:
    """The surest edges of the last step to each symbol that a search has reached."""
    for item in reached:
        ends = (item.next, item.id) if forward else (item.id, item.next)
        edges = surest_edges(graph, *ends, chosen, most_places)
        if edges:
            yield EdgeGroup(target_named(graph, item.id), item.next, edges, item.distance)


def target_named(graph: GraphSnapshot, number: int, external: str = "") -> NameTarget:
    """A symbol by its id; of one outside only its name is known."""
    symbol = None if external else graph.symbol(number)
    name = external or (node_text(number) if symbol is None else symbol.qualified_name)
    return NameTarget(number, name, symbol)


def source_named(graph: GraphSnapshot, edge: PlacedEdge) -> NameTarget:
    """The declaration that an edge leads from, which may be no symbol."""
    symbol = graph.symbol_at(edge.source_chunk)
    if edge.source and not symbol.is_primary:
        return target_named(graph, edge.source)
    return NameTarget(edge.source, symbol.qualified_name or symbol.name, symbol)


class Subtypes(NamedTuple):
    """The edges from symbols that extend, implement or override others, and those below these."""

    direct: Sequence[PlacedEdge]
    farther: Sequence[ReachedSymbol]
    truncated: bool


def find_subtypes(graph: GraphSnapshot, targets: Sequence[NameTarget], budget: int) -> Subtypes:
    """The whole hierarchy below some symbols, as far as the budget of symbols allows."""
    first, *rest = ids = [target.id for target in targets]
    uses = find_related(graph, targets, IMPLEMENTATIONS, _BELOW)
    # a block that extends a type is a part of it
    direct = [edge for edge in uses.edges if edge.source not in ids]
    found = closure(graph, first, SUBTYPES, depth=_LEVELS, budget=budget, also=rest)
    known = {edge.source for edge in direct}
    farther = [item for item in found.reached if item.distance > 1 and item.id not in known]
    return Subtypes(direct, farther, uses.counts.truncated or found.truncated)


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
        else uses_inside(graph, symbol, chosen)
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


def without_made_types(graph: GraphSnapshot, calls: Sequence[PlacedEdge]) -> list[PlacedEdge]:
    """Calls by a symbol: where a type is called and its constructor runs, that is the callee."""
    symbols = {edge.target: graph.symbol(edge.target) for edge in calls}
    kinds = {number: symbol.node_type for number, symbol in symbols.items() if symbol is not None}
    constructing = {edge.place for edge in calls if kinds.get(edge.target) == "constructor"}
    return [
        edge
        for edge in calls
        if kinds.get(edge.target) not in TYPES or edge.place not in constructing
    ]


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
