"""Symbols: search, lookup, metadata, locations, and the outline of a file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, Final

from code_graph.facts import Declaration
from code_graph.query.choice import choose_target, exact_symbols
from code_graph.query.edges import EdgeFilter, reference_count
from code_graph.query.model import LISTED, USES, Symbol
from code_graph.query.names import node_text
from code_graph.query.neighbours import derived_edges_into
from code_graph.query.overrides import has_overridden
from code_graph.query.search import SymbolFilter, SymbolHit, search_symbols
from code_graph.query.snapshot import GraphSnapshot
from index_format.tuples import NamedTuple
from repo_mcp.answers.records import AnswerRecord, field_values, record_of
from repo_mcp.answers.symbols import (
    SpanList,
    SpanRow,
    SymbolList,
    SymbolResult,
    SymbolRow,
    SymbolSnapshot,
    symbol_fields,
)
from repo_mcp.ask import UseFinder
from repo_mcp.console import visible
from repo_mcp.errors import Problem
from repo_mcp.model import AnswerWarning, QuestionFiles
from repo_mcp.repository import (
    OpenGraph,
    OpenIndex,
    OutdatedFiles,
    Repository,
    SourceFiles,
    collapse_path,
)
from repo_mcp.toolsets.codeagent.declarations import MOST_SYMBOLS
from repo_mcp.toolsets.kit.answers import Outcome
from repo_mcp.toolsets.kit.index_warnings import (
    absence,
    choice_warning,
    graph_warnings,
    linking_detail,
)
from repo_mcp.toolsets.kit.progress import ProgressReporter
from repo_mcp.toolsets.kit.services import Arguments, Context, ToolHandler, ToolServices

_MOST_OUTLINE: Final = 5_000
_GONE: Final = "its file was removed, and the index may lack what came since"


class GraphCall(NamedTuple):
    """The graph for one call, and the files of its answer as they are now.

    `said` are warnings about names that may mean several symbols.
    """

    graph: GraphSnapshot
    opened: OpenGraph
    files: SourceFiles
    said: list[AnswerWarning]
    repository: Repository
    uses: UseFinder
    text: OpenIndex

    def symbol(self, text: str) -> Symbol:
        """The likeliest symbol of a name, a place or an id; raises `Problem` if there is none."""
        return self.symbols(text)[0]

    def symbols(self, text: str) -> list[Symbol]:
        """The likeliest symbol of a name, and its overloads; raises `Problem` if there is none."""
        if not text.strip():
            raise Problem("argument_invalid", "the name of the symbol is empty")
        found = choose_target(self.graph, text)
        if not found.symbols:
            raise self.absence(text)
        if found.others:
            self.said.append(choice_warning(text, found))
        self.files.outdated([found.symbols[0].path])
        return found.symbols

    def absence(self, name: str) -> Problem:
        """That there is no such symbol, or that it may be in what is not read yet."""
        return absence(self.opened, self.text, self.repository, name)

    def check_absent(self, found: Sequence[object], name: str) -> None:
        """Raise the `Problem` if nothing is found while it may be in what is not read yet."""
        if not (found or (self.opened.is_whole and self.text.gap is None)):
            raise self.absence(name)


def answer_from_graph(
    services: ToolServices,
    context: Context,
    find: Callable[[GraphCall], Outcome],
    *,
    names: Sequence[str] = (),
    is_search: bool = False,
    is_direct: bool = True,
) -> Outcome:
    """The outcome of a call, whose files are compared with the graph before it is shown.

    While there is no whole graph, files with the `names` of the call are linked for it; for a call
    that `is_search`, only while there is no part of it; for one that `is_direct`, the uses of these
    names alone. Raises `Problem` if none is. Files that
    have changed are linked first; what there is no time for is marked, or left out where the file
    is gone.
    """
    repository = services.repository
    lines = services.lines_with_names(context.budget)

    def ask(opened: OpenGraph, index: OpenIndex) -> tuple[Outcome, SourceFiles]:
        if opened.graph is None:
            if opened.notice is not None:
                raise Problem("graph_damaged", linking_detail(opened, repository))
            raise absence(opened, index, repository, ", ".join(names))
        states = repository.line_states(context.place.builds)
        files = SourceFiles(repository.sandbox, opened.graph.snapshot, states)
        uses = UseFinder(opened.graph, files, partial(lines.of, index), opened.is_whole)
        call = GraphCall(opened.graph, opened, files, [], repository, uses, index)
        outcome = find(call)
        warnings = [*call.said, *outcome.warnings, *graph_warnings(opened), *states.warnings]
        return outcome._replace(warnings=warnings), files

    def outdated(found: tuple[Outcome, SourceFiles]) -> OutdatedFiles:
        outcome, files = found
        return files.outdated(_files_in(outcome.result))

    with ProgressReporter(services, context):

        def about(opened: OpenGraph, index: OpenIndex) -> QuestionFiles:
            searched = () if is_search and opened.graph is not None else names
            budget = context.budget
            return services.files_about(searched, lines, index, budget, is_direct=is_direct)

        found, _, index = repository.run_graph_query(
            ask, outdated, services.wait, context.budget, about
        )
    services.background.freshen()
    left = outdated(found)
    outcome = found[0]
    if not left:
        return outcome
    if isinstance(outcome.result, SymbolResult) and outcome.result.file_path in left.gone:
        raise Problem("symbol_missing", f"{outcome.result.node_id}: {_GONE}")
    _mark_outdated(outcome.result, left)
    shown = [place for place in outcome.shown if place.rpartition(":")[0] not in left.gone]
    warnings = [*outcome.warnings, *index.warnings, left.warning()]
    return outcome._replace(warnings=warnings, shown=shown)


def _files_in(result: AnswerRecord) -> set[str]:
    """The files that a result, or a row of one, names."""
    return {*field_values(result, ("file_path", "seen_in"))} - {""}


def _mark_outdated(result: Any, found: OutdatedFiles) -> None:  # noqa: ANN401 any answer about symbols
    """Mark rows of files that have changed, and leave out those of files that are gone."""
    result.snapshot.complete = False
    for name in {"results", "tests"} & vars(result).keys():
        rows = [row for row in vars(result)[name] if not _files_in(row) & found.gone]
        setattr(result, name, rows)
        for row in rows:
            row.stale = bool(_files_in(row) & found.changed)


def state_of(call: GraphCall) -> SymbolSnapshot:
    """The state of the repository that an answer is of."""
    return SymbolSnapshot(
        generation=call.graph.snapshot.generation,
        text_generation=call.graph.progress.text,
        complete=call.opened.current,
    )


def symbol_row(graph: GraphSnapshot, symbol: Symbol, score: float) -> SymbolRow:
    """A symbol in a list; fields that say nothing are left out."""
    row: SymbolRow = record_of(SymbolRow, symbol_fields(symbol))
    declared = graph.declaration(symbol)
    if declared is not None:
        for name, value in (
            ("access_modifier", declared.access),
            ("parameter_signature", declared.parameters),
            ("return_type", declared.returns),
        ):
            if value:
                setattr(row, name, value)
    if score:
        row.rank = round(score, 4)
    return row


def _list(
    call: GraphCall, hits: Iterable[SymbolHit], limit: int, warnings: Sequence[AnswerWarning] = ()
) -> Outcome:
    """The first of some symbols; those of a search have scores."""
    every = [*hits]
    rows = [symbol_row(call.graph, symbol, score) for symbol, score in every[:limit]]
    result = SymbolList(results=rows, truncated=len(every) > limit, snapshot=state_of(call))
    shown = [f"{row.file_path}:{row.line_start}-{row.line_end}" for row in rows]
    return Outcome(result, warnings, shown=shown)


def limit_of(arguments: Arguments, warnings: list[AnswerWarning]) -> int:
    """The number of results that a call asks for; raises `Problem` for none."""
    if arguments["limit"] < 1:
        raise Problem("argument_invalid", "limit must be at least 1")
    return ToolServices.clamp("limit", arguments["limit"], MOST_SYMBOLS, warnings)


def _chosen(arguments: Arguments, name: str) -> tuple[str, ...]:
    value = arguments.get(name)
    return (value,) if value else ()


class SearchSymbols(ToolHandler):
    """Searches symbols by the words of their names."""

    def __call__(self, arguments: Arguments, context: Context) -> Outcome:
        """The best symbols."""
        query = arguments["query"].strip()
        if not query:
            raise Problem("argument_invalid", "query is empty")
        warnings: list[AnswerWarning] = []
        limit = limit_of(arguments, warnings)
        chosen = SymbolFilter(
            _chosen(arguments, "node_type"),
            _chosen(arguments, "language"),
            _chosen(arguments, "project_id"),
        )

        def find(call: GraphCall) -> Outcome:
            exact = exact_symbols(call.graph, query, limit + 1, chosen.mask(call.graph))
            ranked = () if exact else search_symbols(call.graph, query, limit + 1, chosen)
            hits = [*map(SymbolHit, exact), *ranked]
            call.check_absent(hits, query)
            only = [_only_exact(query)] if exact else []
            return _list(call, hits, limit, [*warnings, *only])

        return answer_from_graph(self._services, context, find, names=[query], is_search=True)


def _only_exact(query: str) -> AnswerWarning:
    text = f"only symbols of exactly this name are listed: {visible(query)}* finds longer ones, too"
    return AnswerWarning("exact", text)


class LookupSymbol(ToolHandler):
    """Finds symbols by their exact qualified name."""

    def __call__(self, arguments: Arguments, context: Context) -> Outcome:
        """All symbols of the name."""

        def find(call: GraphCall) -> Outcome:
            found = call.graph.lookup(
                arguments["qualified_name"].strip(),
                MOST_SYMBOLS + 1,
                languages=_chosen(arguments, "language"),
                projects=_chosen(arguments, "project_id"),
            )
            call.check_absent(found, arguments["qualified_name"])
            return _list(call, map(SymbolHit, found), MOST_SYMBOLS)

        return answer_from_graph(
            self._services, context, find, names=[arguments["qualified_name"]], is_search=True
        )


class GetSymbol(ToolHandler):
    """The whole record of one symbol."""

    def __call__(self, arguments: Arguments, context: Context) -> Outcome:
        """Everything that is known of the symbol."""

        def find(call: GraphCall) -> Outcome:
            symbol = call.symbol(arguments["node_id"])
            result = _symbol_result(call, symbol)
            return Outcome(result, shown=[_citation(symbol)])

        return answer_from_graph(self._services, context, find, names=[arguments["node_id"]])


def _symbol_result(call: GraphCall, symbol: Symbol) -> SymbolResult:
    graph = call.graph
    declared = graph.declaration(symbol)
    modifiers = frozenset() if declared is None else declared.modifiers
    result = SymbolResult(
        node_id=node_text(symbol.id),
        name=symbol.name,
        qualified_name=symbol.qualified_name,
        node_type=symbol.node_type,
        language=symbol.language,
        project_id=symbol.project,
        file_path=symbol.path,
        line_start=symbol.start_line,
        line_end=symbol.end_line,
        access_modifier="" if declared is None else declared.access,
        is_public_api=symbol.is_public_api,
        is_static=bool(modifiers & {"static", "class"}),
        is_abstract="abstract" in modifiers,
        is_async="async" in modifiers,
        is_override="override" in modifiers or has_overridden(graph, symbol.id),
        is_deprecated="deprecated" in modifiers,
        has_doc_comment=bool(declared is not None and declared.doc),
        parse_status=graph.facts(symbol.path).status,
        parameter_signature="" if declared is None else declared.parameters,
        parameter_count=0 if declared is None else declared.parameter_count,
        return_type="" if declared is None else declared.returns,
        reference_count=reference_count(graph, symbol.id)
        + len(derived_edges_into(graph, symbol.id, EdgeFilter(USES, LISTED))),
        snapshot=state_of(call),
    )
    if declared is not None and declared.doc:
        result.documentation = declared.doc
    return result


class GetSourceSpans(ToolHandler):
    """All locations of a symbol."""

    def __call__(self, arguments: Arguments, context: Context) -> Outcome:
        """Its parts, the primary one first."""

        def find(call: GraphCall) -> Outcome:
            spans = call.graph.spans(call.symbol(arguments["node_id"]).id)
            rows = [
                SpanRow(
                    file_path=item.path,
                    line_start=item.start_line,
                    line_end=item.end_line,
                    is_primary=number == 0,
                )
                for number, item in enumerate(spans)
            ]
            result = SpanList(results=rows, snapshot=state_of(call))
            return Outcome(result, shown=list(map(_citation, spans)))

        return answer_from_graph(self._services, context, find, names=[arguments["node_id"]])


class GetFileOutline(ToolHandler):
    """The symbols of a file."""

    def __call__(self, arguments: Arguments, context: Context) -> Outcome:
        """Its symbols by line."""
        repository = self._services.repository
        path = repository.sandbox.normalize_path(collapse_path(arguments["path"]))
        repository.sandbox.read(path, follow=False)  # a missing or denied file is no empty outline

        def find(call: GraphCall) -> Outcome:
            rows = call.graph.outline(path)
            if not rows:
                raise Problem("file_not_linked", path)
            ordered = sorted(rows[1:], key=_line_order)
            return _list(call, (SymbolHit(symbol) for symbol, _ in ordered), _MOST_OUTLINE)

        return answer_from_graph(self._services, context, find)


def _line_order(row: tuple[Symbol, Declaration | None]) -> tuple[int, int, int]:
    symbol = row[0]
    return symbol.start_line, -symbol.end_line, symbol.declaration


def _citation(symbol: Symbol) -> str:
    return f"{symbol.path}:{symbol.start_line}-{symbol.end_line}"
