"""Calls of functions that were handed to others: as arguments, or by decorators.

Who calls a parameter calls what is handed to its function, wherever that is done. No edge says so:
the files of callers may change without that of the function being linked again. So the edges are
derived when they are asked for, from where a function is used beside a call of another one, and
from calls of parameters and of fields that the other one stores them in.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from code_graph.model import Confidence, EdgeType, Strategy
from code_graph.query.edges import (
    EdgeFilter,
    edges_into,
    edges_of_parts,
    edges_of_rows,
    unresolved_of,
)
from code_graph.query.model import FUNCTIONS, TYPES, VALUES, PlacedEdge, Symbol
from code_graph.query.snapshot import GraphSnapshot
from index_format.tuples import NamedTuple

_CALLS: Final = EdgeFilter((EdgeType.CALLS,))
_READ: Final = EdgeFilter((EdgeType.REFERENCES,))
_CONTAINS: Final = EdgeFilter((EdgeType.CONTAINS,))
_WORD: Final = re.compile(r"[\w$]+")
# lines from a call to its last argument
_LONGEST_CALL: Final = 8
# uses of a function, calls of one, and functions inside of one that are looked at
_MOST_USES: Final = 60
_MOST_CALLS: Final = 200
_MOST_INSIDE: Final = 40
_DEEPEST: Final = 3


class _OpenCall(NamedTuple):
    """A call of a name that no declaration is known of; "" for a parameter that some are of."""

    name: str
    source: int
    path: str
    line: int
    column: int
    chunk: int

    def to(self, target: int) -> PlacedEdge:
        """The edge to what may be called."""
        return PlacedEdge(
            self.source,
            target,
            EdgeType.CALLS,
            Confidence.DISPATCH,
            Strategy.ARGUMENT,
            self.path,
            self.line,
            self.column,
            self.chunk,
        )


def handed_callers(graph: GraphSnapshot, symbol: int) -> Iterator[PlacedEdge]:
    """Calls of the parameters and fields that a function is handed to."""
    found = graph.symbol(symbol)
    if found is None or found.node_type not in FUNCTIONS:
        return
    seen: set[_OpenCall] = set()
    for taker in _takers(graph, found):
        for call in _calls_of_taken(graph, taker):
            if call not in seen and call.source != symbol:
                seen.add(call)
                yield call.to(symbol)


def handed_callees(graph: GraphSnapshot, source: int) -> Iterator[PlacedEdge]:
    """The functions handed to the parameters and fields that a function calls."""
    caller = graph.symbol(source)
    if caller is None or caller.node_type not in FUNCTIONS:
        return
    open_calls = [*_open_calls(graph, caller)]
    seen: set[tuple[int, _OpenCall]] = set()
    for taker in _may_take(graph, caller) if open_calls else ():
        taken = {*_calls_of_taken(graph, taker)} & {*open_calls}
        for target in _given_to(graph, taker) if taken else ():
            for call in sorted(taken):
                if (target, call) not in seen and target != source:
                    seen.add((target, call))
                    yield call.to(target)


def _takers(graph: GraphSnapshot, given: Symbol) -> Iterator[Symbol]:
    """The functions that get another one as an argument, or decorate it."""
    found: dict[int, None] = {}
    for use in edges_into(graph, given.id, _READ, limit=_MOST_USES).edges:
        for call in _calls_with(graph, use):
            found[call.target] = None
    declared = graph.declaration(given)
    if declared is not None and declared.name_line > given.start_line:
        for call in edges_of_rows(graph, given.path, _CALLS):
            if given.start_line <= call.line < declared.name_line:
                found[call.target] = None
    for number in found:
        taker = graph.symbol(number)
        if taker is not None and number != given.id and taker.node_type in FUNCTIONS:
            yield taker


def _calls_with(graph: GraphSnapshot, use: PlacedEdge) -> list[PlacedEdge]:
    """The calls that may have a use as an argument: the ones before it in its line, else the last.

    A name that is called is no argument.
    """
    before = [
        call
        for call in edges_of_parts(graph, use.source, _CALLS)
        if call.path == use.path
        and (call.line, call.column) <= (use.line, use.column)
        and use.line - call.line <= _LONGEST_CALL
    ]
    last = max((call.line for call in before), default=0)
    found = [call for call in before if call.line == last and not call.external]
    return [] if any(call.target == use.target for call in found) else found


def _calls_of_taken(graph: GraphSnapshot, taker: Symbol) -> Iterator[_OpenCall]:
    """Calls of a function's parameters, in it and inside, and of fields that it stores them in."""
    declared = graph.declaration(taker)
    parameters = {*_WORD.findall(declared.parameters)} if declared is not None else set()
    if not parameters:
        return
    for inner in _inside(graph, taker):
        for call in _open_calls(graph, inner):
            if not call.name or call.name in parameters:
                yield call
    fields = {
        symbol.name
        for edge in edges_of_parts(graph, taker.id, _READ)
        if not edge.external and (symbol := graph.symbol(edge.target)) is not None
        if symbol.node_type in VALUES
    }
    for holder in _around(graph, taker, TYPES) if fields else ():
        for inner in _inside(graph, holder):
            for call in _open_calls(graph, inner):
                if call.name in fields:
                    yield call


