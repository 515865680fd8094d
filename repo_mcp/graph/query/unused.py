"""Symbols that nothing uses, as far as the graph can prove it.

A symbol is given only if no edge of any confidence leads to it but its own, no unresolved use has
its name, it is not public, it overrides nothing, and no class around it has a base that is unknown
or declared outside: a framework may call the members of such a class. Whether the caller keeps more
(tests, entry points, what decorators register) is the caller's choice.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Final, NamedTuple

import numpy as np

from repo_mcp.graph.index.terms import kind_term
from repo_mcp.graph.model import Confidence, EdgeType
from repo_mcp.graph.query.edges import EdgeFilter, chunks_by_file, edges_of_parts, unresolved_uses
from repo_mcp.graph.query.model import USES, Symbol
from repo_mcp.graph.query.snapshot import MOST_PARTS, GraphSnapshot
from repo_mcp.graph.query.whole import edge_pairs
from repo_mcp.languages.facts import MODULE, Declaration

DEFAULT_TYPES: Final = ("class", "component", "function", "interface", "method", "type")
# candidates whose files are read
DEFAULT_BUDGET: Final = 20_000
_EVERY: Final = tuple(Confidence)
_OVERRIDES: Final = EdgeFilter((EdgeType.OVERRIDES,), _EVERY)
_BASES: Final = EdgeFilter((EdgeType.INHERITS, EdgeType.IMPLEMENTS, EdgeType.EXTENDS), _EVERY)

Keep = Callable[[Symbol, Declaration], bool]


class UnusedSymbols(NamedTuple):
    """Symbols that nothing uses, by path and line; `truncated` if more may be."""

    symbols: Sequence[Symbol]
    truncated: bool


def unused_symbols(
    graph: GraphSnapshot,
    keep: Keep,
    *,
    node_types: Collection[str] = DEFAULT_TYPES,
    limit: int = 1000,
    budget: int = DEFAULT_BUDGET,
) -> UnusedSymbols:
    """Symbols that are provably unused; those for which `keep` holds are left out."""
    found: list[Symbol] = []
    for number, symbol in enumerate(_candidates(graph, node_types)):
        if number >= budget or len(found) >= limit:
            return UnusedSymbols(found, truncated=True)
        declaration = graph.declaration(symbol)
        if declaration is not None and _is_unused(graph, symbol) and not keep(symbol, declaration):
            found.append(symbol)
    return UnusedSymbols(found, truncated=not graph.progress.complete)


def _candidates(graph: GraphSnapshot, node_types: Collection[str]) -> Iterator[Symbol]:
    """Symbols of these types that no other symbol has an edge to, by path and line."""
    mask = np.zeros(graph.snapshot.chunk_span, dtype=np.bool_)
    for node_type in sorted(node_types):
        mask |= graph.facet_mask(kind_term(node_type))
    used = [np.zeros(1, dtype=np.uint64)]
    for chunks, targets in edge_pairs(graph, EdgeFilter(USES, _EVERY)):
        used.append(np.unique(targets[graph.ids[chunks] != targets]))
    chunks = np.flatnonzero(mask & ~np.isin(graph.ids, np.concatenate(used)))
    for _, own in chunks_by_file(graph, chunks):
        for chunk in own.tolist():
            symbol = graph.symbol_at(chunk)
            if symbol.is_primary:
                yield symbol


def _is_unused(graph: GraphSnapshot, symbol: Symbol) -> bool:
    """Whether a symbol without edges to it is not used in a way that has no edge."""
    return (
        not symbol.is_public_api
        and not any(part.is_public_api for part in graph.spans(symbol.id))
        and not unresolved_uses(graph, symbol.name)
        and next(edges_of_parts(graph, symbol.id, _OVERRIDES), None) is None
        and not any(_has_foreign_base(graph, holder) for holder in _holders(graph, symbol))
    )


def _holders(graph: GraphSnapshot, symbol: Symbol) -> Iterator[int]:
    """The symbols of the declarations around a symbol, and its own."""
    declarations = graph.facts(symbol.path).declarations
    first = symbol.chunk - symbol.declaration
    number = symbol.declaration
    while number != MODULE:
        yield int(graph.ids[first + number])
        number = declarations[number].parent


def _has_foreign_base(graph: GraphSnapshot, holder: int) -> bool:
    """Whether a symbol, or a symbol that it inherits from, has a base that is not linked."""
    seen = {holder}
    pending = [holder]
    while pending and len(seen) < MOST_PARTS:
        number = pending.pop()
        for part in graph.parts(number):
            file = graph.file_of(part)
            row = part - graph.file(file).first_chunk
            uses = graph.edges(file).unresolved()
            if any(use.source == row and use.type in _BASES.types for use in uses):
                return True
        for edge in edges_of_parts(graph, number, _BASES):
            if edge.external:
                return True
            if edge.target not in seen:
                seen.add(edge.target)
                pending.append(edge.target)
    return bool(pending)
