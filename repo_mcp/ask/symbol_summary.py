"""Gathers what one symbol is, what uses it, what it uses, and what a change of it reaches."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import Final

from code_graph.facts import Declaration
from code_graph.model import Confidence, EdgeType, Strategy
from code_graph.paths.path_kinds import PROSE, is_test, rank_path
from code_graph.query.choice import are_overloads, choose_target, target_of
from code_graph.query.dispatch import (
    is_not_extended,
    is_not_overridden,
    nameable,
    overrides_nothing,
    possible_callers,
    running,
    unknown_uses,
)
from code_graph.query.edges import (
    EdgeFilter,
    external_places,
    external_uses,
    reference_count,
    unresolved_of,
    unresolved_uses,
)
from code_graph.query.implementing import find_demand, find_makers
from code_graph.query.model import FUNCTIONS, LISTED, TYPES, PlacedEdge, Symbol
from code_graph.query.names import NameTarget, symbols_named
from code_graph.query.neighbours import CALLS, SUBTYPES
from code_graph.query.overrides import has_overridden, overridden, overriding
from code_graph.query.shapes import members_by_shape
from code_graph.query.snapshot import GraphSnapshot
from code_graph.whole_word import whole_word
from index_format.tuples import NamedTuple
from repo_mcp.answers.symbols import SymbolUseRow, told_edge
from repo_mcp.ask.complete_uses import UseFinder
from repo_mcp.ask.handed_functions import handed_functions
from repo_mcp.ask.library_types import judge_of_library_uses
from repo_mcp.ask.lines_of_name import LinesOfName, UnlinkedLines
from repo_mcp.ask.reaching_tests import (
    LinesNaming,
    TestsOfFile,
    reach_of,
    reaching_tests,
)
from repo_mcp.ask.relations import (
    BASES,
    CALLEES,
    find_related,
    find_subtypes,
    without_made_types,
)
from repo_mcp.ask.stubs import is_stubbing
from repo_mcp.ask.uses import find_uses
from repo_mcp.repository import SourceFiles
from repo_mcp.repository.name_lookup import DeclaredSymbol
from repo_mcp.repository.outside import (
    OutsideUse,
    PlacesOutside,
    is_builtin,
    places_outside,
    use_of,
)
from repo_mcp.repository.symbol_places import SymbolPlace, cited_place, local_name, place_of
from repo_mcp.repository.word_lines import WordLines
from repo_mcp.text.cutting import cut

# a definition of so many lines is given whole, and so many of a longer function
_WHOLE: Final = 60
_BEGINNING: Final = 40
# of a use in a test by which a mock is stubbed or checked
_MOCKED: Final = "mocked"
_SHAPE: Final = "(by shape)"
_QUOTES: Final = ('"""', "'''")
_WIDEST: Final = 160
_WIDEST_PLACE: Final = 100
_FIELDS: Final = frozenset({"property", "variable"})
_MOST_ROWS: Final = 200
# uses of a name on values from outside that are looked at
_MOST_EXTERNAL: Final = 3_000
# and those of which the line is shown
_MOST_WITH_LINE: Final = 20
_MOST_OUTLINE: Final = 400
# more calls of a name with unknown targets say little about one of them
_COMMON: Final = 100
_MOST_NAMED: Final = 9
_MOST_NAMESAKES: Final = 8
_CANDIDATES: Final = 2
# a function is called, or handed on as a value
_HANDED_ON: Final = (EdgeType.CALLS, EdgeType.REFERENCES)
# uses of a type or a value; imports alone do nothing with it
_USES: Final = (*_HANDED_ON, EdgeType.ACCEPTS, *SUBTYPES.types)


class SymbolCall(NamedTuple):
    """The first place where a symbol calls another one, and the declaration of that."""

    target: SymbolPlace
    confidence: str
    path: str
    line: int


class SymbolDefinition(NamedTuple):
    """The declaration of a symbol: its lines, or what begins it and the members that it has."""

    place: SymbolPlace
    language: str
    # with their numbers
    code: Sequence[tuple[int, str]]
    is_whole: bool
    doc: str = ""
    outline: Sequence[str] = ()
    # lines of these that are the signature
    head: int = 0


