"""Tells how a type is implemented: members that are demanded, and where implementers are made."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final

from code_graph.facts import Declaration
from code_graph.language_table import language_named
from code_graph.model import EdgeType
from code_graph.paths.path_kinds import PROSE, is_test, rank_path
from code_graph.query.edges import EdgeFilter, edges_into, edges_of_parts, ids_into
from code_graph.query.model import FUNCTIONS, TYPES, VALUES, PlacedEdge, Symbol
from code_graph.query.neighbours import SUBTYPES, with_constructors
from code_graph.query.shapes import classes_by_shape, contained, demanded_by_shape, with_bases
from code_graph.query.snapshot import GraphSnapshot
from repo_mcp.repository.source_files import SourceFiles
from repo_mcp.repository.symbol_places import SymbolPlace, cited_place
from repo_mcp.text.brackets import without_comments

_INTERFACES: Final = frozenset({"interface", "trait", "protocol"})
_ABSTRACT: Final = "abstract"
# members with one are no implementer's
_OWN: Final = frozenset({"static", "private", "default"})
_MEMBERS: Final = (FUNCTIONS | VALUES | {"type"}) - {"constructor"}
# from an extension to its type
_BLOCKS: Final = EdgeFilter((EdgeType.EXTENDS, EdgeType.BELONGS_TO))
_CALLS: Final = EdgeFilter((EdgeType.CALLS,))
_USES: Final = EdgeFilter((EdgeType.CALLS, EdgeType.REFERENCES))
# what an accessor without code says
_ACCESSORS: Final = re.compile(r"\{[\s;]*(?:(?:get|set|init|async|throws)\b[\s;]*)+\}")
_PURE: Final = re.compile(r"=\s*0\s*;?\s*$")
# members of a class that says so when it runs
_RAISES: Final = re.compile(r"^\s*raise NotImplementedError\b", re.MULTILINE)
_LITERAL: Final = re.compile(r"\w+(?:<[^<>]*>)?\s*\{")
_OPENING: Final = "([<"
_CLOSING: Final = ")]>"
_ARROWS: Final = ("->", "=>")
# implementers, and uses of one, that are looked at, and lines of a member
_MOST_TYPES: Final = 60
_MOST_USES: Final = 200
_MOST_LINES: Final = 40


def demanded_members(graph: GraphSnapshot, files: SourceFiles, symbol: Symbol) -> list[SymbolPlace]:
    """The members that what implements a type has to supply: its own, then inherited ones.

    A type that is neither abstract nor an interface demands nothing.
    """
    if symbol.node_type not in TYPES:
        return []
    by_shape = demanded_by_shape(graph, symbol.id)
    found = by_shape or [*_without_code(graph, files, symbol)]
    if not _is_abstract(graph, symbol) and not any(
        item.is_within(symbol.qualified_name) for item in found
    ):
        return []
    return [cited_place(graph, item) for item in found]


def _is_abstract(graph: GraphSnapshot, symbol: Symbol) -> bool:
    declared = graph.declaration(symbol)
    return declared is not None and (
        declared.kind in _INTERFACES or _ABSTRACT in declared.modifiers
    )


def _without_code(graph: GraphSnapshot, files: SourceFiles, symbol: Symbol) -> Iterator[Symbol]:
    """Members of a type and its bases that nothing below them gives code."""
    known: set[tuple[str, int]] = set()
    for number in with_bases(graph, symbol.id):
        holder = graph.symbol(number)
        around = None if holder is None else graph.declaration(holder)
        if holder is None or around is None:
            continue
        own: dict[tuple[str, int], list[Symbol]] = {}
        for block in (number, *ids_into(graph, number, _BLOCKS)):
            extended = graph.symbol(block)
            if extended is not None and extended.name == holder.name:
                for item in contained(graph, block):
                    own.setdefault(_key(graph, item), []).append(item)
        for key, items in own.items():
            parts = [part for item in items for part in graph.spans(item.id)]
            is_new = key not in known and items[0].node_type in _MEMBERS
            if is_new and all(_lacks_code(graph, files, around, part) for part in parts):
                yield items[0]
        known |= own.keys()


def _key(graph: GraphSnapshot, member: Symbol) -> tuple[str, int]:
    """A name, and where overloads are apart the number of parameters."""
    declared = graph.declaration(member) if language_named(member.language).overloads else None
    return member.simple_name, declared.parameter_count if declared is not None else 0


def _lacks_code(
    graph: GraphSnapshot, files: SourceFiles, around: Declaration, member: Symbol
) -> bool:
    declared = graph.declaration(member)
    if declared is None or not _OWN.isdisjoint(declared.modifiers) or declared.access == "private":
        return False
    if _ABSTRACT in declared.modifiers:
        return True
    last = min(declared.end_line, declared.name_line + _MOST_LINES)
    rows = files.lines(member.path, declared.name_line, last)
    text = "\n".join([rows[0][declared.name_column :], *rows[1:]]) if rows else ""
    language = language_named(member.language)
    if around.kind in _INTERFACES and (language.is_structural or language.has_implicit_interfaces):
        return f"{member.simple_name}?" not in declared.signature
    is_method = _ABSTRACT in around.modifiers and member.node_type in FUNCTIONS
    if around.kind in _INTERFACES or is_method:
        return not _has_code(without_comments(text))
    is_pure = member.node_type in FUNCTIONS and _PURE.search(text)
    return bool(is_pure or _RAISES.search(text))


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


def makers_of(graph: GraphSnapshot, files: SourceFiles, symbol: Symbol) -> list[SymbolPlace]:
    """Functions and variables that make, register or return what implements a type, without tests.

    One registers it where it names it beside the type, or holds it as a value at the top of a file.
    """
    uses = [*_uses(graph, symbol.id)]
    implementers = _implementers(graph, symbol.id)
    bases = {place for item in (symbol, *implementers) for place in _bases(graph, item.id)}
    beside = {(edge.path, edge.line) for edge in uses}
    found: list[SymbolPlace] = []
    for implementer in (item for item in implementers if not _is_abstract(graph, item)):
        for own in with_constructors(graph, implementer.id):
            for edge in _uses(graph, own):
                source = _source(graph, edge)
                if implementer.encloses(source) or (edge.path, edge.line) in bases:
                    continue
                if _makes(files, edge, source) or (edge.path, edge.line) in beside:
                    found.append(cited_place(graph, source)._replace(first=edge.line))
    made = {place.name for place in found}
    name = re.compile(rf"\b{re.escape(symbol.simple_name)}\b")
    sources = (graph.symbol_at(edge.source_chunk) for edge in uses)
    found += [cited_place(graph, item) for item in sources if _returns(graph, item, name)]
    once = {(place.path, place.name): place for place in reversed(found)}
    return sorted(
        once.values(),
        key=lambda item: (rank_path(item.path), item.name not in made, item.path, item.first),
    )


def _returns(graph: GraphSnapshot, function: Symbol, name: re.Pattern[str]) -> bool:
    """True of a function that calls something and gives a value of a type: no reader of a field."""
    declared = graph.declaration(function) if function.node_type in FUNCTIONS else None
    if declared is None or not name.search(declared.returns):
        return False
    return next(edges_of_parts(graph, function.id, _CALLS), None) is not None


def _implementers(graph: GraphSnapshot, number: int) -> list[Symbol]:
    """The types that implement one, by name or by shape, those that extend these among them."""
    found = dict.fromkeys(classes_by_shape(graph, number))
    step: Sequence[int] = [number]
    while step and len(found) < _MOST_TYPES:
        below = [item for one in step for item in ids_into(graph, one, SUBTYPES)]
        step = [item for item in dict.fromkeys(below) if item not in found and item != number]
        found.update(dict.fromkeys(step))
    symbols = map(graph.symbol, islice(found, _MOST_TYPES))
    return [item for item in symbols if item is not None]


def _uses(graph: GraphSnapshot, number: int) -> Iterator[PlacedEdge]:
    """Uses in code, tests left out."""
    for edge in islice(edges_into(graph, number, _USES, limit=_MOST_USES).edges, _MOST_USES):
        if not is_test(edge.path) and rank_path(edge.path) < PROSE:
            yield edge


def _bases(graph: GraphSnapshot, number: int) -> Iterator[tuple[str, int]]:
    """The lines that name a type as a base."""
    for edge in edges_into(graph, number, SUBTYPES, limit=_MOST_USES).edges:
        yield edge.path, edge.line


def _source(graph: GraphSnapshot, edge: PlacedEdge) -> Symbol:
    """The declaration that a use is in: outside of functions a variable, if one is there."""
    source = graph.symbol_at(edge.source_chunk)
    if source.node_type == "file":
        for item, _ in graph.outline(edge.path):
            if item.node_type in VALUES and item.start_line <= edge.line <= item.end_line:
                return item
    return source


def _makes(files: SourceFiles, edge: PlacedEdge, source: Symbol) -> bool:
    """True of a call, of a literal `Name{…}`, and of a use in the value of a variable."""
    if edge.type is EdgeType.CALLS:
        return True
    row = next(iter(files.lines(edge.path, edge.line, edge.line)), "")
    if source.node_type in VALUES:
        return "=" in row[: edge.column] or edge.line > source.start_line
    return bool(_LITERAL.match(row, edge.column))
