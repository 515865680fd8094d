"""Names of a module that are used elsewhere only by an import, which has an edge.

A member of an unknown value may be any member of that name. A function of a module is none of
them, unless something holds the module as a value: a name for the whole of it, an import of all
its names, one at run time.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from code_graph.facts import MODULE
from code_graph.language_table import language_named
from code_graph.model import EdgeType
from code_graph.query.edges import EdgeFilter, edges_into, edges_of_rows
from code_graph.query.model import PlacedEdge, Symbol
from code_graph.query.snapshot import GraphSnapshot

_IMPORTS: Final = EdgeFilter((EdgeType.IMPORTS,))
# imports of a file that are looked at
_MOST: Final = 400


def needs_import(graph: GraphSnapshot, symbol: Symbol) -> bool:
    """True if a use of a symbol in another file needs an import of its name."""
    if symbol.declaration < 0 or not language_named(symbol.language).imports_names:
        return False
    declarations = graph.facts(symbol.path).declarations
    if declarations[symbol.declaration].parent != MODULE or len(graph.parts(symbol.id)) > 1:
        return False
    if language_named(symbol.language).has_exports and not _is_module(graph, symbol.path):
        return False  # a script, whose names pages use
    return not _is_held(graph, symbol.path)


def _is_module(graph: GraphSnapshot, path: str) -> bool:
    facts = graph.facts(path)
    return bool(facts.imports) or any("exported" in item.modifiers for item in facts.declarations)


def _is_held(graph: GraphSnapshot, path: str) -> bool:
    """True if an import of a file takes more of it than names."""
    ids = graph.ids_in(path)
    if not ids:
        return True
    page = edges_into(graph, ids[0], _IMPORTS, limit=_MOST)
    if page.next_offset is not None:
        return True
    own = frozenset(ids[1:])
    return any(
        not edge.is_of_module or not any(item.target in own for item in _on_line(graph, edge))
        for edge in page.edges
    )


def _on_line(graph: GraphSnapshot, edge: PlacedEdge) -> Iterator[PlacedEdge]:
    """The imports of names on the line of an import of a module."""
    for item in edges_of_rows(graph, edge.path, _IMPORTS):
        if item.line == edge.line and not item.is_of_module:
            yield item