class SymbolRelations(NamedTuple):
    """Uses of one symbol, and what it uses, as the graph has them."""

    callers: Sequence[SymbolUseRow]
    tests: Sequence[SymbolUseRow]
    override_uses: Sequence[SymbolUseRow] = ()  # of what overrides it, in code and then in tests
    possible: Sequence[SymbolUseRow] = ()  # calls of the name whose target is unknown
    callees: Sequence[SymbolCall] = ()  # of the repository, then of others
    unknown_callees: Sequence[str] = ()  # calls whose target is unknown, as line and name
    subtypes: Sequence[SymbolPlace] = ()  # in code, then in tests
    further_subtypes: Sequence[SymbolPlace] = ()  # of these subtypes, as many as were followed
    bases: Sequence[SymbolPlace] = ()
    overrides_nothing: bool = False  # for sure, as the next
    is_not_overridden: bool = False
    is_not_extended: bool = False
    reached_by: int = 0
    reached_files: int = 0
    reaching_tests: Sequence[TestsOfFile] = ()
    possible_tests: Sequence[TestsOfFile] = ()  # that may reach it where no edge shows it
    reaching_helpers: Sequence[SymbolPlace] = ()  # other functions of test files
    reach_cut: bool = False
    unknown_uses: int = 0
    external: Sequence[SymbolUseRow] = ()  # the first uses of the name on values from outside
    external_uses: int = 0
    truncated: bool = False
    left_out: int = 0  # uses on lines that no build compiles
    unsure_versions: int = 0  # uses to and from it that may be of another version of a package
    other_lines: UnlinkedLines | None = None  # None if they were not looked for
    of_name: LinesOfName = LinesOfName()  # all lines with its name
    handed: Sequence[SymbolPlace] = ()  # functions that are handed to it
    demanded: Sequence[SymbolPlace] = ()  # members that what implements it has to supply
    makers: Sequence[SymbolPlace] = ()  # functions that make, register or return such
    is_complete: bool = False  # no further use can be, but by names made at run time
    doubts: Sequence[str] = ()  # causes, besides lines, why it is not

    @property
    def is_unused(self) -> bool:
        """True if nothing uses it for sure."""
        used = self.callers or self.tests or self.override_uses or self.reached_by
        return self.is_complete and not used


class SymbolSummary(NamedTuple):
    """One symbol; without a graph that has it only its definition is known."""

    definition: SymbolDefinition
    others: Sequence[SymbolPlace]
    parts: Sequence[SymbolPlace] = ()
    relations: SymbolRelations | None = None
    # others of a member's name, which is asked about by its owner
    namesakes: Sequence[SymbolPlace] = ()
    # whose uses are counted with its own, as the name means all of them
    overloads: Sequence[SymbolPlace] = ()


