"""Chooses the symbol that a name most likely means, and lists the others that it may mean."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final

from code_graph.brackets import split_at_commas
from code_graph.language_table import language_named
from code_graph.parameters import parameters_of
from code_graph.paths.name_places import PARAMETERS
from code_graph.paths.path_kinds import PROSE, rank_path
from code_graph.query.edges import reference_count
from code_graph.query.model import FUNCTIONS, TYPES, Symbol
from code_graph.query.names import NameTarget, find_targets, symbols_named
from code_graph.query.snapshot import GraphSnapshot, Mask
from index_format.tuples import NamedTuple

# symbols of one name among which the most used one is looked for
MOST_CANDIDATES: Final = 400
_MOST_FOLDED: Final = 40
_NAME: Final = re.compile(r"[^\W\d]\w*(?:(?:\.|::|#|->)\w+)*")
_IDENTIFIER: Final = re.compile(r"[^\W\d]\w*")
# where a name of several words has its boundaries
_WORD_PARTS: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
# the rank of what is declared elsewhere
_ELSEWHERE: Final = PROSE + 1


class NameChoice(NamedTuple):
    """The likeliest meaning of a name, and the others, the likelier ones first."""

    target: NameTarget | None
    others: Sequence[NameTarget] = ()
    truncated: bool = False  # there may be more
    # a name alone means the overloads of its target, too
    overloads: Sequence[Symbol] = ()

    @property
    def symbols(self) -> list[Symbol]:
        """All symbols that the name means; none if it is declared outside."""
        own = None if self.target is None else self.target.symbol
        return [] if own is None else [own, *self.overloads]


def choose_target(
    graph: GraphSnapshot, text: str, fits: Callable[[NameTarget], bool] = lambda _: True
) -> NameChoice:
    """The likeliest meaning of a text that `fits`: code before tests, then the most used."""
    targets, truncated = candidates(graph, text)
    found = [target for target in targets if fits(target)] or targets
    found = _taking(graph, found, text)
    if len(found) < 2:
        return NameChoice(found[0] if found else None, (), truncated)
    ordered = sorted(found, key=lambda target: (unlikeliness(target), -_uses(graph, target)))
    meant = _function_in_place(ordered)
    ordered.sort(key=lambda target: target is not meant)
    first, *others = ordered
    own = first.symbol
    symbols = (item.symbol for item in others)
    overloads = [item for item in symbols if item and own and are_overloads(item, own)]
    known = {item.id for item in overloads}
    others = [item for item in others if item.id not in known]
    return NameChoice(first, others, truncated, overloads)


def _taking(graph: GraphSnapshot, targets: Sequence[NameTarget], text: str) -> Sequence[NameTarget]:
    """The functions with the parameters that a name has in parentheses; all where none has them.

    Types or names of some parameters suffice, in their order: `pay(Card)`, `pay(Card, int)`. A
    `Card` is meant before a `Map<String, Card>`.
    """
    written = PARAMETERS.search(text.strip())
    if written is None or not written[1].strip():
        return targets
    given = [frozenset(_IDENTIFIER.findall(part)) for part in split_at_commas(written[1])]

    def unsaid(symbol: Symbol) -> int | None:
        """The number of words that the parameters have besides; None if it takes others."""
        declared = graph.declaration(symbol)
        parameters = iter(() if declared is None else parameters_of(declared.parameters))
        taken = [
            next((item for item in parameters if words <= item.words), None) for words in given
        ]
        if None in taken:
            return None
        return sum(
            len(item.words - words) for item, words in zip(taken, given, strict=True) if item
        )

    counted = ((item, unsaid(item.symbol)) for item in targets if item.symbol)
    taking = [(item, count) for item, count in counted if count is not None]
    least = min((count for _, count in taking), default=0)
    return [item for item, count in taking if count == least] or targets


def are_overloads(one: Symbol, other: Symbol) -> bool:
    """True for two functions of the same name in the same place."""
    is_same = one.path == other.path and one.qualified_name == other.qualified_name
    return is_same and {one.node_type, other.node_type} <= FUNCTIONS


def _function_in_place(targets: Sequence[NameTarget]) -> NameTarget:
    """The first of some targets; of an assigned one, the function that it replaces."""
    first = targets[0]
    if first.symbol is not None and first.symbol.node_type == "property":
        for item in targets:
            symbol = item.symbol
            if symbol is None or (item.name, symbol.path) != (first.name, first.symbol.path):
                continue
            if symbol.node_type in FUNCTIONS:
                return item
    return first


def exact_symbols(
    graph: GraphSnapshot, name: str, limit: int, within: Mask | None = None
) -> list[Symbol]:
    """Symbols of exactly this name or dotted name, the likeliest first; `within` picks chunks."""
    name = name.strip()
    if not _NAME.fullmatch(name):
        return []
    found = find_targets(graph, name, MOST_CANDIDATES).targets
    rows = [item.symbol for item in found if item.symbol is not None]
    if _IDENTIFIER.fullmatch(name):
        rows = [*rows, *symbols_named(graph, name, MOST_CANDIDATES, within)[0]]
    fitting = {row.id: row for row in rows if within is None or within[row.chunk]}
    targets = without_constructors([target_of(row) for row in fitting.values()])
    ordered = sorted(targets, key=lambda item: (unlikeliness(item), -_uses(graph, item)))
    return [item.symbol for item in ordered[:limit] if item.symbol is not None]


def candidates(graph: GraphSnapshot, text: str) -> tuple[Sequence[NameTarget], bool]:
    """All that a text may mean, and whether there may be more; classes for their constructors.

    A name that is written in another way, as in other case, means something if nothing has it.
    """
    name = text.strip()
    found = find_targets(graph, name, MOST_CANDIDATES)
    targets, truncated = found.targets, found.truncated
    if _IDENTIFIER.fullmatch(name) and any(item.symbol for item in targets):
        # a name that is whole in one place may be the end of others
        rows, cut = symbols_named(graph, name, MOST_CANDIDATES)
        targets = [*{item.id: item for item in (*targets, *map(target_of, rows))}.values()]
        truncated |= cut
    targets = without_constructors(without_headings(targets))
    return targets or folded_targets(graph, name), truncated


def unlikeliness(target: NameTarget) -> int:
    """A rank, the likeliest symbols first: code of the repository, outside of tests and samples."""
    return _ELSEWHERE if target.symbol is None else rank_path(target.symbol.path)


def _uses(graph: GraphSnapshot, target: NameTarget) -> int:
    return reference_count(graph, target.id)


def folded_targets(graph: GraphSnapshot, name: str) -> Sequence[NameTarget]:
    """Symbols whose name is written in another way: other case, or with underscores."""
    found: dict[int, NameTarget] = {}
    for other in spellings(re.split(r"[\s_-]+", _WORD_PARTS.sub("_", name))):
        for symbol in symbols_named(graph, other, _MOST_FOLDED, in_any_case=True)[0]:
            found.setdefault(symbol.id, target_of(symbol))
    return [*found.values()]


def without_headings(targets: Sequence[NameTarget]) -> Sequence[NameTarget]:
    """The targets without headings of documents, if any of them is code."""
    code = [item for item in targets if item.symbol and not is_heading(item.symbol)]
    return code or targets


def is_heading(symbol: Symbol) -> bool:
    """True for a heading of a document."""
    return language_named(symbol.language).is_prose


def without_constructors(targets: Sequence[NameTarget]) -> list[NameTarget]:
    """The symbols without constructors that have the name of their class: the class is meant."""
    types = {item.name for item in targets if item.symbol and item.symbol.node_type in TYPES}
    return [
        item
        for item in targets
        if item.symbol is None
        or item.symbol.node_type != "constructor"
        or item.symbol.owner not in types
    ]


def target_of(symbol: Symbol) -> NameTarget:
    """A symbol as the meaning of a name."""
    return NameTarget(symbol.id, symbol.qualified_name, symbol)


def spellings(words: Sequence[str]) -> list[str]:
    """The spellings of several words as one name."""
    lower = [word.lower() for word in words if word]
    if not lower:
        return []
    pascal = "".join(word.capitalize() for word in lower)
    snake = "_".join(lower)
    found = [
        "".join(words),
        pascal,
        lower[0] + pascal[len(lower[0]) :],
        snake,
        snake.upper(),
        "".join(lower),
        "-".join(lower),
    ]
    return [*dict.fromkeys(found)]
