"""Unsure edges: calls that may reach an override, and uses of the same name.

They are derived when they are asked for, from overrides and from uses whose target is unknown.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Final

import numpy as np

from code_graph.language_table import language_named, may_name
from code_graph.model import Confidence, EdgeType, Strategy, UnresolvedUse
from code_graph.query.edges import (
    BASES,
    EdgeFilter,
    chunks_by_file,
    edges_into,
    edges_of_chunk,
    edges_of_parts,
    external_uses,
    ids_into,
    sources_of,
    unresolved_named,
    unresolved_uses,
)
from code_graph.query.likeliest import LikelyMeanings
from code_graph.query.model import FUNCTIONS, TYPES, Completeness, PlacedEdge, Symbol
from code_graph.query.names import symbols_named
from code_graph.query.overrides import overridden, overriding
from code_graph.query.own_calls import OwnCalls
from code_graph.query.shapes import classes_by_shape
from code_graph.query.snapshot import GraphSnapshot, distinct

_CONTAINS: Final = EdgeFilter((EdgeType.CONTAINS,))
_BELONGS: Final = EdgeFilter((EdgeType.BELONGS_TO,))
_CALLS: Final = EdgeFilter((EdgeType.CALLS,))
_READ: Final = EdgeFilter((EdgeType.CALLS, EdgeType.REFERENCES))
# symbols and edges that are looked at
_MOST_SYMBOLS: Final = 200
MOST_EDGES: Final = 2_000
_MEMBERS: Final = frozenset({"method", "property"})
# symbols of one name that a call of an unknown target may mean
_MOST_NAMED: Final = 10


def overrides_nothing(graph: GraphSnapshot, symbol: Symbol) -> bool:
    """True for a method that overrides no other one, if all bases of its type are known.

    A type with a base that is not of the repository may inherit any method from there.
    """
    types = _holders(graph, symbol)
    return bool(types) and not overridden(graph, symbol.id) and _bases_are_known(graph, types)


def is_not_overridden(graph: GraphSnapshot, symbol: Symbol) -> bool:
    """True for a method that no other one overrides, if no unknown type may inherit it."""
    types = _holders(graph, symbol)
    if not types or overriding(graph, symbol.id):
        return False
    return not any(unresolved_uses(graph, item.name, BASES.types, item.named_as) for item in types)


def is_not_extended(graph: GraphSnapshot, symbol: Symbol) -> bool:
    """True for a type that no other one names as its base, if no unknown base has its name."""
    language = language_named(symbol.language)
    return (
        symbol.node_type in TYPES
        and not (language.is_structural or language.has_implicit_interfaces)
        and not len(sources_of(graph, symbol.id, BASES)[0])
        and not classes_by_shape(graph, symbol.id)
        and not unresolved_uses(graph, symbol.name, BASES.types, symbol.named_as)
    )


def running(member: Symbol | None) -> EdgeFilter:
    """The edges to a member that run it: a property is run where it is read."""
    return _CALLS if member is None or member.node_type in FUNCTIONS else _READ


def dispatched_callers(graph: GraphSnapshot, symbol: int) -> Iterator[PlacedEdge]:
    """Calls and reads of the members that a member overrides: they may mean this one."""
    own = OwnCalls(graph)
    for base in overridden(graph, symbol):
        page = edges_into(graph, base, _READ, limit=MOST_EDGES)
        for edge in page.edges:
            if own.may_run(edge, symbol):
                yield _weakened(edge._replace(target=symbol))


def dispatched_sources(
    graph: GraphSnapshot, symbol: int, types: Sequence[int], own: OwnCalls
) -> Iterator[int]:
    """The symbols that `dispatched_callers` of these types are in, some repeatedly."""
    chosen = EdgeFilter(tuple(kind for kind in _READ.types if kind in types))
    for base in overridden(graph, symbol):
        for chunk in distinct(sources_of(graph, base, chosen)[0]).tolist():
            source = graph.ids_of([chunk])[0]
            if any(
                edge.target == base and own.may_run(edge, symbol)
                for edge in edges_of_chunk(graph, chunk, chosen)
            ):
                yield source


def dispatched_callees(graph: GraphSnapshot, edges: list[PlacedEdge]) -> Iterator[PlacedEdge]:
    """The overrides of a callee: they may run instead."""
    seen: set[tuple[int, int, int, str]] = set()
    own = OwnCalls(graph)
    for edge in edges:
        for member in [] if edge.external else overriding(graph, edge.target):
            place = (member, edge.line, edge.column, edge.path)
            if place not in seen and own.may_run(edge, member):
                seen.add(place)
                yield _weakened(edge._replace(target=member))


def possible_callers(graph: GraphSnapshot, symbol: int) -> Iterator[PlacedEdge]:
    """Calls of the same name whose target is unknown."""
    found = graph.symbol(symbol)
    return iter(()) if found is None else _uses_by_name(graph, found, _CALLS.types)


def probable_uses(graph: GraphSnapshot, symbol: int) -> Iterator[PlacedEdge]:
    """The uses on objects of unknown type that run a member, if their text decides it.

    Nothing else has its name, or it is the likeliest of several.
    """
    found = graph.symbol(symbol)
    if found is None:
        return
    if has_sole_name(graph, found):
        yield from map(_probable, _uses_by_name(graph, found, running(found).types))
        return
    running_it = run_by(graph, symbol)
    for file, use, meaning in LikelyMeanings(graph).unknown_uses(found):
        if meaning is not None and not running_it.isdisjoint(meaning.ids):
            chunk = int(graph.snapshot.file_starts[file]) + use.source
            ends = graph.ids_of([chunk])[0], symbol
            yield _probable(_possible(graph, file, use, chunk, ends), meaning.strategy)


def run_by(graph: GraphSnapshot, symbol: int) -> frozenset[int]:
    """A member and the members that it overrides: calls of each may run it."""
    return frozenset({symbol, *overridden(graph, symbol)})


def probable_callees(graph: GraphSnapshot, symbol: int) -> Iterator[PlacedEdge]:
    """The members that `probable_uses` has calls of, in a function."""
    meanings = LikelyMeanings(graph)
    for file, use, chunk in _unresolved_calls(graph, symbol):
        named, more = symbols_named(graph, use.name, _MOST_NAMED)
        able = [] if more else nameable(named, graph.file(file).symbols.language)
        sole = [item.id for item in able if has_sole_name(graph, item)]
        for number in sole:
            yield _probable(_possible(graph, file, use, chunk, (symbol, number)))
        meaning = None if sole else meanings.meaning(file, use)
        if meaning is not None:
            for number in _with_overriding(graph, meaning.ids):
                edge = _possible(graph, file, use, chunk, (symbol, number))
                yield _probable(edge, meaning.strategy)


def _with_overriding(graph: GraphSnapshot, symbols: Iterable[int]) -> list[int]:
    """Some members and their overrides, each once."""
    own = sorted(symbols)
    below = (other for number in own for other in overriding(graph, number))
    return [*dict.fromkeys(chain(own, below))]


def has_sole_name(graph: GraphSnapshot, symbol: Symbol) -> bool:
    """True for a member with a unique name, in the repository and in its uses of libraries.

    Its overloads, what it overrides and what overrides it are one with it.
    """
    types = running(symbol).types
    if symbol.node_type not in _MEMBERS or external_uses(
        graph, symbol.name, types, symbol.named_as
    ):
        return False
    named, more = symbols_named(graph, symbol.simple_name, _MOST_NAMED)
    others = [item for item in named if item.qualified_name != symbol.qualified_name]
    related = {*overridden(graph, symbol.id), *overriding(graph, symbol.id)} if others else ()
    return not more and all(item.id in related for item in others)


def unknown_uses(graph: GraphSnapshot, symbol: Symbol, chosen: EdgeFilter) -> int:
    """The uses of its name with an unknown target that a list of such edges does not have."""
    count = unresolved_uses(graph, symbol.name, chosen.types, symbol.named_as)
    return count - _listed_unresolved(graph, symbol, chosen, count)


def without_listed(
    graph: GraphSnapshot, symbol: Symbol | None, chosen: EdgeFilter, counts: Completeness
) -> Completeness:
    """The counts of edges into a symbol, without unresolved uses that are listed by its name."""
    count = counts.unresolved_same_name
    listed = count if symbol is None else _listed_unresolved(graph, symbol, chosen, count)
    return counts._replace(unresolved_same_name=count - listed)


def _listed_unresolved(graph: GraphSnapshot, symbol: Symbol, chosen: EdgeFilter, count: int) -> int:
    """The number of these uses of its name that are listed with it."""
    if not count or Confidence.PROBABLE not in chosen.confidences:
        return 0
    if has_sole_name(graph, symbol):
        return count
    return sum(edge.type in chosen.types for edge in probable_uses(graph, symbol.id))


def _uses_by_name(
    graph: GraphSnapshot, symbol: Symbol, types: Sequence[int]
) -> Iterator[PlacedEdge]:
    for file, use in unresolved_named(graph, symbol.name, types, symbol.named_as):
        chunk = int(graph.snapshot.file_starts[file]) + use.source
        yield _possible(graph, file, use, chunk, (graph.ids_of([chunk])[0], symbol.id))


def possible_callees(graph: GraphSnapshot, symbol: int) -> Iterator[PlacedEdge]:
    """Possible callees of unresolved calls by name alone; very frequent names have none."""
    for file, use, chunk in _unresolved_calls(graph, symbol):
        found, more = symbols_named(graph, use.name, _MOST_NAMED)
        language = graph.file(file).symbols.language
        for item in () if more else nameable(found, language):
            yield _possible(graph, file, use, chunk, (symbol, item.id))


def calls_by_name(
    graph: GraphSnapshot, symbol: int, targets: Sequence[Symbol]
) -> Iterator[PlacedEdge]:
    """Calls of a function that may mean some symbols by their names, frequent ones, too.

    Their receivers are unknown, or are what a function outside has returned.
    """
    for file, use, chunk in _unresolved_calls(graph, symbol):
        for item in nameable(targets, graph.file(file).symbols.language):
            if item.simple_name == use.name:
                yield _possible(graph, file, use, chunk, (symbol, item.id))
    for name, guess in calls_of_results(edges_of_parts(graph, symbol, _CALLS)):
        for item in targets:
            if item.simple_name == name:
                yield guess._replace(target=item.id)


def calls_of_results(calls: Iterable[PlacedEdge]) -> Iterator[tuple[str, PlacedEdge]]:
    """Calls of a method on the result of an external function, such as an element of a queue.

    With their names; the targets are not known.
    """
    outside = [edge for edge in calls if edge.external]
    called = {edge.external for edge in outside}
    for edge in outside:
        owner, _, name = edge.external.rpartition(".")
        if owner in called or owner.endswith(")"):
            yield (
                name,
                edge._replace(external="", confidence=Confidence.POSSIBLE, strategy=Strategy.NAME),
            )


def _unresolved_calls(
    graph: GraphSnapshot, symbol: int
) -> Iterator[tuple[int, UnresolvedUse, int]]:
    """The calls of a function with no known target: the file, the use and its chunk."""
    parts = np.sort(np.array(graph.parts(symbol), dtype=np.int64))
    for file, own in chunks_by_file(graph, parts):
        first = int(graph.snapshot.file_starts[file])
        rows = {int(chunk) - first for chunk in own}
        for use in graph.edges(file).unresolved():
            if use.source in rows and use.type == EdgeType.CALLS:
                yield file, use, first + use.source


def nameable(symbols: Iterable[Symbol], language: str) -> Iterator[Symbol]:
    """The symbols among some that code of a language may use by their names."""
    return (item for item in symbols if not item.named_as or may_name(language, item.language))


def _possible(
    graph: GraphSnapshot, file: int, use: UnresolvedUse, chunk: int, ends: tuple[int, int]
) -> PlacedEdge:
    """The edge of a use by name alone, between two symbols."""
    return PlacedEdge(
        *ends,
        EdgeType(use.type),
        Confidence.POSSIBLE,
        Strategy.NAME,
        graph.path_of(file),
        use.line,
        use.column,
        chunk,
    )


def _holders(graph: GraphSnapshot, symbol: Symbol) -> list[Symbol]:
    """The types of a method that is not private: around it, or named by its receiver."""
    declared = graph.declaration(symbol)
    if symbol.node_type != "method" or declared is None or declared.access == "private":
        return []
    inside = ids_into(graph, symbol.id, _CONTAINS)
    ids = [*inside, *(edge.target for edge in edges_of_parts(graph, symbol.id, _BELONGS))]
    found = (graph.symbol(number) for number in dict.fromkeys(ids))
    return [item for item in found if item is not None and item.node_type in TYPES]


def _bases_are_known(graph: GraphSnapshot, types: Sequence[Symbol]) -> bool:
    """True if each written base of some types, direct or not, has an edge to its type."""
    left = [item.id for item in types]
    seen = {*left}
    while left and len(seen) <= _MOST_SYMBOLS:
        number = left.pop()
        parts = (graph.declaration(part) for part in graph.spans(number))
        written = {base for part in parts if part is not None for base in part.bases}
        edges = edges_of_parts(graph, number, BASES)
        bases = {edge.target for edge in edges if not edge.external}
        if len(bases) < len(written):
            return False
        left += bases - seen
        seen |= bases
    return not left


def _probable(edge: PlacedEdge, strategy: Strategy = Strategy.SOLE_NAME) -> PlacedEdge:
    return edge._replace(confidence=Confidence.PROBABLE, strategy=strategy)


def _weakened(edge: PlacedEdge) -> PlacedEdge:
    return edge._replace(confidence=Confidence.DISPATCH, strategy=Strategy.OVERRIDE)
