"""Orders the nodes of layers so that few edges cross: barycentres, in sweeps down and up."""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

Edge = tuple[int, int]

_SWEEPS: Final = 12


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
