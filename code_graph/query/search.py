"""Searches symbols by the words of their names, by Whoosh's BM25, and with prefixes."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from typing import Final

import numpy as np

from code_graph.query.model import Symbol
from code_graph.query.snapshot import GraphSnapshot, Mask
from code_graph.store.schema import GRAPH_FIELDS, QUALIFIED_NAME, SYMBOL_NAME
from code_graph.store.terms import kind_term, language_term, project_term
from index_format import WeightedTerm, frequent_prefix_terms, top_chunks
from index_format.analysis.words import folded, terms
from index_format.tuples import NamedTuple

_WEIGHTS: Final = {SYMBOL_NAME: 2.0, QUALIFIED_NAME: 1.0}
_LAST_WORD: Final = re.compile(r"\w+$")
# a word that no symbol has stands for those that begin so, if it is as long
_FEWEST_LETTERS: Final = 3
# words that a prefix stands for
_EXPANSIONS: Final = 64
_MOST_WORDS: Final = 64
# parts of one symbol may take several hits: so many times more are looked for
_GROWTH: Final = 4
_MOST_HITS: Final = 20_000


class SymbolHit(NamedTuple):
    """A symbol and its score; of one by its whole name it says nothing."""

    symbol: Symbol
    score: float = 0.0


class SymbolFilter(NamedTuple):
    """A filter of symbols; an empty field permits all."""

    node_types: Collection[str] = ()
    languages: Collection[str] = ()
    projects: Collection[str] = ()
    path: Callable[[str], bool] | None = None

    def mask(self, graph: GraphSnapshot) -> Mask | None:
        """By chunk, true if it passes; None if all do."""
        groups = [
            [kind_term(item) for item in sorted(self.node_types)],
            [language_term(item) for item in sorted(self.languages)],
            [project_term(item) for item in sorted(self.projects)],
        ]
        masks = [_any_of(graph, group) for group in groups if group]
        if self.path is not None:
            masks.append(path_mask(graph, self.path))
        return np.logical_and.reduce(masks) if masks else None


_ALL: Final = SymbolFilter()


def search_symbols(
    graph: GraphSnapshot, query: str, limit: int, chosen: SymbolFilter = _ALL
) -> list[SymbolHit]:
    """The best symbols for the words of a query; `Auth*` stands for all words that begin so.

    So does a word that is the name of no symbol.
    """
    weighted = [*dict.fromkeys(_weighted_terms(graph, query))]
    mask = chosen.mask(graph)
    wanted = limit
    while True:
        hits = top_chunks(graph.snapshot, weighted, wanted, allowed=mask)
        best: dict[int, SymbolHit] = {}
        for hit in hits:
            chunk_id = int(graph.ids[hit.chunk])
            if chunk_id and chunk_id not in best:
                symbol = graph.symbol(chunk_id) or graph.symbol_at(hit.chunk)
                best[chunk_id] = SymbolHit(symbol, hit.score)
        if len(best) >= limit or len(hits) < wanted or wanted >= _MOST_HITS:
            return [*best.values()][:limit]
        wanted *= _GROWTH


def _weighted_terms(graph: GraphSnapshot, query: str) -> Iterator[WeightedTerm]:
    for word in query.split()[:_MOST_WORDS]:
        stem = word.rstrip("*")
        prefix = _LAST_WORD.search(stem) if stem != word else None
        for term in terms(stem[: prefix.start()] if prefix else stem):
            for field, weight in _WEIGHTS.items():
                yield WeightedTerm(field, _encode(term), weight)
        if prefix:
            yield from _expansions(graph, _encode(folded(prefix[0])))
        elif stem == word and _is_begun(graph, word):
            yield from _expansions(graph, _encode(folded(word)))


def _is_begun(graph: GraphSnapshot, word: str) -> bool:
    """True if a word is the name of no symbol, and so perhaps the beginning of one."""
    if len(word) < _FEWEST_LETTERS or _LAST_WORD.fullmatch(word) is None:
        return False
    return not len(graph.postings(SYMBOL_NAME, _encode(folded(word)))[0])


def _expansions(graph: GraphSnapshot, prefix: bytes) -> Iterator[WeightedTerm]:
    for field, weight in _WEIGHTS.items():
        number = GRAPH_FIELDS.index(field)
        for term in frequent_prefix_terms(graph.snapshot, number, prefix, _EXPANSIONS):
            yield WeightedTerm(field, term, weight)


def _any_of(graph: GraphSnapshot, facets: Collection[bytes]) -> Mask:
    """By chunk, true if it has one of the facets."""
    mask = np.zeros(graph.snapshot.chunk_span, dtype=np.bool_)
    for facet in facets:
        mask |= graph.facet_mask(facet)
    return mask


def path_mask(graph: GraphSnapshot, fits: Callable[[str], bool]) -> Mask:
    """By chunk, true if the path of its file fits."""
    starts = graph.snapshot.file_starts
    files = [fits(graph.path_of(number)) for number in range(len(starts) - 1)]
    return np.repeat(np.array(files, dtype=np.bool_), np.diff(starts))


def _encode(term: str) -> bytes:
    return term.encode("utf-8", "surrogatepass")
