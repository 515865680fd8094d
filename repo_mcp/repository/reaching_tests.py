"""Finds the tests that reach a symbol, those that are likely about it first."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import PurePosixPath
from typing import Final

from code_graph import language_named
from code_graph.query.edges import reference_count
from code_graph.query.impact import Impact, impact_of
from code_graph.query.model import FUNCTIONS, PlacedEdge, Symbol
from code_graph.query.paths import AFFECTS
from code_graph.query.snapshot import GraphSnapshot
from index_format.analysis.words import terms_of_word
from index_format.tuples import NamedTuple
from repo_mcp.repository.symbol_places import SymbolPlace, cited_place

_MOST_TESTS: Final = 200
# longer than any way: what reaches a caller reaches the symbol, so a list must not end before
_DEPTH: Final = 1_000
_REACH_BUDGET: Final = 1_000
# functions with a call that may be one of the symbol, whose tests are looked for
_MOST_UNSURE: Final = 5
_TEST: Final = "test"
_RUNS: Final = FUNCTIONS | {_TEST}
_TEST_NAME: Final = re.compile(r"test(?![a-z])|Test(?![a-z])|(?:Benchmark|Fuzz|Example)[A-Z_]")
# shorter parts of a name are in the names of many tests
_SHORTEST: Final = 4


class ReachingTests(NamedTuple):
    """The tests that reach a symbol, and other functions of test files that do."""

    tests: Sequence[SymbolPlace]
    helpers: Sequence[SymbolPlace]


def reach_of(graph: GraphSnapshot, symbol: int, *also: int) -> Impact:
    """The symbols that reach one of some symbols over any number of uses, up to a budget."""
    return impact_of(graph, symbol, AFFECTS, depth=_DEPTH, budget=_REACH_BUDGET, also=also)


def reaching_tests(graph: GraphSnapshot, symbol: Symbol, reach: Impact) -> ReachingTests:
    """The tests among the symbols that reach one: named after it, then by distance."""
    stem = PurePosixPath(symbol.path).stem.lower()
    words = {word for word in terms_of_word(symbol.simple_name) if len(word) >= _SHORTEST}
    found = [(item.distance, graph.symbol(item.id)) for item in reach.tests.reached]
    run = [(far, item) for far, item in found if item is not None and item.node_type in _RUNS]

    def nearness(reached: tuple[int, Symbol]) -> tuple[bool, int, bool, str, int]:
        far, item = reached
        is_named = any(word in item.qualified_name.lower() for word in words)
        is_elsewhere = stem not in item.path.lower()
        return not is_named, far, is_elsewhere, item.path, item.start_line

    tests: list[SymbolPlace] = []
    helpers: list[SymbolPlace] = []
    for _, item in sorted(run, key=nearness)[:_MOST_TESTS]:
        (tests if is_run_as_test(graph, item) else helpers).append(cited_place(graph, item))
    return ReachingTests(tests, helpers)


def tests_over(
    graph: GraphSnapshot, symbol: Symbol, calls: Iterable[PlacedEdge]
) -> Sequence[SymbolPlace]:
    """The tests that reach the first functions with some calls."""
    sources = [*dict.fromkeys(edge.source for edge in calls if edge.source)][:_MOST_UNSURE]
    return reaching_tests(graph, symbol, reach_of(graph, *sources)).tests if sources else ()


def is_run_as_test(graph: GraphSnapshot, symbol: Symbol) -> bool:
    """True for a test: by kind or name, or where names say nothing, if no code calls it."""
    if symbol.node_type == _TEST or _TEST_NAME.match(symbol.name) is not None:
        return True
    return not language_named(symbol.language).names_tests and not reference_count(graph, symbol.id)
