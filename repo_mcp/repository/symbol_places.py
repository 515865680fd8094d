"""Symbols as answers cite them: a name without its module, and the lines of the declaration."""

from __future__ import annotations

from code_graph.query.model import Symbol
from code_graph.query.snapshot import GraphSnapshot
from index_format.tuples import NamedTuple
from repo_mcp.answers.symbols import short_name


class SymbolPlace(NamedTuple):
    """A symbol with the lines of its declaration."""

    name: str  # without the module or package of its file, but for the symbol that is shown
    kind: str
    path: str
    first: int
    last: int
    uses: int = 0  # counted where several symbols have a name


def place_of(symbol: Symbol) -> SymbolPlace:
    """Its place by its whole name."""
    name = symbol.qualified_name or symbol.name
    return SymbolPlace(name, symbol.node_type, symbol.path, symbol.start_line, symbol.end_line)


def local_name(graph: GraphSnapshot, symbol: Symbol) -> str:
    """Its qualified name without the module or package, which its file says already."""
    name, declared = symbol.qualified_name or symbol.name, symbol.declaration >= 0
    module = graph.module_of(symbol) if declared else ""
    own = name.removeprefix(module + symbol.separator) if module else name
    return short_name(own, symbol.path)


def cited_place(graph: GraphSnapshot, symbol: Symbol) -> SymbolPlace:
    """Its place from the line with its name on, below decorators and annotations."""
    declared = graph.declaration(symbol)
    place = place_of(symbol)._replace(name=local_name(graph, symbol))
    return place if declared is None else place._replace(first=declared.name_line)
