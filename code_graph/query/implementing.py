"""Demands of a type on those that implement it, and the places where implementers are made.

A member that has a body is a default, which nobody has to supply. Implementers are made where their
constructors are called, or the functions beside them that do nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from code_graph.model import EdgeType
from code_graph.paths.path_kinds import CODE, is_test, rank_path
from code_graph.query.edges import EdgeFilter, edges_into, edges_of_parts
from code_graph.query.model import FUNCTIONS, TYPES, VALUES, LineOf, PlacedEdge, Symbol
from code_graph.query.neighbours import SUBTYPES, with_constructors
from code_graph.query.shapes import classes_by_shape
from code_graph.query.snapshot import GraphSnapshot
from index_format.tuples import NamedTuple

_CONTAINS: Final = EdgeFilter((EdgeType.CONTAINS,))
_MADE: Final = EdgeFilter((EdgeType.CALLS, EdgeType.REFERENCES))
_TAKEN: Final = EdgeFilter((EdgeType.ACCEPTS, EdgeType.REFERENCES, EdgeType.CALLS))
_BASES: Final = EdgeFilter((EdgeType.INHERITS, EdgeType.IMPLEMENTS, EdgeType.EXTENDS))
_INTERFACE: Final = "interface"
_CONSTRUCTOR: Final = "constructor"
_MOST_EDGES: Final = 200
_MOST_USES: Final = 2_000
_DEEPEST: Final = 3
_MOST_LINES: Final = 60
_ABSTRACT: Final = "abstract"
# bodies that ask to be replaced
_ASKING: Final = re.compile(
    r"\babstract|NotImplemented|unimplemented!|todo!\(|=\s*0\s*;|UnsupportedOperation"
)
_VALUE: Final = re.compile(r"(?<![=!<>])=(?![=>])")
_COMMENT: Final = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
_BLANKS: Final = re.compile(r"\s+")
_BEGIN: Final = re.compile(r"[{=]|:\s*$")
# a place that makes an object of a class that is found by its name, or at run time
_BY_NAME: Final = re.compile(
    r"newInstance|forName|ServiceLoader|instantiate|load_?[cC]lass|import_module|entry_points"
    r"|getattr\(|Activator|resolve\w*\(|getBeans?\w*\("
)
# names of functions that make or keep implementers
_MAKES: Final = re.compile(
    r"^_?(?i:build|choose|create|load|make|new|open|pick|resolve|select)(?![a-z])"
)
_REGISTERS: Final = re.compile(
    r"^_?(?i:add|append|bind|install|provide|put|register|set|use)(?![a-z])"
)


class Maker(NamedTuple):
    """A function that makes or keeps implementers, with the places where it does."""

    symbol: Symbol
    places: Sequence[PlacedEdge]
    # how many implementers it makes
    made: int


class TypeDemand(NamedTuple):
    """The members that a type asks for, and its implementers with who makes and tests them."""

    symbol: Symbol
    required: Sequence[Symbol]
    optional: Sequence[Symbol]
    # of code, the nearest first; then those of tests
    implementers: Sequence[Symbol]
    makers: Sequence[Maker]
    # uses of implementers in tests, one of each file
    tests: Sequence[PlacedEdge]

    @property
    def is_of_code(self) -> bool:
        """True if the type is one of code, and not of tests or samples."""
        return not _is_aside(self.symbol)


def find_demand(graph: GraphSnapshot, symbol: Symbol, line_of: LineOf) -> TypeDemand | None:
    """The demands of a type; None if it is none that others implement."""
    if symbol.node_type not in TYPES:
        return None
    implementers = _implementers(graph, symbol)
    required, optional = _members(graph, symbol, line_of)
    if not implementers and (symbol.node_type != _INTERFACE or not required):
        return None
    if symbol.node_type != _INTERFACE and not required:
        return None
    code = [item for item in implementers if not is_test(item.path)]
    return TypeDemand(
        symbol,
        required,
        optional,
        implementers,
        _makers(graph, symbol, code, line_of),
        [*_tests(graph, code)],
    )


def _members(
    graph: GraphSnapshot, symbol: Symbol, line_of: LineOf
) -> tuple[list[Symbol], list[Symbol]]:
    """The members of a type and of its bases: those that have to be supplied, and others."""
    required: dict[str, Symbol] = {}
    optional: dict[str, Symbol] = {}
    for holder in _with_bases(graph, symbol):
        for member in _contained(graph, holder.id):
            if member.node_type not in FUNCTIONS | VALUES or member.node_type == _CONSTRUCTOR:
                continue
            name = _named(graph, member)
            if name in required or name in optional:
                continue
            found = required if _is_required(graph, holder, member, line_of) else optional
            found[name] = member
    return [*required.values()], [*optional.values()]


def _named(graph: GraphSnapshot, member: Symbol) -> str:
    """The name of a member with its parameters, by which overloads differ."""
    declared = graph.declaration(member)
    return member.simple_name + ("" if declared is None else declared.parameters)


def _is_required(graph: GraphSnapshot, holder: Symbol, member: Symbol, line_of: LineOf) -> bool:
    """True for a member without a body, or with one that asks to be replaced."""
    declared = graph.declaration(member)
    if declared is None or not declared.modifiers.isdisjoint({"default", "static"}):
        return False
    if _ABSTRACT in declared.modifiers:
        return True
    last = min(member.end_line, member.start_line + _MOST_LINES)
    rows = [line_of(member.path, number) for number in range(member.start_line, last + 1)]
    text = _COMMENT.sub("", "\n".join(rows))
    is_function = member.node_type in FUNCTIONS
    if is_function and _ASKING.search(text):
        return True
    if holder.node_type != _INTERFACE or f"{member.simple_name}?" in text:
        return False
    return not (_has_body(text, declared.signature) if is_function else _VALUE.search(text))


def _has_body(text: str, signature: str) -> bool:
    """True if a declaration has more text than its signature."""
    plain, head = _BLANKS.sub("", text).rstrip(";,"), _BLANKS.sub("", signature).rstrip(";,{:=…")
    at = plain.find(head[-_TAIL:]) if head else -1
    rest = plain[at + len(head[-_TAIL:]) :] if at >= 0 else plain
    return _BEGIN.search(rest) is not None


# the end of a signature by which it is found in the text of its declaration
_TAIL: Final = 24


def _with_bases(graph: GraphSnapshot, symbol: Symbol) -> list[Symbol]:
    """A type and the types of the repository that it is made of, nearest first."""
    found, step = {symbol.id: symbol}, [symbol]
    for _ in range(_DEEPEST):
        edges = (edge for item in step for edge in edges_of_parts(graph, item.id, _BASES))
        symbols = (graph.symbol(edge.target) for edge in edges if not edge.external)
        step = [item for item in symbols if item is not None and item.id not in found]
        found.update((item.id, item) for item in step)
    return [*found.values()]


def _contained(graph: GraphSnapshot, holder: int) -> Iterator[Symbol]:
    for edge in edges_of_parts(graph, holder, _CONTAINS):
        symbol = graph.symbol(edge.target)
        if symbol is not None:
            yield symbol


def _implementers(graph: GraphSnapshot, symbol: Symbol) -> list[Symbol]:
    """The types that are one, in code before those in tests, near ones and short ones first."""
    found: dict[int, Symbol] = {}
    step = [symbol.id]
    for _ in range(_DEEPEST):
        edges = [
            edge
            for number in step
            for edge in edges_into(graph, number, SUBTYPES, limit=_MOST_EDGES).edges
        ]
        symbols = [graph.symbol(edge.source) for edge in edges]
        symbols += [
            graph.symbol(item) for number in step for item in classes_by_shape(graph, number)
        ]
        fresh = [
            item
            for item in symbols
            if item is not None and item.node_type in TYPES and item.id not in found
        ]
        found.update((item.id, item) for item in fresh if item.id != symbol.id)
        step = [item.id for item in fresh]
    return sorted(found.values(), key=lambda item: _distance(graph, symbol, item))


def _distance(graph: GraphSnapshot, symbol: Symbol, other: Symbol) -> tuple[object, ...]:
    """The order of implementers: code, classes that can be made, near ones, short ones."""
    declared = graph.declaration(other)
    is_abstract = other.node_type == _INTERFACE or (
        declared is not None and _ABSTRACT in declared.modifiers
    )
    shared = 0
    for one, two in zip(symbol.path.split("/"), other.path.split("/"), strict=False):
        if one != two:
            break
        shared += 1
    length = other.end_line - other.start_line
    return rank_path(other.path), is_abstract, -shared, length, other.path, other.start_line


def _makers(
    graph: GraphSnapshot, symbol: Symbol, implementers: Sequence[Symbol], line_of: LineOf
) -> list[Maker]:
    """The functions that make or keep implementers: those of most first."""
    made: dict[int, dict[PlacedEdge, int]] = {}
    for item in implementers:
        for edge in _made_at(graph, item):
            made.setdefault(edge.source, {})[edge] = item.id
    by_name: set[int] = set()
    for edge in edges_into(graph, symbol.id, _TAKEN, limit=_MOST_USES).edges:
        around = graph.symbol(edge.source)
        if around is None or around.node_type not in FUNCTIONS or _is_aside(around):
            continue
        name = around.simple_name
        is_keeping = edge.type is EdgeType.ACCEPTS and (
            _MAKES.match(name) or _REGISTERS.match(name)
        )
        if _BY_NAME.search(line_of(edge.path, edge.line)):
            by_name.add(around.id)
        elif not is_keeping:
            continue
        made.setdefault(around.id, {}).setdefault(edge, 0)
    for edge in _edges_into(graph, sorted(by_name)):
        around = graph.symbol(edge.source)
        if around is not None and not _is_aside(around):
            made.setdefault(around.id, {}).setdefault(edge, 0)
    names = {item.id: item.simple_name for item in implementers}
    found: list[Maker] = []
    for number, edges in made.items():
        around, chosen = graph.symbol(number), _chosen(edges, names, line_of)
        if around is not None and chosen:
            places = sorted(chosen, key=lambda edge: (edge.path, edge.line))
            found.append(Maker(around, places, len({*chosen.values()} - {0})))

    def order(item: Maker) -> tuple[object, ...]:
        own, accepts = item.symbol, any(edge.type is EdgeType.ACCEPTS for edge in item.places)
        is_registering = accepts and _REGISTERS.match(own.simple_name) is not None
        first = own.node_type in FUNCTIONS, own.id in by_name, is_registering
        return (*(not item for item in first), -item.made, own.path, own.start_line)

    return sorted(found, key=order)


def _chosen(
    edges: Mapping[PlacedEdge, int], names: Mapping[int, str], line_of: LineOf
) -> Mapping[PlacedEdge, int]:
    """The places of a function that make implementers; what names several is a table of them."""
    if len({*edges.values()} - {0}) > 1:
        return edges
    return {
        edge: item for edge, item in edges.items() if not item or _makes(edge, names[item], line_of)
    }


def _makes(edge: PlacedEdge, name: str, line_of: LineOf) -> bool:
    """True for a call, and for a type with what makes one of it behind."""
    if edge.type is EdgeType.CALLS:
        return True
    made = rf"\b{re.escape(name)}\b(?:<[^<>]*>)?\s*(?:[({{]|(?:::|\.)\w*(?:new|create|build|of)\b)"
    return re.search(made, line_of(edge.path, edge.line), re.IGNORECASE) is not None


def _made_at(graph: GraphSnapshot, item: Symbol) -> Iterator[PlacedEdge]:
    """The places that make one of a type; of a function beside it that does, also its callers."""
    inside: dict[int, Symbol] = {}
    for edge in _edges_into(graph, with_constructors(graph, item.id)):
        around = graph.symbol(edge.source)
        if around is None or _is_aside(around) or item.encloses(around):
            continue
        if around.node_type in TYPES:
            continue
        if around.is_within(item.qualified_name):
            continue
        yield edge
        if around.path == item.path and around.node_type in FUNCTIONS:
            inside[around.id] = around
    for edge in _edges_into(graph, inside):
        around = graph.symbol(edge.source)
        if around is not None and around.path != item.path and not _is_aside(around):
            yield edge


def _edges_into(graph: GraphSnapshot, numbers: Iterable[int]) -> Iterator[PlacedEdge]:
    for number in numbers:
        yield from edges_into(graph, number, _MADE, limit=_MOST_EDGES).edges


def _is_aside(symbol: Symbol) -> bool:
    return rank_path(symbol.path) != CODE


def _tests(graph: GraphSnapshot, implementers: Sequence[Symbol]) -> Iterator[PlacedEdge]:
    """A use of each test file, of the first implementers first."""
    seen: set[str] = set()
    for item in implementers:
        for edge in _edges_into(graph, with_constructors(graph, item.id)):
            if is_test(edge.path) and edge.path not in seen:
                seen.add(edge.path)
                yield edge
