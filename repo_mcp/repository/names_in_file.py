"""Names in the lines of a file that are declared in the repository.

The graph knows the symbol of most; of others, and without a graph, the name is known alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from typing import Final

import numpy as np

from code_graph.facts import DamagedFactsError, DeclarationPlaces
from code_graph.query.edges import EdgeFilter, edges_of_rows
from code_graph.query.model import MENTIONS, PlacedEdge
from code_graph.query.names import node_text, symbols_named
from code_graph.query.snapshot import GraphSnapshot
from code_graph.store.schema import FACTS
from code_graph.whole_word import whole_word
from index_format import CorruptIndexError, Snapshot
from index_format.analysis.words import folded
from index_format.tuples import NamedTuple
from repo_mcp.budget import Budget
from repo_mcp.repository.repository import Repository
from repo_mcp.repository.source_files import SourceFiles
from repo_mcp.stored import SYMBOL

_IDENTIFIER: Final = re.compile(r"[^\W\d]\w*")
# files that are looked at for a declaration that is spelled exactly as a name
_FILES_OF_NAME: Final = 12


class NamePlace(NamedTuple):
    """A name in a line; `symbol` is the id of what it means, empty if only the name is known."""

    column: int
    name: str
    symbol: str = ""


Names = Mapping[int, Sequence[NamePlace]]


def names_in(repository: Repository, path: str, rows: Mapping[int, str], budget: Budget) -> Names:
    """Declared names by line, for lines of a file by their numbers, as far as the budget lasts."""
    graph, index = repository.current_graph().graph, repository.current_index().snapshot
    with suppress(CorruptIndexError):  # what needs the index repairs it
        if graph is not None and _is_current(repository, graph, path):
            return _by_line(_linked(graph, path, rows, budget))
        if index is not None and repository.languages.needs_worker(path):
            return _by_line(_spelled(index, rows, budget))
    return {}


def _is_current(repository: Repository, graph: GraphSnapshot, path: str) -> bool:
    is_linked = graph.snapshot.file(path) is not None
    return is_linked and not SourceFiles(repository.sandbox, graph.snapshot).outdated([path])


def _by_line(found: Iterator[tuple[int, NamePlace]]) -> Names:
    """The places in order; of several at one place the first."""
    lines: dict[int, dict[int, NamePlace]] = {}
    for line, place in found:
        lines.setdefault(line, {}).setdefault(place.column, place)
    return {line: [places[column] for column in sorted(places)] for line, places in lines.items()}


def _linked(
    graph: GraphSnapshot, path: str, rows: Mapping[int, str], budget: Budget
) -> Iterator[tuple[int, NamePlace]]:
    """Declarations, uses with a known symbol, and uses of names that something has."""
    for symbol, declaration in graph.outline(path):
        text = rows.get(symbol.start_line, "") if declaration is not None and symbol.id else ""
        found = whole_word(symbol.name).search(text)
        if found is not None:
            place = NamePlace(found.start(), symbol.name, node_text(symbol.id))
            yield symbol.start_line, place
    edges = [
        edge
        for edge in edges_of_rows(graph, path, EdgeFilter(MENTIONS))
        if edge.line in rows and not edge.is_of_module
    ]
    outside = {(edge.line, edge.column) for edge in edges if edge.external}
    for edge in sorted((item for item in edges if not item.external), key=_by_kind):
        found = _IDENTIFIER.match(rows[edge.line], edge.column)
        if found is not None:
            yield edge.line, NamePlace(edge.column, found[0], node_text(edge.target))
    record = graph.snapshot.file(path)
    known: dict[str, bool] = {}
    uses = () if record is None else graph.edges(graph.file_of(record.first_chunk)).unresolved()
    for use in uses:
        found = _IDENTIFIER.match(rows.get(use.line, ""), use.column)
        if found is None or (use.line, use.column) in outside or budget.spent:
            continue
        if found[0] not in known:
            known[found[0]] = bool(symbols_named(graph, found[0], 1)[0])
        if known[found[0]]:
            yield use.line, NamePlace(use.column, found[0])


def _by_kind(edge: PlacedEdge) -> tuple[int, int, bool]:
    """A class before the constructor that its call means."""
    return edge.line, edge.column, edge.type.name == "CALLS"


def _spelled(
    index: Snapshot, rows: Mapping[int, str], budget: Budget
) -> Iterator[tuple[int, NamePlace]]:
    """All words of the lines that are spelled as a declared name."""
    known: dict[str, bool] = {}
    places: dict[str, DeclarationPlaces | None] = {}
    for line, text in rows.items():
        for found in _IDENTIFIER.finditer(text):
            name = found[0]
            if name not in known:
                if budget.spent:
                    return
                known[name] = _is_declared(index, name, places)
            if known[name]:
                yield line, NamePlace(found.start(), name)


def _is_declared(index: Snapshot, name: str, known: dict[str, DeclarationPlaces | None]) -> bool:
    """True if one of the first files with a name declares it in this spelling."""
    field = index.schema.number(SYMBOL)
    if field is None:
        return False
    term = folded(name).encode("utf-8", "surrogatepass")
    for found in index.postings(field, term):
        chunks = found.postings.all()[0].astype(np.int64) + found.segment.base
        numbers = np.searchsorted(index.file_starts, chunks, side="right") - 1
        for path in islice(dict.fromkeys(map(index.path_of, numbers.tolist())), _FILES_OF_NAME):
            if path not in known:
                known[path] = _places(index, path)
            places = known[path]
            if places is not None and any(item.name == name for item in places.named(name)):
                return True
    return False


def _places(index: Snapshot, path: str) -> DeclarationPlaces | None:
    data = index.attachment(path, FACTS)
    with suppress(DamagedFactsError):
        return DeclarationPlaces(data) if data else None
    return None
