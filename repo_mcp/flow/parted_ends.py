"""The calls on each side of two functions of which none leads to the other.

What lies between is often a function that is handed over, and called by a name of which no
target is known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from code_graph.model import EdgeType
from code_graph.query.edges import (
    EdgeFilter,
    edges_into,
    reference_count,
    unresolved_of,
    unresolved_uses,
)
from code_graph.query.model import FUNCTIONS, PlacedEdge, Symbol
from code_graph.query.neighbours import CALLS
from code_graph.query.paths import Closure, closure, evidence
from code_graph.query.snapshot import GraphSnapshot
from repo_mcp.flow.model import FlowStep, OpenCall, PartedEnds
from repo_mcp.flow.route import callable_symbol, steps_of

_CALLED: Final = EdgeFilter((EdgeType.CALLS,))
_HANDED: Final = EdgeFilter((EdgeType.REFERENCES,))
_DEEPEST: Final = 6
_MOST_REACHED: Final = 200
_MOST_HANDED: Final = 4
_MOST_OPEN: Final = 6
_COMMON: Final = 100


def find_parted_ends(
    graph: GraphSnapshot,
    start: Symbol,
    end: Symbol,
    check: Callable[[], None] = lambda: None,
) -> PartedEnds:
    """The nearest functions on either side where no way leads from one function to another."""
    check()
    after = closure(graph, start.id, _CALLED, depth=_DEEPEST, budget=_MOST_REACHED, forward=True)
    check()
    before = closure(graph, end.id, _CALLED, depth=_DEEPEST, budget=_MOST_REACHED)
    sides = _reached(graph, start, after), _reached(graph, end, before)
    last, first = _nearest(graph, *sides)
    opened = [*_open_calls(graph, [start.id, *(reached.id for reached in after.reached)])]
    from_start = after.ways()[last.id][::-1] if last.id != start.id else [start.id]
    to_end = before.ways()[first.id] if first.id != end.id else [end.id]
    shown = {*from_start}
    uses = {
        name: unresolved_uses(graph, name, CALLS.types)
        for name in dict.fromkeys(call.name for call in opened)
    }
    # a name with very many such calls is mostly that of a builtin container's method
    opened = [call for call in opened if uses[call.name] <= _COMMON]
    opened.sort(key=lambda call: (call.symbol.id not in shown, uses[call.name]))
    return PartedEnds(
        _steps(graph, from_start),
        _steps(graph, to_end),
        [*_handed(graph, first)],
        opened[:_MOST_OPEN],
    )


def _reached(graph: GraphSnapshot, own: Symbol, closed: Closure) -> list[tuple[Symbol, int]]:
    """A function and those that were reached, with their distance."""
    symbols = {own.id: (own, 0)}
    for reached in closed.reached:
        symbol = callable_symbol(graph, reached.id)
        # ways that go through tests are none of code
        if symbol is not None and reached.next in symbols:
            symbols[reached.id] = symbol, reached.distance
    return [*symbols.values()]


def _nearest(
    graph: GraphSnapshot, after: Sequence[tuple[Symbol, int]], before: Sequence[tuple[Symbol, int]]
) -> tuple[Symbol, Symbol]:
    """The pair of functions, one of each side, that stand nearest to each other.

    Of pairs in one owner or file it is the nearest to the ends. Where no pair has more in common
    than the ends, it is the least used function that the start reaches, as helpers say nothing, and
    the farthest one that leads to the end, as it says what runs that.
    """
    least = _shared(after[0][0], before[0][0])
    best: tuple[tuple[float, ...], Symbol, Symbol] | None = None
    for last, far in after:
        for first, back in before:
            shared = _shared(last, first)
            if shared > least:
                order = -shared, far + back
                if best is None or order < best[0]:
                    best = order, last, first
    if best is not None:
        return best[1], best[2]

    def common(reached: tuple[Symbol, int]) -> tuple[int, int]:
        return reference_count(graph, reached[0].id), reached[1]

    last = min(after[1:], key=common, default=after[0])[0]
    return last, max(before, key=lambda reached: reached[1])[0]


def _shared(one: Symbol, other: Symbol) -> int:
    """The number of folders, files and owners that two symbols have in common."""
    names = [*one.path.split("/"), one.owner], [*other.path.split("/"), other.owner]
    shared = 0
    for here, there in zip(*names, strict=False):
        if here != there:
            break
        shared += 1
    return shared


def _open_calls(graph: GraphSnapshot, numbers: Sequence[int]) -> Iterator[OpenCall]:
    for number in numbers:
        symbol = callable_symbol(graph, number)
        if symbol is not None:
            for use in unresolved_of(graph, number, CALLS.types):
                yield OpenCall(symbol, use.name, use.line)


def _handed(graph: GraphSnapshot, symbol: Symbol) -> Iterator[PlacedEdge]:
    """The places that hand a function on: in functions, and in tables of files."""
    for edge in edges_into(graph, symbol.id, _HANDED, limit=_MOST_HANDED).edges:
        around = graph.symbol(edge.source)
        if around is None or around.node_type in {*FUNCTIONS, "file"}:
            yield edge


def _steps(graph: GraphSnapshot, way: Sequence[int]) -> list[FlowStep]:
    first = graph.symbol(way[0])
    edges = evidence(graph, way, _CALLED)
    return steps_of(graph, edges) if edges or first is None else [FlowStep(first)]
