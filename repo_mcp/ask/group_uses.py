"""Counts how groups of files, as folders or projects, use one another."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np

from code_graph.query.edges import EdgeFilter
from code_graph.query.snapshot import GraphSnapshot
from code_graph.query.whole import Groups, arrows, busiest
from index_format.tuples import NamedTuple


class GroupUses(NamedTuple):
    """The groups with most uses, by number, and the uses from one to another of them."""

    groups: Collection[int]
    counts: Mapping[tuple[int, int], int]
    left_out: int  # groups that have uses, too


def find_group_uses(
    graph: GraphSnapshot, groups: Groups, chosen: EdgeFilter, most: int
) -> GroupUses:
    """The uses between groups, of no more groups than `most`."""
    between = arrows(graph, groups, chosen)
    shown = busiest(between, most)
    pairs = zip(between.pairs.tolist(), between.counts.tolist(), strict=True)
    counts = {(source, target): count for (source, target), count in pairs}
    inside = {pair: count for pair, count in counts.items() if shown.issuperset(pair)}
    return GroupUses(shown, inside, len(np.unique(between.pairs)) - len(shown))
