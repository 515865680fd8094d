"""Edges into a symbol and out of it, by path and line, a page at a time.

The dictionary says how often each declaration has an edge to a target, so that only the files of
the page are decoded, and counts cost nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import product
from typing import Final

import numpy as np

from code_graph.model import Confidence, EdgeType, UnresolvedUse
from code_graph.query.id_postings import IdPostings
from code_graph.query.model import ALL_TYPES, SURE, USES, Completeness, EdgePage, PlacedEdge
from code_graph.query.snapshot import I64, MOST_PARTS, U32, GraphSnapshot, Mask, distinct
from code_graph.store.records import EdgeColumns
from code_graph.store.schema import TARGET, UNLINKED
from code_graph.store.terms import (
    CONFIDENCES,
    external_term,
    last_name,
    target_prefix,
    unresolved_term,
)
from index_format.tuples import NamedTuple

_TYPES: Final = tuple(EdgeType)
_CONFIDENCE: Final = tuple(map(Confidence, CONFIDENCES))


@lru_cache(64)
def _tables(types: tuple[int, ...], confidences: tuple[int, ...]) -> tuple[Mask, Mask]:
    """By type and by strategy, true if it passes."""
    passed = [kind in types for kind in EdgeType]
    return np.array(passed), np.array([confidence in confidences for confidence in CONFIDENCES])


@lru_cache(64)
def _heads(types: tuple[int, ...], confidences: tuple[int, ...]) -> bytes:
    return b"".join(target_prefix(*pair) for pair in product(types, confidences))


class EdgeFilter(NamedTuple):
    """A filter of edges: by types and confidence."""

    types: Sequence[int] = ALL_TYPES
    confidences: Sequence[int] = SURE

    def select(self, edges: EdgeColumns, target: int | None = None) -> I64:
        """The numbers of the edges that pass."""
        types, strategies = _tables(tuple(self.types), tuple(self.confidences))
        passed = types[edges.types] & strategies[edges.strategies]
        if target is not None:
            passed &= edges.targets == np.uint64(target)
        return passed.nonzero()[0]

    @property
    def heads(self) -> bytes:
        """The first bytes of the terms of all edges that pass."""
        return _heads(tuple(self.types), tuple(self.confidences))


_ANY: Final = EdgeFilter()
# from a type to what it is built on
BASES: Final = EdgeFilter((EdgeType.INHERITS, EdgeType.IMPLEMENTS, EdgeType.EXTENDS))
# an import alone does nothing with a symbol
USED: Final = EdgeFilter(tuple(kind for kind in USES if kind is not EdgeType.IMPORTS))


def edges_into(
    graph: GraphSnapshot, target: int, chosen: EdgeFilter = _ANY, *, offset: int = 0, limit: int
) -> EdgePage:
    """The places that mean a symbol, which may be one that is declared outside."""
    chunks, counts = sources_of(graph, target, chosen)
    total = int(counts.sum(dtype=np.int64))
    files, first = group_by_file(graph, chunks)
    ordered = graph.in_path_order(np.arange(len(files)), files)
    # edges up to the end of each file, in path order
    held = np.add.reduceat(counts, first, dtype=np.int64) if len(files) else counts
    ends = np.cumsum(held[ordered], dtype=np.int64)
    begin = int(np.searchsorted(ends, offset, side="right"))
    end = int(np.searchsorted(ends, offset + limit))
    found: list[PlacedEdge] = []
    for group in ordered[begin : end + 1].tolist():
        own = distinct(chunks[first[group] : first[group + 1] if group + 1 < len(files) else None])
        found += _edges_of_file(graph, int(files[group]), own, chosen, target)
    before = offset - (int(ends[begin - 1]) if begin else 0)
    found = found[before : before + limit]
    left = offset + limit if offset + limit < total else None
    name, language = _name_of(graph, target, found)
    return EdgePage(
        found,
        Completeness(
            total,
            unresolved_uses(graph, name, chosen.types, language),
            external_uses(graph, name, chosen.types, language),
            left is not None,
        ),
        left,
    )


def edges_out_of(
    graph: GraphSnapshot, source: int, chosen: EdgeFilter = _ANY, *, offset: int = 0, limit: int
) -> EdgePage:
    """The edges from a symbol and all its parts, external targets among them."""
    parts = graph.parts(source)
    found = [*known_edges(graph, source, chosen)]
    unresolved = sum(use.type in chosen.types for use in _unresolved_of(graph, parts))
    external = sum(bool(edge.external) for edge in found)
    left = offset + limit if offset + limit < len(found) else None
    truncated = left is not None or len(parts) >= MOST_PARTS
    counts = Completeness(len(found) - external, unresolved, external, truncated)
    return EdgePage(found[offset : offset + limit], counts, left)


def group_by_file(graph: GraphSnapshot, chunks: I64) -> tuple[I64, I64]:
    """The files of ascending chunks by number, and where the chunks of each begin."""
    files = graph.files_of(chunks)
    new = np.ones(len(files), dtype=np.bool_)
    np.not_equal(files[1:], files[:-1], out=new[1:])
    first = new.nonzero()[0]
    return files[first], first


def chunks_by_file(graph: GraphSnapshot, chunks: I64) -> Iterator[tuple[int, I64]]:
    """The files of ascending chunks in path order, each with its chunks."""
    files, first = group_by_file(graph, chunks)
    bounds = [*first.tolist(), len(chunks)]
    for group in graph.in_path_order(np.arange(len(files)), files).tolist():
        yield int(files[group]), chunks[bounds[group] : bounds[group + 1]]


def edges_of_parts(
    graph: GraphSnapshot, source: int, chosen: EdgeFilter, target: int | None = None
) -> Iterator[PlacedEdge]:
    """The edges of all parts of a symbol by path and line, to one target if it is given."""
    parts = np.sort(np.array(graph.parts(source), dtype=np.int64))
    for file, own in chunks_by_file(graph, parts):
        yield from _edges_of_file(graph, file, own, chosen, target)


def known_edges(graph: GraphSnapshot, source: int, chosen: EdgeFilter) -> Iterator[PlacedEdge]:
    """The edges of all parts of a symbol whose targets have a name.

    The graph lacks declarations of files that are to be linked again.
    """
    for edge in edges_of_parts(graph, source, chosen):
        if edge.external or graph.symbol(edge.target) is not None:
            yield edge


def edges_of_rows(graph: GraphSnapshot, path: str, chosen: EdgeFilter) -> list[PlacedEdge]:
    """The edges of a file and of all its declarations by line and column."""
    record = graph.snapshot.file(path)
    if record is None:
        return []
    chunks = np.arange(record.first_chunk, record.last_chunk)
    return _edges_of_file(graph, graph.file_of(record.first_chunk), chunks, chosen)


class NameOnLine(NamedTuple):
    """A simple name that a line declares or uses."""

    line: int
    name: str
    # the id of what it means; 0 if that is declared outside, or unknown
    symbol: int = 0
    # the type of the edge; -1 where the symbol is declared
    type: int = -1
    is_unknown: bool = False


def names_on_lines(graph: GraphSnapshot, path: str, lines: Iterable[int]) -> Iterator[NameOnLine]:
    """The simple names that a file declares or uses on some lines."""
    record = graph.snapshot.file(path)
    if record is None:
        return
    wanted = set(lines)
    for at, item in enumerate(graph.facts(path).declarations if wanted else (), 1):
        if item.name_line in wanted:
            chunk = record.first_chunk + at
            symbol = graph.ids_of([chunk])[0] if chunk < record.last_chunk else 0
            yield NameOnLine(item.name_line, item.name, symbol)
    edges = graph.edges(graph.file_of(record.first_chunk))
    _, columns = edges.of_all_rows()
    picked = [at for at, line in enumerate(columns.lines.tolist()) if line in wanted]
    names: dict[int, str] = {}
    for at in picked:
        target = int(columns.targets[at])
        external = edges.external.get(target, "")
        if target not in names:
            meant = None if external else graph.symbol(target)
            names[target] = last_name(external) if meant is None else meant.simple_name
        own = 0 if external else target
        yield NameOnLine(int(columns.lines[at]), names[target], own, int(columns.types[at]))
    for use in edges.unresolved():
        if use.line in wanted:
            yield NameOnLine(use.line, last_name(use.name), type=use.type, is_unknown=True)


def edges_of_chunk(graph: GraphSnapshot, chunk: int, chosen: EdgeFilter) -> list[PlacedEdge]:
    """The edges of one declaration by line and column."""
    return _edges_of_file(graph, graph.file_of(chunk), np.array([chunk], dtype=np.int64), chosen)


def reference_count(graph: GraphSnapshot, target: int) -> int:
    """The number of places that certainly use a symbol."""
    return int(sources_of(graph, target, EdgeFilter(USES))[1].sum(dtype=np.int64))


def sources_of(graph: GraphSnapshot, target: int, chosen: EdgeFilter) -> tuple[I64, U32]:
    """The chunks with edges to a target, ascending, some repeatedly, and how many each has."""
    _, chunks, counts = graph.holding(TARGET, np.array([target], dtype=np.uint64), chosen.heads)
    return chunks, counts


def ids_into(graph: GraphSnapshot, target: int, chosen: EdgeFilter) -> list[int]:
    """The symbols with edges to a target, ascending, each once."""
    return sorted({*graph.ids_of(sources_of(graph, target, chosen)[0])} - {0})


def chunks_into(graph: GraphSnapshot, targets: Sequence[int], chosen: EdgeFilter) -> IdPostings:
    """The chunks with edges to each of some targets: `sources_of` for all of them at once."""
    return graph.holding(TARGET, np.array(targets, dtype=np.uint64), chosen.heads)


def having_edges(
    graph: GraphSnapshot, targets: Iterable[int], chosen: EdgeFilter
) -> dict[int, list[int]]:
    """The symbols with edges to each of some targets, by id; targets without any are left out."""
    wanted = [*targets]
    found = chunks_into(graph, wanted, chosen)
    sources: dict[int, set[int]] = {}
    for at, source in zip(found.which.tolist(), graph.ids_of(found.chunks), strict=True):
        if source:
            sources.setdefault(wanted[at], set()).add(source)
    return {target: sorted(own) for target, own in sources.items()}


def unresolved_uses(
    graph: GraphSnapshot, name: str, types: Sequence[int] = ALL_TYPES, language: str = ""
) -> int:
    """The number of a name's uses whose target is unknown.

    Here and below, uses in code that may name declarations of a `language` count, if one is given.
    """
    return _occurrences(graph, (unresolved_term(kind, name) for kind in types), name, language)


def unresolved_places(
    graph: GraphSnapshot, name: str, types: Sequence[int] = ALL_TYPES, language: str = ""
) -> Iterator[tuple[str, int]]:
    """The paths and lines of the uses that `unresolved_uses` counts, by path."""
    for file, use in unresolved_named(graph, name, types, language):
        yield graph.path_of(file), use.line


def unresolved_named(
    graph: GraphSnapshot, name: str, types: Sequence[int], language: str = ""
) -> Iterator[tuple[int, UnresolvedUse]]:
    """The uses of a name whose target is unknown, each with the number of its file, by path."""
    terms = [unresolved_term(kind, name) for kind in types] if name else []
    wanted = last_name(name)
    for file, own in chunks_by_file(graph, _unlinked_chunks(graph, terms, language)):
        rows = {*(own - int(graph.snapshot.file_starts[file])).tolist()}
        for use in graph.edges(file).unresolved():
            is_named = last_name(use.name) == wanted
            if use.source in rows and is_named and use.type in types:
                yield file, use


def unresolved_of(
    graph: GraphSnapshot, source: int, types: Sequence[int] = ALL_TYPES
) -> list[UnresolvedUse]:
    """The uses in a symbol and all its parts whose target is unknown, by line and column."""
    found = (use for use in _unresolved_of(graph, graph.parts(source)) if use.type in types)
    return sorted(found, key=lambda use: (use.line, use.column))


def external_uses(
    graph: GraphSnapshot, name: str, types: Sequence[int] = ALL_TYPES, language: str = ""
) -> int:
    """The number of a name's uses that refer to an external symbol or to part of its result."""
    return _occurrences(graph, (external_term(kind, name) for kind in types), name, language)


