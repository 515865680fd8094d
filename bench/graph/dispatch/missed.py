"""Groups the pairs that the graph lacks by how their calls come about."""

from __future__ import annotations

from bench.graph.dispatch.judge import Judged
from bench.graph.dispatch.linked_graph import LinkedGraph, Span
from bench.graph.dispatch.records import LIBRARY
from code_graph.model import EdgeType
from code_graph.query.model import FUNCTIONS, PlacedEdge


class Mechanisms:
    """Ways in which calls come about, as far as the text of both ends tells."""

    def __init__(self, graph: LinkedGraph) -> None:
        """Take the graph that the pairs are judged by."""
        self._graph = graph

    def of(self, item: Judged) -> str:
        """The mechanism of a pair."""
        callee = self._graph.function(item.pair.callee)
        if callee is None:
            return "?"
        if item.is_implicit:
            is_read = callee.symbol.node_type not in FUNCTIONS
            return "property" if is_read else f"operator {callee.declared.name}"
        if item.calls.way == LIBRARY:
            return self._through_library(item, callee)
        return self._of_value(item, callee)

    def _of_value(self, item: Judged, callee: Span) -> str:
        if self._is_named(item):
            return "named, of an unknown receiver"
        if self._is_decorated(item):
            return "decorated, under another name"
        if callee.symbol.node_type == "constructor":
            return "class in a value"
        is_inner = "<locals>" in item.pair.callee.name
        return "function made by another" if is_inner else "function in a value"

    def _through_library(self, item: Judged, callee: Span) -> str:
        reads = self._reads(callee.symbol.id)
        if any(edge.path == item.pair.caller.path for edge in reads):
            return "handed over in the caller's file"
        if self._is_decorated(item):
            return "registered by a decorator"
        holder = self._graph.holder(callee)
        if holder is not None:
            declared = self._graph.graph.declaration(holder)
            if declared is not None and declared.bases:
                return "member of a class with bases"
            return "member of a class"
        return "handed over elsewhere" if reads else "other"

    def _reads(self, number: int) -> list[PlacedEdge]:
        return [edge for edge in self._graph.edges_into(number) if edge.type != EdgeType.CALLS]

    def _is_named(self, item: Judged) -> bool:
        caller, callee = item.pair
        return self._graph.is_written(callee.simple_name, caller.path, item.calls.lines)

    def _is_decorated(self, item: Judged) -> bool:
        lines = self._graph.lines(item.pair.callee.path)
        first = item.pair.callee.first
        return first <= len(lines) and lines[first - 1].lstrip().startswith("@")
