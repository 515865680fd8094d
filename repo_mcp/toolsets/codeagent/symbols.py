"""Symbols: search, lookup, metadata, locations, and the outline of a file."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import wraps
from typing import Final, Protocol, TypeVar

from index_format import CorruptIndexError
from repo_mcp.errors import Problem
from repo_mcp.graph.query.edges import reference_count
from repo_mcp.graph.query.model import Symbol
from repo_mcp.graph.query.names import node_text, parse_node_id
from repo_mcp.graph.query.search import SymbolFilter, search_symbols
from repo_mcp.graph.query.snapshot import GraphSnapshot
from repo_mcp.graph.scip.report import describe_limits
from repo_mcp.languages.facts import Declaration
from repo_mcp.model import AnswerWarning
from repo_mcp.repository import OpenGraph, collapse_path
from repo_mcp.toolsets.codeagent.declarations import MOST_SYMBOLS
from repo_mcp.toolsets.codeagent.symbol_results import (
    SpanList,
    SpanRow,
    SymbolList,
    SymbolResult,
    SymbolRow,
    SymbolSnapshot,
)
from repo_mcp.toolsets.kit.answers import Outcome
from repo_mcp.toolsets.kit.index_warnings import linking_detail, linking_warning
from repo_mcp.toolsets.kit.services import Arguments, Context, ToolServices

_MOST_OUTLINE: Final = 5_000


def open_graph(services: ToolServices, context: Context) -> tuple[GraphSnapshot, OpenGraph]:
    """The graph for a call; raises `Problem` while there is none."""
    opened = services.repository.open_graph(services.wait, context.budget)
    services.background.freshen()
    if opened.graph is None:
        detail = linking_detail(opened, services.repository)
        raise Problem("graph_missing" if opened.notice is None else "graph_damaged", detail)
    return opened.graph, opened


class _GraphTool(Protocol):
    _services: ToolServices


_Tool = TypeVar("_Tool", bound=_GraphTool)
_Call = Callable[[_Tool, Arguments, Context], Outcome]


def answered_from_graph(call: _Call[_Tool]) -> _Call[_Tool]:
    """Let a tool's call, if it meets damage in the graph, answer once that is linked again."""

    @wraps(call)
    def answer(tool: _Tool, arguments: Arguments, context: Context) -> Outcome:
        try:
            return call(tool, arguments, context)
        except CorruptIndexError:
            tool._services.repository.relink_damaged_graph()  # noqa: SLF001 a method of the tool
            return call(tool, arguments, context)

    return answer


def graph_warnings(opened: OpenGraph) -> list[AnswerWarning]:
    """Warnings of what the answer may lack, and that the graph was made anew."""
    imported = () if opened.imported is None else describe_limits(opened.imported)
    found = [AnswerWarning("imported_index", line) for line in imported]
    count = 0 if opened.graph is None else opened.graph.incomplete_files
    if count:
        cut = f"the code of {count} files exceeds what is followed: some of their edges are missing"
        found.append(AnswerWarning("edges_cut", cut))
    if opened.current:
        return found if opened.notice is None else [opened.notice, *found]
    return [linking_warning(opened), *found]


def state_of(graph: GraphSnapshot, opened: OpenGraph) -> SymbolSnapshot:
    """Which state an answer is of."""
    return SymbolSnapshot(
        generation=graph.snapshot.generation,
        text_generation=graph.progress.text,
        complete=opened.current,
    )


def read_node(text: str) -> int:
    """The number of an id; raises `Problem` for what is none."""
    number = parse_node_id(text)
    if number is None:
        raise Problem(
            "argument_invalid", "node_id must be an id from a result, 16 hexadecimal digits"
        )
    return number


def find_node(graph: GraphSnapshot, text: str) -> Symbol:
    """The symbol of an id; raises `Problem` if there is none."""
    found = graph.symbol(read_node(text))
    if found is None:
        raise Problem("symbol_missing", text.strip())
    return found


def symbol_row(graph: GraphSnapshot, symbol: Symbol, score: float | None = None) -> SymbolRow:
    """A symbol in a list; fields that say nothing are left out."""
    row = SymbolRow(
        node_id=node_text(symbol.id),
        name=symbol.name,
        qualified_name=symbol.qualified_name,
        node_type=symbol.node_type,
        language=symbol.language,
        file_path=symbol.path,
        line_start=symbol.start_line,
        line_end=symbol.end_line,
    )
    declared = graph.declaration(symbol)
    if declared is not None:
        for name, value in (
            ("access_modifier", declared.access),
            ("parameter_signature", declared.parameters),
            ("return_type", declared.returns),
        ):
            if value:
                setattr(row, name, value)
    if score is not None:
        row.rank = round(score, 4)
    return row


def _list(
    rows: Iterable[SymbolRow], graph: GraphSnapshot, opened: OpenGraph, *, truncated: bool
) -> Outcome:
    found = list(rows)
    result = SymbolList(results=found, truncated=truncated, snapshot=state_of(graph, opened))
    shown = [f"{row.file_path}:{row.line_start}-{row.line_end}" for row in found]
    return Outcome(result, graph_warnings(opened), shown=shown)


def limit_of(arguments: Arguments, warnings: list[AnswerWarning]) -> int:
    """The number of results that a call asks for; raises `Problem` for none."""
    if arguments["limit"] < 1:
        raise Problem("argument_invalid", "limit must be at least 1")
    return ToolServices.clamp("limit", arguments["limit"], MOST_SYMBOLS, warnings)


