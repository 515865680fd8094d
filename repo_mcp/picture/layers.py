"""Assigns nodes to layers, so that all edges but those that close cycles lead to a later layer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

Edge = tuple[int, int]


class Layers(NamedTuple):
    """The layer of each node, and the edges in the direction in which they lead down.

    `down` has each edge of the graph but loops, those in `back` turned round.
    """

    layer_of: Sequence[int]
    down: Sequence[Edge]
    back: frozenset[Edge]  # as they are in the graph

    @property
    def total(self) -> int:
        """The number of layers."""
        return max(self.layer_of, default=-1) + 1


def assign_layers(nodes: int, edges: Sequence[Edge]) -> Layers:
    """Layers by longest paths; equal arguments give equal layers."""
    following: list[list[int]] = [[] for _ in range(nodes)]
    for source, target in dict.fromkeys(edges):
        if source != target:
            following[source].append(target)
    back = _back_edges(following)
    down = dict.fromkeys(
        (target, source) if (source, target) in back else (source, target)
        for source, rest in enumerate(following)
        for target in rest
    )
    return Layers(_longest_paths(nodes, [*down]), [*down], frozenset(back))


def _back_edges(following: Sequence[Sequence[int]]) -> set[Edge]:
    """Edges to a node on the way to their source, in a search from the nodes nothing leads to."""
    entered = {target for rest in following for target in rest}
    starts = [node for node in range(len(following)) if node not in entered]
    back: set[Edge] = set()
    seen: set[int] = set()
    for start in [*starts, *range(len(following))]:
        if start in seen:
            continue
        seen.add(start)
        way: list[tuple[int, Iterator[int]]] = [(start, iter(following[start]))]
        on_way = {start}
        while way:
            node, rest = way[-1]
            target = next(rest, None)
            if target is None:
                way.pop()
                on_way.discard(node)
            elif target in on_way:
                back.add((node, target))
            elif target not in seen:
                seen.add(target)
                on_way.add(target)
                way.append((target, iter(following[target])))
    return back


def _longest_paths(nodes: int, edges: Sequence[Edge]) -> list[int]:
    """The number of edges on the longest way to each node; there is no cycle."""
    entering = [0] * nodes
    following: list[list[int]] = [[] for _ in range(nodes)]
    for source, target in edges:
        following[source].append(target)
        entering[target] += 1
    layer = [0] * nodes
    ready = [node for node in range(nodes) if not entering[node]]
    for node in ready:  # it grows
        for target in following[node]:
            layer[target] = max(layer[target], layer[node] + 1)
            entering[target] -= 1
            if not entering[target]:
                ready.append(target)
    return _pull_down(layer, ready, following)


def _pull_down(layer: list[int], order: Sequence[int], following: Sequence[list[int]]) -> list[int]:
    """Nodes with edges out only stand directly above what they lead to, so that edges are short."""
    entered = {target for rest in following for target in rest}
    for node in order:
        if following[node] and node not in entered:
            layer[node] = min(layer[target] for target in following[node]) - 1
    return layer
