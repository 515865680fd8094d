"""The flow that a question is about: functions likely by their names and by what searches found."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice, pairwise

from code_graph.model import Confidence, EdgeType
from code_graph.query.dispatch import calls_by_name
from code_graph.query.edges import edges_of_parts
from code_graph.query.model import PlacedEdge, Symbol
from code_graph.query.neighbours import up_to
from code_graph.query.paths import connect
from code_graph.query.snapshot import GraphSnapshot
from index_format.tuples import NamedTuple
from repo_mcp.flow.call_search import MOST_STEPS, find_flow
from repo_mcp.flow.likely_functions import (
    NameWeights,
    functions_named,
    likeliest,
    likely_functions,
    symbols_at,
)
from repo_mcp.flow.model import Flow, FlowSources, FlowStep, PartedEnds, Passage
from repo_mcp.flow.parted_ends import find_parted_ends
from repo_mcp.flow.route import callable_symbol, find_route, outer_parts, steps_of
from repo_mcp.flow.weights import FlowWeights as Weights
from repo_mcp.question.ways import FEWEST_STOPS, flow_ends, program_names


def find_question_flow(
    graph: GraphSnapshot, text: str, found: Iterable[Passage], sources: FlowSources
) -> Flow:
    """The flow that a question is about: between its two ends, else from both, and what it names.

    `found` are paths and lines that a search has found for the whole question, best first.
    """
    weights = NameWeights(text)
    way = _way_over_names(graph, text, weights, sources)
    ends, named = ([], way.named) if way.parts else _find_ends(graph, text, sources)
    routes = way.parts or (_direct_route(graph, ends, weights) if named else [])
    routes = routes or _find_routes(graph, ends, weights, sources)
    is_parted = bool(ends) and all(ends) and not routes
    if is_parted and not named:
        turning = _find_routes(graph, ends, weights, sources, goes_back=True)
        routes = outer_parts(turning[0]) if turning else []
    seeds = {step.symbol.id: Weights.ON_ROUTE for route in routes for step in route}
    if not routes:
        seeds.update(_seeds_of_ends(ends))
    most = max(len(seeds), Weights.MOST_AROUND_ROUTE) if routes else MOST_STEPS
    for rank, symbol in enumerate(symbols_at(graph, found)):
        seeds.setdefault(symbol.id, Weights.FOUND / (rank + 1))
    return find_flow(graph, seeds, weights.weigh, sources.check, most).along(
        routes,
        is_parted=is_parted,
        named=named,
        gaps=way.gaps,
        guessed=() if named else [[*_guessed(graph, end)] for end in ends],
    )


def find_sides(graph: GraphSnapshot, flow: Flow, sources: FlowSources) -> PartedEnds | None:
    """The calls on each side of two named ends that no way connects; None for any other flow."""
    if not (flow.is_parted and flow.named):
        return None
    start, end = flow.named
    return find_parted_ends(graph, start, end, sources.check)


def _guessed(graph: GraphSnapshot, end: Mapping[int, float]) -> Iterator[Symbol]:
    """The likeliest functions of an end that is told in words."""
    ordered = sorted(end, key=lambda number: (-end[number], number))
    symbols = filter(None, map(graph.symbol, ordered))
    yield from islice(symbols, Weights.MOST_GUESSED)


def _find_ends(
    graph: GraphSnapshot, text: str, sources: FlowSources
) -> tuple[list[dict[int, float]], tuple[Symbol, ...]]:
    """The likely functions of both ends of a question, by id; nothing if it does not name them.

    And the likeliest of each, if both are written as names.
    """
    ends = flow_ends(text)
    if ends is None:
        return [], ()
    begin, end = ends
    if not program_names(begin):  # "how does a `put_item` request get from the handler to …"
        asked = program_names(text.partition(begin)[0])
        begin = " ".join([*(name for name in asked if functions_named(graph, name)), begin])
    starts, first_named = likely_functions(graph, begin, sources)
    last, last_named = likely_functions(graph, end, sources)
    for number in starts.keys() & last.keys():  # each is the end that it is likelier to be
        del (starts if starts[number] < last[number] else last)[number]
    named: tuple[Symbol, ...] = ()
    if first_named and last_named and starts and last:
        first = (likeliest(end)[0] for end in (starts, last))
        named = tuple(symbol for symbol in map(graph.symbol, first) if symbol is not None)
    return [starts, last], named


def _seeds_of_ends(ends: Sequence[Mapping[int, float]]) -> Iterator[tuple[int, float]]:
    """The likeliest functions of each end with their worth as beginnings of a flow."""
    for end, worth in zip(ends, Weights.AT_ENDS, strict=False):
        likely = sorted(end.items(), key=lambda item: (-item[1], item[0]))[: Weights.MOST_AT_END]
        best = max(end.values(), default=0.0)
        yield from ((number, worth * share / best) for number, share in likely if share)


def _find_routes(
    graph: GraphSnapshot,
    ends: Sequence[Mapping[int, float]],
    weights: NameWeights,
    sources: FlowSources,
    *,
    goes_back: bool = False,
) -> list[list[FlowStep]]:
    """The ways between two ends; with `goes_back` also those that take steps to callers."""
    if not ends:
        return []
    starts, last = ends
    given = graph, starts, last, weights.weigh, sources.line_of, sources.check
    return find_route(*given, goes_back=goes_back)


class NamedWay(NamedTuple):
    """The parts of a way over all functions that a question names, and the hops that lack."""

    parts: Sequence[Sequence[FlowStep]] = ()
    gaps: Sequence[tuple[Symbol, Symbol]] = ()

    @property
    def named(self) -> tuple[Symbol, ...]:
        """The functions at both ends."""
        return (self.parts[0][0].symbol, self.parts[-1][-1].symbol) if self.parts else ()


def _way_over_names(
    graph: GraphSnapshot, text: str, weights: NameWeights, sources: FlowSources
) -> NamedWay:
    """The way over three functions or more that a text names; empty for fewer, or for no way.

    Each hop is a shortest way of sure calls, else a call by name, else the likeliest way. If calls
    connect few of the functions, they are not told in the order of a flow.
    """
    stops = [*_stops(graph, text, weights)]
    if len(stops) < FEWEST_STOPS:
        return NamedWay()
    parts: list[list[FlowStep]] = []
    gaps: list[tuple[Symbol, Symbol]] = []
    for before, stop in pairwise(stops):
        sources.check()
        reached = parts[-1][-1].symbol if parts else before[0]
        meant = [reached, *(item for item in before if item.id != reached.id)]
        hop = _find_hop(graph, meant, stop, weights, sources)
        if parts and hop and hop[0].symbol.id == reached.id:
            parts[-1] += hop[1:]
        elif hop:
            parts.append(hop)
        else:
            gaps.append((reached, stop[0]))
            parts += [[FlowStep(stop[0])]] if parts else [[FlowStep(reached)], [FlowStep(stop[0])]]
    return NamedWay(parts, gaps) if 2 * len(gaps) < len(stops) - 1 else NamedWay()


def _stops(graph: GraphSnapshot, text: str, weights: NameWeights) -> Iterator[Sequence[Symbol]]:
    """The functions that each name of a text means: those whose owner the text names best."""
    known: set[int] = set()
    for name in program_names(text):
        found = functions_named(graph, name)
        best = max(map(weights.share_around, found), default=0.0)
        found = [item for item in found if weights.share_around(item) == best]
        if (
            found
            and len(found) <= Weights.MOST_AROUND
            and known.isdisjoint(item.id for item in found)
        ):
            known.update(item.id for item in found)
            yield found


def _find_hop(
    graph: GraphSnapshot,
    starts: Sequence[Symbol],
    ends: Sequence[Symbol],
    weights: NameWeights,
    sources: FlowSources,
) -> list[FlowStep]:
    """A way from the first of some functions, else from any of them, to one of others."""
    last = [item.id for item in ends]
    for first in ([starts[0].id], [item.id for item in starts]):
        steps = steps_of(graph, _connect(graph, first, last, Weights.LONGEST_HOP))
        if steps and _is_code(graph, steps):
            return steps
    if steps := steps_of(graph, [*islice(calls_by_name(graph, starts[0].id, ends), 1)]):
        return steps
    likely = dict.fromkeys((item.id for item in starts), 1.0), dict.fromkeys(last, 1.0)
    routes = find_route(graph, *likely, weights.weigh, sources.line_of, sources.check)
    return routes[0] if routes else []


def _is_code(graph: GraphSnapshot, steps: Iterable[FlowStep]) -> bool:
    """True if no step is in a test or a sample."""
    return all(callable_symbol(graph, step.symbol.id) is not None for step in steps)


def _direct_route(
    graph: GraphSnapshot, ends: Sequence[Mapping[int, float]], weights: NameWeights
) -> list[list[FlowStep]]:
    """The shortest way of sure calls between the functions that two names mean, in code alone.

    A beginning that dispatches requests calls one for each kind: the way leads over the one that
    the question names, if there is such a way. The search for a likely way looks at fewer
    functions, as it takes less sure steps, too.
    """
    sides = [likeliest(end) for end in ends]
    if not all(sides):
        return []
    starts, last = sides
    way = _connect(graph, starts, last, Weights.LONGEST_WAY)
    for edge in _better_first_steps(graph, way, weights) if len(way) > 1 else ():
        rest = _connect(graph, [edge.target], last, Weights.LONGEST_WAY - 1)
        if rest:
            way = [edge, *rest]
            break
    steps = steps_of(graph, way)
    return [steps] if steps and _is_code(graph, steps) else []


def _connect(
    graph: GraphSnapshot, starts: Sequence[int], ends: Sequence[int], depth: int
) -> Sequence[PlacedEdge]:
    """The sure calls of a shortest way from one of some functions to one of others."""
    calls = up_to(Confidence.CONTRACT, [EdgeType.CALLS])
    (start, *others), (end, *last) = starts, ends
    most, members = Weights.MOST_ON_WAY, (others, last)
    return connect(graph, start, end, calls, depth=depth, budget=most, members=members).edges


def _better_first_steps(
    graph: GraphSnapshot, way: Sequence[PlacedEdge], weights: NameWeights
) -> list[PlacedEdge]:
    """The calls of a way's beginning whose functions have more of the question than its own has."""
    worth: dict[int, float] = {}
    first: dict[int, PlacedEdge] = {}
    calls = up_to(Confidence.CONTRACT, [EdgeType.CALLS])
    for edge in edges_of_parts(graph, way[0].source, calls):
        symbol = callable_symbol(graph, edge.target)
        if symbol is not None and edge.target not in first:
            first[edge.target], worth[edge.target] = edge, weights.weigh(symbol)
    own = worth.get(way[0].target, 0.0)
    better = [number for number, value in worth.items() if value > own]
    better.sort(key=lambda number: (-worth[number], first[number].line))
    return [first[number] for number in better[: Weights.MOST_FIRST_STEPS]]
