"""Finds the lines that have a symbol's name as a word, and that the graph knows no use on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Final, NamedTuple

from code_graph.model import Confidence
from code_graph.paths.path_kinds import rank_path
from code_graph.query.edges import EdgeFilter, edges_of_rows, unresolved_in
from code_graph.query.model import ALL_TYPES, Symbol
from code_graph.query.snapshot import GraphSnapshot
from code_graph.store.terms import last_name
from index_format import Snapshot
from repo_mcp.budget import Budget
from repo_mcp.search import ExactEngine, ExactQuery

_EVERY: Final = EdgeFilter(ALL_TYPES, tuple(Confidence))
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
    """Those of the lines with its name that the graph has nothing of that name on.

    They are comments, texts, documents, and uses that no language's rules resolve.
    """
    word, last = symbol.simple_name, symbol.end_line
    left: list[WordLine] = []
    for path, group in groupby(lines, key=lambda item: item.path):
        known = _known_lines(graph, path, word)
        own = range(symbol.start_line, last + 1) if path == symbol.path else range(0)
        left += [item for item in group if item.line not in known and item.line not in own]
    return left


def _known_lines(graph: GraphSnapshot, path: str, word: str) -> set[int]:
    """The lines of a file that declare the name, or use a symbol of it."""
    names: dict[int, bool] = {}
    found = {item.name_line for _, item in graph.outline(path) if item and item.name == word}
    for edge in edges_of_rows(graph, path, _EVERY):
        if edge.external:
            is_named = last_name(edge.external) == word
        else:
            is_named = names.get(edge.target, False)
            if edge.target not in names:
                target = graph.symbol(edge.target)
                is_named = target is not None and target.simple_name == word
                names[edge.target] = is_named
        if is_named:
            found.add(edge.line)
    found.update(use.line for use in unresolved_in(graph, path) if last_name(use.name) == word)
    return found