def summarize_symbol(
    graph: GraphSnapshot,
    files: SourceFiles,
    name: str,
    lines: Callable[[str], WordLines],
    *,
    is_current: bool = True,
    is_on_demand: bool = False,
    outside: PlacesOutside | None = None,
) -> SymbolSummary | None:
    """The likeliest symbol of a name with its relations; None if the graph has none.

    `lines` finds those with a word. Absence is said only of a graph that `is_current`: one of all
    files, from their text of now. Lines without a known use are of files that are not linked, too,
    where a graph `is_on_demand`. Declarations of other packages are found `outside`.
    """
    found = choose_target(graph, name)
    symbol = None if found.target is None else found.target.symbol
    if symbol is None:
        return None
    overloads = found.overloads
    others = [_counted_place(graph, item) for item in _symbols(found.others)]
    parts = [part for part in graph.spans(symbol.id) if part.chunk != symbol.chunk]
    definition = _definition(graph, files, symbol)

    def naming(word: str) -> Sequence[tuple[str, int]]:
        if is_on_demand:  # what is not linked has no functions around its lines
            return _lines_with(word, files, filter(_is_no_prose, graph.snapshot.paths()))
        found = lines(word).lines
        return [(item.path, item.line) for item in found if _is_no_prose(item.path)]

    relations = _relations(graph, files, symbol, [item.id for item in overloads], outside, naming)
    is_whole = is_current and not graph.incomplete_files
    if is_on_demand:
        relations = relations._replace(reach_cut=True, reached_files=0)
    every = found.symbols
    if is_current or is_on_demand:
        finder = UseFinder(graph, files, lines, is_current and not is_on_demand)
        known = finder.of_symbols(every, is_of_version=bool(relations.unsure_versions))
        relations = relations._replace(
            other_lines=known.unlinked,
            of_name=known.of_name,
            is_complete=known.is_complete and not relations.truncated,
            doubts=known.doubts,
        )
    if is_whole:
        relations = relations._replace(
            overrides_nothing=all(overrides_nothing(graph, item) for item in every),
            is_not_overridden=all(is_not_overridden(graph, item) for item in every),
            is_not_extended=is_not_extended(graph, symbol),
        )
    return SymbolSummary(
        definition,
        others,
        [cited_place(graph, part) for part in parts],
        relations,
        namesakes=[] if others else _namesakes(graph, symbol),
        overloads=[cited_place(graph, item) for item in overloads],
    )


def _is_no_prose(path: str) -> bool:
    return rank_path(path) < PROSE


def _lines_with(word: str, files: SourceFiles, paths: Iterable[str]) -> list[tuple[str, int]]:
    """The lines of some files that have a word."""
    has_word = whole_word(word).search
    return [
        (path, number)
        for path in paths
        if word in (whole := files.text(path))
        for number, text in enumerate(whole.split("\n"), 1)
        if has_word(text)
    ]


def _counted_place(graph: GraphSnapshot, symbol: Symbol) -> SymbolPlace:
    return cited_place(graph, symbol)._replace(uses=reference_count(graph, symbol.id))


def _namesakes(graph: GraphSnapshot, symbol: Symbol) -> list[SymbolPlace]:
    """Other symbols of a member's name, if they are few, as its mock and what records its calls.

    Those that it overrides, or that override it, are told as such.
    """
    if not symbol.owner:
        return []
    found, more = symbols_named(graph, symbol.simple_name, _MOST_NAMESAKES)
    known = {symbol.id, *overridden(graph, symbol.id), *overriding(graph, symbol.id)}
    left = [item for item in found if item.id not in known and not are_overloads(item, symbol)]
    return [] if more else [_counted_place(graph, item) for item in left]


def summarize_declared(found: Sequence[DeclaredSymbol], files: SourceFiles) -> SymbolSummary:
    """The first of some declarations of the text index, without relations."""
    first, *others = found
    item = first.declaration
    code, is_whole = _code(files, first.path, item.start_line, item.end_line)
    place = _declared_place(first)
    definition = SymbolDefinition(place, first.language, code, is_whole, item.doc)
    return SymbolSummary(definition, [_declared_place(other) for other in others])


def _declared_place(found: DeclaredSymbol) -> SymbolPlace:
    item = found.declaration
    return SymbolPlace(found.name, item.kind, found.path, item.start_line, item.end_line)


def _symbols(targets: Iterable[NameTarget]) -> Iterator[Symbol]:
    for target in targets:
        if target.symbol is not None:
            yield target.symbol


def _definition(graph: GraphSnapshot, files: SourceFiles, symbol: Symbol) -> SymbolDefinition:
    declared = graph.declaration(symbol)
    is_file = declared is None
    first, last = symbol.start_line, symbol.end_line
    beginning = _BEGINNING if symbol.node_type in FUNCTIONS else 0
    code, is_whole = ([], False) if is_file else _code(files, symbol.path, first, last, beginning)
    outline = () if is_whole else [*_outline(graph, symbol)]
    doc = "" if declared is None else declared.doc
    head = _head([row for _, row in code])
    return SymbolDefinition(place_of(symbol), symbol.language, code, is_whole, doc, outline, head)


