"""Finds the lines that have a symbol's name as a word, and that the graph knows no use on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Final

from code_graph.paths.path_kinds import rank_path
from code_graph.query.edges import names_on_lines
from code_graph.query.model import Symbol
from code_graph.query.snapshot import GraphSnapshot
from index_format import Snapshot
from index_format.tuples import NamedTuple
from repo_mcp.budget import Budget
from repo_mcp.search import ExactEngine, ExactQuery

# shorter words are in too many lines, as are those that more lines have
_SHORTEST: Final = 3
_MOST: Final = 400
_SECONDS: Final = 0.5


class WordLine(NamedTuple):
    """A line with a word."""

    path: str
    line: int


class WordLines(NamedTuple):
    """The lines with a word, code first, or some of very many."""

    lines: Sequence[WordLine] = ()
    is_complete: bool = False


def lines_with_word(
    engine: ExactEngine, snapshot: Snapshot | None, budget: Budget, word: str
) -> WordLines:
    """The lines of the repository with a word, as far as there is time for them."""
    if snapshot is None or len(word) < _SHORTEST:
        return WordLines()
    query = ExactQuery((word,), whole_word=True, limit=_MOST, counted=False, columns=False)
    found = engine.find(snapshot, query, budget.within(_SECONDS))
    lines = (WordLine(item.path, item.line) for item in found.matches)
    return WordLines(sorted(lines, key=lambda item: (rank_path(item.path), item)), found.complete)


def find_unlinked_lines(
    graph: GraphSnapshot, symbol: Symbol, lines: Iterable[WordLine]
) -> list[WordLine]:
    """The lines with its name on which the graph has nothing of that name.

    They are comments, texts, documents, and uses that no language's rules resolve.
    """
    word = symbol.simple_name
    left: list[WordLine] = []
    for path, group in groupby(lines, key=lambda item: item.path):
        found = {item.line: item for item in group}
        if path == symbol.path:
            for number in range(symbol.start_line, symbol.end_line + 1):
                found.pop(number, None)
        for number, name in [*names_on_lines(graph, path, found)]:
            if name == word:
                found.pop(number, None)
        left += found.values()
    return left
