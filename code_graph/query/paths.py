"""Searches for symbols that reach another over several edges; each has a budget of symbols.

Searches go breadth first, the symbols of a step in the order of their ids, so that equal questions
get equal answers. They see ids and terms only; places are looked up for the answer alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Final

import numpy as np

from code_graph.model import EdgeType
from code_graph.query.edges import EdgeFilter, having_edges
from code_graph.query.model import LISTED, SURE, PlacedEdge
from code_graph.query.neighbours import (
    CALLS,
    is_sure,
    members_of,
    place_of,
    source_ids,
    targets_of,
)
from code_graph.query.own_calls import OwnCalls
from code_graph.query.snapshot import GraphSnapshot
from index_format.tuples import NamedTuple

# edges over which a change of their target may change what their source does
AFFECTS: Final = EdgeFilter(
    (
        *(EdgeType.CALLS, EdgeType.INHERITS, EdgeType.IMPLEMENTS, EdgeType.IMPORTS),
        *(EdgeType.OVERRIDES, EdgeType.REFERENCES, EdgeType.ACCEPTS, EdgeType.EXTENDS),
    )
)
# with calls that may run an override
MAY_AFFECT: Final = EdgeFilter(AFFECTS.types, LISTED)
DEFAULT_BUDGET: Final = 2000
# symbols of a step that are asked about together: a budget may end between them
_AT_ONCE: Final = 2000


class ReachedSymbol(NamedTuple):
    """A symbol that reaches the one asked for, or is reached, and the next one on the way."""

    id: int
    distance: int
    next: int


class Closure(NamedTuple):
    """All symbols that reach one, nearest first; `truncated` if the budget ended the search."""

    reached: Sequence[ReachedSymbol]
    truncated: bool

    def ways(self) -> dict[int, list[int]]:
        """The ids on a shortest way from each reached symbol to the one asked for."""
        found: dict[int, list[int]] = {}
        for item in self.reached:
            found[item.id] = [item.id, *found.get(item.next, [item.next])]
        return found


class ShortestPath(NamedTuple):
    """A shortest way from one symbol to another: an edge for each step, none if there is no way."""

    edges: Sequence[PlacedEdge]
    truncated: bool


def closure(  # noqa: PLR0913 the ways to limit it
    graph: GraphSnapshot,
    target: int,
    chosen: EdgeFilter = CALLS,
    *,
    depth: int,
    budget: int = DEFAULT_BUDGET,
    also: Iterable[int] = (),
    without: Iterable[int] = (),
    forward: bool = False,
    through_files: bool = True,
) -> Closure:
    """The symbols that reach `target` over at most `depth` edges, as many as the budget allows.

    Over CALLS these are the callers of callers, over AFFECTS what a change of the target may
    affect; `forward` gives what the target reaches. `also` are symbols that count as the target,
    such as its members; those `without` which it is are passed over, as ways from them are known.
    Without `through_files` a file that is reached is not gone on from:
    everything that imports it would follow.
    """
    found: list[ReachedSymbol] = []
    step = [target, *sorted({*also} - {target})]
    known = {*step, *without}
    budget += len(known) - 1
    judge = None if is_sure(chosen) else OwnCalls(graph)
    for distance in range(1, depth + 1):
        following: dict[int, int] = {}
        for number, source in _pairs(graph, step, chosen, judge, forward=forward):
            if source in known:
                continue
            if len(known) > budget:
                found += _reached(following, distance)
                return Closure(found, truncated=True)
            known.add(source)
            following[source] = number
        found += _reached(following, distance)
        step = sorted(following) if through_files else _without_files(graph, following)
        if not step:
            break
    return Closure(found, truncated=False)


def _pairs(
    graph: GraphSnapshot,
    step: Sequence[int],
    chosen: EdgeFilter,
    judge: OwnCalls | None,
    *,
    forward: bool,
) -> Iterator[tuple[int, int]]:
    """Each symbol of a step with each of its successors, by id."""
    if forward:
        yield from ((one, other) for one in step for other in targets_of(graph, one, chosen))
        return
    if judge is not None:
        for number in step:
            yield from ((number, other) for other in source_ids(graph, number, chosen, judge))
        return
    for begin in range(0, len(step), _AT_ONCE):
        sources = having_edges(graph, step[begin : begin + _AT_ONCE], chosen)
        for number, own in sources.items():
            yield from ((number, source) for source in own)


def _without_files(graph: GraphSnapshot, ids: Iterable[int]) -> list[int]:
    """The symbols among these that are not files, ascending."""
    ordered = np.sort(np.fromiter(ids, dtype=np.uint64))
    files = graph.file_ids
    places = np.minimum(files.searchsorted(ordered), len(files) - 1)
    kept: list[int] = ordered[files[places] != ordered].tolist() if len(files) else ordered.tolist()
    return kept


def evidence(graph: GraphSnapshot, way: Sequence[int], chosen: EdgeFilter) -> list[PlacedEdge]:
    """The first place of each step of a way."""
    places = (place_of(graph, source, target, chosen) for source, target in pairwise(way))
    return [place for place in places if place is not None]


def connect(
    graph: GraphSnapshot,
    source: int,
    target: int,
    chosen: EdgeFilter = AFFECTS,
    *,
    depth: int = 12,
    budget: int = DEFAULT_BUDGET,
    members: tuple[Iterable[int], Iterable[int]] = ((), ()),
) -> ShortestPath:
    """Why one symbol depends on another: a shortest way, searched from both ends.

    `members` of the two count as they do: the way may begin and end with one of them.
    """
    ahead, behind = _Side([source, *members[0]]), _Side([target, *members[1]])
    if not ahead.known.keys().isdisjoint(behind.known):
        return ShortestPath((), truncated=False)
    budget += len(ahead.known) + len(behind.known)

    judge = OwnCalls(graph)

    def forward(number: int) -> Iterable[int]:
        return targets_of(graph, number, chosen)

    def backward(number: int) -> Iterable[int]:
        return source_ids(graph, number, chosen, judge)

    for _ in range(depth):
        if not ahead.step or not behind.step:
            return ShortestPath((), truncated=False)
        if len(ahead.known) + len(behind.known) > budget:
            return ShortestPath((), truncated=True)
        side, other, ask = (
            (ahead, behind, forward)
            if len(ahead.step) <= len(behind.step)
            else (behind, ahead, backward)
        )
        meeting = side.advance(ask, other.known, budget)
        if meeting is not None:
            way = [*reversed(ahead.way(meeting)), *behind.way(meeting)[1:]]
            return ShortestPath(evidence(graph, way, chosen), side.truncated)
        if side.truncated:
            break
    return ShortestPath((), truncated=True)


def explain_dependence(
    graph: GraphSnapshot,
    source: int,
    target: int,
    confidences: Sequence[int],
    *,
    depth: int = 12,
    budget: int = DEFAULT_BUDGET,
) -> ShortestPath:
    """A way of calls if there is one, of sure ones first: imports connect almost everything.

    The members of both count as they do; what contains the other does not depend on it.
    """
    members = members_of(graph, source), members_of(graph, target)
    if target in members[0] or source in members[1]:
        return ShortestPath((), truncated=False)
    found = ShortestPath((), truncated=False)
    sure = tuple(item for item in confidences if item in SURE)
    calls = (EdgeFilter(CALLS.types, sure), EdgeFilter(CALLS.types, confidences))
    for chosen in dict.fromkeys((*calls, EdgeFilter(AFFECTS.types, confidences))):
        found = connect(graph, source, target, chosen, depth=depth, budget=budget, members=members)
        if found.edges:
            break
    return found


def explain_either_way(
    graph: GraphSnapshot,
    source: int,
    target: int,
    confidences: Sequence[int],
    *,
    depth: int = 12,
    budget: int = DEFAULT_BUDGET,
) -> tuple[ShortestPath, bool]:
    """A way from one symbol to the other, or back if there is none, and whether it leads back."""
    found = explain_dependence(graph, source, target, confidences, depth=depth, budget=budget)
    if found.edges or source == target:
        return found, False
    back = explain_dependence(graph, target, source, confidences, depth=depth, budget=budget)
    if not back.edges:
        return found, False
    return back._replace(truncated=found.truncated), True


def _reached(following: Mapping[int, int], distance: int) -> Iterator[ReachedSymbol]:
    for number in sorted(following):
        yield ReachedSymbol(number, distance, following[number])


class _Side:
    """One end of a search from both ends."""

    def __init__(self, starts: Sequence[int]) -> None:
        self.known = {start: start for start in starts}
        self.step = sorted(self.known)
        self.truncated = False

    def advance(
        self, ask: Callable[[int], Iterable[int]], others: Mapping[int, int], budget: int
    ) -> int | None:
        """Take one step; the smallest id at which the two sides meet."""
        fresh: list[int] = []
        for number in self.step:
            neighbours = [item for item in ask(number) if item not in self.known]
            self.truncated |= len(fresh) + len(neighbours) > budget
            neighbours = neighbours[: max(0, budget - len(fresh))]
            self.known.update(dict.fromkeys(neighbours, number))
            fresh += neighbours
        self.step = sorted(fresh)
        return min((number for number in fresh if number in others), default=None)

    def way(self, number: int) -> list[int]:
        """The ids from a symbol back to the start."""
        ids = [number]
        while self.known[ids[-1]] != ids[-1]:
            ids.append(self.known[ids[-1]])
        return ids