def _code(
    files: SourceFiles, path: str, first: int, last: int, beginning: int = 0
) -> tuple[list[tuple[int, str]], bool]:
    """The numbered lines of a declaration, or those that begin it, and whether these are all.

    Of a long one the signature is given, and at least so many lines.
    """
    is_whole = last - first < _WHOLE
    rows = files.lines(path, first, last)
    if not is_whole:
        head = _head(rows)
        # of a long docstring the first line is enough; the code below says more
        skipped = _text_behind(rows, head) if beginning else 0
        rows = rows[: max(head, beginning + skipped)]
        numbered = [*enumerate(rows, first)]
        del numbered[head + 1 : head + skipped]
        return [(number, cut(row, _WIDEST)) for number, row in numbered], False
    return [(number, cut(row, _WIDEST)) for number, row in enumerate(rows, first)], True


def _text_behind(rows: Sequence[str], head: int) -> int:
    """The number of lines of a text that follows a signature at once, as a docstring does."""
    begin = rows[head].lstrip().lstrip("rRuUbB") if head < len(rows) else ""
    quotes = next((mark for mark in _QUOTES if begin.startswith(mark)), "")
    if not quotes or quotes in begin[len(quotes) :]:
        return 0
    behind = enumerate(rows[head + 1 :], 2)
    return next((count for count, row in behind if quotes in row), 0)


def _head(rows: Sequence[str]) -> int:
    """Number of lines of the signature, decorators among them."""
    for number, row in enumerate(rows[:12], 1):
        if row.rstrip().endswith((":", "{", ";")) and not row.lstrip().startswith("@"):
            return number
    return 3


def _outline(graph: GraphSnapshot, symbol: Symbol) -> Iterator[str]:
    """The members of a symbol, or of a file its declarations; fields are the last."""
    rows = graph.outline(symbol.path)
    fields: dict[str, None] = {}  # a line may declare several
    for item, declared in islice(rows[1:], _MOST_OUTLINE):
        if declared is None or not symbol.encloses(item) or item.id == symbol.id:
            continue
        parent = rows[declared.parent + 1][0] if declared.parent >= 0 else rows[0][0]
        row = f"{_lines(item)}: {_signature(declared)}"
        if parent.id != symbol.id:
            continue
        if item.node_type in _FIELDS:
            fields[row] = None
        else:
            yield f"{row} [overrides]" if has_overridden(graph, item.id) else row
    yield from fields


def _lines(item: Symbol) -> str:
    end = f"-{item.end_line}" if item.end_line != item.start_line else ""
    return f"{item.start_line}{end}"


def _signature(declared: Declaration) -> str:
    return cut(declared.signature or f"{declared.kind} {declared.name}", _WIDEST_PLACE)


