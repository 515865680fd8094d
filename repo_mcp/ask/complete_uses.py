"""Says whether a list of uses can lack one, and which lines of code may add to it."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from itertools import chain, islice, starmap
from typing import Final
from weakref import WeakKeyDictionary

from code_graph.facts import MODULE, PARTIAL, Declaration
from code_graph.language import load
from code_graph.language_table import language_named
from code_graph.model import Confidence, EdgeType, Strategy
from code_graph.paths.path_kinds import is_test
from code_graph.query.dispatch import nameable, run_by
from code_graph.query.edges import (
    EdgeFilter,
    edges_into,
    edges_of_parts,
    external_places,
    external_uses,
    unresolved_of,
    unresolved_places,
    unresolved_uses,
)
from code_graph.query.likeliest import LikelyMeanings
from code_graph.query.model import (
    ALL_TYPES,
    FUNCTIONS,
    LISTED,
    TYPES,
    USES,
    PlacedEdge,
    Symbol,
)
from code_graph.query.names import symbols_named
from code_graph.query.neighbours import CALLS, derived_edges_out_of, incoming_edges
from code_graph.query.shapes import classes_by_shape
from code_graph.query.snapshot import GraphSnapshot
from code_graph.recent import RecentValues
from code_graph.store.terms import last_name
from index_format.tuples import NamedTuple
from repo_mcp.answers.symbols import ListOfUses
from repo_mcp.ask.library_types import judge_of_library_uses
from repo_mcp.ask.lines_of_name import (
    KnownLines,
    LinesOfName,
    NameReach,
    UnlinkedLines,
    classify_lines,
    lines_inside,
    reach_of_name,
)
from repo_mcp.ask.uses import unknown_uses_inside, uses_inside
from repo_mcp.repository import SourceFiles
from repo_mcp.repository.word_lines import WordLine, WordLines, code_first, lines_by_path

# symbols of one qualified name, and lines that may add to a list
_MOST_TWINS: Final = 200
_MOST_LINES: Final = 400
_MOST_TOLD: Final = 20
# symbols that reach another, of which all uses are looked for
_MOST_REACHED: Final = 40
# functions of a name that a call of something outside may mean
_MOST_NAMESAKES: Final = 20
# parameters that take any number of arguments, or none
_OPEN: Final = ("...", "=", "params ")
_EVERY: Final = EdgeFilter((*ALL_TYPES,), LISTED)
_LISTED: Final = EdgeFilter(USES, LISTED)
_DERIVED: Final = EdgeFilter(USES, (Confidence.DISPATCH, Confidence.PROBABLE))
_UNNAMED: Final = EdgeFilter((EdgeType.CALLS,), (Confidence.CONTRACT, Confidence.DISPATCH))
# symbols of a graph whose uses are kept for the next page and question
_MOST_KEPT: Final = 64


# the ids of a symbol with its overloads, whether a use may be one of another version, and builds
_Asked = tuple[tuple[int, ...], bool | None, Sequence[object]]


class Doubt(StrEnum):
    """A cause for which a list is not said to be complete, though no line may add to it."""

    NOT_LINKED = "not all files are linked from their text of now"
    MANY_LINES = "not each line with the name was looked at"
    NO_LINES = "uses of this name with an unknown target have no known line"
    PARTIAL = "a file with this name can't be parsed whole"
    TWINS = "several symbols have this qualified name"
    VERSIONS = "no lock file says which version of a package is meant"
    BY_SHAPE = "a type of this language may have the members and not name it"
    REQUESTS = "requests whose path is put together at run time are not seen"
    SYNTAX = "operators, declarations and the like use it without its name, and are not all seen"
    FRAMEWORK = "a framework runs it, and what makes it do so is not all seen"
    OVERRIDES = "overrides of what is called, which may run instead, are left out"
    MANY_SYMBOLS = "more symbols lead to it than were looked at"
    LIKELIER = "calls on objects of unknown type are listed with likelier symbols of the name"


class KnownUses(NamedTuple):
    """The lines and doubts for which a list of uses may lack one."""

    could_add: Sequence[WordLine] = ()
    doubts: Sequence[Doubt] = ()
    # None if not each line with the name was looked at, as those below
    unlinked: UnlinkedLines | None = None
    of_name: LinesOfName = LinesOfName()

    @property
    def is_complete(self) -> bool:
        """True if no line may add to the list, and nothing else speaks against it."""
        return not self.could_add and not self.doubts

    def tell(self, answer: ListOfUses) -> None:
        """Set the fields of an answer that say so."""
        answer.complete_list = self.is_complete and not answer.truncated
        answer.could_add = lines_by_path(self.could_add[:_MOST_TOLD])
        answer.could_add_count = len(self.could_add)
        answer.doubts = [*self.doubts]
        answer.lines_of_name = {**self.of_name.counts}
        answer.of_namesakes = [*self.of_name.namesakes]


# the files behind a whole graph stay the same as long as the graph
_kept: WeakKeyDictionary[GraphSnapshot, RecentValues[_Asked, KnownUses]] = WeakKeyDictionary()


class UseFinder(NamedTuple):
    """Finds uses by the graph, the files and a search for a word.

    `is_whole`: every file is linked from its current text, though some of its edges may be missing.
    """

    graph: GraphSnapshot
    files: SourceFiles
    lines: Callable[[str], WordLines]
    is_whole: bool

    def of_symbols(
        self,
        symbols: Sequence[Symbol],
        *,
        listed: EdgeFilter = _LISTED,
        is_of_version: bool | None = None,
    ) -> KnownUses:
        """The uses of a symbol, with its overloads, that a list of such edges may lack.

        `is_of_version` says whether a use may be one of another version, if that is known.
        """
        known = self._known(symbols, is_of_version=is_of_version)
        left_out = self._left_out(symbols, listed)
        return known._replace(could_add=_in_order([*known.could_add, *left_out]))

    def _left_out(self, symbols: Sequence[Symbol], listed: EdgeFilter) -> Iterator[WordLine]:
        """The lines with uses that are known, and less sure than a list has them."""
        if set(LISTED) <= {*listed.confidences}:
            return
        every = EdgeFilter(listed.types, LISTED)
        edges = [*chain.from_iterable(incoming_edges(self.graph, it.id, every) for it in symbols)]
        shown = {edge.place for edge in edges if edge.confidence in listed.confidences}
        for edge in edges:
            if edge.place not in shown:
                yield WordLine(edge.path, edge.line)

    def _known(self, symbols: Sequence[Symbol], *, is_of_version: bool | None) -> KnownUses:
        if not self.is_whole:
            return self._find(symbols, is_of_version=is_of_version)
        key = tuple(item.id for item in symbols), is_of_version, self._builds(symbols[0])
        kept = _kept.setdefault(self.graph, RecentValues(_MOST_KEPT))
        known = kept.get(key, lambda _: self._find(symbols, is_of_version=is_of_version))
        # where these have changed since, the question is asked again
        self.files.compare(line.path for line in known.could_add[:_MOST_TOLD])
        return known

    def _find(self, symbols: Sequence[Symbol], *, is_of_version: bool | None) -> KnownUses:
        graph, symbol = self.graph, symbols[0]
        reach = reach_of_name(graph, self.files, symbol)
        found = self._lines_of(symbol, reach)
        named = None
        used = _used(graph, symbols)
        known = KnownLines(used, _of_likelier(graph, symbols, used))
        if found.is_complete:
            named = classify_lines(graph, self.files, symbols, found.lines, reach, known)
        paths = {line.path for line in found.lines if reach.has_line(*line)}
        doubts = [*self._doubts(symbols, paths, is_of_version=is_of_version)]
        if any(reach.has_line(*line) for line in known.likelier):
            doubts.append(Doubt.LIKELIER)
        if named is None:
            doubts.insert(int(not self.is_whole), Doubt.MANY_LINES)
        unlinked = None if named is None else UnlinkedLines.among(named)
        code = () if unlinked is None else unlinked.code
        listed = _listed(graph, symbols)
        unknown = [*_places_of_name(graph, symbol, known.likelier)]
        named_unknown = [line for line, is_meant in unknown if is_meant and line not in listed]
        if reach.needs_import:  # none of those uses can mean it
            places = [line for line in code if line not in named_unknown]
        elif reach.last:
            places = [line for line in code if reach.has_line(*line)]
        else:
            places = [*code, *named_unknown]
            # two readers of one fact: no claim rests on the lines alone
            if not (code or unknown or known.likelier) and (
                unresolved_uses(graph, symbol.name, language=symbol.named_as)
                or external_uses(graph, symbol.name, language=symbol.named_as)
            ):
                doubts.append(Doubt.NO_LINES)
        left_out = {line for line in places if self._is_left_out(symbol, line)}
        places = _in_order(line for line in places if line not in left_out)
        of_name = LinesOfName()
        if named is not None:
            of_name = LinesOfName.of(graph, named, places, left_out)
        return KnownUses(places, doubts, unlinked, of_name)

    def _builds(self, symbol: Symbol) -> Sequence[object]:
        """The builds that a question is about, where the language has conditions."""
        states = self.files.states
        is_asked = states is not None and language_named(symbol.language).conditions
        return tuple(states.chosen.builds) if states is not None and is_asked else ()

    def _is_left_out(self, symbol: Symbol, line: WordLine) -> bool:
        """True if no build compiles a line, which then adds no use."""
        has_conditions = language_named(symbol.language).conditions
        return bool(has_conditions) and self.files.is_left_out(line.path, line.line)

    def _lines_of(self, symbol: Symbol, reach: NameReach) -> WordLines:
        """The lines with a symbol's name; of a local one those of its function do."""
        found = self.lines(symbol.simple_name)
        is_local = reach.last and not found.is_complete
        return lines_inside(self.files, reach, symbol.simple_name) if is_local else found

    def _doubts(
        self, symbols: Sequence[Symbol], paths: Iterable[str], *, is_of_version: bool | None
    ) -> Iterator[Doubt]:
        """The causes that are no lines; `paths` are the files that the name reaches."""
        graph, symbol = self.graph, symbols[0]
        if not self.is_whole:
            yield Doubt.NOT_LINKED
        if _is_used_by_syntax(symbol):
            yield Doubt.SYNTAX
        if _is_partial(graph, {symbol.path, *paths}):
            yield Doubt.PARTIAL
        if _has_twin(graph, symbols):
            yield Doubt.TWINS
        if _may_be_of_version(graph, symbols) if is_of_version is None else is_of_version:
            yield Doubt.VERSIONS
        strategies = {how for item in symbols for how in _strategies(graph, item.id)}
        if Strategy.ROUTE in strategies:
            yield Doubt.REQUESTS
        elif Strategy.FRAMEWORK in strategies and not is_test(symbol.path):
            yield Doubt.FRAMEWORK

    def of_types(self, symbols: Sequence[Symbol]) -> KnownUses:
        """The types that implement or extend a symbol: each names it, but by shape."""
        found = self.of_symbols(symbols)
        language = language_named(symbols[0].language)
        is_shape = bool(classes_by_shape(self.graph, symbols[0].id))
        if is_shape or language.is_structural or language.has_implicit_interfaces:
            return found._replace(doubts=[*found.doubts, Doubt.BY_SHAPE])
        return found

    def of_all(
        self, symbols: Sequence[Symbol], reached: Iterable[int], *, listed: EdgeFilter = _LISTED
    ) -> KnownUses:
        """The uses of a symbol and of those that lead to it; ends at the first doubt."""
        found = self.of_symbols(symbols, listed=listed)
        lines, doubts = [*found.could_add], found.doubts
        for count, number in enumerate(reached):
            if doubts:
                break
            if count == _MOST_REACHED:
                doubts = [Doubt.MANY_SYMBOLS]
                break
            other = self.graph.symbol(number)
            if other is not None:
                more = self.of_symbols([other], listed=listed)
                lines += more.could_add
                doubts = more.doubts
        return KnownUses(_in_order(lines), doubts, found.unlinked)

    def inside(
        self, symbol: Symbol, members: Sequence[int] = (), *, listed: EdgeFilter = _LISTED
    ) -> KnownUses:
        """The uses in a symbol and its members, of which unknown ones may add a target."""
        uses = chain(
            unknown_uses_inside(self.graph, symbol),
            chain.from_iterable(unresolved_of(self.graph, number) for number in members),
        )
        lines = [WordLine(symbol.path, use.line) for use in uses]
        lines += self._perhaps_inside(symbol, members)
        parts = chain.from_iterable(map(self.graph.spans, (symbol.id, *members)))
        is_cut = any(part.path in self.graph.all_incomplete for part in parts)
        is_known = self.is_whole and not is_cut
        doubts = [] if is_known else [Doubt.NOT_LINKED]
        every = EdgeFilter(listed.types, LISTED)
        if Confidence.DISPATCH not in listed.confidences and any(
            any(derived_edges_out_of(self.graph, number, every)) for number in (symbol.id, *members)
        ):
            doubts.append(Doubt.OVERRIDES)
        return KnownUses(_in_order(lines), doubts)

    def _perhaps_inside(self, symbol: Symbol, members: Sequence[int]) -> Iterator[WordLine]:
        """The lines whose call of something outside may be one of a namesake here."""
        graph = self.graph
        calls = chain(
            uses_inside(graph, symbol, CALLS).edges,
            chain.from_iterable(edges_of_parts(graph, number, CALLS) for number in members),
        )
        judges: dict[str, list[Callable[[PlacedEdge], bool]]] = {}
        for edge in calls:
            if not edge.external:
                continue
            name = last_name(edge.external)
            if name not in judges:
                namesakes, _ = symbols_named(graph, name, _MOST_NAMESAKES)
                functions = (item for item in namesakes if item.node_type in FUNCTIONS)
                meant = nameable(functions, symbol.language)
                judges[name] = [judge_of_library_uses(graph, function) for function in meant]
            if not all(is_outside(edge) for is_outside in judges[name]):
                yield WordLine(edge.path, edge.line)