def external_places(
    graph: GraphSnapshot, name: str, types: Sequence[int] = ALL_TYPES, language: str = ""
) -> Iterator[PlacedEdge]:
    """The uses that `external_uses` counts, by path and line."""
    terms = [external_term(kind, name) for kind in types] if name else []
    chunks = _unlinked_chunks(graph, terms, language)
    chosen = EdgeFilter(types, tuple(Confidence))
    for file, own in chunks_by_file(graph, chunks):
        for edge in _edges_of_file(graph, file, own, chosen):
            if edge.external and last_name(edge.external) == last_name(name):
                yield edge


def external_chunks(graph: GraphSnapshot, names: Iterable[str], types: Sequence[int]) -> I64:
    """The chunks with uses of some names that are declared outside, ascending."""
    return _unlinked_chunks(graph, (external_term(kind, name) for name in names for kind in types))


def paths_lacking(graph: GraphSnapshot, name: str) -> list[str]:
    """The files with uses of a name whose target is unknown, or declared outside, in order."""
    wanted = last_name(name)
    terms = [make(kind, wanted) for make in (unresolved_term, external_term) for kind in USES]
    chunks = _unlinked_chunks(graph, terms if wanted else ())
    return [graph.path_of(file) for file, _ in chunks_by_file(graph, chunks)]


