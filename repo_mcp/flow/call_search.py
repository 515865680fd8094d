"""The functions that run one after another to do what a question is about, by calls.

The search begins at likely functions and goes on at the best one that is reached, so that a step
counts for its own likeliness and for that of the step that leads to it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from heapq import heappop, heappush
from typing import Final

from code_graph.model import Confidence, EdgeType
from code_graph.query.edges import EdgeFilter, reference_count
from code_graph.query.model import SURE, PlacedEdge, Symbol
from code_graph.query.neighbours import place_of, source_ids, targets_of
from code_graph.query.snapshot import GraphSnapshot
from repo_mcp.flow.model import Flow, FlowStep
from repo_mcp.flow.route import callable_symbol, is_inside

MOST_STEPS: Final = 20
_SURE: Final = EdgeFilter((EdgeType.CALLS,))
_CALLS: Final = EdgeFilter((EdgeType.CALLS,), (*SURE, Confidence.DISPATCH))
# a function that is handed on runs later
_HANDED_ON: Final = EdgeFilter((EdgeType.REFERENCES,))
# what a step is worth for the next one, over each kind of edge; callers for those that they call
_FORWARD: Final = ((_SURE, 0.75), (_HANDED_ON, 0.55), (_CALLS, 0.3))
_BACKWARD: Final = ((_SURE, 0.35), (_HANDED_ON, 0.25), (_CALLS, 0.15))
# what the likeliest function that it calls is worth for a function, and a beginning of its own
_BEYOND: Final = 0.5
_BEGINNING: Final = 0.35
# how fast a function is worth less as a step that many use
_COMMON: Final = 0.5
# a function of so few lines, as one that returns a field, is rarely a step
_SHORT: Final = 3
_OF_SHORT: Final = 0.5
# a step of less worth than this share of the best one ends the search
_LEAST: Final = 0.2
_MOST_NEIGHBOURS: Final = 60
_MOST_READ: Final = 2_000


def find_flow(
    graph: GraphSnapshot,
    seeds: Mapping[int, float],
    weigh: Callable[[Symbol], float],
    check: Callable[[], None] = lambda: None,
    most: int = MOST_STEPS,
) -> Flow:
    """The flow around the likeliest functions; `weigh` tells how likely a function is by itself."""
    search = _FlowSearch(graph, seeds, weigh, check)
    return Flow(_in_order(graph, search.run(most)))


class _FlowSearch:
    """One search, best step first."""

    def __init__(
        self,
        graph: GraphSnapshot,
        seeds: Mapping[int, float],
        weigh: Callable[[Symbol], float],
        check: Callable[[], None],
    ) -> None:
        self._graph = graph
        self._seeds = seeds
        self._weigh = weigh
        self._check = check
        self._symbols: dict[int, Symbol | None] = {}
        self._waiting: list[tuple[float, int]] = []
        self._worths: dict[int, float] = {}
        self._best_called: dict[int, float] = {}

    def run(self, most: int) -> list[Symbol]:
        """The chosen functions, the best first, `most` and those that connect them."""
        for number, worth in self._seeds.items():
            self._offer(number, worth, 0.0)
        chosen: dict[int, Symbol] = {}
        best = 0.0
        while self._waiting and len(chosen) < most and len(self._symbols) < _MOST_READ:
            self._check()
            negated, number = heappop(self._waiting)
            symbol = self._symbols[number]
            if symbol is None or number in chosen or -negated < self._worths[number]:
                continue
            # until one leads to another, each is the first
            worth = -negated if best else -negated / _BEGINNING
            if worth < _LEAST * best:
                break
            chosen[number] = symbol
            if self._spread(number, worth):
                best = max(best, worth)
        chosen.update(self._between(chosen))
        return [*chosen.values()]

    def _between(self, chosen: Mapping[int, Symbol]) -> Iterator[tuple[int, Symbol]]:
        """The functions through which a chosen one calls another that none of these calls."""
        for number in [*chosen]:
            callers = source_ids(self._graph, number, _SURE)[:_MOST_NEIGHBOURS]
            if not chosen.keys().isdisjoint(callers):
                continue
            for caller in callers:
                symbol = self._symbols.get(caller)
                above = source_ids(self._graph, caller, _SURE)
                if symbol is not None and not chosen.keys().isdisjoint({*above} - {number}):
                    yield caller, symbol
                    break

    def _spread(self, number: int, worth: float) -> bool:
        """Let what a function calls, and what calls it, wait; True if there is any."""
        before = len(self._waiting)
        for ask, kinds in ((targets_of, _FORWARD), (source_ids, _BACKWARD)):
            seen: set[int] = set()
            for edges, factor in kinds:
                fresh = [other for other in ask(self._graph, number, edges) if other not in seen]
                seen.update(fresh)
                if len(fresh) > _MOST_NEIGHBOURS and ask is source_ids:
                    continue
                for other in fresh[:_MOST_NEIGHBOURS]:
                    if ask is source_ids and is_inside(self._graph, number, other):
                        continue
                    self._offer(other, self._seeds.get(other, 0.0), worth * factor)
        return len(self._waiting) > before

    def _offer(self, number: int, own: float, given: float) -> None:
        """Let a function wait for its turn; what many use is worth less as a step."""
        if number not in self._symbols:
            self._symbols[number] = callable_symbol(self._graph, number)
        symbol = self._symbols[number]
        if symbol is None:
            return
        common = 1 + _COMMON * math.log10(1 + reference_count(self._graph, number))
        if symbol.end_line - symbol.start_line < _SHORT:
            given *= _OF_SHORT
        worth = own + self._weigh(symbol) + _BEYOND * self._beyond(number) + given / common
        worth = round(worth * (1.0 if given else _BEGINNING), 6)
        if worth > self._worths.get(number, 0.0):
            self._worths[number] = worth
            heappush(self._waiting, (-worth, number))

    def _beyond(self, number: int) -> float:
        """The likelihood of the likeliest function that a function calls."""
        if number not in self._best_called:
            called = targets_of(self._graph, number, _SURE)
            functions = (callable_symbol(self._graph, callee) for callee in called)
            worths = [self._weigh(symbol) for symbol in functions if symbol is not None]
            self._best_called[number] = max(worths, default=0.0)
        return self._best_called[number]


def _in_order(graph: GraphSnapshot, chosen: Sequence[Symbol]) -> list[FlowStep]:
    """Callers before what they call, a chain as a whole; beginnings by worth."""
    ids = [symbol.id for symbol in chosen]
    edges = {(edge.source, edge.target): edge for edge in _edges_among(graph, ids)}
    by_id = {symbol.id: symbol for symbol in chosen}
    before = _parents(ids, edges)
    after: dict[int, list[int]] = {}
    for number, parent in before.items():
        after.setdefault(parent, []).append(number)
    steps: list[FlowStep] = []
    pending = [number for number in reversed(ids) if number not in before]
    while pending:
        number = pending.pop()
        steps.append(FlowStep(by_id[number], edges.get((before.get(number, 0), number))))
        following = after.get(number, [])
        pending += sorted(following, key=lambda callee: -edges[number, callee].line)
    return steps


def _edges_among(graph: GraphSnapshot, ids: Sequence[int]) -> Iterator[PlacedEdge]:
    """The first edge from each function to each other one: calls, else where it is handed on."""
    wanted = {*ids}
    for source in ids:
        known = {source}
        for chosen in (_CALLS, _HANDED_ON):
            for target in wanted.intersection(targets_of(graph, source, chosen)) - known:
                known.add(target)
                edge = place_of(graph, source, target, chosen)
                if edge is not None:
                    yield edge


def _parents(ids: Sequence[int], edges: Mapping[tuple[int, int], PlacedEdge]) -> dict[int, int]:
    """For each function the best of those that call it, without circles."""
    parent_of: dict[int, int] = {}
    rank = {number: at for at, number in enumerate(ids)}
    for source, target in sorted(edges, key=lambda pair: (edges[pair].type, rank[pair[0]])):
        at = source
        while at in parent_of and at != target:
            at = parent_of[at]
        if target not in parent_of and at != target:
            parent_of[target] = source
    return parent_of
