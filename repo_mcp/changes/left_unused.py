"""Finds declarations whose last use a change has taken away."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from code_graph.model import Confidence
from code_graph.query.edges import edges_of_rows
from code_graph.query.model import FUNCTIONS, TYPES, USES
from code_graph.query.neighbours import up_to
from code_graph.query.unused import is_unused, looks_used
from repo_mcp.changes.model import UnusedDeclaration
from repo_mcp.changes.two_sides import TwoSides
from repo_mcp.repository import local_name

_SURE: Final = up_to(Confidence.DISPATCH, USES)
_KINDS: Final = FUNCTIONS | TYPES


def left_unused(sides: TwoSides) -> list[UnusedDeclaration]:
    """Functions and types that gone lines used, and nothing uses in the new graph of all files."""
    found: dict[int, UnusedDeclaration] = {}
    graph = sides.new
    for number in dict.fromkeys(_used_by_gone_lines(sides)):
        symbol = graph.symbol(number)
        declared = None if symbol is None else graph.declaration(symbol)
        if symbol is None or declared is None or symbol.node_type not in _KINDS:
            continue
        if not looks_used(symbol, declared) and is_unused(graph, symbol):
            name = local_name(graph, symbol)
            found[number] = UnusedDeclaration(
                name, symbol.node_type, symbol.path, declared.name_line
            )
    return sorted(found.values(), key=lambda item: (item.path, item.line))


def _used_by_gone_lines(sides: TwoSides) -> Iterator[int]:
    for path, file in sides.by_old.items():
        for edge in edges_of_rows(sides.old, path, _SURE):
            if not file.new_path or file.lines.is_gone(edge.line):
                yield edge.target
