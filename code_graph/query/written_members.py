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
from code_graph.query.edges import EdgeFilter, edges_of_parts, having_edges, ids_into
from code_graph.query.model import TYPES, Symbol
from code_graph.query.snapshot import GraphSnapshot

_CONTAINS: Final = EdgeFilter((EdgeType.CONTAINS,))
_BELONGS: Final = EdgeFilter((EdgeType.BELONGS_TO,))
_BASES: Final = EdgeFilter((EdgeType.INHERITS, EdgeType.IMPLEMENTS, EdgeType.EXTENDS))
# what may give its names to the module around it
_OPEN: Final = frozenset({"namespace", "module", "enum"})
# types of which a type is built, and members of one name, that are looked at
_MOST_BASES: Final = 100
_MOST_MEMBERS: Final = 500


def written_members(
    graph: GraphSnapshot, owners: Sequence[Symbol], named: Sequence[Symbol]
) -> list[Symbol]:
    """The symbols of one name that code writes as members of one of these owners.

    A member of the owner itself hides one of its bases, and this one what stands deeper in it.
    """
    named = named[:_MOST_MEMBERS]
    around = having_edges(graph, [item.id for item in named], _CONTAINS) if owners else {}
    types = {item.id for item in owners}
    own: set[int] = set()
    for level in _levels(graph, types):
        blocks = {number for item in level for number in ids_into(graph, item, _BELONGS)}
        own = own or level | blocks
        found = [
            item
            for item in named
            if item.id in blocks or not (level | blocks).isdisjoint(around.get(item.id, ()))
        ]
        if found:
            return found
    # what stands in a declaration that one of the types has
    holders = {holder for item in named for holder in around.get(item.id, ())}
    inside = having_edges(graph, sorted(holders), _CONTAINS) if holders else {}
    modules = {item.id for item in owners if item.node_type not in TYPES}
    near = {
        holder
        for holder, outer in inside.items()
        if not (own - modules).isdisjoint(outer)
        or (not modules.isdisjoint(outer) and _shares_names(graph, holder))
    }
    return [item for item in named if not near.isdisjoint(around.get(item.id, ()))]


def _shares_names(graph: GraphSnapshot, holder: int) -> bool:
    """True of a module or an enumeration in a module, whose names may be seen in that."""
    symbol = graph.symbol(holder)
    declared = None if symbol is None else graph.declaration(symbol)
    return declared is not None and declared.kind in _OPEN


def _levels(graph: GraphSnapshot, types: Collection[int]) -> Iterator[set[int]]:
    """The types, then those that they are built on, and so on."""
    level, seen = {*types}, {*types}
    while level and len(seen) < _MOST_BASES:
        yield level
        bases = (edge for item in sorted(level) for edge in edges_of_parts(graph, item, _BASES))
        level = {edge.target for edge in bases if not edge.external} - seen
        seen |= level


def extensions(
    graph: GraphSnapshot, owner: str, name: str, named: Sequence[Symbol]
) -> list[Symbol]:
    """The functions that are declared outside of a type, to be called as its members."""
    return [item for item in named if _names_receiver(graph.declaration(item), owner, name)]


def _names_receiver(declared: Declaration | None, owner: str, name: str) -> bool:
    """True of `fun Owner.name()`, and of the first parameter `this Owner`."""
    if declared is None:
        return False
    own, written = re.escape(owner), plain_name(declared.signature, frozenset())
    is_first = re.match(rf"\(\s*this\s+(?:\w+\.)*{own}\b", declared.parameters)
    return bool(is_first or re.search(rf"(?<!\w){own}\??\.{re.escape(name)}\b", written))