def _places_of_name(
    graph: GraphSnapshot, symbol: Symbol, likelier: Container[WordLine]
) -> Iterator[tuple[WordLine, bool]]:
    """The first uses of a name whose target is unknown or outside of the repository.

    With each comes true if it may mean the symbol. Those of `likelier` symbols are left out.
    """
    is_outside = judge_of_library_uses(graph, symbol)
    for name in (symbol.name, *_names_elsewhere(symbol)):
        places = starmap(WordLine, unresolved_places(graph, name, language=symbol.named_as))
        unknown = ((line, True) for line in places if line not in likelier)
        yield from islice(unknown, _MOST_LINES)
        edges = external_places(graph, name, language=symbol.named_as)
        lines = ((WordLine(edge.path, edge.line), not is_outside(edge)) for edge in edges)
        yield from islice(lines, _MOST_LINES)


def _of_likelier(
    graph: GraphSnapshot, symbols: Sequence[Symbol], used: Container[WordLine]
) -> Mapping[WordLine, int]:
    """The lines on which each use of the name with an unknown target probably means another symbol.

    With each comes that symbol.
    """
    running_it = {number for item in symbols for number in run_by(graph, item.id)}
    likelier: dict[WordLine, int] = {}
    others: set[WordLine] = set()
    for file, use, meaning in LikelyMeanings(graph).unknown_uses(symbols[0]):
        line = WordLine(graph.path_of(file), use.line)
        if meaning is None or not running_it.isdisjoint(meaning.ids) or line in used:
            others.add(line)
        else:
            likelier[line] = min(meaning.ids)
    return {line: number for line, number in likelier.items() if line not in others}


