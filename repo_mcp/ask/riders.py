"""Tells beside lines that an answer shows anyway how often the declaration around them is used.

The numbers are read off the dictionary of a linked graph.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

from code_graph.facts import DeclarationPlaces, DeclarationSpan
from code_graph.model import EdgeType
from code_graph.query.edges import EdgeFilter, chunks_into
from code_graph.query.snapshot import GraphSnapshot
from code_graph.store.schema import FACTS
from index_format import CorruptIndexError, Snapshot
from index_format.analysis.content import fingerprint
from index_format.tuples import NamedTuple
from repo_mcp.model import DeclaredPlace
from repo_mcp.repository import Repository


class Rider(NamedTuple):
    """The numbers of places that surely use a declaration: of code, and of tests."""

    uses: int
    tests: int


# other types of edges stand at places that have one of these, or make a subtype
_USES: Final = EdgeFilter((EdgeType.CALLS, EdgeType.REFERENCES))


def find_riders(
    repository: Repository, graph: GraphSnapshot, places: Iterable[DeclaredPlace | None]
) -> Sequence[Rider | None]:
    """The rider of each declaration at its first place; None where the graph does not have it.

    The graph is of the text in which the places are.
    """
    try:
        return _count_uses(graph, places)
    except CorruptIndexError:  # the next answer has them again
        repository.relink_damaged_graph()
        return ()


def declared_around(
    snapshot: Snapshot, path: str, data: bytes, first: int, last: int
) -> DeclarationSpan | None:
    """The declaration that most of some lines are in, and that has fewest others.

    Lines above a function, as its comment, make it no other one. None if none is, or the index has
    another text of the file.
    """
    record, facts = snapshot.file(path), snapshot.attachment(path, FACTS)
    if record is None or record.fingerprint != fingerprint(data) or not facts:
        return None
    around = (
        span
        for span in DeclarationPlaces(facts).between(first, last)
        if 2 * _common(span, first, last) > last - first + 1
    )
    return max(around, key=lambda span: _likeness(span, first, last), default=None)


def _common(span: DeclarationSpan, first: int, last: int) -> int:
    """The number of lines that both have."""
    return min(span.end_line, last) - max(span.start_line, first) + 1


def _likeness(span: DeclarationSpan, first: int, last: int) -> float:
    """The part of the lines of both that are common."""
    every = max(span.end_line, last) - min(span.start_line, first) + 1
    return _common(span, first, last) / every


def _count_uses(
    graph: GraphSnapshot, places: Iterable[DeclaredPlace | None]
) -> Sequence[Rider | None]:
    symbols = [None if place is None else _symbol_at(graph, place) for place in places]
    ids = [*dict.fromkeys(symbol for symbol in symbols if symbol is not None)]
    into = chunks_into(graph, ids, _USES)
    files = graph.files_of(into.chunks).tolist()
    in_tests = {file: graph.is_test(file) for file in {*files}}
    counts: Counter[tuple[int, bool]] = Counter()
    for at, file, count in zip(into.which.tolist(), files, into.counts.tolist(), strict=True):
        counts[ids[at], in_tests[file]] += count
    left = {symbol: Rider(counts[symbol, False], counts[symbol, True]) for symbol in ids}
    return [None if symbol is None else left.pop(symbol, None) for symbol in symbols]


def _symbol_at(graph: GraphSnapshot, place: DeclaredPlace) -> int | None:
    """The symbol of a declaration by id; None if the graph lacks it."""
    record = graph.snapshot.file(place.path)
    # the first chunk of a file is the file itself
    chunk = 0 if record is None else record.first_chunk + 1 + place.number
    return None if record is None or chunk >= record.last_chunk else int(graph.ids[chunk]) or None