def _unlinked_chunks(graph: GraphSnapshot, terms: Iterable[bytes], language: str = "") -> I64:
    """The chunks with any of some terms of uses without a known target, ascending."""
    parts = [graph.postings(UNLINKED, term)[0] for term in terms]
    chunks = distinct(np.concatenate([np.zeros(0, dtype=np.int64), *parts]))
    return chunks[graph.naming_mask(language)[chunks]] if language and len(chunks) else chunks


def _unresolved_of(graph: GraphSnapshot, chunks: Sequence[int]) -> Iterator[UnresolvedUse]:
    """The unresolved uses in some chunks."""
    rows_of: dict[int, set[int]] = {}
    for chunk in chunks:
        number = graph.file_of(chunk)
        first = int(graph.snapshot.file_starts[number])
        rows_of.setdefault(number, set()).add(chunk - first)
    for number, rows in rows_of.items():
        yield from (use for use in graph.edges(number).unresolved() if use.source in rows)


def _occurrences(graph: GraphSnapshot, terms: Iterable[bytes], name: str, language: str) -> int:
    if not name:
        return 0
    if not language:
        return sum(graph.occurrences(UNLINKED, term) for term in terms)
    found = (graph.postings(UNLINKED, term) for term in terms)
    return sum(
        int(counts[graph.naming_mask(language)[chunks]].sum(dtype=np.int64))
        for chunks, counts in found
        if len(chunks)
    )


