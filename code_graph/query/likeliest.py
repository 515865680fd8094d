"""Chooses the symbol that a call on an object of unknown type most probably means.

What is written tells it, where it leaves one symbol alone: a receiver that is named as its type, a
number of arguments that no other one takes, or that the file declares or imports no other one.
Members that override one another are one, and so are overloads.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import partial
from itertools import islice
from math import inf
from typing import Final
from weakref import WeakKeyDictionary

from code_graph.brackets import matching
from code_graph.facts import Declaration, last_part
from code_graph.language_table import language_named, may_name
from code_graph.model import EdgeType, Strategy, UnresolvedUse
from code_graph.parameters import parameters_of, required_count
from code_graph.query.edges import EdgeFilter, edges_of_rows, external_uses, unresolved_named
from code_graph.query.model import ALL_TYPES, FUNCTIONS, TYPES, VALUES, Symbol
from code_graph.query.names import symbols_named
from code_graph.query.overrides import overridden
from code_graph.query.snapshot import GraphSnapshot
from code_graph.recent import RecentValues
from index_format.analysis.words import split_identifier
from index_format.tuples import NamedTuple

_CALLS: Final = (EdgeType.CALLS,)
_IMPORTS: Final = EdgeFilter((EdgeType.IMPORTS,))
# symbols of one name that are compared; of more, none is told
_MOST_NAMED: Final = 100
_MOST_KEPT: Final = 256
# uses of one name, and names whose uses are kept
_MOST_USES: Final = 2_000
_FEW_KEPT: Final = 8
# a parameter that a call need not give: a block, or one by name with a default, as Ruby has them
_NOT_NEEDED: Final = re.compile(r"&\w*|\w+:\s*(?:$|[\d\"'\[{:-]|(?:nil|true|false)\b).*")
_HOLDERS: Final = TYPES | {"module"}
_METHOD: Final = "method"


class LikelyMeaning(NamedTuple):
    """The symbol that a use most probably means, with its overloads and the evidence."""

    ids: frozenset[int]
    strategy: Strategy


class _Candidate(NamedTuple):
    symbol: Symbol
    # of the name of its type or module; none of what a function or an object holds
    words: Sequence[str]
    holder: int
    least: int
    most: float
    is_test: bool


class UnknownUse(NamedTuple):
    """A use with an unknown target, in a file by its number, and what it most probably means."""

    file: int
    use: UnresolvedUse
    meaning: LikelyMeaning | None


class _MeaningCache:
    """Readings of one graph: an answer asks for the same names several times."""

    def __init__(self) -> None:
        self.named: RecentValues[str, Sequence[_Candidate]] = RecentValues(_MOST_KEPT)
        self.imported: RecentValues[str, frozenset[int]] = RecentValues(_MOST_KEPT)
        self.outside: RecentValues[tuple[str, str], bool] = RecentValues(_MOST_KEPT)
        self.above: RecentValues[int, Sequence[int]] = RecentValues(_MOST_KEPT)
        self.uses: RecentValues[tuple[str, str], Sequence[UnknownUse]] = RecentValues(_FEW_KEPT)


# it stays the same as long as the graph, and has no reference to it
_kept: WeakKeyDictionary[GraphSnapshot, _MeaningCache] = WeakKeyDictionary()


class LikelyMeanings:
    """Meanings of calls on objects of unknown type, in one graph."""

    def __init__(self, graph: GraphSnapshot) -> None:
        """Readings of this graph are shared."""
        self._graph = graph
        self._known = _kept.setdefault(graph, _MeaningCache())

    def unknown_uses(self, symbol: Symbol) -> Sequence[UnknownUse]:
        """The first uses of a symbol's name with an unknown target, by path."""
        return self._known.uses.get((symbol.name, symbol.named_as), self._unknown_uses)

    def _unknown_uses(self, key: tuple[str, str]) -> Sequence[UnknownUse]:
        name, language = key
        uses = islice(unresolved_named(self._graph, name, ALL_TYPES, language), _MOST_USES)
        return [UnknownUse(file, use, self.meaning(file, use)) for file, use in uses]

    def meaning(self, file: int, use: UnresolvedUse) -> LikelyMeaning | None:
        """The likeliest meaning of a use in a file; None if nothing tells one apart."""
        receiver = _words(use.receiver)
        if not receiver:
            return None
        language = self._graph.file(file).symbols.language
        is_test = self._graph.is_test(file)
        able = [
            item
            for item in self._known.named.get(use.name, self._candidates)
            if may_name(language, item.symbol.language) and (is_test or not item.is_test)
        ]
        if not able:
            return None
        fitting = [item for item in able if _takes(item, use)]
        is_outside = self._known.outside.get((use.name, language), self._is_outside)
        named = _named_as(fitting, receiver)
        # what is called of objects from outside, too, is told by a whole name alone
        if is_outside and not any([*item.words] == receiver for item in named):
            return None
        path = self._graph.path_of(file)
        told: dict[Strategy, Sequence[_Candidate]] = {Strategy.RECEIVER_NAME: named}
        # of one that is named, and takes other arguments, nothing tells
        if not _named_as(able, receiver):
            told[Strategy.ARGUMENT_COUNT] = fitting if len(fitting) < len(able) else []
            told[Strategy.SEEN_IN_FILE] = self._seen(fitting, path, language)
        for strategy, items in told.items():
            group = self._one_of(items)
            # a call inside on another object is mostly handed on to another one
            if any(_is_around(item, path, use.line) for item in group):
                return None
            if group:
                return LikelyMeaning(frozenset(item.id for item in group), strategy)
        return None

    def _candidates(self, name: str) -> Sequence[_Candidate]:
        """The symbols of a name that another place than their function may call."""
        named, more = symbols_named(self._graph, name, _MOST_NAMED)
        return () if more else [*map(self._candidate, filter(self._is_seen_outside, named))]

    def _is_seen_outside(self, symbol: Symbol) -> bool:
        declared = self._graph.declaration(symbol)
        is_local = declared is not None and declared.scope_kind == "function"
        return not (is_local and symbol.node_type in VALUES)

    def _candidate(self, symbol: Symbol) -> _Candidate:
        graph = self._graph
        declared = graph.declaration(symbol)
        holder: Symbol | None = None
        if declared is not None and declared.parent >= 0:
            holder = graph.outline(symbol.path)[declared.parent + 1][0]
        is_of_type = holder is None or holder.node_type in _HOLDERS
        words = _words(last_part(symbol.owner)) if is_of_type else []
        number = 0 if holder is None else holder.id
        is_test = graph.is_test(graph.file_of(symbol.chunk))
        least, most = _counts(symbol, declared)
        return _Candidate(symbol, words, number, least, most, is_test)

    def _is_outside(self, key: tuple[str, str]) -> bool:
        """True for a name that the repository uses of a library."""
        name, language = key
        return external_uses(self._graph, name, _CALLS, language) > 0

    def _seen(self, items: Sequence[_Candidate], path: str, language: str) -> Sequence[_Candidate]:
        """The candidates that a file declares, or imports by their own or their types' names.

        None, where the graph may lack an import: a graph for one question has those of its names.
        """
        is_whole = self._graph.progress.complete and path not in self._graph.all_incomplete
        if not (is_whole and language_named(language).imports_names):
            return ()
        imported = self._known.imported.get(path, self._imports)
        return [
            item
            for item in items
            if item.symbol.path == path or not imported.isdisjoint((item.symbol.id, item.holder))
        ]

    def _imports(self, path: str) -> frozenset[int]:
        edges = edges_of_rows(self._graph, path, _IMPORTS)
        return frozenset(edge.target for edge in edges if not edge.external)

    def _one_of(self, items: Sequence[_Candidate]) -> Sequence[Symbol]:
        """The member that all others override, with its overloads; empty if there is none."""
        groups: defaultdict[tuple[str, str], list[_Candidate]] = defaultdict(list)
        for item in items:
            groups[item.symbol.path, item.symbol.qualified_name].append(item)
        own = {key: frozenset(item.symbol.id for item in group) for key, group in groups.items()}
        for key, group in groups.items():
            others = (number for number in own if number != key)
            if all(self._overrides(own[other], own[key]) for other in others):
                return [item.symbol for item in group] if all(map(_is_member, group)) else ()
        return ()

    def _overrides(self, members: Iterable[int], bases: frozenset[int]) -> bool:
        above = (self._known.above.get(item, partial(overridden, self._graph)) for item in members)
        return any(not bases.isdisjoint(items) for items in above)