def _open_calls(graph: GraphSnapshot, caller: Symbol) -> Iterator[_OpenCall]:
    """The calls in a function whose targets are not known, or not all."""
    for use in unresolved_of(graph, caller.id, (EdgeType.CALLS,)):
        yield _OpenCall(use.name, caller.id, caller.path, use.line, use.column, caller.chunk)
    for edge in edges_of_parts(graph, caller.id, _CALLS):
        if edge.strategy == Strategy.ARGUMENT:
            yield _OpenCall("", caller.id, edge.path, edge.line, edge.column, edge.source_chunk)


def _inside(graph: GraphSnapshot, symbol: Symbol) -> Iterator[Symbol]:
    """A symbol and the functions inside of it."""
    yield symbol
    step, count = [symbol.id], 0
    for _ in range(_DEEPEST):
        below = [edge.target for one in step for edge in edges_of_parts(graph, one, _CONTAINS)]
        step = []
        for number in dict.fromkeys(below):
            inner = graph.symbol(number)
            if inner is not None and inner.node_type in FUNCTIONS and count < _MOST_INSIDE:
                count += 1
                step.append(number)
                yield inner


def _around(graph: GraphSnapshot, symbol: Symbol, kinds: frozenset[str]) -> list[Symbol]:
    """The declarations of some kinds around a symbol."""
    return [
        other
        for other, _ in graph.outline(symbol.path)
        if other.node_type in kinds and other.id != symbol.id and other.encloses(symbol)
    ]


def _may_take(graph: GraphSnapshot, caller: Symbol) -> Iterator[Symbol]:
    """The functions whose parameters a function may call: itself, those around, and siblings."""
    yield caller
    yield from _around(graph, caller, FUNCTIONS)
    for holder in _around(graph, caller, TYPES)[-1:]:
        yield from (item for item in _inside(graph, holder) if item.id != caller.id)


def _given_to(graph: GraphSnapshot, taker: Symbol) -> Iterator[int]:
    """The functions that a function is called with, or decorates."""
    found: dict[int, None] = {}
    for call in edges_into(graph, taker.id, _CALLS, limit=_MOST_CALLS).edges:
        for use in edges_of_parts(graph, call.source, _READ):
            if use.path != call.path or use.external or use.line < call.line:
                continue
            target = graph.symbol(use.target)
            if target is None or target.node_type not in FUNCTIONS:
                continue
            if any(one.target == taker.id for one in _calls_with(graph, use)):
                found[use.target] = None
        for symbol, declared in graph.outline(call.path):
            if declared is None or symbol.node_type not in FUNCTIONS:
                continue
            if symbol.start_line <= call.line < declared.name_line:
                found[symbol.id] = None
    yield from found
