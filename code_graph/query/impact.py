"""Symbols that a change of one symbol may affect, in code and in tests."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from code_graph.paths.path_kinds import is_test
from code_graph.query.edges import EdgeFilter
from code_graph.query.neighbours import members_of
from code_graph.query.paths import Closure, ReachedSymbol, closure
from code_graph.query.snapshot import GraphSnapshot
from index_format.tuples import NamedTuple

IMPACT_BUDGET: Final = 5_000


class Impact(NamedTuple):
    """Symbols of code and of tests that reach some symbols or their members, nearest first."""

    code: Closure
    tests: Closure
    members: Sequence[int]
    files: int  # that they are in
    whole: Closure  # code and tests together

    @property
    def affected(self) -> int:
        """The number of symbols in code and tests."""
        return len(self.code.reached) + len(self.tests.reached)


def impact_of(
    graph: GraphSnapshot,
    ids: Sequence[int],
    chosen: EdgeFilter,
    *,
    depth: int,
    budget: int = IMPACT_BUDGET,
) -> Impact:
    """The symbols that reach one of these, or one inside of them, in at most `depth` steps."""
    members = sorted({member for number in ids for member in members_of(graph, number)})
    also = [*members, *ids]
    found = closure(
        graph, ids[0], chosen, depth=depth, budget=budget, also=also, through_files=False
    )
    tests: list[ReachedSymbol] = []
    code: list[ReachedSymbol] = []
    paths: set[str] = set()
    for item in found.reached:
        symbol = graph.symbol(item.id)
        if symbol is not None:
            paths.add(symbol.path)
        (tests if symbol is not None and is_test(symbol.path) else code).append(item)
    parts = found._replace(reached=code), found._replace(reached=tests)
    return Impact(*parts, members, len(paths), found)
