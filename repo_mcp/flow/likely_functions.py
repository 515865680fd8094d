"""The functions that some words of a question may mean, and what of these is in their names."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from code_graph.model import Confidence, EdgeType
from code_graph.paths.path_kinds import CODE, rank_path
from code_graph.query.model import TYPES, VALUES, Symbol
from code_graph.query.names import ends_with, find_targets
from code_graph.query.neighbours import members_of, source_ids, up_to
from code_graph.query.snapshot import GraphSnapshot
from index_format.analysis.words import split_identifier, terms_of_words
from repo_mcp.flow.model import FlowSources, Passage
from repo_mcp.flow.route import callable_symbol
from repo_mcp.flow.weights import FlowWeights as Weights
from repo_mcp.question.terms import weigh_terms
from repo_mcp.question.ways import NAME, QUALIFIED
from repo_mcp.question.word_lists import FLOW_WORDS, FUNCTION_WORDS, STOP
from repo_mcp.search import stems

_WORD: Final = re.compile(r"\w+")
# words of such questions that name nothing
_COMMON: Final = FUNCTION_WORDS | FLOW_WORDS


def likely_functions(
    graph: GraphSnapshot, text: str, sources: FlowSources
) -> tuple[dict[int, float], bool]:
    """The functions that some words may mean, by id, with how likely each is, up to 1.

    And whether one of the words is written as a name, by which they were found.
    """
    weights = NameWeights(text)
    found: dict[int, float] = {}

    def add(symbol: Symbol, worth: float) -> None:
        for number in _functions_of(graph, symbol):
            share = worth * (1.0 if number == symbol.id else Weights.OF_OTHERS)
            if symbol.node_type == "constructor":
                share *= Weights.OF_CONSTRUCTORS
            found[number] = max(found.get(number, 0.0), share)

    def add_named(names: Iterable[str], worth: float) -> None:
        for name in names:
            found = find_targets(graph, name, Weights.MOST_NAMED)
            named = [item.symbol for item in found.targets if item.symbol is not None]
            named = [symbol for symbol in named if rank_path(symbol.path) == CODE]
            best = max(map(weights.share_around, named), default=0.0)
            for symbol in () if len(named) > Weights.MOST_AROUND else named:
                around = weights.share_around(symbol)
                share = 1.0 if around == best else Weights.OF_SAME_NAME
                add(symbol, share * (worth + (1 - worth) * around))

    add_named(NAME.findall(text), Weights.AS_WRITTEN)
    if found:
        return found, True
    add_named(weights.written, Weights.AS_WORD)
    for symbol in _symbols_of_words(graph, weights):
        add(symbol, min(weights.share(symbol), Weights.MOST_BY_SEARCH))
    for rank, symbol in enumerate(symbols_at(graph, sources.search(text))):
        by_rank = 1 / (1 + Weights.DECAY * rank)
        worth = Weights.BY_SEARCH * by_rank + (1 - Weights.BY_SEARCH) * weights.share(symbol)
        add(symbol, min(worth, Weights.MOST_BY_SEARCH))
    least = Weights.LEAST_SHARE * max(found.values(), default=0.0)
    return {number: worth for number, worth in found.items() if worth >= least}, False


def likeliest(end: Mapping[int, float]) -> list[int]:
    """The functions of an end that are as likely as the likeliest one."""
    best = max(end.values(), default=0.0)
    return sorted(number for number, worth in end.items() if worth == best)


def symbols_at(graph: GraphSnapshot, passages: Iterable[Passage]) -> Iterator[Symbol]:
    """The innermost declaration in the middle of each passage."""
    for path, first, last in passages:
        for target in find_targets(graph, f"{path}:{(first + last) // 2}", 1).targets:
            if target.symbol is not None:
                yield target.symbol


def functions_named(graph: GraphSnapshot, name: str) -> list[Symbol]:
    """The functions of code that have a name."""
    found = find_targets(graph, name, Weights.MOST_NAMED).targets
    return [*filter(None, (callable_symbol(graph, item.id) for item in found))]


def _symbols_of_words(graph: GraphSnapshot, weights: NameWeights) -> Iterator[Symbol]:
    """The functions with the most words in their names."""
    from code_graph.query.search import SymbolFilter, search_symbols  # noqa: PLC0415 it loads Whoosh

    words = " ".join(f"{stem}*" for stem in weights.stems)
    wanted = SymbolFilter(node_types=("function", "method"))
    for hit in search_symbols(graph, words, Weights.MOST_NAMED, wanted) if words else ():
        if callable_symbol(graph, hit.symbol.id) is not None:
            yield hit.symbol


def _functions_of(graph: GraphSnapshot, symbol: Symbol) -> list[int]:
    """A function itself, the functions of a type, and those that use a value."""
    if callable_symbol(graph, symbol.id) is not None:
        return [symbol.id]
    if symbol.node_type in TYPES:
        around = members_of(graph, symbol.id)
    elif symbol.node_type in VALUES:
        around = source_ids(graph, symbol.id, up_to(Confidence.CONTRACT, [EdgeType.REFERENCES]))
    else:
        return []
    functions = [number for number in around if callable_symbol(graph, number) is not None]
    return functions if len(functions) <= Weights.MOST_AROUND else []


class NameWeights:
    """The number of words of a question in the names of a function."""

    def __init__(self, text: str) -> None:
        # of `Owner.name` the last part alone means nothing
        self._qualified = QUALIFIED.findall(text)
        plain = QUALIFIED.sub(" ", text)
        words = (word for word in _WORD.findall(plain) if word.lower() not in _COMMON | STOP)
        # as they are written
        self.written = [*dict.fromkeys(word for word in words if len(word) >= Weights.SHORTEST)]
        terms = {term: weight for term, weight in weigh_terms(text).items() if term not in _COMMON}
        self.stems: dict[str, float] = {}
        for term, weight in terms.items():
            for stem in stems([term]):
                self.stems[stem] = max(weight, self.stems.get(stem, 0.0))
        self._all = sum(self.stems.values()) or 1.0
        self._shares: dict[str, float] = {}

    def weigh(self, symbol: Symbol) -> float:
        """The share of the words in its name, and in the best of the names around it."""
        written = Weights.WRITTEN if self._is_written(symbol) else 0.0
        own, outer = self._share(symbol.simple_name), self.share_around(symbol)
        return written + Weights.NAME * own + Weights.AROUND * outer

    def _is_written(self, symbol: Symbol) -> bool:
        return symbol.simple_name in self.written or any(
            ends_with(symbol, name) for name in self._qualified
        )

    def share(self, symbol: Symbol) -> float:
        """The share of the words in its name; those in the names around it count less, up to 1."""
        own, outer = self._share(symbol.simple_name), self.share_around(symbol)
        return min(1.0, own + (Weights.AROUND if own else Weights.AROUND_ALONE) * outer)

    def share_around(self, symbol: Symbol) -> float:
        """The share of the words in the best of the names around it."""
        *around, _ = symbol.qualified_name.split(symbol.separator)
        return max(map(self._share, around), default=0.0)

    def _share(self, name: str) -> float:
        """The share of the words that a name has; less for a name that has others, too."""
        if name not in self._shares:
            parts = [part.lower() for part in split_identifier(name)] or [name.lower()]
            known = sum(not self.stems.keys().isdisjoint(stems([part])) for part in parts)
            found = stems(terms_of_words(name))
            share = sum(weight for stem, weight in self.stems.items() if stem in found) / self._all
            self._shares[name] = share * math.sqrt(known / len(parts))
        return self._shares[name]
