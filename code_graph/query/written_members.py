"""Members of a type or module by names that code writes and their qualified names do not have.

A member is written behind a type that inherits it, that a block elsewhere extends, or around the
companion, inline namespace or enumeration that declares it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from typing import Final

from code_graph.facts import Declaration
from code_graph.model import EdgeType
from code_graph.paths.name_places import plain_name
from code_graph.query.edges import EdgeFilter, edges_of_parts, ids_into
from code_graph.query.model import Symbol
from code_graph.query.snapshot import GraphSnapshot

_CONTAINS: Final = EdgeFilter((EdgeType.CONTAINS,))
_BELONGS: Final = EdgeFilter((EdgeType.BELONGS_TO,))
_BASES: Final = EdgeFilter((EdgeType.INHERITS, EdgeType.IMPLEMENTS, EdgeType.EXTENDS))
# types of which a type is built, and members of one name, that are looked at
_MOST_BASES: Final = 100
_MOST_MEMBERS: Final = 500


def written_members(
    graph: GraphSnapshot, owners: Sequence[Symbol], named: Sequence[Symbol]
) -> list[Symbol]:
    """Those of some symbols of one name that code writes as members of one of these owners.

    A member of the owner itself hides one of its bases, and this one what stands deeper in it.
    """
    named = named[:_MOST_MEMBERS]
    holders = {item.id: _holders(graph, item.id) for item in named}
    types = {item.id for item in owners}
    for level in _levels(graph, types):
        found = [item for item in named if not level.isdisjoint(holders[item.id])]
        if found:
            return found
    return [item for item in named if _is_within(graph, holders[item.id], types)]


def extensions(
    graph: GraphSnapshot, owner: str, name: str, named: Sequence[Symbol]
) -> list[Symbol]:
    """Those of some functions that are declared outside of a type, to be called as its members."""
    return [item for item in named if _names_receiver(graph.declaration(item), owner, name)]


def _names_receiver(declared: Declaration | None, owner: str, name: str) -> bool:
    """True of `fun Owner.name()`, and of the first parameter `this Owner`."""
    if declared is None:
        return False
    own, written = re.escape(owner), plain_name(declared.signature, frozenset())
    is_first = re.match(rf"\(\s*this\s+(?:\w+\.)*{own}\b", declared.parameters)
    return bool(is_first or re.search(rf"(?<!\w){own}\??\.{re.escape(name)}\b", written))


def _levels(graph: GraphSnapshot, types: Collection[int]) -> Iterator[set[int]]:
    """The types, then those that they are built on, and so on."""
    level, seen = {*types}, {*types}
    while level and len(seen) < _MOST_BASES:
        yield level
        bases = (edge for item in sorted(level) for edge in edges_of_parts(graph, item, _BASES))
        level = {edge.target for edge in bases if not edge.external} - seen
        seen |= level


def _holders(graph: GraphSnapshot, number: int) -> set[int]:
    """The declarations around one, and the types that it, or the block around it, belongs to."""
    inside = {*ids_into(graph, number, _CONTAINS)}
    belongs = (
        edge.target
        for item in (number, *inside)
        for edge in edges_of_parts(graph, item, _BELONGS)
        if not edge.external
    )
    return inside | {*belongs}


def _is_within(graph: GraphSnapshot, holders: Collection[int], types: Collection[int]) -> bool:
    """True of what stands in a declaration that one of the types has."""
    return any(not _holders(graph, item).isdisjoint(types) for item in holders)