def _relations(
    graph: GraphSnapshot,
    files: SourceFiles,
    symbol: Symbol,
    overloads: Sequence[int],
    outside: PlacesOutside | None,
    naming: LinesNaming,
) -> SymbolRelations:
    is_callable = symbol.node_type in FUNCTIONS
    types = _HANDED_ON if is_callable else _USES
    ids = [symbol.id, *overloads]
    listed = EdgeFilter(types, LISTED)
    incoming = [*_incoming(graph, ids, listed)]
    uses = _sorted_uses(graph, files, incoming, symbol)
    known = {(use.path, use.line) for use in uses}
    overrides = [] if symbol.node_type in TYPES else overriding(graph, symbol.id)
    more = (use_at(graph, files, edge) for edge in _incoming(graph, overrides, running(symbol)))
    overriding_uses = [use for use in more if (use.path, use.line) not in known]
    perhaps = [*islice(possible_callers(graph, symbol.id), _MOST_ROWS)]
    reach = reach_of(graph, symbol.id)
    reaching = reaching_tests(graph, symbol, reach, naming, files.line)
    target = [target_of(symbol)]
    calling = find_related(graph, target, CALLEES, CALLS, limit=_MOST_ROWS)
    called = calling.edges
    based = find_related(graph, target, BASES, SUBTYPES).edges
    known_outside = _find_outside(graph, [*called, *based], outside)
    subtypes, further = _subtypes(graph, target)
    external = find_external(graph, symbol, types, files)
    demanded, makers = _demanded(graph, files, symbol)
    return SymbolRelations(
        callers=[use for use in uses if not is_test(use.path)],
        tests=_in_order([use for use in uses if is_test(use.path)], reaching.files),
        override_uses=sorted(overriding_uses, key=lambda use: is_test(use.path)),
        possible=[
            _place_of_use(graph, edge) for edge in perhaps if (edge.path, edge.line) not in known
        ],
        callees=_callees(graph, called, known_outside),
        unknown_callees=[*_unknown_callees(graph, symbol, calling.ids)],
        subtypes=sorted(subtypes, key=lambda place: is_test(place.path)),
        further_subtypes=sorted(further, key=lambda place: is_test(place.path)),
        bases=[*_targets(graph, based, known_outside)],
        reached_by=reach.affected,
        reached_files=reach.files,
        reaching_tests=reaching.tests,
        possible_tests=reaching.perhaps,
        reaching_helpers=() if reach.code.truncated else reaching.helpers,
        reach_cut=reach.code.truncated,
        unknown_uses=unknown_uses(graph, symbol, listed),
        external=[use for use in external.uses if (use.path, use.line) not in known],
        external_uses=external.total,
        truncated=len(incoming) >= _MOST_ROWS,
        handed=handed_functions(graph, files, symbol),
        demanded=demanded,
        makers=makers,
        left_out=_count_left_out(files, [*uses, *overriding_uses]),
        unsure_versions=len(
            {edge.place for edge in (*incoming, *called) if edge.strategy == Strategy.VERSION}
        ),
    )


def _count_left_out(files: SourceFiles, uses: Sequence[SymbolUseRow]) -> int:
    """The number of uses on lines that no build compiles."""
    return sum(bool(use.built) and files.is_left_out(use.path, use.line) for use in uses)


def _in_order(uses: Sequence[SymbolUseRow], files: Sequence[str]) -> list[SymbolUseRow]:
    """Uses in the order of their files, those of others behind."""
    places = {path: at for at, path in enumerate(files)}
    return sorted(uses, key=lambda use: places.get(use.path, len(places)))


def _demanded(
    graph: GraphSnapshot, files: SourceFiles, symbol: Symbol
) -> tuple[Sequence[SymbolPlace], Sequence[SymbolPlace]]:
    """The members that an implementer has to supply, and what makes, registers or returns one."""

    def line_of(path: str, number: int) -> str:
        return "".join(files.lines(path, number, number))

    demand = find_demand(graph, symbol, line_of)
    if demand is None or not (demand.required or demand.outside):
        return (), ()
    makers = [
        cited_place(graph, item.symbol)._replace(first=item.places[0].line)
        for item in find_makers(graph, demand, line_of)
        if item.made or not item.is_taker
    ]
    once = {(item.path, item.name): item for item in reversed(makers)}
    # those of a file by line
    first = {item.path: at for at, item in reversed([*enumerate(makers)])}
    makers = sorted(once.values(), key=lambda item: (first[item.path], item.first))
    demanded = [cited_place(graph, item) for item in demand.required]
    demanded += [SymbolPlace(text, "external", "", 0, 0) for text in demand.outside]
    return demanded, makers


def _incoming(graph: GraphSnapshot, ids: Sequence[int], chosen: EdgeFilter) -> Iterator[PlacedEdge]:
    """The edges to some symbols, one of each place; not all of very many."""
    return islice(_once(find_uses(graph, ids, chosen).edges), _MOST_ROWS)


def _once(edges: Iterable[PlacedEdge]) -> Iterator[PlacedEdge]:
    """One edge of each place: calling a class is calling its constructor, and mentioning it."""
    found: dict[tuple[str, int, int], PlacedEdge] = {}
    for edge in edges:
        if edge.place not in found or found[edge.place].type is EdgeType.REFERENCES:
            found[edge.place] = edge
    yield from found.values()


