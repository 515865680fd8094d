"""Classes that have the members of a protocol and do not name it: they are one by shape.

A member of a protocol that has code is a default, which no class has to have. What a class inherits
from the repository counts. It is derived when it is asked for: few protocols are, and a class would
depend on all of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final
from weakref import WeakKeyDictionary

from code_graph.identity import external_id
from code_graph.language_table import language_named, names_with
from code_graph.model import EdgeType
from code_graph.query.edges import BASES, EdgeFilter, edges_of_parts, ids_into
from code_graph.query.model import FUNCTIONS, TYPES, Symbol
from code_graph.query.names import symbols_named
from code_graph.query.snapshot import GraphSnapshot
from index_format.tuples import NamedTuple

_CONTAINS: Final = EdgeFilter((EdgeType.CONTAINS,))
_RUNS: Final = EdgeFilter((EdgeType.CALLS,))
# protocols and classes that are looked at, and bases one above the other
_MOST_PROTOCOLS: Final = 200
_MOST_NAMED: Final = 200
_DEEPEST: Final = 8


class _Protocol(NamedTuple):
    """A protocol: the members that a class has to have, by name, and their symbols."""

    id: int
    members: Mapping[str, int]


class _Members(NamedTuple):
    """A class with its bases, and the members of all by name."""

    bases: frozenset[int]
    by_name: Mapping[str, int]


class _Shapes(NamedTuple):
    """The protocols of one graph, and the classes that were asked about."""

    protocols: Mapping[int, _Protocol]
    members: dict[int, _Members]


_kept: WeakKeyDictionary[GraphSnapshot, _Shapes] = WeakKeyDictionary()


def classes_by_shape(graph: GraphSnapshot, protocol: int) -> list[int]:
    """The classes that have all members of a protocol and do not name it, by path and line."""
    shapes = _shapes_of(graph)
    wanted = shapes.protocols.get(protocol)
    if wanted is None:
        return []
    found: dict[int, None] = {}
    for holder in _candidates(graph, wanted):
        if _fits(graph, shapes, holder, wanted):
            found[holder] = None
    return [*found]


def members_by_shape(graph: GraphSnapshot, member: int) -> list[int]:
    """The members of classes that implement a member of a protocol by shape."""
    shapes = _shapes_of(graph)
    for protocol in shapes.protocols.values():
        for name, number in protocol.members.items():
            if number == member:
                classes = classes_by_shape(graph, protocol.id)
                tables = (_members_of(graph, shapes, item) for item in classes)
                return [*dict.fromkeys(table.by_name[name] for table in tables)]
    return []


def demanded_by_shape(graph: GraphSnapshot, protocol: int) -> list[Symbol]:
    """The members that a protocol demands; empty for any other type."""
    wanted = _shapes_of(graph).protocols.get(protocol)
    found = map(graph.symbol, wanted.members.values() if wanted else ())
    return [item for item in found if item is not None]


def protocol_members(graph: GraphSnapshot, member: int) -> list[int]:
    """The members of protocols that a member of a class stands for by shape."""
    shapes = _shapes_of(graph)
    symbol = graph.symbol(member) if shapes.protocols else None
    if symbol is None or not language_named(symbol.language).protocols:
        return []
    name = symbol.simple_name
    wanted = [item for item in shapes.protocols.values() if name in item.members]
    holder = holder_of(graph, member) if wanted else None
    if holder is None:
        return []
    return [item.members[name] for item in wanted if _fits(graph, shapes, holder, item)]


def _shapes_of(graph: GraphSnapshot) -> _Shapes:
    known = _kept.get(graph)
    if known is None:
        known = _kept[graph] = _Shapes(_protocols(graph), {})
    return known


def _protocols(graph: GraphSnapshot) -> dict[int, _Protocol]:
    ids = {
        number
        for language in sorted(names_with("protocols"))
        for name in language_named(language).protocols.split()
        for number in ids_into(graph, external_id(name), BASES)
    }
    found: dict[int, _Protocol] = {}
    for number in sorted(ids)[:_MOST_PROTOCOLS]:
        members: dict[str, int] = {}
        for holder in with_bases(graph, number):
            for item in contained(graph, holder):
                if not _is_default(graph, item):
                    members.setdefault(item.simple_name, item.id)
        if any(not name.startswith("__") for name in members) or len(members) > 1:
            found[number] = _Protocol(number, members)
    return found


def _is_default(graph: GraphSnapshot, member: Symbol) -> bool:
    """True for a method that calls something, and for a type inside."""
    return member.node_type in TYPES or (
        member.node_type in FUNCTIONS
        and next(edges_of_parts(graph, member.id, _RUNS), None) is not None
    )


def contained(graph: GraphSnapshot, holder: int) -> Iterator[Symbol]:
    """The direct members of a type."""
    for edge in edges_of_parts(graph, holder, _CONTAINS):
        symbol = graph.symbol(edge.target)
        if symbol is not None:
            yield symbol


def with_bases(graph: GraphSnapshot, holder: int) -> list[int]:
    """A class and the classes of the repository that it inherits from, nearest first."""
    found, step = {holder: None}, [holder]
    for _ in range(_DEEPEST):
        edges = (edge for number in step for edge in edges_of_parts(graph, number, BASES))
        step = [edge.target for edge in edges if not edge.external and edge.target not in found]
        found.update(dict.fromkeys(step))
        if not step:
            break
    return [*found]


def holder_of(graph: GraphSnapshot, member: int) -> int | None:
    """The type that declares a member; None outside of types."""
    symbols = map(graph.symbol, ids_into(graph, member, _CONTAINS))
    return next((item.id for item in symbols if item is not None and item.node_type in TYPES), None)


def _candidates(graph: GraphSnapshot, protocol: _Protocol) -> list[int]:
    """The classes that have the rarest member of a protocol."""
    rarest: list[Symbol] | None = None
    for name in protocol.members:
        symbols, more = symbols_named(graph, name, _MOST_NAMED)
        if not more and (rarest is None or len(symbols) < len(rarest)):
            rarest = symbols
    own = graph.symbol(protocol.id)
    language = "" if own is None else own.language
    holders = (holder_of(graph, item.id) for item in rarest or () if item.language == language)
    found = dict.fromkeys(item for item in holders if item is not None)
    # who names one of them as a base may have the rest of the members
    below = (number for item in found for number in ids_into(graph, item, BASES))
    return [*dict.fromkeys([*found, *below])]


def _fits(graph: GraphSnapshot, shapes: _Shapes, holder: int, protocol: _Protocol) -> bool:
    """True if a class has all members and neither is nor names the protocol."""
    found = _members_of(graph, shapes, holder)
    return (
        holder not in shapes.protocols
        and protocol.id not in found.bases
        and protocol.members.keys() <= found.by_name.keys()
    )


def _members_of(graph: GraphSnapshot, shapes: _Shapes, holder: int) -> _Members:
    if holder not in shapes.members:
        bases = with_bases(graph, holder)
        found: dict[str, int] = {}
        for item in (item for number in bases for item in contained(graph, number)):
            found.setdefault(item.simple_name, item.id)
        shapes.members[holder] = _Members(frozenset(bases), found)
    return shapes.members[holder]
