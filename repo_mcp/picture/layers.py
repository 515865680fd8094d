"""Assigns nodes to layers and orders them there.

All edges but those that close cycles lead to a later layer, and few cross: barycentres decide, in
sweeps down and up.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from index_format.tuples import NamedTuple

Edge = tuple[int, int]
_SWEEPS: Final = 12


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


def order_layers(layers: Sequence[Sequence[int]], edges: Sequence[Edge]) -> list[list[int]]:
    """The layers with their nodes in order; each edge leads from a layer to the next one."""
    above: dict[int, list[int]] = {}
    below: dict[int, list[int]] = {}
    for source, target in edges:
        above.setdefault(target, []).append(source)
        below.setdefault(source, []).append(target)
    now = [list(layer) for layer in layers]
    best, fewest = now, count_crossings(now, below)
    for sweep in range(_SWEEPS):
        if not fewest:
            break
        now = _sweep(now, below if sweep % 2 else above, upwards=bool(sweep % 2))
        crossings = count_crossings(now, below)
        if crossings < fewest:
            best, fewest = now, crossings
    return best


def count_crossings(layers: Sequence[Sequence[int]], below: dict[int, list[int]]) -> int:
    """The number of crossings of edges between neighbouring layers."""
    crossings = 0
    for upper, lower in pairwise(layers):
        place = {node: at for at, node in enumerate(lower)}
        ends: list[int] = []
        for node in upper:
            targets = sorted(place[target] for target in below.get(node, ()))
            crossings += sum(len(ends) - bisect_right(ends, target) for target in targets)
            for target in targets:
                insort(ends, target)
    return crossings


def _sweep(
    layers: Sequence[list[int]], neighbours: dict[int, list[int]], *, upwards: bool
) -> list[list[int]]:
    """Each layer by the mean place of its nodes' neighbours in the layer done before."""
    found = [list(layer) for layer in layers]
    numbers = range(len(found) - 2, -1, -1) if upwards else range(1, len(found))
    for number in numbers:
        before = found[number + 1 if upwards else number - 1]
        place = {node: at for at, node in enumerate(before)}
        means: dict[int, float] = {}
        for at, node in enumerate(found[number]):
            places = [place[other] for other in neighbours.get(node, ())]
            means[node] = sum(places) / len(places) if places else float(at)
        found[number] = sorted(found[number], key=means.__getitem__)
    return found
