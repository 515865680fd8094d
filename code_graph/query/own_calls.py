"""The overrides that a call can't run, by the object that it has.

A call on `self` in a method of class C has an object of C, or of a class below it. An override in D
runs there if D is below C, or if a class has C and D above it; where `super` is meant, with D
behind C. A class that is named and called makes objects of itself alone. And two functions that
nothing calls, as tests are, don't see each other's classes.
"""

from __future__ import annotations

from typing import Final

from code_graph.model import EdgeType, Strategy
from code_graph.paths.path_kinds import is_test
from code_graph.query.edges import BASES, EdgeFilter, edges_of_parts, ids_into
from code_graph.query.model import FUNCTIONS, TYPES, PlacedEdge, Symbol
from code_graph.query.snapshot import GraphSnapshot

_CONTAINS: Final = EdgeFilter((EdgeType.CONTAINS,))
_CALLS: Final = EdgeFilter((EdgeType.CALLS,))
# strategies of edges from the name of a class, and not from an object or a variable
_NAMED: Final = frozenset({Strategy.SCOPE, Strategy.IMPORT})
_CONSTRUCTOR: Final = "constructor"
_BELONGS: Final = EdgeFilter((EdgeType.BELONGS_TO,))
# of more classes below one nothing is said
_MOST_BELOW: Final = 400
# a call may be in a function that is in a method
_DEEPEST: Final = 6


class OwnCalls:
    """Judges calls on `self` and `super` for one question."""

    def __init__(self, graph: GraphSnapshot) -> None:
        """Nothing is read yet; results are kept."""
        self._graph = graph
        self._types: dict[int, int | None] = {}
        self._descendants: dict[int, frozenset[int] | None] = {}
        self._replaced: dict[tuple[int, int], bool] = {}
        self._around: dict[int, Symbol | None] = {}
        self._entries: dict[int, bool] = {}

    def may_run(self, call: PlacedEdge, override: int) -> bool:
        """False for an override that the receiver of the call can't have."""
        if call.external:
            return True
        if self._is_made_by_name(call, override) or self._is_apart(call, override):
            return False
        if call.strategy != Strategy.RECEIVER:
            return True
        caller, holder = self.type_of(call.source), self.type_of(override)
        if caller is None or holder is None:
            return True
        if not self._replaces(caller, call.target):
            return self._have_one_below(caller, holder)
        return caller != holder and self._is_behind(holder, caller)

    def _is_made_by_name(self, call: PlacedEdge, override: int) -> bool:
        """True for a call of a class by its name, which runs no constructor of a class below it.

        A function that is put in the place of the constructor is run, and is none itself.
        """
        ends = call.target, override
        made = map(self._graph.symbol, ends if call.strategy in _NAMED else ())
        found = [item is not None and item.node_type == _CONSTRUCTOR for item in made]
        return bool(found) and all(found)

    def _is_apart(self, call: PlacedEdge, override: int) -> bool:
        """True for an override in a class that one test declares and a call that stands in another.

        Nothing calls either of the two functions, so that no object gets from one to the other.
        """
        around = self._function_around(override)
        if around is None or not is_test(around.path) or not is_test(call.path):
            return False
        if call.path == around.path and around.start_line <= call.line <= around.end_line:
            return False
        return self._is_entry(around.id) and self._is_entry(call.source)

    def _function_around(self, member: int) -> Symbol | None:
        """The function that declares the type of a member."""
        holder = self.type_of(member)
        if holder is None:
            return None
        if holder not in self._around:
            outer = map(self._graph.symbol, ids_into(self._graph, holder, _CONTAINS))
            functions = (item for item in outer if item is not None and item.node_type in FUNCTIONS)
            self._around[holder] = next(functions, None)
        return self._around[holder]

    def _is_entry(self, function: int) -> bool:
        """True for a function that no code of the repository calls."""
        if function not in self._entries:
            callers = ids_into(self._graph, function, _CALLS)
            self._entries[function] = all(item == function for item in callers)
        return self._entries[function]

    def type_of(self, member: int) -> int | None:
        """The type that a member is of, or the function around it; None if it is of none."""
        if member not in self._types:
            self._types[member] = self._find_type(member)
        return self._types[member]

    def _find_type(self, member: int) -> int | None:
        graph = self._graph
        for _ in range(_DEEPEST):
            belonging = (edge.target for edge in edges_of_parts(graph, member, _BELONGS))
            around = [*belonging, *ids_into(graph, member, _CONTAINS)]
            symbols = [item for item in map(graph.symbol, around) if item is not None]
            found = next((item.id for item in symbols if item.node_type in TYPES), None)
            if found is not None or not symbols:
                return found
            member = symbols[0].id
        return None

    def _replaces(self, holder: int, member: int) -> bool:
        """True if a type has its own of a member, so that the call of the other means `super`."""
        key = holder, member
        if key not in self._replaced:
            own, other = self._graph.symbol(holder), self._graph.symbol(member)
            self._replaced[key] = (
                own is not None
                and other is not None
                and self.type_of(member) != holder
                and self._has_member(own, other.simple_name)
            )
        return self._replaced[key]

    def _has_member(self, holder: Symbol, name: str) -> bool:
        name = f"{holder.qualified_name}{holder.separator}{name}"
        return any(self.type_of(item.id) == holder.id for item in self._graph.lookup(name, 4))

    def _have_one_below(self, one: int, other: int) -> bool:
        below, others = self._below(one), self._below(other)
        return below is None or others is None or not below.isdisjoint(others)

    def _is_behind(self, behind: int, before: int) -> bool:
        """True if an object may have both types, the second before the first."""
        first, last = self._below(before), self._below(behind)
        if first is None or last is None:
            return True
        if behind in first:
            return False
        if before in last:
            return True
        for common in first & last:
            edges = [*edges_of_parts(self._graph, common, BASES)]
            at = [number for number, edge in enumerate(edges) if edge.target in first]
            other = [number for number, edge in enumerate(edges) if edge.target in last]
            if at and other and at[0] < other[0]:
                return True
        return False

    def _below(self, holder: int) -> frozenset[int] | None:
        """A type and all that have it as an ancestor; None if there are very many."""
        if holder not in self._descendants:
            self._descendants[holder] = self._find_below(holder)
        return self._descendants[holder]

    def _find_below(self, holder: int) -> frozenset[int] | None:
        found, left = {holder}, [holder]
        while left:
            fresh = {*ids_into(self._graph, left.pop(), BASES)} - found
            found |= fresh
            left += fresh
            if len(found) > _MOST_BELOW:
                return None
        return frozenset(found)