def _named_as(items: Sequence[_Candidate], receiver: Sequence[str]) -> list[_Candidate]:
    """Those whose type a receiver may be named as; none if it ends with the name of none.

    `service`, `device_service` and `old_device_service` may be a `DeviceService`. Where another
    type has the words, too, as `DeviceServiceTest`, it may be that as well.
    """
    telling = [item for item in items if _ends_alike(item.words, receiver)]
    if not telling:
        return []
    return [item for item in items if item in telling or _has(item.words, receiver)]


def _is_member(item: _Candidate) -> bool:
    """True for a member of a named type or module that is called on objects."""
    return bool(item.words) and item.symbol.node_type == _METHOD


def _ends_alike(owner: Sequence[str], receiver: Sequence[str]) -> bool:
    shared = min(len(owner), len(receiver))
    return shared > 0 and [*owner[-shared:]] == [*receiver[-shared:]]


def _has(owner: Sequence[str], receiver: Sequence[str]) -> bool:
    """True if the words of a receiver stand in the name of a type, in a row."""
    count = len(receiver)
    starts = range(len(owner) - count + 1)
    return any([*owner[at : at + count]] == [*receiver] for at in starts)


def _words(name: str) -> list[str]:
    """The words of a name in small letters."""
    return [word.lower() for word in split_identifier(last_part(name))] if name else []


def _counts(symbol: Symbol, declared: Declaration | None) -> tuple[int, float]:
    """The least and the largest number of arguments that a function takes."""
    text = "" if declared is None else declared.parameters.strip()
    row = language_named(symbol.language)
    # neither the beginning of a long list nor several lists
    is_whole = bool(text) and matching(text, 0) == len(text) - 1
    if symbol.node_type not in FUNCTIONS or not is_whole or row.takes_any_count:
        return 0, inf
    parameters = parameters_of(text, names_first=row.names_parameters_first)
    is_open = any(item.is_many for item in parameters)
    optional = sum(_NOT_NEEDED.fullmatch(item.text) is not None for item in parameters)
    return required_count(parameters) - optional, inf if is_open else len(parameters)


def _takes(item: _Candidate, use: UnresolvedUse) -> bool:
    """True if a function may be called with the arguments of a use.

    Before a member that is called on its type an object may stand among the arguments.
    """
    count = use.arguments
    if count < 0 or use.receiver[:1].isupper():
        return True
    return count <= item.most and item.least <= count + use.named_arguments


def _is_around(symbol: Symbol, path: str, line: int) -> bool:
    return symbol.path == path and symbol.start_line <= line <= symbol.end_line
