"""Finds the edge of each recorded pair, and exact edges that the run contradicts."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Final, NamedTuple

from bench.graph.dispatch.linked_graph import LinkedGraph, Span
from bench.graph.dispatch.records import METAMETHOD, Calls, Code, Pair, Recording
from code_graph.model import Confidence, EdgeType, Strategy
from code_graph.query.edges import EdgeFilter
from code_graph.query.model import FUNCTIONS, TYPES, PlacedEdge, Symbol
from code_graph.query.overrides import overridden

_CONSTRUCTORS: Final = frozenset({"__init__", "__new__", "__post_init__", "constructor"})
_EXACT_CALLS: Final = EdgeFilter((EdgeType.CALLS,), (Confidence.EXACT,))
# a library calls it: it is handed over, or reached by a text
_FRAMEWORK: Final = frozenset({Strategy.FRAMEWORK, Strategy.ROUTE, Strategy.MESSAGE, Strategy.RPC})
# what syntax calls, beside constructors: no call of it is written
IMPLICIT: Final = "by syntax"


class Judged(NamedTuple):
    """A pair with the best edge that the graph has for it."""

    pair: Pair
    calls: Calls
    edge: PlacedEdge | None
    # an edge by which something outside calls the callee, whatever ran it
    entry: PlacedEdge | None
    # for what is called by syntax: a use of it is enough
    is_implicit: bool

    @property
    def group(self) -> str:
        """The group that it counts in."""
        return IMPLICIT if self.is_implicit else self.calls.way


class Refuted(NamedTuple):
    """An exact edge whose line ran, and from there other functions, but not its target."""

    edge: PlacedEdge
    target: Code
    instead: tuple[str, ...]


@dataclass(slots=True)
class Verdict:
    """All that is judged of a project."""

    judged: list[Judged] = field(default_factory=list)
    # pairs whose functions are no declarations of the graph, by the reason
    unknown: Counter[str] = field(default_factory=Counter)
    exact: int = 0
    refuted: list[Refuted] = field(default_factory=list)
    # edges of dispatch from lines that called something, and those of them that ran
    dispatched: int = 0
    dispatched_ran: int = 0


def judge(graph: LinkedGraph, recording: Recording) -> Verdict:
    """Compare a recording with the graph."""
    verdict = Verdict()
    edges = _Edges(graph)
    for pair, calls in sorted(_by_symbols(graph, recording, verdict).items()):
        callee = graph.function(pair.callee)
        if callee is None:
            continue
        span = graph.around(pair.caller.path, min(calls.lines))
        into = edges.into(callee)
        is_implicit = _is_implicit(callee, calls)
        edge = _best(_inside(into, pair.caller.path, span, graph), is_read=is_implicit)
        entry = _best([item for item in edges.above(callee) if item.strategy in _FRAMEWORK])
        verdict.judged.append(Judged(pair, calls, edge, entry, is_implicit))
    _judge_exact(graph, recording, verdict)
    return verdict


def _by_symbols(graph: LinkedGraph, recording: Recording, verdict: Verdict) -> Mapping[Pair, Calls]:
    """The pairs that can be judged; a function and those without a name in it are one caller."""
    found: dict[Pair, Calls] = {}
    for pair, calls in sorted(recording.pairs.items()):
        callee, path = graph.function(pair.callee), pair.caller.path
        if callee is None or path not in graph.paths:
            verdict.unknown["callee" if callee is None else "caller"] += 1
            continue
        # the maker of a generator writes its name; another frame may take its first step
        if calls.is_late and not graph.is_written(callee.declared.name, path, calls.lines):
            verdict.unknown["started later"] += 1
            continue
        for line in sorted(calls.lines):
            span = graph.around(path, line)
            name = pair.caller.name if span is None else span.symbol.qualified_name
            first = 0 if span is None else span.symbol.start_line
            target = Code(callee.symbol.path, callee.symbol.start_line, pair.callee.name)
            merged = found.setdefault(Pair(Code(path, first, name), target), Calls())
            merged.add(replace(calls, lines={line}))
    return found


class _Edges:
    """Edges into functions, each looked up once."""

    def __init__(self, graph: LinkedGraph) -> None:
        self._graph = graph
        self._found: dict[int, list[PlacedEdge]] = {}

    def into(self, span: Span) -> list[PlacedEdge]:
        """Edges to a function; calls of a type and its subtypes count as those of a constructor."""
        found = self._found.get(span.symbol.id)
        if found is None:
            ids = self._graph.same(span)
            holder = self._graph.holder(span)
            if holder is not None and span.declared.name in _CONSTRUCTORS:
                ids += self._graph.with_subtypes(holder.id)
            found = [edge for number in ids for edge in self._graph.edges_into(number)]
            self._found[span.symbol.id] = found
        return found

    def above(self, span: Span) -> list[PlacedEdge]:
        """Edges to a function, and to what it overrides."""
        found = [*self.into(span)]
        for number in overridden(self._graph.graph, span.symbol.id):
            found += self._graph.edges_into(number)
        return found


def _is_implicit(callee: Span, calls: Calls) -> bool:
    """True for properties and what operators, loops and `with` call."""
    name = callee.declared.name
    if callee.symbol.node_type not in FUNCTIONS or calls.ops == {METAMETHOD}:
        return True
    is_special = name.startswith("__") and name.endswith("__") and name not in _CONSTRUCTORS
    return is_special and not calls.ops & {"CALL", "CALL_FUNCTION_EX"}


def _inside(
    edges: Iterable[PlacedEdge], path: str, span: Span | None, graph: LinkedGraph
) -> Iterator[PlacedEdge]:
    """The edges that stand in a function, or outside of all functions of a file."""
    for edge in edges:
        if edge.path != path:
            continue
        if span is None:
            if graph.around(path, edge.line) is None:
                yield edge
        elif span.declared.name_line <= edge.line <= span.symbol.end_line:
            yield edge


def _best(edges: Iterable[PlacedEdge], *, is_read: bool = False) -> PlacedEdge | None:
    """The surest call; where reading is calling, any use."""
    chosen = [edge for edge in edges if is_read or edge.type == EdgeType.CALLS]
    return min(chosen, key=lambda edge: (edge.confidence, edge.line), default=None)


def _judge_exact(graph: LinkedGraph, recording: Recording, verdict: Verdict) -> None:
    """Count the exact calls on lines that called something, and those that called another thing."""
    called = _called(graph, recording)
    anywhere = {key: {*chain.from_iterable(below.values())} for key, below in called.items()}
    spans = (
        graph.function(pair.callee) for pair, calls in recording.pairs.items() if calls.is_late
    )
    late = {span.symbol.id for span in spans if span is not None}  # others take their first steps
    for (path, source), below in called.items():
        for edge in graph.dispatched_from(source):
            if edge.path == path and edge.line in below:
                verdict.dispatched += 1
                verdict.dispatched_ran += edge.target in anywhere[path, source]
        for edge in graph.edges_out_of(source, _EXACT_CALLS):
            target = None if edge.external else graph.graph.symbol(edge.target)
            on_line = below.get(edge.line, frozenset()) if edge.path == path else frozenset()
            meant = _runs(graph, target) if target is not None and on_line else ()
            if target is None or not late.isdisjoint(meant) or not meant:
                continue
            verdict.exact += 1
            ran = {*anywhere[path, source]}
            for number in on_line:  # what stands for it may call it
                other = graph.graph.symbol(number)
                ran |= anywhere.get((other.path, number), set()) if other is not None else set()
            if not any(
                number == wanted
                or graph.is_in_place_of(number, wanted)
                or graph.makes(number, target)
                for wanted in meant
                for number in ran
            ):
                names = tuple(sorted(graph.name(number) for number in on_line))
                place = Code(target.path, target.start_line, target.qualified_name)
                verdict.refuted.append(Refuted(edge, place, names))


def _called(
    graph: LinkedGraph, recording: Recording
) -> Mapping[tuple[str, int], Mapping[int, Collection[int]]]:
    """By file and function, the symbols that its lines called, by any way."""
    found: defaultdict[tuple[str, int], defaultdict[int, set[int]]] = defaultdict(
        lambda: defaultdict(set)
    )
    for pair, calls in recording.pairs.items():
        source = graph.around(pair.caller.path, min(calls.lines))
        target = graph.function(pair.callee)
        if source is None or target is None:
            continue
        for line in calls.lines:
            found[pair.caller.path, source.symbol.id][line].add(target.symbol.id)
    return found


def _runs(graph: LinkedGraph, target: Symbol) -> Collection[int]:
    """The functions of which one runs when a symbol is called; none if that is not known."""
    if target.node_type not in TYPES:
        own = graph.function(Code(target.path, target.start_line, target.simple_name))
        return [target.id] if own is None else graph.same(own)
    return [
        span.symbol.id
        for span in graph.spans(target.path)
        if span.declared.name in _CONSTRUCTORS and target.encloses(span.symbol)
    ]
