"""Calls of functions that were registered with a library: on a save, a request, a signal.

The conventions of a language say which calls register a function, and which calls run it. No edge
is stored from the second to the function: the files have nothing to do with each other, and neither
need be linked again when the other one changes. So these edges are derived when they are asked for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Final
from weakref import WeakKeyDictionary

from code_graph.contracts.conventions import LibraryEvent, events_of, words
from code_graph.language_table import names_with
from code_graph.model import Confidence, EdgeType, Strategy
from code_graph.query.edges import (
    EdgeFilter,
    edges_of_chunk,
    edges_of_parts,
    external_places,
    unresolved_named,
    unresolved_of,
)
from code_graph.query.model import FUNCTIONS, VALUES, PlacedEdge
from code_graph.query.snapshot import GraphSnapshot
from code_graph.store.terms import last_name
from index_format.tuples import NamedTuple

_CALLS: Final = EdgeFilter((EdgeType.CALLS,), tuple(Confidence))
_READ: Final = EdgeFilter((EdgeType.REFERENCES,))
_CALL: Final = (EdgeType.CALLS,)
_REQUESTS: Final = ":requests"
_SIGNALS: Final = ":signals"
# what a name that makes requests contains
_CLIENT: Final = ("client", "Client")
# lines from a call to the last function that it is given
_LONGEST_CALL: Final = 4
# places of one name that are looked at
_MOST_PLACES: Final = 2_000


class _Registration(NamedTuple):
    """An event that a function is registered for, and the signals that the line reads."""

    event: LibraryEvent
    signals: frozenset[int]


# few functions of a tree are registered, and each question about callers asks for them
_known: WeakKeyDictionary[GraphSnapshot, Mapping[int, Sequence[_Registration]]] = (
    WeakKeyDictionary()
)


def event_callers(graph: GraphSnapshot, symbol: int) -> Iterator[PlacedEdge]:
    """The calls on which a library runs a function that was registered with it."""
    found = _registrations(graph).get(symbol, ())
    function = graph.symbol(symbol) if found else None
    if function is None or function.node_type not in FUNCTIONS:
        return
    seen: set[tuple[str, int, int]] = set()
    for item in found:
        for call in _telling(graph, item.event, item.signals, function.language):
            if call.place not in seen and call.source != symbol:
                seen.add(call.place)
                yield _edge(call, symbol)


def event_callees(graph: GraphSnapshot, source: int) -> Iterator[PlacedEdge]:
    """The registered functions that a library runs on the calls of a function."""
    caller = graph.symbol(source)
    events = () if caller is None else events_of(caller.language)
    if caller is None or not events:
        return
    registered = _registrations(graph)
    telling = {name for event in events for name in event.running} if registered else frozenset()
    calls = [call for call in _calls_of(graph, source) if _last(call) in telling] if telling else []
    own = {event: [call for call in calls if _tells(graph, event, call)] for event in events}
    seen: set[tuple[int, tuple[str, int, int]]] = set()
    for target, found in registered.items() if calls else ():
        for event, signals in found:
            for call in own.get(event, ()):
                key = target, call.place
                if key not in seen and target != source and _is_of(graph, event, call, signals):
                    seen.add(key)
                    yield _edge(call, target)


def _edge(call: PlacedEdge, target: int) -> PlacedEdge:
    return call._replace(
        target=target,
        type=EdgeType.CALLS,
        confidence=Confidence.DISPATCH,
        strategy=Strategy.FRAMEWORK,
        external="",
    )


def _registrations(graph: GraphSnapshot) -> Mapping[int, Sequence[_Registration]]:
    """The registered functions of a graph, each with its events."""
    known = _known.get(graph)
    if known is None:
        found: dict[int, list[_Registration]] = {}
        for language in sorted(names_with("frameworks")):
            for event in events_of(language):
                for target, signals in _registered(graph, event, language):
                    found.setdefault(target, []).append(_Registration(event, signals))
        known = _known[graph] = found
    return known


def _call_with(graph: GraphSnapshot, use: PlacedEdge) -> PlacedEdge | None:
    """The call that a function is an argument of: the last one before it that does not wrap it."""
    before = [
        call
        for call in _calls_in(graph, use.source_chunk)
        if (call.line, call.column) <= (use.line, use.column)
        and use.line - call.line <= _LONGEST_CALL
        and _last(call) not in words("passing")
    ]
    return max(before, key=lambda call: (call.line, call.column), default=None)


def _registering(language: str, call: PlacedEdge) -> tuple[LibraryEvent, ...]:
    """The events that a call registers functions for; `post_save.connect` is no other signal's."""
    found = {
        event: max(map(len, named))
        for event in events_of(language)
        if (named := [name for name in event.registering if _is_named(call.external, name)])
    }
    longest = max(found.values(), default=0)
    return tuple(event for event, length in found.items() if length == longest)


def _is_named(full: str, name: str) -> bool:
    """True for this name, or one that ends with it behind a dot."""
    return full == name or full.endswith(f".{name}")


