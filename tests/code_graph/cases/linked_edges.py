"""The edges of linked files, as the cases compare them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from code_graph.facts import Facts
from code_graph.model import CONFIDENCE_OF, FILE, Confidence, EdgeType, LinkedFile, Strategy
from tests.code_graph.cases.case_runner import CaseEdge, Node

DEFAULT = frozenset({Confidence.EXACT, Confidence.INFERRED})


def case_edges(
    linked: Iterable[LinkedFile],
    facts: Mapping[str, Facts],
    confidences: frozenset[Confidence] = DEFAULT,
) -> Iterator[CaseEdge]:
    """Edges of these confidences between symbols of the case."""
    files = list(linked)
    by_id: dict[int, Node] = {}
    by_declaration: dict[tuple[str, int], Node] = {}
    for file in files:
        for symbol in file.symbols:
            node = _node(file.path, symbol.qualified_name, symbol.declaration, facts)
            by_declaration[file.path, symbol.declaration] = node
            if symbol.is_primary or symbol.id not in by_id:
                by_id[symbol.id] = node
    for file in files:
        for edge in file.edges:
            if CONFIDENCE_OF[Strategy(edge.strategy)] in confidences and edge.target in by_id:
                source = by_declaration[file.path, edge.source]
                yield CaseEdge(EdgeType(edge.type).name.lower(), source, by_id[edge.target])


def _node(path: str, name: str, declaration: int, facts: Mapping[str, Facts]) -> Node:
    if declaration == FILE:
        return Node(name, path, 0)
    return Node(name, path, facts[path].declarations[declaration].name_line)
