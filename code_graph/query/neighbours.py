"""The symbols on the other side of a symbol's edges, and the places of edges between two.

Edges that are less than sure are part of it where the filter asks for them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from code_graph.model import Confidence, EdgeType, Strategy
from code_graph.query.dispatch import (
    MOST_EDGES,
    dispatched_callees,
    dispatched_callers,
    dispatched_sources,
    possible_callees,
    possible_callers,
    probable_callees,
    probable_uses,
)
from code_graph.query.edges import EdgeFilter, edges_into, edges_of_parts, known_edges, sources_of
from code_graph.query.events import event_callees, event_callers
from code_graph.query.handed import handed_callees, handed_callers
from code_graph.query.model import TYPES, PlacedEdge
from code_graph.query.own_calls import OwnCalls
from code_graph.query.shapes import classes_by_shape
from code_graph.query.snapshot import GraphSnapshot, distinct

CALLS = EdgeFilter((EdgeType.CALLS,))
# a type of what it is built on, and a member of the one that it replaces
SUBTYPES = EdgeFilter(
    (EdgeType.IMPLEMENTS, EdgeType.INHERITS, EdgeType.EXTENDS, EdgeType.OVERRIDES)
)
_CONTAINS = EdgeFilter((EdgeType.CONTAINS,))
_BELONGS = EdgeFilter((EdgeType.BELONGS_TO,))
_OVER_TYPES = frozenset({"file", "module"})
_CONSTRUCTOR = "constructor"
_MOST_MEMBERS = 2_000
_DERIVED = (Confidence.DISPATCH, Confidence.PROBABLE, Confidence.POSSIBLE)


def source_ids(
    graph: GraphSnapshot, target: int, chosen: EdgeFilter, judge: OwnCalls | None = None
) -> list[int]:
    """The symbols with edges to a target, by id; a search has one `judge` for all its steps."""
    chunks, _ = sources_of(graph, target, chosen)
    found: set[int] = {*graph.ids_of(chunks)}
    if _has(chosen, Confidence.DISPATCH):
        judge = judge or OwnCalls(graph)
        found.update(dispatched_sources(graph, target, chosen.types, judge))
        found.update(edge.source for edge in _handed_or_told(graph, target))
    if _has(chosen, Confidence.PROBABLE):
        found.update(edge.source for edge in islice(probable_uses(graph, target), MOST_EDGES))
    if _has(chosen, Confidence.POSSIBLE):
        found.update(edge.source for edge in islice(possible_callers(graph, target), MOST_EDGES))
    return sorted(found - {0})


def targets_of(graph: GraphSnapshot, source: int, chosen: EdgeFilter) -> list[int]:
    """The symbols of the repository that a symbol has edges to, by id."""
    found: set[int] = set()
    for chunk in graph.parts(source):
        number = graph.file_of(chunk)
        edges = graph.edges(number)
        columns = edges.of_row(chunk - int(graph.snapshot.file_starts[number]))
        targets = distinct(columns.targets[chosen.select(columns)]).tolist()
        found.update(target for target in targets if target not in edges.external)
    found.update(edge.target for edge in derived_edges_out_of(graph, source, chosen))
    return sorted(found)


def with_constructors(graph: GraphSnapshot, number: int) -> list[int]:
    """A symbol, and the constructors of a type, which run when an object is made."""
    symbol = graph.symbol(number)
    if symbol is None or symbol.node_type not in TYPES:
        return [number]
    members = map(graph.symbol, targets_of(graph, number, _CONTAINS))
    made = [item.id for item in members if item is not None and item.node_type == _CONSTRUCTOR]
    return [number, *made]


def incoming_edges(graph: GraphSnapshot, target: int, chosen: EdgeFilter) -> Iterator[PlacedEdge]:
    """Edges to a symbol, the sure ones first, each kind by path and line; not all of very many."""
    stored = edges_into(graph, target, chosen, limit=MOST_EDGES).edges
    yield from stored
    yield from _derived_into(graph, target, chosen, stored)


def derived_edges_into(
    graph: GraphSnapshot,
    target: int,
    chosen: EdgeFilter,
    stored: Sequence[PlacedEdge] | None = None,
) -> Sequence[PlacedEdge]:
    """The derived edges among `incoming_edges`, where the `stored` ones are known already."""
    if is_sure(chosen):
        return ()
    if stored is None:
        stored = edges_into(graph, target, chosen, limit=MOST_EDGES).edges
    return [*_derived_into(graph, target, chosen, stored)]


def _derived_into(
    graph: GraphSnapshot, target: int, chosen: EdgeFilter, stored: Sequence[PlacedEdge]
) -> Iterator[PlacedEdge]:
    """Less sure edges at places that have no surer one."""
    seen = {edge.place for edge in stored}
    for edge in _unsure_into(graph, target, chosen):
        if edge.place not in seen and edge.type in chosen.types:
            seen.add(edge.place)
            yield edge


def _unsure_into(graph: GraphSnapshot, target: int, chosen: EdgeFilter) -> Iterator[PlacedEdge]:
    if _has(chosen, Confidence.DISPATCH):
        yield from islice(dispatched_callers(graph, target), MOST_EDGES)
        yield from _handed_or_told(graph, target)
    if _has_shapes(chosen):
        yield from _by_shape(graph, target)
    if _has(chosen, Confidence.PROBABLE):
        yield from islice(probable_uses(graph, target), MOST_EDGES)
    if _has(chosen, Confidence.POSSIBLE):
        yield from islice(possible_callers(graph, target), MOST_EDGES)


def _handed_or_told(graph: GraphSnapshot, target: int) -> Iterator[PlacedEdge]:
    """Calls without a stored edge: of functions handed on, and by events."""
    yield from islice(handed_callers(graph, target), MOST_EDGES)
    yield from islice(event_callers(graph, target), MOST_EDGES)


def _by_shape(graph: GraphSnapshot, protocol: int) -> Iterator[PlacedEdge]:
    """The classes that satisfy a protocol by shape, as edges from their declarations."""
    for number in classes_by_shape(graph, protocol):
        symbol = graph.symbol(number)
        if symbol is not None:
            yield PlacedEdge(
                number,
                protocol,
                EdgeType.IMPLEMENTS,
                Confidence.DISPATCH,
                Strategy.OVERRIDE,
                symbol.path,
                symbol.start_line,
                0,
                symbol.chunk,
            )


def outgoing_edges(graph: GraphSnapshot, source: int, chosen: EdgeFilter) -> Iterator[PlacedEdge]:
    """Edges of a symbol, the sure ones first; edges to symbols outside among them."""
    yield from known_edges(graph, source, chosen)
    yield from derived_edges_out_of(graph, source, chosen)


def place_of(
    graph: GraphSnapshot, source: int, target: int, chosen: EdgeFilter
) -> PlacedEdge | None:
    """The first place where a symbol has an edge to another."""
    return next(edges_between(graph, source, target, chosen), None)


def edges_between(
    graph: GraphSnapshot, source: int, target: int, chosen: EdgeFilter
) -> Iterator[PlacedEdge]:
    """The places where a symbol has an edge to another; less sure ones if no other is."""
    is_stored = False
    for edge in edges_of_parts(graph, source, chosen, target):
        is_stored = True
        yield edge
    for edge in () if is_stored else derived_edges_out_of(graph, source, chosen):
        if edge.target == target:
            yield edge


def surest_edges(
    graph: GraphSnapshot, source: int, target: int, chosen: EdgeFilter, limit: int
) -> list[PlacedEdge]:
    """The first places of the surest kind of edge from a symbol to another."""
    edges = [*islice(edges_between(graph, source, target, chosen), limit)]
    if not edges:  # one that only the uses of its target show
        derived = derived_edges_into(graph, target, chosen)
        edges = [edge for edge in derived if edge.source == source][:limit]
    best = min((edge.confidence for edge in edges), default=None)
    same = [edge for edge in edges if edge.confidence == best]
    return [edge for edge in same if edge.type == same[0].type]


def edges_among(
    graph: GraphSnapshot, ids: Sequence[int], chosen: EdgeFilter
) -> Iterator[PlacedEdge]:
    """The first edge from each of some symbols to each other one."""
    wanted = {*ids}
    for source in ids:
        for target in targets_of(graph, source, chosen):
            if target in wanted:
                edge = place_of(graph, source, target, chosen)
                if edge is not None:
                    yield edge


def members_of(graph: GraphSnapshot, symbol: int) -> list[int]:
    """The members of a symbol, direct or not, by id; limited in number.

    Methods that stand outside of their type are members of it, and not of the file or module that
    it is in.
    """
    found: set[int] = set()
    is_type = _is_in_file(graph, symbol)
    step: Iterable[int] = [symbol]
    while step and len(found) < _MOST_MEMBERS:
        fresh = {item for number in step for item in targets_of(graph, number, _CONTAINS)}
        if is_type:
            outside = {item for number in step for item in source_ids(graph, number, _BELONGS)}
            fresh.update(item for item in outside if _is_in_file(graph, item))
        step = sorted(fresh - found - {symbol})
        found.update(step)
    return sorted(found)[:_MOST_MEMBERS]


def _is_in_file(graph: GraphSnapshot, symbol: int) -> bool:
    """True for a type or a member, and not for a file or module."""
    found = graph.symbol(symbol)
    return found is not None and found.node_type not in _OVER_TYPES


def up_to(confidence: Confidence, types: Sequence[int]) -> EdgeFilter:
    """Edges of these types with at least this confidence."""
    return EdgeFilter(tuple(types), tuple(item for item in Confidence if item <= confidence))


def derived_edges_out_of(
    graph: GraphSnapshot, source: int, chosen: EdgeFilter
) -> Iterator[PlacedEdge]:
    """The derived edges among `outgoing_edges`, the surest from each place to a target."""
    seen: set[tuple[object, ...]] = set()
    for edge in _unsure_out_of(graph, source, chosen):
        if (edge.target, edge.place) not in seen:
            seen.add((edge.target, edge.place))
            yield edge


def _unsure_out_of(graph: GraphSnapshot, source: int, chosen: EdgeFilter) -> Iterator[PlacedEdge]:
    if _has(chosen, Confidence.DISPATCH):
        yield from dispatched_callees(graph, [*edges_of_parts(graph, source, CALLS)])
        yield from handed_callees(graph, source)
        yield from event_callees(graph, source)
    if _has(chosen, Confidence.PROBABLE):
        yield from probable_callees(graph, source)
    if _has(chosen, Confidence.POSSIBLE):
        yield from possible_callees(graph, source)


def is_sure(chosen: EdgeFilter) -> bool:
    """True if all edges that pass are stored; others are derived when they are asked for."""
    return not (_has_shapes(chosen) or any(_has(chosen, item) for item in _DERIVED))


def _has_shapes(chosen: EdgeFilter) -> bool:
    """True if edges of protocols by shape pass."""
    return EdgeType.IMPLEMENTS in chosen.types and Confidence.DISPATCH in chosen.confidences


def _has(chosen: EdgeFilter, confidence: Confidence) -> bool:
    return confidence in chosen.confidences and EdgeType.CALLS in chosen.types