def _source_name(graph: GraphSnapshot, edge: PlacedEdge) -> str:
    source = graph.symbol_at(edge.source_chunk)
    return "" if source.node_type == "file" else local_name(graph, source)


def use_at(graph: GraphSnapshot, files: SourceFiles, edge: PlacedEdge) -> SymbolUseRow:
    """The use that an edge shows, with the text of its line."""
    use = _place_of_use(graph, edge)
    use.text = cut(files.line(edge.path, edge.line), _WIDEST_PLACE)
    use.built = files.mark(edge.path, edge.line)
    return use


def _sorted_uses(
    graph: GraphSnapshot, files: SourceFiles, incoming: Iterable[PlacedEdge], symbol: Symbol
) -> list[SymbolUseRow]:
    """The uses of a symbol; its subtypes are listed apart.

    Of a list that is cut, places in examples, of mocks, and in the symbol's own file tell least,
    and before these those that no build compiles.
    """
    edges = (edge for edge in incoming if edge.type not in SUBTYPES.types)
    uses = [_use_of(graph, files, edge, symbol) for edge in edges]
    uses.sort(
        key=lambda use: (
            bool(use.built) and files.is_left_out(use.path, use.line),
            rank_path(use.path),
            use.edge_type == _MOCKED,
            use.path == symbol.path,
        )
    )
    return uses


def _use_of(
    graph: GraphSnapshot, files: SourceFiles, edge: PlacedEdge, symbol: Symbol
) -> SymbolUseRow:
    """The use of a symbol that an edge shows; one of a mock of it is told apart."""
    use = use_at(graph, files, edge)
    if symbol.node_type in FUNCTIONS and is_stubbing(edge, symbol.simple_name, files.line):
        use.edge_type = _MOCKED
    return use


def _place_of_use(graph: GraphSnapshot, edge: PlacedEdge) -> SymbolUseRow:
    return SymbolUseRow(
        path=edge.path,
        line=edge.line,
        symbol=_source_name(graph, edge),
        edge_type=edge.type.name.lower(),
        confidence=told_edge(edge),
    )


class ExternalUses(NamedTuple):
    """The first uses of a symbol's name on values from outside, and how many there are."""

    uses: Sequence[SymbolUseRow]
    total: int


def find_external(
    graph: GraphSnapshot, symbol: Symbol, types: Sequence[int], files: SourceFiles | None = None
) -> ExternalUses:
    """The uses of a symbol's name on values from outside that may be such of it after all.

    With `files` the first ones have their lines.

    A member of a library's type is none: an `append` of Java's builder of texts.
    """
    total = external_uses(graph, symbol.name, types, symbol.named_as)
    places = external_places(graph, symbol.name, types, symbol.named_as)
    edges = [*islice(places, _MOST_EXTERNAL)]
    is_outside = judge_of_library_uses(graph, symbol)
    kept = [edge for edge in edges if not is_outside(edge)]
    shown = 0 if files is None else _MOST_WITH_LINE
    uses = [use_at(graph, files, edge) for edge in kept[:shown] if files is not None]
    uses += [_place_of_use(graph, edge) for edge in kept[shown:]]
    return ExternalUses(uses, len(uses) + max(total - len(edges), 0))


def _find_outside(
    graph: GraphSnapshot, edges: Sequence[PlacedEdge], outside: PlacesOutside | None
) -> Mapping[OutsideUse, SymbolPlace]:
    if outside is None:
        return {}
    found = places_outside(graph, edges, outside)
    return {use: place for use, (_, place) in found.items()}


def _callees(
    graph: GraphSnapshot, called: Sequence[PlacedEdge], outside: Mapping[OutsideUse, SymbolPlace]
) -> list[SymbolCall]:
    """The first call of each symbol by line, those of other packages behind, without builtins."""
    first: dict[int, PlacedEdge] = {}
    for edge in without_made_types(graph, called):
        first.setdefault(edge.target, edge)
    calls = (_call(graph, edge, outside) for edge in first.values())
    found = [call for call in calls if call.target.path or not is_builtin(call.target.name)]
    # one declaration outside may have several names here
    once: dict[SymbolPlace, SymbolCall] = {}
    for call in found:
        once.setdefault(call.target, call)
    return sorted(once.values(), key=lambda call: (not call.target.path, call.path, call.line))


