"""Gathers what reads and names a variable of the environment, which no file declares.

Its name in capitals stands in code as a whole text, or as a key. A variable of the program that
gets its value is used in its place.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import groupby
from typing import Final

from code_graph.language_table import language_named
from code_graph.paths.path_kinds import PROSE, is_test, rank_path
from code_graph.query.edges import EdgeFilter, edges_into
from code_graph.query.model import USES, VALUES, Symbol
from code_graph.query.names import innermost
from code_graph.query.snapshot import GraphSnapshot
from code_graph.word_places import WordPlace, word_places
from repo_mcp.repository.source_files import SourceFiles
from repo_mcp.repository.symbol_places import SymbolPlace, local_name
from repo_mcp.repository.symbol_summary import (
    SymbolDefinition,
    SymbolRelations,
    SymbolSummary,
    SymbolUse,
    use_at,
)
from repo_mcp.repository.word_lines import UnlinkedLines, WordLine, WordLines
from repo_mcp.text.cutting import cut

_NAME: Final = re.compile(r"[A-Z][A-Z0-9]*_[A-Z0-9_]+")
_KIND: Final = "setting"
_MOST_USES: Final = 100
_WIDEST: Final = 160
_USES: Final = EdgeFilter(USES)


def summarize_setting(
    graph: GraphSnapshot, files: SourceFiles, name: str, lines: Callable[[str], WordLines]
) -> SymbolSummary | None:
    """The places that read a name in capitals, if it is one that is declared nowhere."""
    if not _NAME.fullmatch(name):
        return None
    found = lines(name)
    uses: list[SymbolUse] = []
    others: list[WordLine] = []
    through: dict[int, Symbol] = {}
    documents = 0
    for path, group in groupby(found.lines, key=lambda item: item.path):
        rows = [*group]
        if rank_path(path) >= PROSE:
            documents += len(rows)
            continue
        places = _places(graph, files, path, name)
        if places is None:  # no code: it may be set there
            others += rows
            continue
        for row in rows:
            if places.get(row.line) != WordPlace.PROSE:
                around = innermost(graph, row.path, row.line)
                uses.append(_use(graph, files, row, around))
                if around is not None and around.node_type in VALUES and not is_test(path):
                    through[around.id] = around
    if not uses:
        return None
    for symbol in through.values():
        uses += _uses_of(graph, files, symbol)
    uses.sort(key=lambda use: rank_path(use.path))
    return _summary(graph, name, uses, UnlinkedLines(others, 0, documents), found.is_complete)


def _summary(
    graph: GraphSnapshot,
    name: str,
    uses: list[SymbolUse],
    others: UnlinkedLines,
    is_complete: bool,  # noqa: FBT001 one of several values of a record
) -> SymbolSummary:
    first = uses[0]
    rows = graph.outline(first.path)
    place = SymbolPlace(name, _KIND, first.path, first.line, first.line)
    language = rows[0][0].language if rows else ""
    definition = SymbolDefinition(place, language, [(first.line, first.text)], is_whole=True)
    relations = SymbolRelations.of_uses(
        [use for use in uses if not is_test(use.path)],
        [use for use in uses if is_test(use.path)],
        others if is_complete else None,
    )
    return SymbolSummary(definition, (), (), relations)


def _places(
    graph: GraphSnapshot, files: SourceFiles, path: str, name: str
) -> dict[int, WordPlace] | None:
    """The kinds of places of a name in a file of code; None for other files."""
    rows = graph.outline(path)
    language = language_named(rows[0][0].language) if rows else None
    if language is None or not language.rules:
        return None
    return dict(word_places(files.text(path), language, name))


def _use(
    graph: GraphSnapshot, files: SourceFiles, row: WordLine, around: Symbol | None
) -> SymbolUse:
    text = cut(files.line(row.path, row.line), _WIDEST)
    inside = "" if around is None else local_name(graph, around)
    return SymbolUse(inside, "references", _KIND, row.path, row.line, text)


def _uses_of(graph: GraphSnapshot, files: SourceFiles, symbol: Symbol) -> Iterator[SymbolUse]:
    """The uses of a variable that gets the value of a setting."""
    for edge in edges_into(graph, symbol.id, _USES, limit=_MOST_USES).edges:
        yield use_at(graph, files, edge)._replace(kind=f"through {symbol.name}")