def _chosen(arguments: Arguments, name: str) -> tuple[str, ...]:
    value = arguments.get(name)
    return (value,) if value else ()


class SearchSymbols:
    """Searches symbols by the words of their names."""

    def __init__(self, services: ToolServices) -> None:
        self._services = services

    @answered_from_graph
    def __call__(self, arguments: Arguments, context: Context) -> Outcome:
        """The best symbols."""
        if not arguments["query"].strip():
            raise Problem("argument_invalid", "query is empty")
        warnings: list[AnswerWarning] = []
        limit = limit_of(arguments, warnings)
        graph, opened = open_graph(self._services, context)
        chosen = SymbolFilter(
            _chosen(arguments, "node_type"),
            _chosen(arguments, "language"),
            _chosen(arguments, "project_id"),
        )
        hits = search_symbols(graph, arguments["query"], limit + 1, chosen)
        rows = (symbol_row(graph, hit.symbol, hit.score) for hit in hits[:limit])
        found = _list(rows, graph, opened, truncated=len(hits) > limit)
        return found._replace(warnings=[*warnings, *found.warnings])


class LookupSymbol:
    """Finds symbols by their exact qualified name."""

    def __init__(self, services: ToolServices) -> None:
        self._services = services

    @answered_from_graph
    def __call__(self, arguments: Arguments, context: Context) -> Outcome:
        """All symbols of the name."""
        graph, opened = open_graph(self._services, context)
        found = graph.lookup(
            arguments["qualified_name"].strip(),
            MOST_SYMBOLS + 1,
            languages=_chosen(arguments, "language"),
            projects=_chosen(arguments, "project_id"),
        )
        rows = (symbol_row(graph, symbol) for symbol in found[:MOST_SYMBOLS])
        return _list(rows, graph, opened, truncated=len(found) > MOST_SYMBOLS)


class GetSymbol:
    """The whole record of one symbol."""

    def __init__(self, services: ToolServices) -> None:
        self._services = services

    @answered_from_graph
    def __call__(self, arguments: Arguments, context: Context) -> Outcome:
        """Everything that is known of the symbol."""
        graph, opened = open_graph(self._services, context)
        symbol = find_node(graph, arguments["node_id"])
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
            is_override="override" in modifiers or _overrides(graph, symbol),
            is_deprecated="deprecated" in modifiers,
            has_doc_comment=bool(declared is not None and declared.doc),
            parse_status=graph.facts(symbol.path).status,
            parameter_signature="" if declared is None else declared.parameters,
            parameter_count=0 if declared is None else declared.parameter_count,
            return_type="" if declared is None else declared.returns,
            reference_count=reference_count(graph, symbol.id),
            snapshot=state_of(graph, opened),
        )
        if declared is not None and declared.doc:
            result.documentation = declared.doc
        return Outcome(result, graph_warnings(opened), shown=[_citation(symbol)])


def _overrides(graph: GraphSnapshot, symbol: Symbol) -> bool:
    from repo_mcp.graph.model import EdgeType  # noqa: PLC0415 in the graph's room, loaded by now
    from repo_mcp.graph.query.edges import EdgeFilter, edges_out_of  # noqa: PLC0415 as above

    chosen = EdgeFilter((EdgeType.OVERRIDES,))
    return bool(edges_out_of(graph, symbol.id, chosen, limit=1).edges)


class GetSourceSpans:
    """All locations of a symbol."""

    def __init__(self, services: ToolServices) -> None:
        self._services = services

    @answered_from_graph
    def __call__(self, arguments: Arguments, context: Context) -> Outcome:
        """Its parts, the primary one first."""
        graph, opened = open_graph(self._services, context)
        symbol = find_node(graph, arguments["node_id"])
        spans = graph.spans(symbol.id)
        rows = [
            SpanRow(
                file_path=item.path,
                line_start=item.start_line,
                line_end=item.end_line,
                is_primary=number == 0,
            )
            for number, item in enumerate(spans)
        ]
        result = SpanList(results=rows, snapshot=state_of(graph, opened))
        return Outcome(result, graph_warnings(opened), shown=list(map(_citation, spans)))


class GetFileOutline:
    """The symbols of a file."""

    def __init__(self, services: ToolServices) -> None:
        self._services = services

    @answered_from_graph
    def __call__(self, arguments: Arguments, context: Context) -> Outcome:
        """Its symbols by line."""
        repository = self._services.repository
        path = repository.sandbox.normalize_path(collapse_path(arguments["path"]))
        repository.sandbox.read(path, follow=False)  # a missing or denied file is no empty outline
        graph, opened = open_graph(self._services, context)
        rows = graph.outline(path)
        if not rows:
            raise Problem("file_not_linked", path)
        ordered = sorted(rows[1:], key=_line_order)
        found = [symbol_row(graph, symbol) for symbol, _ in ordered[:_MOST_OUTLINE]]
        return _list(found, graph, opened, truncated=len(ordered) > _MOST_OUTLINE)


def _line_order(row: tuple[Symbol, Declaration | None]) -> tuple[int, int, int]:
    symbol = row[0]
    return symbol.start_line, -symbol.end_line, symbol.declaration


def _citation(symbol: Symbol) -> str:
    return f"{symbol.path}:{symbol.start_line}-{symbol.end_line}"