def _name_of(graph: GraphSnapshot, target: int, found: Sequence[PlacedEdge]) -> tuple[str, str]:
    """The name of a target, and the language that it is named as."""
    symbol = graph.symbol(target)
    if symbol is not None:
        return symbol.name, symbol.named_as
    return (last_name(found[0].external) if found else ""), ""


def _edges_of_file(
    graph: GraphSnapshot, file: int, chunks: I64, chosen: EdgeFilter, target: int | None = None
) -> list[PlacedEdge]:
    """The edges of some chunks of a file that pass, by line and column."""
    edges, path = graph.edges(file), graph.path_of(file)
    first = int(graph.snapshot.file_starts[file])
    if len(chunks) == 1:
        columns = edges.of_row(int(chunks[0]) - first)
        rows = np.zeros(len(columns.types), dtype=np.int64) + (chunks - first)
    else:
        rows, columns = edges.of_all_rows()
    picked = chosen.select(columns, target)
    if len(chunks) > 1:
        wanted = np.zeros(len(edges), dtype=np.bool_)
        wanted[chunks - first] = True
        picked = picked[wanted[rows[picked]]]
    own = rows[picked] + first
    found = [
        PlacedEdge(
            source,
            to,
            _TYPES[kind],
            _CONFIDENCE[strategy],
            strategy,
            path,
            line,
            column,
            chunk,
            edges.external.get(to, ""),
        )
        for source, chunk, to, kind, strategy, line, column in zip(
            graph.ids_of(own),
            own.tolist(),
            *(values[picked].tolist() for values in columns),
            strict=True,
        )
    ]
    found.sort(key=_place)
    return found


def _place(edge: PlacedEdge) -> tuple[int, int, int, int, int]:
    return edge.line, edge.column, edge.source_chunk, edge.type, edge.target