def _registered(
    graph: GraphSnapshot, event: LibraryEvent, language: str
) -> Iterator[tuple[int, frozenset[int]]]:
    """The functions registered for an event, with the signals of the same line."""
    seen: set[tuple[str, int]] = set()
    for name in dict.fromkeys(map(last_name, event.registering)):
        for call in _places(graph, name, language):
            if (call.path, call.line) in seen or event not in _registering(language, call):
                continue
            seen.add((call.path, call.line))
            signals = _signals_on(graph, call)
            for target in _handed_at(graph, call):
                yield target, signals


def _handed_at(graph: GraphSnapshot, call: PlacedEdge) -> Iterator[int]:
    """The functions that a call is given, or decorates."""
    for edge in edges_of_chunk(graph, call.source_chunk, _CALLS):
        if edge.strategy == Strategy.FRAMEWORK and call.line <= edge.line <= (
            call.line + _LONGEST_CALL
        ):
            taker = _call_with(graph, edge)
            if taker is not None and taker.place == call.place:
                yield edge.target
    for symbol, declared in graph.outline(call.path):
        is_function = declared is not None and symbol.node_type in FUNCTIONS
        if is_function and declared and symbol.start_line <= call.line < declared.name_line:
            yield symbol.id


def _telling(
    graph: GraphSnapshot, event: LibraryEvent, signals: frozenset[int], language: str
) -> Iterator[PlacedEdge]:
    """The calls on which functions of an event are run."""
    for name in event.running:
        for call in _places(graph, name, language):
            if _tells(graph, event, call) and _is_of(graph, event, call, signals):
                yield call


def _tells(graph: GraphSnapshot, event: LibraryEvent, call: PlacedEdge) -> bool:
    """True for a call that triggers an event."""
    if _last(call) not in event.running:
        return False
    owner = call.external.rpartition(".")[0]
    if event.within == (_REQUESTS,):
        return any(part in owner for part in _CLIENT) or _is_request(graph, call)
    if event.within == (_SIGNALS,):
        return bool(owner)
    if owner:
        return any(part in owner for part in event.within)
    # of an unknown object: a class on the line, as in `Poll.objects.create()`, is its model
    return any(
        edge.line == call.line and edge.column < call.column
        for edge in edges_of_chunk(graph, call.source_chunk, _READ)
        if (symbol := graph.symbol(edge.target)) is not None and symbol.node_type == "class"
    )


def _is_request(graph: GraphSnapshot, call: PlacedEdge) -> bool:
    """True if a route of the repository answers on the line of a call."""
    return any(
        edge.strategy == Strategy.ROUTE and edge.line == call.line
        for edge in edges_of_chunk(graph, call.source_chunk, _CALLS)
    )


def _is_of(
    graph: GraphSnapshot, event: LibraryEvent, call: PlacedEdge, signals: frozenset[int]
) -> bool:
    """False for a call of another signal than the function's."""
    if event.within != (_SIGNALS,):
        return True
    own = _signals_on(graph, call)
    return not own or not signals or not own.isdisjoint(signals)


def _signals_on(graph: GraphSnapshot, call: PlacedEdge) -> frozenset[int]:
    """The variables that stand on the line of a call."""
    return frozenset(
        edge.target
        for edge in edges_of_chunk(graph, call.source_chunk, _READ)
        if edge.line == call.line
        and (symbol := graph.symbol(edge.target)) is not None
        and symbol.node_type in VALUES
    )


def _last(call: PlacedEdge) -> str:
    return last_name(call.external)


def _calls_of(graph: GraphSnapshot, source: int) -> Iterator[PlacedEdge]:
    """The calls in a function whose callee is external or unknown."""
    for edge in edges_of_parts(graph, source, _CALLS):
        if edge.external:
            yield edge
    symbol = graph.symbol(source)
    if symbol is not None:
        for use in unresolved_of(graph, source, _CALL):
            yield _unresolved(graph, symbol.path, use.line, use.column, use.name, symbol.chunk)


def _calls_in(graph: GraphSnapshot, chunk: int) -> Iterator[PlacedEdge]:
    """The calls in one declaration whose callee is external or unknown."""
    yield from (edge for edge in edges_of_chunk(graph, chunk, _CALLS) if edge.external)
    file = graph.file_of(chunk)
    row = chunk - int(graph.snapshot.file_starts[file])
    for use in graph.edges(file).unresolved():
        if use.source == row and use.type == EdgeType.CALLS:
            path = graph.path_of(file)
            yield _unresolved(graph, path, use.line, use.column, use.name, chunk)


def _places(graph: GraphSnapshot, name: str, language: str) -> Iterator[PlacedEdge]:
    """The calls of an external or unknown name in files of a language."""
    yield from islice(external_places(graph, name, _CALL, language), _MOST_PLACES)
    for file, use in islice(unresolved_named(graph, name, _CALL, language), _MOST_PLACES):
        chunk = int(graph.snapshot.file_starts[file]) + use.source
        path = graph.path_of(file)
        yield _unresolved(graph, path, use.line, use.column, use.name, chunk)


def _unresolved(
    graph: GraphSnapshot, path: str, line: int, column: int, name: str, chunk: int
) -> PlacedEdge:
    source = graph.ids_of([chunk])[0]
    kind, how = EdgeType.CALLS, Confidence.POSSIBLE
    return PlacedEdge(source, 0, kind, how, Strategy.NAME, path, line, column, chunk, name)
