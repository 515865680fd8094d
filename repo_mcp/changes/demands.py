"""Finds types that lack a member that a base demands: it is new, or what implemented it is gone.

Objects without a class lack a new member, too, where their type is written beside them.

A type is reported where it names the base that leads to the demand. Types above it that are
abstract, and those below it that inherit what it lacks, are not.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from code_graph import language_named
from code_graph.facts import Declaration, last_part
from code_graph.model import EdgeType
from code_graph.query.edges import EdgeFilter, edges_into, edges_of_parts, ids_into
from code_graph.query.implementing import is_abstract, is_optional, lacking_members
from code_graph.query.model import TYPES, PlacedEdge, Symbol
from code_graph.query.names import symbols_named
from code_graph.query.shapes import contained, holder_of, with_bases
from code_graph.query.snapshot import GraphSnapshot
from index_format.tuples import NamedTuple
from repo_mcp.changes.differences import BreakReason
from repo_mcp.changes.model import BreakingPlace
from repo_mcp.changes.two_sides import NAME, TwoSides, symbol_at
from repo_mcp.changes.typed_literals import literals_lacking
from repo_mcp.history import DeclaredChange
from repo_mcp.repository import local_name

_BASES: Final = EdgeFilter((EdgeType.INHERITS, EdgeType.IMPLEMENTS, EdgeType.EXTENDS))
# types that an object without a class may be of
_OBJECT_TYPES: Final = frozenset({"interface", "type"})
_HAS_TO_HAVE: Final = "it has to have `{}` now"
_ABSTRACT: Final = "abstract"
# changes by which a member comes, and those by which it goes
_COMES: Final = frozenset({"added", "renamed"})
_GOES: Final = frozenset({"removed", "renamed", "moved"})
_OTHER: Final = "signature"
# types below one, and uses of a trait, that are looked at
_MOST_TYPES: Final = 2_000
# types of one name, and members of one name by which types are found that have it
_MOST_NAMED: Final = 200


class _Demand(NamedTuple):
    """A changed member by which types may lack one, and the type around it."""

    owner: Symbol
    name: str
    # what has changed, and its file
    used: tuple[str, str]
    # the symbol that is demanded now; 0 where what implemented one is gone
    member: int = 0
    # the parameters of what is gone, where they tell functions of one name apart
    parameters: int | None = None

    def explains(self, graph: GraphSnapshot, lacking: Symbol) -> bool:
        """True if the change is why a type lacks a member."""
        if self.member:
            return lacking.id == self.member
        declared = None if self.parameters is None else graph.declaration(lacking)
        is_same = declared is None or declared.parameter_count == self.parameters
        return lacking.simple_name == self.name and is_same


def places_of_demands(
    sides: TwoSides, changes: Iterable[DeclaredChange]
) -> Iterator[BreakingPlace]:
    """The types that lack a member by these changes."""
    for change in changes:
        for demand in (*_coming(sides, change), *_going(sides, change)):
            if language_named(demand.owner.language).has_implicit_interfaces:
                continue  # a type that lacks a member is none of the interface, and says nothing
            yield from _Lacking(sides, demand).places()
            yield from _of_literals(sides, demand)


def _of_literals(sides: TwoSides, demand: _Demand) -> Iterator[BreakingPlace]:
    """The places of object literals that lack a new member of an interface."""
    graph, member = sides.new, sides.new.symbol(demand.member)
    if member is None or demand.owner.node_type not in _OBJECT_TYPES:
        return
    declared = graph.declaration(member)
    if not language_named(member.language).is_structural or declared is None:
        return
    if is_optional(declared) or not NAME.fullmatch(member.simple_name):
        return
    types = {demand.owner.id: demand.owner}
    step = [demand.owner.id]
    while step and len(types) < _MOST_TYPES:
        below = (graph.symbol(item) for one in step for item in ids_into(graph, one, _BASES))
        found = (item for item in below if item is not None and item.node_type in _OBJECT_TYPES)
        step = [item.id for item in found if types.setdefault(item.id, item) is item]
    why = BreakReason(_HAS_TO_HAVE.format(member.simple_name), is_sure=True)
    for literal in literals_lacking(sides, types.values(), member.simple_name):
        yield sides.place(literal.edge, demand.used, literal.edge.path, literal.line, why)


def types_around(graph: GraphSnapshot, path: str, owner: frozenset[str]) -> Iterator[Symbol]:
    """The types of a file with one of these full names."""
    for symbol, _ in graph.outline(path):
        names = {local_name(graph, symbol), symbol.qualified_name}
        if symbol.node_type in TYPES and not owner.isdisjoint(names):
            yield symbol


def changed_members(change: DeclaredChange) -> Iterator[tuple[str, frozenset[str], str]]:
    """The path, names of the type, and name of a member that comes or goes, on each side."""
    one, other = change.before, change.behind
    is_other = change.kind == _OTHER or _is_demanded_now(change)
    if one is not None and one.scope_kind == "class" and (is_other or change.kind in _GOES):
        yield change.old_path, _owner_of(change.old_name or change.name, one), last_part(one.name)
    if other is not None and other.scope_kind == "class" and (is_other or change.kind in _COMES):
        yield change.path, _owner_of(change.name, other), last_part(other.name)


def family_of(graph: GraphSnapshot, owner: Symbol) -> dict[int, None]:
    """A type, those below it, and the bases of all of these."""
    below = {owner.id: None}
    step = [owner.id]
    while step and len(below) < _MOST_TYPES:
        heirs = (item for one in step for item in ids_into(graph, one, _BASES))
        step = [item for item in dict.fromkeys(heirs) if item not in below]
        below.update(dict.fromkeys(step))
    found = dict(below)
    for number in below:
        found.update(dict.fromkeys(with_bases(graph, number)))
    return found


def members_like(graph: GraphSnapshot, owner: Symbol, but: str) -> Sequence[Symbol]:
    """The members of all types that have the name of another one of an interface, of the rarest."""
    names = [item.simple_name for item in contained(graph, owner.id) if item.simple_name != but]
    found = [symbols_named(graph, name, _MOST_NAMED)[0] for name in dict.fromkeys(names)]
    return min(found, key=len, default=())


def _coming(sides: TwoSides, change: DeclaredChange) -> Iterator[_Demand]:
    """The demand of a member that is new, or is another one by its signature."""
    now = change.behind
    if now is None or now.scope_kind != "class":
        return
    is_other = _is_other(sides, change) or _is_demanded_now(change)
    if change.kind not in _COMES and not is_other:
        return
    member = symbol_at(sides.new, change.path, now)
    holder = None if member is None else holder_of(sides.new, member.id)
    owner = None if holder is None else sides.new.symbol(holder)
    if member is None or owner is None:
        return
    used = local_name(sides.new, member), member.path
    yield _Demand(owner, member.simple_name, used, member.id)


def _going(sides: TwoSides, change: DeclaredChange) -> Iterator[_Demand]:
    """The demands that a member met which is gone, or has another name or signature."""
    before = change.before
    if before is None or before.scope_kind != "class":
        return
    if change.kind not in _GOES and not _is_other(sides, change):
        return
    file = sides.by_old.get(change.old_path)
    full_name = change.old_name or change.name
    path = "" if file is None else file.new_path
    for owner in types_around(sides.new, path, _owner_of(full_name, before)):
        count = before.parameter_count if language_named(owner.language).overloads else None
        used = full_name, change.old_path
        yield _Demand(owner, last_part(before.name), used, parameters=count)
        return  # other parts of it have the same bases


def _is_other(sides: TwoSides, change: DeclaredChange) -> bool:
    """True for a member that is another one for those that implement it, by its parameters."""
    one, now = change.before, change.behind
    if change.kind != _OTHER or one is None or now is None:
        return False
    symbol = symbol_at(sides.new, change.path, now)
    is_by_count = symbol is not None and language_named(symbol.language).overloads
    return is_by_count and one.parameter_count != now.parameter_count


def _is_demanded_now(change: DeclaredChange) -> bool:
    """True for a member that nothing had to have before: it had code, or was optional."""
    one, now = change.before, change.behind
    if one is None or now is None:
        return False
    is_abstract_now = _ABSTRACT in now.modifiers - one.modifiers
    return is_abstract_now or (is_optional(one) and not is_optional(now))


def _owner_of(full_name: str, declared: Declaration) -> frozenset[str]:
    """The full names that the type around a member may have.

    The name of one may begin with the interface that it is for, or with the type itself.
    """
    names = (declared.name, last_part(declared.name))
    return frozenset(full_name.removesuffix(name).rstrip(".:#") for name in names) - {""}


class _Lacking:
    """The types that lack a member by one change."""

    def __init__(self, sides: TwoSides, demand: _Demand) -> None:
        self._sides, self._graph = sides, sides.new
        self._demand = demand

    def places(self) -> Iterator[BreakingPlace]:
        """Where they name the base that demands it."""
        demand = self._demand
        if language_named(demand.owner.language).implements_traits:
            yield from self._of_blocks()
            return
        known = {demand.owner.id}
        step = [demand.owner.id] if not demand.member else self._heirs([demand.owner.id], known)
        while step and len(known) < _MOST_TYPES:
            inherit: list[int] = []
            for symbol in filter(None, map(self._graph.symbol, step)):
                place = self._of_type(symbol)
                if place is None:
                    inherit.append(symbol.id)
                else:
                    yield place
            step = self._heirs(inherit, known)

    def _heirs(self, types: Sequence[int], known: set[int]) -> list[int]:
        below = (item for one in types for item in ids_into(self._graph, one, _BASES))
        found = [item for item in dict.fromkeys(below) if item not in known]
        known.update(found)
        return found

    def _of_type(self, symbol: Symbol) -> BreakingPlace | None:
        """The place of a type that lacks it and is not abstract."""
        graph, demand = self._graph, self._demand
        if symbol.node_type not in TYPES or is_abstract(graph, symbol):
            return None
        lacking = lacking_members(graph, symbol, self._sides.line)
        by_change = [item for item in lacking if demand.explains(graph, item)]
        # one that lacks others, too, is abstract without saying so if there are types below it
        is_open = len(by_change) < len(lacking) and bool(self._heirs([symbol.id], set()))
        if not by_change or is_open:
            return None
        edge = self._edge_to(symbol, by_change[0])
        return None if edge is None else self._place(symbol, by_change[0], edge)

    def _edge_to(self, symbol: Symbol, member: Symbol) -> PlacedEdge | None:
        """The place at which a type names the base that leads to a demand."""
        holder = holder_of(self._graph, member.id)
        delegated = language_named(symbol.language).delegated_base
        for edge in edges_of_parts(self._graph, symbol.id, _BASES):
            if edge.external or holder not in with_bases(self._graph, edge.target):
                continue
            text = self._sides.line(edge.path, edge.line)[edge.column :]
            if not delegated or not re.match(delegated, text):
                return edge
        return None

    def _of_blocks(self) -> Iterator[BreakingPlace]:
        """The places of blocks that implement a trait, each of which has to have all of it."""
        graph, demand = self._graph, self._demand
        if not demand.member:
            edges: Iterable[PlacedEdge] = edges_of_parts(graph, demand.owner.id, _BASES)
        else:
            edges = edges_into(graph, demand.owner.id, _BASES, limit=_MOST_TYPES).edges
        for edge in edges:
            block, trait = graph.symbol_at(edge.source_chunk), graph.symbol(edge.target)
            if trait is None or is_abstract(graph, block):
                continue
            own = {item.id for item in contained(graph, trait.id)}
            for member in lacking_members(graph, trait, self._sides.line):
                if member.id not in own or not demand.explains(graph, member):
                    continue
                if not self._has_member(block, member.simple_name):
                    yield self._place(block, member, edge)

    def _has_member(self, block: Symbol, name: str) -> bool:
        return any(
            block.encloses(item) and item.simple_name == name
            for item, _ in self._graph.outline(block.path)
        )

    def _place(self, symbol: Symbol, member: Symbol, edge: PlacedEdge) -> BreakingPlace:
        """The place of a type; it surely breaks where types say that they are abstract."""
        graph, demand = self._graph, self._demand
        holder = holder_of(graph, member.id)
        base = None if holder is None else graph.symbol(holder)
        is_sure = base is not None and is_abstract(graph, base)
        is_sure = is_sure and not self._has_base_outside(symbol)
        if demand.member:
            text = _HAS_TO_HAVE.format(member.simple_name)
        else:
            of_base = "a base" if base is None else f"`{base.simple_name}`"
            text = f"it has no `{member.simple_name}` any more, which {of_base} demands"
        why = BreakReason(text, is_sure=is_sure)
        return self._sides.place(edge, demand.used, edge.path, edge.line, why)

    def _has_base_outside(self, symbol: Symbol) -> bool:
        """True for a type that may inherit what it lacks from a base that is not known."""
        return any(
            edge.external
            for number in with_bases(self._graph, symbol.id)
            for edge in edges_of_parts(self._graph, number, _BASES)
        )