def _names_elsewhere(symbol: Symbol) -> tuple[str, ...]:
    """Other names that languages of the platform use a symbol by: `getTotal` of `total`."""
    row = language_named(symbol.language)
    place = row.methods_named if symbol.node_type in FUNCTIONS else row.values_named
    names: Callable[[str], tuple[str, ...]] | None = load(place) if place else None
    return () if names is None or symbol.node_type in TYPES else names(symbol.simple_name)


def _used(graph: GraphSnapshot, symbols: Sequence[Symbol]) -> set[WordLine]:
    """The lines with a use that no stored edge of a whole file shows."""
    chosen = _EVERY if graph.all_incomplete else _DERIVED
    edges = chain.from_iterable(incoming_edges(graph, item.id, chosen) for item in symbols)
    paths = graph.all_incomplete
    return {
        WordLine(edge.path, edge.line)
        for edge in edges
        if edge.path in paths or edge.confidence in _DERIVED.confidences
    }


def _listed(graph: GraphSnapshot, symbols: Sequence[Symbol]) -> set[WordLine]:
    """The lines with a use that each list of uses has: a call, or any use of what is not called."""
    types = (EdgeType.CALLS,) if symbols[0].node_type in FUNCTIONS else USES
    edges = chain.from_iterable(
        incoming_edges(graph, item.id, EdgeFilter(types, LISTED)) for item in symbols
    )
    return {WordLine(edge.path, edge.line) for edge in islice(edges, _MOST_LINES)}


