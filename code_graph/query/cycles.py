"""Cycles between files, folders or projects, over their imports.

An import of a symbol with parts in several of them, such as a namespace, leads to none
of them: it does not say which it needs.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Final

from code_graph.model import EdgeType
from code_graph.query.edges import EdgeFilter
from code_graph.query.model import PlacedEdge
from code_graph.query.snapshot import GraphSnapshot
from code_graph.query.whole import Groups, arrows, first_edges
from index_format.tuples import NamedTuple

IMPORTS: Final = EdgeFilter((EdgeType.IMPORTS,))
# pairs of nodes that import each other's symbols; with more the graph is not searched
DEFAULT_BUDGET: Final = 4_000_000
_Edges = Mapping[int, Sequence[int]]


class ImportCycle(NamedTuple):
    """Groups of files that all reach each other, and a shortest cycle through the first."""

    members: Sequence[str]
    cycle: Sequence[str]  # its first member stands at the end once more
    numbers: Sequence[int]  # the groups of the cycle


class Cycles(NamedTuple):
    """All cycles, largest first; `truncated` if there is too much to be searched."""

    cycles: Sequence[ImportCycle]
    truncated: bool


def group_cycles(
    graph: GraphSnapshot,
    groups: Groups,
    chosen: EdgeFilter = IMPORTS,
    *,
    budget: int = DEFAULT_BUDGET,
) -> Cycles:
    """Groups of files, as of `whole`, that import each other."""
    pairs = arrows(graph, groups, chosen).pairs
    if len(pairs) > budget:
        return Cycles((), truncated=True)
    edges: dict[int, list[int]] = {}
    for source, target in pairs.tolist():
        edges.setdefault(source, []).append(target)
    parts = (part for part in components(edges) if len(part) > 1)
    found = [_import_cycle(part, edges, groups.name_of) for part in parts]
    return Cycles(
        sorted(found, key=lambda item: (-len(item.members), item.members)), truncated=False
    )


def cycle_places(
    graph: GraphSnapshot,
    groups: Groups,
    cycles: Sequence[ImportCycle],
    chosen: EdgeFilter = IMPORTS,
) -> list[list[PlacedEdge]]:
    """The first place of each step of some cycles."""
    ways = [[*pairwise(item.numbers)] for item in cycles]
    found = first_edges(graph, groups, chosen, {pair for way in ways for pair in way})
    return [[found[pair] for pair in way if pair in found] for way in ways]


def _import_cycle(part: Sequence[int], edges: _Edges, name_of: Callable[[int], str]) -> ImportCycle:
    names = {number: name_of(number) for number in part}
    start = min(part, key=names.__getitem__)
    following = {
        number: sorted((to for to in edges.get(number, ()) if to in names), key=names.__getitem__)
        for number in part
    }
    way = _shortest_cycle(start, following)
    return ImportCycle(sorted(names.values()), [names[number] for number in way], way)


def _shortest_cycle(start: int, edges: _Edges) -> list[int]:
    """A shortest way from a node back to itself; there is one."""
    before: dict[int, int] = {}
    queue = deque([start])
    while queue:
        number = queue.popleft()
        for to in edges[number]:
            if to == start:
                way = [start, number]
                while way[-1] != start:
                    way.append(before[way[-1]])
                return way[::-1]
            if to not in before:
                before[to] = number
                queue.append(to)
    return [start]


def components(edges: _Edges) -> Iterator[list[int]]:
    """Strongly connected components, by Tarjan's algorithm without recursion."""
    # the order in which nodes were found, the earliest one each leads to, and places on the stack
    index: dict[int, int] = {}
    low: dict[int, int] = {}
    stack: dict[int, int] = {}
    work: list[tuple[int, Iterator[int]]] = []

    def enter(number: int) -> None:
        index[number] = low[number] = len(index)
        stack[number] = len(stack)
        work.append((number, iter(edges.get(number, ()))))

    for root in sorted(edges):
        if root not in index:
            enter(root)
        while work:
            number, rest = work[-1]
            for to in rest:
                if to not in index:
                    enter(to)
                    break
                if to in stack:
                    low[number] = min(low[number], index[to])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[number])
                if low[number] == index[number]:
                    yield [stack.popitem()[0] for _ in range(len(stack) - stack[number])]
