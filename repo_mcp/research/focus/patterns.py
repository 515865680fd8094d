"""Recurring shapes: bases, decorators, registration, errors and families of names."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Final

import numpy as np

from code_graph import LANGUAGES
from code_graph.model import EdgeType
from code_graph.paths.path_kinds import is_test
from code_graph.query.edges import (
    EdgeFilter,
    chunks_by_file,
    edges_into,
    edges_of_chunk,
    reference_count,
)
from code_graph.query.model import PlacedEdge, Symbol
from code_graph.query.neighbours import CALLS
from code_graph.query.snapshot import I64, U64, GraphSnapshot, distinct
from code_graph.query.whole import edge_pairs
from code_graph.store.schema import GRAPH_FIELDS, SYMBOL_NAME
from code_graph.store.terms import language_term
from index_format import list_prefix_postings
from index_format.analysis.words import terms_of_words
from repo_mcp.research.focus.scope import FocusScope, busiest
from repo_mcp.research.model import EdgeEvidence, Node, ResearchFinding
from repo_mcp.research.trace import EXTERNAL, ResearchTrace, evidence_of, node_of
from repo_mcp.text.plurals import counted

# the first bytes of words in UTF-8
_FIRST_BYTES: Final = range(0x20, 0xF5)
_MOST_SHAPES: Final = 15
_FEWEST: Final = 2
_MOST_FILES: Final = 400
_MOST_CANDIDATES: Final = 300
_TYPES: Final = ("class", "interface", "type", "component")
_BASES: Final = EdgeFilter((EdgeType.INHERITS, EdgeType.IMPLEMENTS))
_MARKS: Final = EdgeFilter((EdgeType.CALLS, EdgeType.REFERENCES))
_REGISTERS: Final = frozenset(
    """
    add register use map on subscribe bind provide install attach hook route listen include mount
    configure enable append handle plug declare export
    """.split()  # noqa: SIM905 a list of words reads better
)
_ERRORS: Final = frozenset({"error", "errors", "exception", "fault", "failure"})
_ERROR_NAME: Final = re.compile(r"(?:Error|Exception|Fault|Failure|Panic|Warning)s?$")
_LAST_WORD: Final = re.compile(r"[A-Z][a-z0-9]+$|[A-Z]{2,}$|_([a-z0-9]+)$")


def find_patterns(trace: ResearchTrace, scope: FocusScope) -> str:
    """Shapes that recur in a folder, each with how often and where first."""
    counts: list[str] = []
    for title, find in (
        ("base types: what is built on most", _bases),
        ("decorators, annotations and attributes", _decorators),
        ("registration: calls when files are loaded, and of what registers", _registrations),
        ("error handling: error types and their uses", _errors),
        ("families of names", _families),
    ):
        if trace.spent:
            break
        trace.begin(title)
        rows = find(trace, scope)
        trace.add_hop(title, rows)
        counts.append(f"{len(rows)} {title.partition(':')[0]}")
    return f"{scope.title}: {', '.join(counts)}"


def _bases(trace: ResearchTrace, scope: FocusScope) -> list[ResearchFinding]:
    pairs = _pairs(trace.graph, scope, _BASES)
    return [*_ends(trace, pairs, _BASES, "is the base of {} types")]


def _registrations(trace: ResearchTrace, scope: FocusScope) -> list[ResearchFinding]:
    graph = trace.graph
    if scope.is_large:
        trace.lack("size", "the repository is large: calls that register were not counted")
        return []
    pairs = _pairs(graph, scope, CALLS)
    at_load = scope.kinds("file", "module")
    found = [*_ends(trace, (pairs[0][at_load[pairs[0]]], pairs[1][at_load[pairs[0]]]), CALLS,
                    "called by {} files when they are loaded", is_own=True)]  # fmt: skip
    known = {finding.node.id for finding in found}
    for finding in _ends(trace, pairs, CALLS, "registers: called by {} declarations", most=200,
                         is_own=True):  # fmt: skip
        name = finding.node.name.rpartition(".")[2]
        words = [*terms_of_words(name)]
        if words and words[0] in _REGISTERS and finding.node.id not in known:
            found.append(finding)
    return found[: 2 * _MOST_SHAPES]


def _pairs(graph: GraphSnapshot, scope: FocusScope, chosen: EdgeFilter) -> tuple[I64, U64]:
    """Sources in a scope that are no tests, and targets of all edges."""
    mask = scope.mask
    chunks = [np.zeros(0, dtype=np.int64)]
    targets = [np.zeros(0, dtype=np.uint64)]
    for sources, found in edge_pairs(graph, chosen):
        inside = mask[sources]
        chunks.append(sources[inside])
        targets.append(found[inside])
    return np.concatenate(chunks), np.concatenate(targets)


def _ends(
    trace: ResearchTrace,
    pairs: tuple[I64, U64],
    chosen: EdgeFilter,
    text: str,
    *,
    most: int = _MOST_SHAPES,
    is_own: bool = False,
) -> Iterator[ResearchFinding]:
    """The targets that most declarations have edges to, with the first places."""
    graph = trace.graph
    ids, first, counts = np.unique(pairs[1], return_index=True, return_counts=True)
    holder = dict(zip(ids.tolist(), pairs[0][first].tolist(), strict=True))
    given = 0
    for number, count in busiest(ids.tolist(), counts.tolist(), most * 4):
        if count < _FEWEST or given >= most:
            break
        symbol = graph.symbol(number)
        if symbol is None and is_own:
            continue
        own = edges_of_chunk(graph, holder[number], chosen)
        edges = [edge for edge in own if edge.target == number]
        if edges:
            given += 1
            node = node_of(symbol) if symbol else Node(number, edges[0].external, EXTERNAL)
            yield ResearchFinding(
                node,
                edges[0].type.name.lower(),
                evidence=[evidence_of(edges[0])],
                places=count,
                detail=text.format(count),
            )


def _decorators(trace: ResearchTrace, scope: FocusScope) -> list[ResearchFinding]:
    """Decorators: edges on the lines between a declaration's start and its name."""
    graph = trace.graph
    mask = scope.kinds("class", "interface", "type", "function", "method", "constructor",
                       "property")  # fmt: skip
    for language in LANGUAGES:
        if not language.has_decorators:
            mask &= ~graph.facet_mask(language_term(language.name))
    files = [*chunks_by_file(graph, mask.nonzero()[0])]
    if len(files) > _MOST_FILES:
        trace.lack("limit", f"decorators were looked for in {_MOST_FILES} files; others are left",
                   len(files) - _MOST_FILES)  # fmt: skip
    found: dict[int, list[PlacedEdge]] = {}
    for number, chunks in files[:: max(1, -(-len(files) // _MOST_FILES))]:
        path = graph.path_of(number)
        declarations = graph.facts(path).declarations
        first = int(graph.snapshot.file_starts[number])
        spans = [
            (own.start_line, own.name_line)
            for chunk in chunks.tolist()
            for own in [declarations[chunk - first - 1]]
            if own.start_line < own.name_line
        ]
        if spans:
            for edge in _edges_on(graph, number, spans):
                found.setdefault(edge.target, []).append(edge)
    ranked = sorted(found.items(), key=lambda item: (-len(item[1]), item[0]))
    return [
        ResearchFinding(
            trace.node(target, edges[0].external),
            "decorates",
            evidence=[evidence_of(edge) for edge in edges[:2]],
            places=len(edges),
            detail=f"before {counted(len(edges), 'declaration')}",
        )
        for target, edges in ranked[:_MOST_SHAPES]
    ]


def _edges_on(
    graph: GraphSnapshot, file: int, spans: Sequence[tuple[int, int]]
) -> Iterator[PlacedEdge]:
    lines = {line for start, end in spans for line in range(start, end)}
    begin, end = graph.snapshot.file_starts[file], graph.snapshot.file_starts[file + 1]
    seen: set[tuple[int, int]] = set()
    for chunk in range(int(begin), int(end)):
        for edge in edges_of_chunk(graph, chunk, _MARKS):
            if edge.line in lines and (edge.line, edge.target) not in seen:
                seen.add((edge.line, edge.target))
                yield edge


def _errors(trace: ResearchTrace, scope: FocusScope) -> list[ResearchFinding]:
    """Types of errors by their names and by their uses, of here and of elsewhere."""
    graph = trace.graph
    mask = scope.kinds(*_TYPES)
    rows: dict[int, Symbol] = {}
    for word in sorted(_ERRORS):
        chunks, _ = graph.postings(SYMBOL_NAME, word.encode())
        for chunk in chunks[mask[chunks]][:_MOST_CANDIDATES].tolist():
            symbol = graph.symbol_at(chunk)
            if symbol.id and _ERROR_NAME.search(symbol.name):
                rows.setdefault(symbol.id, symbol)
    found = [_error(graph, symbol) for symbol in rows.values() if not is_test(symbol.path)]
    found.sort(key=lambda item: (-item.places, item.node.name, item.node.id))
    if scope.is_large:
        return found[:_MOST_SHAPES]
    outside = [
        item
        for item in _ends(trace, _pairs(graph, scope, _MARKS), _MARKS, "used by {} declarations",
                          most=200)
        if item.node.node_type == EXTERNAL and _ERROR_NAME.search(item.node.name)
    ]  # fmt: skip
    return [*found[:_MOST_SHAPES], *outside[:_MOST_SHAPES]]


def _error(graph: GraphSnapshot, symbol: Symbol) -> ResearchFinding:
    page = edges_into(graph, symbol.id, _MARKS, limit=3)
    uses = reference_count(graph, symbol.id)
    places = [evidence_of(edge) for edge in page.edges]
    return ResearchFinding(node_of(symbol), "fails with", evidence=places, places=uses,
                   detail=f"used in {counted(uses, 'place')}")  # fmt: skip


def _families(trace: ResearchTrace, scope: FocusScope) -> list[ResearchFinding]:
    """Words with which the names of several types end."""
    graph = trace.graph
    if scope.is_large:
        trace.lack("size", "the repository is large: families of names were not looked for")
        return []
    mask = scope.kinds(*_TYPES)
    words: list[tuple[str, I64]] = []
    field = GRAPH_FIELDS.index(SYMBOL_NAME)
    pages = (list_prefix_postings(graph.snapshot, field, bytes([first])) for first in _FIRST_BYTES)
    for terms, counts, chunks, _ in chain.from_iterable(pages):
        for term, own in zip(terms, np.split(chunks, np.cumsum(counts)[:-1]), strict=True):
            inside = own[mask[own]]
            if len(inside) > _FEWEST:
                words.append((term.decode("utf-8", "surrogatepass"), inside))
    joined: dict[str, list[I64]] = {}
    for word, own in words:
        joined.setdefault(word, []).append(own)
    ranked = sorted(joined.items(), key=lambda item: (-sum(map(len, item[1])), item[0]))
    found: list[ResearchFinding] = []
    for word, parts in ranked[: 4 * _MOST_SHAPES]:
        members = [*_ending_with(graph, word, distinct(np.concatenate(parts)))]
        if len(members) > _FEWEST and len(found) < _MOST_SHAPES:
            found.append(_family(members))
    return sorted(found, key=lambda item: (-item.places, item.node.name))


def _ending_with(graph: GraphSnapshot, word: str, chunks: I64) -> Iterator[Symbol]:
    seen: set[int] = set()
    for chunk in chunks[:_MOST_CANDIDATES].tolist():
        symbol = graph.symbol_at(chunk)
        last = _LAST_WORD.search(symbol.name)
        ending = "" if last is None else last[1] or last[0]
        if symbol.id and symbol.id not in seen and ending.lower() == word and symbol.is_primary:
            seen.add(symbol.id)
            if symbol.name != ending and not is_test(symbol.path):
                yield symbol


def _family(members: Sequence[Symbol]) -> ResearchFinding:
    ending = _LAST_WORD.search(members[0].name)
    name = f"…{ending[0] if ending else members[0].name}"
    places = [
        EdgeEvidence(item.path, item.start_line, "declares", "exact", "scope")
        for item in members[:3]
    ]
    examples = ", ".join(item.name for item in members[:4])
    detail = f"{counted(len(members), 'type')}: {examples}"
    return ResearchFinding(
        Node(0, name, "family"), "is named", evidence=places, places=len(members), detail=detail
    )
