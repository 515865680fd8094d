"""Demands of a type on those that implement it, and the code that makes or registers implementers.

A member that has code is a default, which nobody has to supply. The text of current files decides,
behind the name of a member and its brackets.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import islice, takewhile
from typing import Final

from code_graph.brackets import without_comments
from code_graph.contracts.conventions import lines_that, words
from code_graph.facts import Declaration, last_part
from code_graph.language import load
from code_graph.language_table import language_named
from code_graph.model import EdgeType
from code_graph.paths.path_kinds import TEST, is_test, rank_path
from code_graph.query.edges import EdgeFilter, edges_into, edges_of_parts, ids_into
from code_graph.query.model import FUNCTIONS, TYPES, VALUES, LineOf, PlacedEdge, Symbol
from code_graph.query.neighbours import CALLS, SUBTYPES, with_constructors
from code_graph.query.shapes import classes_by_shape, contained, demanded_by_shape, with_bases
from code_graph.query.snapshot import GraphSnapshot
from code_graph.store.terms import last_name
from index_format.tuples import NamedTuple

_INTERFACES: Final = frozenset({"interface", "trait", "protocol"})
_ABSTRACT: Final = "abstract"
# members with one are no implementer's
_OWN: Final = frozenset({"static", "private", "default"})
_MEMBERS: Final = (FUNCTIONS | VALUES | {"type"}) - {"constructor"}
_INHERITED: Final = EdgeFilter((EdgeType.INHERITS, EdgeType.EXTENDS))
# from an extension to its type
_BLOCKS: Final = EdgeFilter((EdgeType.EXTENDS, EdgeType.BELONGS_TO))
_MADE: Final = EdgeFilter((EdgeType.CALLS, EdgeType.REFERENCES))
_TAKEN: Final = EdgeFilter((EdgeType.ACCEPTS, EdgeType.REFERENCES, EdgeType.CALLS))
# implementers, those whose makers are looked for, uses of one and of the type, lines of a member
_MOST_TYPES: Final = 200
_MOST_MADE: Final = 60
_MOST_USES: Final = 200
_MOST_TAKEN: Final = 2_000
_MOST_LINES: Final = 40
# what an accessor without code says
_ACCESSORS: Final = re.compile(r"\{[\s;]*(?:(?:get|set|init|async|throws)\b[\s;]*)+\}")
_PURE: Final = re.compile(r"=\s*0\s*;?\s*$")
_OPENING: Final = "([<"
_CLOSING: Final = ")]>"
_ARROWS: Final = ("->", "=>")
_REGISTERS: Final = re.compile(
    r"^_?(?i:add|append|bind|install|provide|put|register|set|use)(?![a-z])"
)
# what makes an object of the type whose name is before it
_CONSTRUCTS: Final = re.compile(
    r"\w+(?:<[^<>]*>)?\s*(?:[({]|(?:::|\.)\w*(?i:new|create|build|of)\b)"
)


class Maker(NamedTuple):
    """A function or variable that makes, keeps or returns implementers, with the places."""

    symbol: Symbol
    places: Sequence[PlacedEdge]
    # how many implementers it makes
    made: int
    # whether it is handed one, and has the name of what keeps such
    is_taker: bool


class TypeDemand(NamedTuple):
    """The members that a type asks for, and its implementers."""

    symbol: Symbol
    required: Sequence[Symbol]
    optional: Sequence[Symbol]
    # of code, the nearest first; then those of tests
    implementers: Sequence[Symbol]
    # members that inherited types outside demand, as `close of Closeable`
    outside: Sequence[str] = ()

    @property
    def in_code(self) -> Sequence[Symbol]:
        """The implementers that are not of tests."""
        return [item for item in self.implementers if not is_test(item.path)]


def find_demand(graph: GraphSnapshot, symbol: Symbol, line_of: LineOf) -> TypeDemand | None:
    """The demands of a type; None if it is none that others implement."""
    if symbol.node_type not in TYPES:
        return None
    required, optional = _members(graph, symbol, line_of)
    if not required and symbol.node_type != "interface":
        return None
    implementers = _implementers(graph, symbol)
    known = (*required, *optional)
    outside = [*_demanded_outside(graph, symbol, {item.simple_name for item in known})]
    if not required and not implementers:
        return None
    return TypeDemand(symbol, required, optional, implementers, outside)


def find_makers(graph: GraphSnapshot, demand: TypeDemand, line_of: LineOf) -> Sequence[Maker]:
    """The code that makes, keeps or returns implementers; samples only if nothing else does."""
    return _MakerSearch(graph, demand, line_of).run()


def find_tests(graph: GraphSnapshot, demand: TypeDemand) -> Sequence[PlacedEdge]:
    """Uses of implementers in tests, one of each file, of the nearest implementers first."""
    found: dict[str, PlacedEdge] = {}
    for item in demand.in_code:
        for number in with_constructors(graph, item.id):
            for edge in edges_into(graph, number, _MADE, limit=_MOST_USES).edges:
                if is_test(edge.path):
                    found.setdefault(edge.path, edge)
    return [*found.values()]


def lacking_members(graph: GraphSnapshot, symbol: Symbol, line_of: LineOf) -> list[Symbol]:
    """The members that bases of a type demand, and to which neither it nor a base gives code.

    They are those that its heirs have to have, if it is abstract.
    """
    return _demands(graph, symbol, line_of).lacking


class _Demands(NamedTuple):
    """Members of a type and its bases: what nothing below gives code, others, what nothing does."""

    required: list[Symbol]
    optional: list[Symbol]
    lacking: list[Symbol]


def _members(
    graph: GraphSnapshot, symbol: Symbol, line_of: LineOf
) -> tuple[Sequence[Symbol], Sequence[Symbol]]:
    """Members of a type and its bases: the ones without code, then the others.

    A type that is neither abstract nor an interface demands nothing if it demands no own member.
    """
    required, optional, _ = _demands(graph, symbol, line_of)
    is_own = any(item.is_within(symbol.qualified_name) for item in required)
    return (required if is_own or is_abstract(graph, symbol) else ()), optional


def _demands(graph: GraphSnapshot, symbol: Symbol, line_of: LineOf) -> _Demands:
    required: list[Symbol] = []
    optional: list[Symbol] = []
    known: set[tuple[str, int]] = set()
    with_code: set[tuple[str, int]] = set()
    bases = with_bases(graph, symbol.id)
    shown = _classes_as_interfaces(graph, symbol, bases)
    for holder in filter(None, map(graph.symbol, bases)):
        around = graph.declaration(holder)
        if around is None:
            continue
        by_shape = {item.id for item in demanded_by_shape(graph, holder.id)}
        added = [*_added_by_blocks(graph, holder)]
        given = {_key(graph, item) for item in added if not _is_bare(graph, around, item, line_of)}
        own: set[tuple[str, int]] = set()
        for item in dict.fromkeys((*contained(graph, holder.id), *added)):
            key = _key(graph, item)
            is_known = key in known or (key in own and not language_named(item.language).overloads)
            own.add(key)
            if item.node_type not in _MEMBERS:
                continue
            if holder.id in shown:
                is_bare = _is_seen(graph, item)
            elif by_shape:
                is_bare = item.id in by_shape
            else:
                is_bare = _is_bare(graph, around, item, line_of)
            is_bare = is_bare and key not in given
            if not is_bare:
                with_code.add(key)
            if not is_known:
                (required if is_bare else optional).append(item)
        known |= own
    lacking = [item for item in required if _key(graph, item) not in with_code]
    return _Demands(required, optional, lacking)


def _added_by_blocks(graph: GraphSnapshot, holder: Symbol) -> Iterator[Symbol]:
    """The members that extensions add to a type."""
    for block in filter(None, map(graph.symbol, ids_into(graph, holder.id, _BLOCKS))):
        if block.name == holder.name:
            yield from contained(graph, block.id)


def _classes_as_interfaces(
    graph: GraphSnapshot, symbol: Symbol, bases: Sequence[int]
) -> Collection[int]:
    """The classes that a type satisfies by shape alone."""
    if not language_named(symbol.language).is_structural:
        return ()
    inherited, step = {symbol.id}, [symbol.id]
    while step:
        edges = (edge for number in step for edge in edges_of_parts(graph, number, _INHERITED))
        step = [edge.target for edge in edges if edge.target not in inherited]
        inherited.update(step)
    others = (item for item in map(graph.symbol, bases) if item and item.id not in inherited)
    return {item.id for item in others if item.node_type == "class"}


def _is_seen(graph: GraphSnapshot, member: Symbol) -> bool:
    """True for a member that others of its class see, and that has to be there."""
    declared = graph.declaration(member)
    if declared is None or not _OWN.isdisjoint({*declared.modifiers, declared.access}):
        return False
    return not is_optional(declared)


def is_optional(declared: Declaration) -> bool:
    """True for a member of an interface that nothing has to have."""
    return f"{last_part(declared.name)}?" in declared.signature


def _demanded_outside(
    graph: GraphSnapshot, symbol: Symbol, given: Collection[str]
) -> Iterator[str]:
    """The members without code that external types demand of an heir.

    Of a type that is not known all that can be said is that it may.
    """
    found: dict[str, None] = {}
    for holder in filter(None, map(graph.symbol, with_bases(graph, symbol.id))):
        declared = graph.declaration(holder)
        if declared is None or declared.kind not in _INTERFACES:
            continue
        place = language_named(holder.language).demanded
        known: Mapping[str, Sequence[str]] = load(place) if place else {}
        for edge in edges_of_parts(graph, holder.id, SUBTYPES):
            name = last_name(edge.external)
            if name and name not in words("undemanding"):
                members = [item for item in known.get(name, ("members",)) if item not in given]
                found.update({f"{', '.join(members)} of {name}": None} if members else {})
    yield from found


def is_abstract(graph: GraphSnapshot, symbol: Symbol) -> bool:
    """True for an interface, and for a class that says that it is abstract."""
    declared = graph.declaration(symbol)
    return declared is not None and (
        declared.kind in _INTERFACES or _ABSTRACT in declared.modifiers
    )


def _key(graph: GraphSnapshot, member: Symbol) -> tuple[str, int]:
    """A name, and where overloads are apart the number of parameters."""
    declared = graph.declaration(member) if language_named(member.language).overloads else None
    return member.simple_name, declared.parameter_count if declared is not None else 0


def _is_bare(graph: GraphSnapshot, around: Declaration, member: Symbol, line_of: LineOf) -> bool:
    """True if no part of a member has code, but for what refuses to run."""
    return all(_lacks_code(graph, around, part, line_of) for part in graph.spans(member.id))


def _lacks_code(graph: GraphSnapshot, around: Declaration, part: Symbol, line_of: LineOf) -> bool:
    declared = graph.declaration(part)
    if declared is None or not _OWN.isdisjoint({*declared.modifiers, declared.access}):
        return declared is not None and _ABSTRACT in declared.modifiers
    if _ABSTRACT in declared.modifiers:
        return True
    language = language_named(part.language)
    is_interface, is_function = around.kind in _INTERFACES, part.node_type in FUNCTIONS
    if is_interface and (language.is_structural or language.has_implicit_interfaces):
        return not is_optional(declared)
    last = min(declared.end_line, declared.name_line + _MOST_LINES)
    rows = (line_of(part.path, number) for number in range(declared.name_line, last + 1))
    text = without_comments("\n".join(rows)[declared.name_column :])
    if is_interface or (_ABSTRACT in around.modifiers and is_function):
        return not _has_code(text) or lines_that("refuses").search(text) is not None
    return bool((is_function and _PURE.search(text)) or lines_that("raises").search(text))


def _has_code(text: str) -> bool:
    """True if a body, or a value, stands behind the name, parameters and type of a member."""
    depth = 0
    for at, char in enumerate(text):
        if char in _OPENING:
            depth += 1
        elif char in _CLOSING and text[at - 1 : at + 1] not in _ARROWS:
            depth -= 1
        elif not depth and char == "=" and not _PURE.match(text, at):
            return True
        elif not depth and char == "{":
            return not _ACCESSORS.match(text, at)
    return False


def _implementers(graph: GraphSnapshot, symbol: Symbol) -> list[Symbol]:
    """The subtypes of a type, by name or by shape, indirect ones among them."""
    found: dict[int, None] = {}
    step = [symbol.id]
    while step and len(found) < _MOST_TYPES:
        below = (
            item
            for one in step
            for item in (*ids_into(graph, one, SUBTYPES), *classes_by_shape(graph, one))
        )
        step = [item for item in dict.fromkeys(below) if item not in found and item != symbol.id]
        found.update(dict.fromkeys(step))
    types = filter(None, map(graph.symbol, islice(found, _MOST_TYPES)))

    def distance(item: Symbol) -> tuple[object, ...]:
        """The order: code, classes that can be made, near ones, short ones."""
        pairs = zip(symbol.path.split("/"), item.path.split("/"), strict=False)
        shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
        first = rank_path(item.path), is_abstract(graph, item), -shared
        return *first, item.end_line - item.start_line, item.path, item.start_line

    return sorted((item for item in types if item.node_type in TYPES), key=distance)


class _MakerSearch:
    """The search for what makes implementers of one type."""

    def __init__(self, graph: GraphSnapshot, demand: TypeDemand, line_of: LineOf) -> None:
        self._graph = graph
        self._symbol = demand.symbol
        self._line_of = line_of
        kinds = [item for item in demand.in_code if not is_abstract(graph, item)]
        self._implementers = kinds[:_MOST_MADE]
        # places in a declaration, each with the implementer that is made there; 0 for any
        self._places: dict[Symbol, dict[PlacedEdge, int]] = {}
        self._by_name: set[Symbol] = set()
        self._takers: set[Symbol] = set()

    def run(self) -> Sequence[Maker]:
        """Order: functions before variables, finders by name first, then makers of most types."""
        uses = [*self._uses(self._symbol.id, _TAKEN, _MOST_TAKEN)]
        self._construct({(edge.path, edge.line) for edge, _ in uses})
        self._take(uses)
        makers = [
            Maker(
                source,
                sorted(places, key=lambda edge: (edge.path, edge.line)),
                len({*places.values()} - {0}),
                is_taker=source in self._takers,
            )
            for source, places in self._places.items()
        ]
        best = min((rank_path(item.symbol.path) for item in makers), default=0)

        def order(item: Maker) -> tuple[object, ...]:
            own = item.symbol
            first = own.node_type in FUNCTIONS, own in self._by_name, item.is_taker
            return *(not it for it in first), -item.made, own.path, own.start_line

        return sorted((item for item in makers if rank_path(item.symbol.path) == best), key=order)

    def _uses(
        self, number: int, chosen: EdgeFilter = _MADE, limit: int = _MOST_USES
    ) -> Iterator[tuple[PlacedEdge, Symbol]]:
        """Uses without tests and documents, each with the function or variable that it is in."""
        for edge in edges_into(self._graph, number, chosen, limit=limit).edges:
            if rank_path(edge.path) < TEST:
                yield edge, self._source(edge)

    def _source(self, edge: PlacedEdge) -> Symbol:
        source = self._graph.symbol_at(edge.source_chunk)
        if source.node_type == "file":
            for item, _ in self._graph.outline(edge.path):
                if item.node_type in VALUES and item.start_line <= edge.line <= item.end_line:
                    return item
        return source

    def _construct(self, beside: Collection[tuple[str, int]]) -> None:
        """Keep places that make implementers: a place that names several, or the type as well."""
        bases = {
            (edge.path, edge.line)
            for item in (self._symbol, *self._implementers)
            for edge in edges_into(self._graph, item.id, SUBTYPES, limit=_MOST_USES).edges
        }
        for item in self._implementers:
            for edge, source in self._made_at(item):
                row = self._line_of(edge.path, edge.line)
                if (edge.path, edge.line) not in bases and not lines_that("asks").search(row):
                    self._places.setdefault(source, {})[edge] = item.id
        for source, places in [*self._places.items()]:
            is_table = len({*places.values()}) > 1
            kept = {
                edge: item
                for edge, item in places.items()
                if is_table or (edge.path, edge.line) in beside or self._makes(edge, source)
            }
            self._places[source] = kept
        self._places = {source: kept for source, kept in self._places.items() if kept}

    def _made_at(self, item: Symbol) -> Iterator[tuple[PlacedEdge, Symbol]]:
        """The uses of a type outside of it, and the callers of functions that make one."""
        inside: dict[int, None] = {}
        for number in with_constructors(self._graph, item.id):
            for edge, source in self._uses(number):
                is_own = item.encloses(source) or source.is_within(item.qualified_name)
                # a value without a name only asserts that a type is one
                if is_own or source.node_type in TYPES or source.simple_name == "_":
                    continue
                yield edge, source
                if source.path == item.path and source.node_type in FUNCTIONS:
                    inside[source.id] = None
        for number in inside:
            yield from (use for use in self._uses(number) if use[0].path != item.path)

    def _makes(self, edge: PlacedEdge, source: Symbol) -> bool:
        """True of a call, of a type with what makes one behind, and of a use in a value."""
        if edge.type is EdgeType.CALLS:
            return True
        row = self._line_of(edge.path, edge.line)
        if source.node_type in VALUES:
            return "=" in row[: edge.column] or edge.line > source.start_line
        return _CONSTRUCTS.match(row, edge.column) is not None

    def _take(self, uses: Sequence[tuple[PlacedEdge, Symbol]]) -> None:
        """Keep functions that find, register or return an implementer, and callers of finders."""
        name = re.compile(rf"\b{re.escape(self._symbol.simple_name)}\b")
        for edge, source in uses:
            if source.node_type not in FUNCTIONS:
                continue
            if lines_that("reflects").search(self._line_of(edge.path, edge.line)):
                self._by_name.add(source)
            elif edge.type is EdgeType.ACCEPTS and _REGISTERS.match(source.simple_name):
                self._takers.add(source)
            else:
                continue
            self._places.setdefault(source, {}).setdefault(edge, 0)
        for edge, source in uses:
            if source not in self._places and self._returns(source, name):
                self._places[source] = {edge: 0}
        for item in sorted(self._by_name):
            for edge, source in self._uses(item.id):
                self._places.setdefault(source, {}).setdefault(edge, 0)

    def _returns(self, function: Symbol, name: re.Pattern[str]) -> bool:
        """True if it calls something and gives a value of the type: no reader of a field."""
        declared = self._graph.declaration(function) if function.node_type in FUNCTIONS else None
        if declared is None or not name.search(declared.returns):
            return False
        return next(edges_of_parts(self._graph, function.id, CALLS), None) is not None
