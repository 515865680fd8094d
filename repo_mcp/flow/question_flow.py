"""The flow that a question is about: functions likely by their names and by what searches found."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from repo_mcp.flow.likely_functions import (
    FlowSources,
    Passage,
    functions_named,
    likeliest,
    likely_functions,
    symbols_at,
)
from repo_mcp.flow.name_weights import NameWeights
from repo_mcp.flow.named_way import direct_route, way_over_names
from repo_mcp.flow.questions import flow_ends, program_names
from repo_mcp.flow.weights import FlowWeights as Weights

if TYPE_CHECKING:  # most servers have no graph
    from code_graph.query.flow import Flow
    from code_graph.query.model import Symbol
    from code_graph.query.parted import PartedEnds
    from code_graph.query.route import FlowStep
    from code_graph.query.snapshot import GraphSnapshot


def find_question_flow(
    graph: GraphSnapshot, text: str, found: Iterable[Passage], sources: FlowSources
) -> Flow:
    """The flow that a question is about: between its two ends, else from both, and what it names.

    `found` are paths and lines that a search has found for the whole question, best first.
    """
    from code_graph.query.flow import MOST_STEPS, find_flow  # noqa: PLC0415 most servers have no graph
    from code_graph.query.route import outer_parts  # noqa: PLC0415 as above

    weights = NameWeights(text)
    way = way_over_names(graph, text, weights, sources)
    ends, named = ([], way.named) if way.parts else _find_ends(graph, text, sources)
    routes = way.parts or (direct_route(graph, ends, weights) if named else [])
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
    from code_graph.query.parted import find_parted_ends  # noqa: PLC0415 most servers have no graph

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
    from code_graph.query.route import find_route  # noqa: PLC0415 most servers have no graph

    if not ends:
        return []
    starts, last = ends
    given = graph, starts, last, weights.weigh, sources.line_of, sources.check
    return find_route(*given, goes_back=goes_back)