def _unknown_callees(graph: GraphSnapshot, symbol: Symbol, parts: Iterable[int]) -> Iterator[str]:
    """Calls whose target is unknown, as line and name, with functions of that name here.

    A name that very many such calls have is mostly that of a builtin container's method.
    """
    known: dict[str, str] = {}
    for use in chain.from_iterable(unresolved_of(graph, part, CALLS.types) for part in parts):
        if use.name not in known:
            is_common = unresolved_uses(graph, use.name, CALLS.types, symbol.language) > _COMMON
            named = [] if is_common else symbols_named(graph, use.name, _MOST_NAMED)[0]
            known[use.name] = _candidates(graph, nameable(named, symbol.language))
        if known[use.name]:
            yield f"{use.line} {use.name} ({known[use.name]})"


def _candidates(graph: GraphSnapshot, named: Iterable[Symbol]) -> str:
    """The first functions among some symbols, code first; empty if there is none."""
    found = [item for item in named if item.node_type in FUNCTIONS]
    found.sort(key=lambda item: rank_path(item.path))
    places = (cited_place(graph, item) for item in found)
    shown = [f"{place.name} {place.path}:{place.first}" for place in islice(places, _CANDIDATES)]
    more = f" or {len(found) - _CANDIDATES} more" if len(found) > _CANDIDATES else ""
    return f"perhaps {', '.join(shown)}{more}" if shown else ""


def _call(
    graph: GraphSnapshot, edge: PlacedEdge, outside: Mapping[OutsideUse, SymbolPlace]
) -> SymbolCall:
    target = _target(graph, edge, outside)
    return SymbolCall(target, told_edge(edge), edge.path, edge.line)


def _subtypes(
    graph: GraphSnapshot, targets: Sequence[NameTarget]
) -> tuple[list[SymbolPlace], list[SymbolPlace]]:
    """The symbols that extend, implement or override one, and those that do so with these."""
    below = find_subtypes(graph, targets, _MOST_ROWS)
    direct: dict[int, SymbolPlace] = {}
    for edge in islice(below.direct, _MOST_ROWS):
        place = cited_place(graph, graph.symbol_at(edge.source_chunk))
        is_by_shape = edge.confidence == Confidence.DISPATCH
        direct.setdefault(edge.source, _marked(place) if is_by_shape else place)
    farther = (graph.symbol(reached.id) for reached in below.farther)
    places = [cited_place(graph, symbol) for symbol in farther if symbol is not None]
    shaped = map(graph.symbol, members_by_shape(graph, targets[0].id))
    members = [_marked(cited_place(graph, symbol)) for symbol in shaped if symbol is not None]
    return [*direct.values(), *members], sorted(places, key=lambda place: (place.path, place.first))


def _marked(place: SymbolPlace) -> SymbolPlace:
    """The place of a class, or a member, that has the shape of a protocol and does not name it."""
    return place._replace(name=f"{place.name} {_SHAPE}")


def _targets(
    graph: GraphSnapshot, edges: Iterable[PlacedEdge], outside: Mapping[OutsideUse, SymbolPlace]
) -> Iterator[SymbolPlace]:
    """The symbols that some edges lead to, each once."""
    first: dict[int, PlacedEdge] = {}
    for edge in edges:
        first.setdefault(edge.target, edge)
    return (_target(graph, edge, outside) for edge in first.values())


def _target(
    graph: GraphSnapshot, edge: PlacedEdge, outside: Mapping[OutsideUse, SymbolPlace]
) -> SymbolPlace:
    """The symbol that an edge leads to; of one outside perhaps only its name is known."""
    if edge.external:
        unknown = SymbolPlace(edge.external, "external", "", 0, 0)
        return outside.get(use_of(edge), unknown)
    symbol = graph.symbol(edge.target)
    if symbol is None:
        return SymbolPlace("", "external", "", 0, 0)
    return cited_place(graph, symbol)
