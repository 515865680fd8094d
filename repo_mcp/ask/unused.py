"""Symbols that nothing uses, as far as the graph can prove it.

A symbol is given only if no edge of any confidence leads to it but its own, no unresolved use has
its name, it is not public, it overrides nothing, and no class around it has a base that is unknown
or declared outside: a framework may call the members of such a class. Whether the caller keeps more
(tests, entry points, what decorators register) is the caller's choice.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Final

import numpy as np

from code_graph.facts import ANONYMOUS, MODULE, Declaration
from code_graph.language_table import language_named
from code_graph.model import Confidence, EdgeType
from code_graph.paths.path_kinds import is_test
from code_graph.query.edges import (
    EdgeFilter,
    chunks_by_file,
    edges_of_parts,
    external_uses,
    sources_of,
    unresolved_of,
    unresolved_uses,
)
from code_graph.query.model import USES, Symbol
from code_graph.query.module_names import needs_import
from code_graph.query.snapshot import MOST_PARTS, GraphSnapshot
from code_graph.query.whole import edge_pairs, language_masks
from code_graph.store.terms import kind_term
from index_format.tuples import NamedTuple
from repo_mcp.ask.unseen_users import BASE_TYPES, OWN_NAMES, REFLECTION

# kinds of symbols of which unused ones are looked for
UNUSED_TYPES: Final = ("class", "component", "function", "interface", "method", "type")
# candidates whose files are read
_MOST_CANDIDATES: Final = 20_000
_EVERY: Final = tuple(Confidence)
_OVERRIDES: Final = EdgeFilter((EdgeType.OVERRIDES,), _EVERY)

# bases that keep nothing of the types that have them
_HARMLESS: Final = ("builtins.", "typing.", "abc.", "enum.")
_ENTRY_POINTS: Final = frozenset({"main", "Main", "init"})

Keep = Callable[[Symbol, Declaration], bool]


class UnusedSymbols(NamedTuple):
    """Symbols that nothing uses, by path and line; `truncated` if more may be.

    Of `unlinked` languages no use is known, so that nothing can be proved.
    """

    symbols: Sequence[Symbol]
    truncated: bool
    unlinked: Sequence[str] = ()


def unused_symbols(
    graph: GraphSnapshot,
    keep: Keep,
    *,
    node_types: Collection[str] = UNUSED_TYPES,
    limit: int = 1000,
    budget: int = _MOST_CANDIDATES,
    public: bool = False,
) -> UnusedSymbols:
    """Symbols that are provably unused; those for which `keep` holds are left out.

    With `public` those that other repositories could use are among them.
    """
    unused: list[Symbol] = []
    candidates = _Candidates(graph, node_types)
    for number, symbol in enumerate(candidates):
        if number >= budget or len(unused) >= limit:
            return UnusedSymbols(unused, truncated=True, unlinked=candidates.unlinked)
        declaration = graph.declaration(symbol)
        if declaration is None or (not public and _is_public(graph, symbol)):
            continue
        if ANONYMOUS in declaration.modifiers:
            continue  # its only use is where it stands
        if _is_unused(graph, symbol) and not keep(symbol, declaration):
            unused.append(symbol)
    return UnusedSymbols(unused, not graph.progress.complete, candidates.unlinked)


def looks_used(symbol: Symbol, declaration: Declaration) -> bool:
    """True for a symbol that something outside is likely to use, as it does tests.

    What stands before a name may register it, and names in underscores are used by the language.
    """
    return (
        is_test(symbol.path)
        or symbol.name in _ENTRY_POINTS
        or declaration.start_line < declaration.name_line
        or (symbol.name.startswith("__") and symbol.name.endswith("__"))
    )


def is_unused(graph: GraphSnapshot, symbol: Symbol) -> bool:
    """True for a symbol without uses but its own, public or not, in a graph of all files."""
    every = EdgeFilter(USES, _EVERY)
    chunks, _ = sources_of(graph, symbol.id, every)
    if (graph.ids[chunks] != symbol.id).any():
        return False
    return symbol.declaration >= 0 and _is_unused(graph, symbol)


class _Candidates:
    """Symbols of some types that no other symbol has an edge to, by path and line."""

    def __init__(self, graph: GraphSnapshot, node_types: Collection[str]) -> None:
        self._graph = graph
        mask = np.zeros(graph.snapshot.chunk_span, dtype=np.bool_)
        for node_type in sorted(node_types):
            mask |= graph.facet_mask(kind_term(node_type))
        used = [np.zeros(1, dtype=np.uint64)]
        sources = np.zeros(graph.snapshot.chunk_span, dtype=np.bool_)
        for chunks, targets in edge_pairs(graph, EdgeFilter(USES, _EVERY)):
            sources[chunks] = True
            used.append(np.unique(targets[graph.ids[chunks] != targets]))
        masks = language_masks(graph)
        wanted = {language for language, own in masks.items() if (own & mask).any()}
        linked = {language for language, own in masks.items() if (own & sources).any()}
        self.unlinked = sorted(wanted - linked)
        for language in self.unlinked:
            mask &= ~masks[language]
        self._chunks = (mask & ~np.isin(graph.ids, np.concatenate(used))).nonzero()[0]

    def __iter__(self) -> Iterator[Symbol]:
        """Each symbol once."""
        graph = self._graph
        for _, own in chunks_by_file(graph, self._chunks):
            for chunk in own.tolist():
                symbol = graph.symbol_at(chunk)
                if symbol.is_primary:
                    yield symbol


def _is_public(graph: GraphSnapshot, symbol: Symbol) -> bool:
    """True if code elsewhere may use a symbol.

    Where files are modules with exports, only what is exported can be; files without exports may be
    scripts, whose names pages use.
    """
    declarations = graph.facts(symbol.path).declarations
    own = declarations[symbol.declaration]
    language = language_named(symbol.language)
    if language.is_unchecked and own.scope_kind == "class" and own.access == "public":
        return True  # objects of a private class may be handed out
    if not any(part.is_public_api for part in graph.spans(symbol.id)):
        return False
    if not language.has_exports or not any(map(_is_exported, declarations)):
        return True
    number = symbol.declaration
    while declarations[number].parent != MODULE:
        number = declarations[number].parent
    return _is_exported(declarations[number])


def _is_exported(declaration: Declaration) -> bool:
    return "exported" in declaration.modifiers


def _is_unused(graph: GraphSnapshot, symbol: Symbol) -> bool:
    """True if a symbol without edges to it is not used in a way that has no edge."""
    return (
        (
            # an element of an external container may be ours
            not (
                unresolved_uses(graph, symbol.name, language=symbol.named_as)
                or external_uses(graph, symbol.name, language=symbol.named_as)
            )
            or needs_import(graph, symbol)
        )
        and next(edges_of_parts(graph, symbol.id, _OVERRIDES), None) is None
        and not _names_of_module_are_read(graph, symbol)
        and not any(_may_be_used_unseen(graph, holder) for holder in _holders(graph, symbol))
    )


def _names_of_module_are_read(graph: GraphSnapshot, symbol: Symbol) -> bool:
    """True if the file of a symbol looks up its own names, as `globals()` does."""
    external = graph.edges(graph.file_of(symbol.chunk)).external.values()
    return not OWN_NAMES.isdisjoint(external)


def _holders(graph: GraphSnapshot, symbol: Symbol) -> Iterator[int]:
    """The symbols of the types around a symbol, and its own: what a value of them may use.

    A type of a module that has no bases but those of the language is used by its name alone.
    """
    declarations = graph.facts(symbol.path).declarations
    first = symbol.chunk - symbol.declaration
    number = symbol.declaration
    if declarations[number].parent == MODULE and not _is_registered(graph, symbol.id):
        return
    while number != MODULE:
        yield int(graph.ids[first + number])
        number = declarations[number].parent


def _is_registered(graph: GraphSnapshot, symbol: int) -> bool:
    """True if a base of a type, or of its bases, is unknown or outside, and may keep it."""
    seen, pending = {symbol}, [symbol]
    while pending and len(seen) < MOST_PARTS:
        number = pending.pop()
        if any(use.type in BASE_TYPES.types for use in unresolved_of(graph, number)):
            return True
        for edge in edges_of_parts(graph, number, BASE_TYPES):
            if edge.external and not edge.external.startswith(_HARMLESS):
                return True
            if not edge.external and edge.target not in seen:
                seen.add(edge.target)
                pending.append(edge.target)
    return bool(pending)


def _may_be_used_unseen(graph: GraphSnapshot, holder: int) -> bool:
    """True if a symbol, or one that it inherits from, has a base that is not linked.

    A file that reads members by names made at run time may use any of its classes.
    """
    seen = {holder}
    pending = [holder]
    while pending and len(seen) < MOST_PARTS:
        number = pending.pop()
        for part in graph.parts(number):
            file = graph.file_of(part)
            row = part - graph.file(file).first_chunk
            edges = graph.edges(file)
            if not REFLECTION.isdisjoint(edges.external.values()):
                return True
            uses = edges.unresolved()
            if any(use.source == row and use.type in BASE_TYPES.types for use in uses):
                return True
        for edge in edges_of_parts(graph, number, BASE_TYPES):
            if edge.external:
                return True
            if edge.target not in seen:
                seen.add(edge.target)
                pending.append(edge.target)
    return bool(pending)