def _strategies(graph: GraphSnapshot, symbol: int) -> set[int]:
    """The strategies of the first calls that no name of a symbol shows: others may follow them."""
    return {edge.strategy for edge in edges_into(graph, symbol, _UNNAMED, limit=_MOST_TOLD).edges}


def _may_be_of_version(graph: GraphSnapshot, symbols: Sequence[Symbol]) -> bool:
    stored = EdgeFilter()
    edges = chain.from_iterable(incoming_edges(graph, item.id, stored) for item in symbols)
    return any(edge.strategy == Strategy.VERSION for edge in edges)


def _is_used_by_syntax(symbol: Symbol) -> bool:
    """True for a member whose uses need not have its name: an operator, a constructor of C++."""
    pattern = language_named(symbol.language).used_by_syntax
    named = f"{symbol.node_type} {symbol.simple_name}"
    return bool(pattern) and re.fullmatch(pattern, named) is not None


def _is_partial(graph: GraphSnapshot, paths: Iterable[str]) -> bool:
    """True if declarations of a file may be lost, so that uses of them are taken for others."""
    linked = (path for path in paths if graph.snapshot.file(path) is not None)
    return any(graph.facts(path).status == PARTIAL for path in linked)


def _has_twin(graph: GraphSnapshot, symbols: Sequence[Symbol]) -> bool:
    """True if a use may be one of another symbol, which is declared with the same whole name.

    Where names are bound by scopes and imports, that is one of the same scope of its file.
    """
    own = {item.id for item in symbols}
    twins = [
        item
        for item in graph.lookup(symbols[0].qualified_name, _MOST_TWINS)
        if item.id not in own and not _takes_others(graph, symbols, item)
    ]
    if not language_named(symbols[0].language).imports_names:
        return bool(twins)
    holders = {(item.path, _holder(graph, item)) for item in symbols}
    return any((item.path, _holder(graph, item)) in holders for item in twins)


def _takes_others(graph: GraphSnapshot, symbols: Sequence[Symbol], twin: Symbol) -> bool:
    """True for an overload of another number of parameters, by which calls tell them apart."""
    if not language_named(twin.language).overloads or twin.node_type not in FUNCTIONS:
        return False
    other = graph.declaration(twin)
    return other is not None and all(
        item.path == twin.path and _differ(graph.declaration(item), other) for item in symbols
    )


def _differ(one: Declaration | None, other: Declaration) -> bool:
    if one is None or one.parent != other.parent:
        return False
    is_open = any(mark in item.parameters for item in (one, other) for mark in _OPEN)
    return not is_open and one.parameter_count != other.parameter_count


def _holder(graph: GraphSnapshot, symbol: Symbol) -> int:
    """The number of the declaration around one."""
    declared = graph.declaration(symbol)
    return MODULE if declared is None else declared.parent


def _in_order(lines: Iterable[WordLine]) -> list[WordLine]:
    return code_first(dict.fromkeys(lines))
