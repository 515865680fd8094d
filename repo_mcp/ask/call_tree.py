"""Trees of calls around a symbol, with the place and the sureness of each step."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Final

from code_graph.paths.path_kinds import is_test
from code_graph.query.choice import target_of
from code_graph.query.edges import EdgeFilter
from code_graph.query.model import LISTED, PlacedEdge, Symbol
from code_graph.query.neighbours import CALLS
from code_graph.query.snapshot import GraphSnapshot
from repo_mcp.answers.symbols import told_edge
from repo_mcp.ask.relations import CALLEES, CALLERS, find_related, without_made_types
from repo_mcp.repository.symbol_places import cited_place
from repo_mcp.text.cutting import cut

_UP: Final = 3
_DOWN: Final = 3
# calls of one symbol that are followed, and rows of a tree
_MOST_BRANCHES: Final = 12
_MOST_ROWS: Final = 60
_WIDEST: Final = 120
_INDENT: Final = "  "
_FOLLOWED: Final = EdgeFilter(CALLS.types, LISTED)


class CallTree:
    """Follows calls from and to a symbol; each symbol is followed once, and none of tests."""

    def __init__(self, graph: GraphSnapshot) -> None:
        """Nothing is followed yet."""
        self._graph = graph
        # places of the symbols that are shown, for the audit log
        self.shown: dict[str, None] = {}

    def callers(self, symbol: Symbol) -> Iterator[str]:
        """The calls that lead to a symbol, nearest first."""
        yield f"{self._row(symbol)} is called by:"
        yield from islice(self._climb(symbol, 1, {symbol.id}), _MOST_ROWS)

    def callees(self, symbol: Symbol) -> Iterator[str]:
        """The calls that a symbol leads to, in their order."""
        yield f"{cited_place(self._graph, symbol).name} calls:"
        yield from islice(self._descend(symbol, 1, {symbol.id}), _MOST_ROWS)

    def _climb(self, symbol: Symbol, depth: int, known: set[int]) -> Iterator[str]:
        edges = find_related(self._graph, [target_of(symbol)], CALLERS, _FOLLOWED).edges
        sources: dict[int, PlacedEdge] = {}
        for edge in edges:
            if edge.source and not is_test(edge.path):
                sources.setdefault(edge.source, edge)
        for number, edge in islice(sources.items(), _MOST_BRANCHES):
            source = self._graph.symbol(number)
            if source is None:
                continue
            yield f"{_INDENT * depth}{_step(edge)} in {self._row(source)}"
            if depth < _UP and number not in known:
                known.add(number)
                yield from self._climb(source, depth + 1, known)

    def _descend(self, symbol: Symbol, depth: int, known: set[int]) -> Iterator[str]:
        called = find_related(
            self._graph, [target_of(symbol)], CALLEES, _FOLLOWED, with_external=False
        )
        edges = without_made_types(self._graph, called.edges)
        targets: dict[int, PlacedEdge] = {}
        for edge in sorted(edges, key=lambda edge: edge.place):
            targets.setdefault(edge.target, edge)
        steps = ((edge, self._graph.symbol(number)) for number, edge in targets.items())
        telling = (
            (edge, target)
            for edge, target in steps
            if target is not None and not is_test(target.path)
        )
        for edge, target in islice(telling, _MOST_BRANCHES):
            yield f"{_INDENT * depth}{_step(edge)} \u2192 {self._row(target)}"
            if depth < _DOWN and target.id not in known:
                known.add(target.id)
                yield from self._descend(target, depth + 1, known)

    def _row(self, symbol: Symbol) -> str:
        place = cited_place(self._graph, symbol)
        at = f"{place.path}:{place.first}"
        is_known = at in self.shown
        self.shown[at] = None
        declared = None if is_known else self._graph.declaration(symbol)
        signature = "" if declared is None else f": {cut(declared.signature, _WIDEST)}"
        return f"{place.name} {at}{signature}"


def _step(edge: PlacedEdge) -> str:
    """The place of a call, and how sure it is."""
    told = told_edge(edge)
    sure = "" if told == "exact" else f" [{told}]"
    return f"{edge.path.rpartition('/')[2]}:{edge.line}{sure}"
