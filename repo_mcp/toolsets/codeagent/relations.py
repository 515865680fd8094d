"""Edges of a symbol: callers, callees, implementations, references, dependencies, dependents."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from code_graph.model import Confidence, EdgeType, Strategy
from code_graph.query.dispatch import MOST_EDGES, unknown_uses, without_listed
from code_graph.query.edges import EdgeFilter, edges_into, edges_out_of
from code_graph.query.impact import IMPACT_BUDGET, impact_of
from code_graph.query.model import (
    ALL_TYPES,
    LISTED,
    MENTIONS,
    SURE,
    Completeness,
    EdgePage,
    PlacedEdge,
    Symbol,
)
from code_graph.query.names import node_text
from code_graph.query.neighbours import (
    SUBTYPES,
    derived_edges_into,
    derived_edges_out_of,
    surest_edges,
    with_constructors,
)
from code_graph.query.paths import MAY_AFFECT, ReachedSymbol, explain_either_way
from code_graph.query.snapshot import GraphSnapshot
from code_graph.query.whole_declaration import edges_from, is_wider
from index_format.tuples import NamedTuple
from repo_mcp.answers.symbols import (
    ImpactList,
    PathResult,
    PathStep,
    RelationList,
    RelationRow,
    describe_symbol,
)
from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.model import AnswerWarning
from repo_mcp.repository import KnownUses
from repo_mcp.repository.outside import OutsideUse, places_outside, use_of
from repo_mcp.repository.symbol_places import SymbolPlace
from repo_mcp.toolsets.codeagent.declarations import (
    MOST_DEPTH,
    MOST_EDGES_SHOWN,
    MOST_PATH_DEPTH,
)
from repo_mcp.toolsets.codeagent.symbols import (
    GraphCall,
    answer_from_graph,
    state_of,
)
from repo_mcp.toolsets.kit.answers import Outcome
from repo_mcp.toolsets.kit.cursors import CHANGED, decode_cursor, encode_cursor
from repo_mcp.toolsets.kit.index_warnings import graph_warnings
from repo_mcp.toolsets.kit.services import Arguments, Context, ToolServices

INCOMING: Final = "incoming"
OUTGOING: Final = "outgoing"
_EXTERNAL: Final = "external"
# places of one step that are given
_MOST_PLACES: Final = 20


class _Edges(NamedTuple):
    """Some of the edges of a symbol, and how many there are."""

    edges: Sequence[PlacedEdge]
    counts: Completeness
    next_offset: int | None


class Relations:
    """Follows edges of some types in one direction."""

    types: Sequence[EdgeType] = ALL_TYPES
    direction = INCOMING
    title = "dependents of"

    def __init__(self, services: ToolServices) -> None:
        self._services = services

    def __call__(self, arguments: Arguments, context: Context) -> Outcome:
        """A page of symbols at the other end, with places."""
        warnings: list[AnswerWarning] = []
        if arguments["limit"] < 1:
            raise Problem("argument_invalid", "limit must be at least 1")
        limit = ToolServices.clamp("limit", arguments["limit"], MOST_EDGES_SHOWN, warnings)
        chosen = self._chosen(arguments)
        question = {name: value for name, value in arguments.items() if name != "cursor"}
        cursor = arguments["cursor"]
        position = decode_cursor(cursor, question, int) if cursor else None
        offset = 0 if position is None else position.place[0]

        def find(call: GraphCall) -> Outcome:
            symbol = call.symbol(arguments["node_id"])
            is_external = arguments.get("include_external", False)
            found = self._find(call.graph, symbol, chosen, offset, limit, is_external=is_external)
            result = self._result(call, symbol, found, chosen, context.budget)
            generation = call.graph.snapshot.generation
            if found.next_offset is not None:
                result.cursor = encode_cursor(question, generation, [found.next_offset])
            is_other = position is not None and position.generation != generation
            said = [*warnings, *([CHANGED] if is_other else []), *graph_warnings(call.opened)]
            shown = sorted({f"{edge.path}:{edge.line}" for edge in found.edges})
            return Outcome(result, said, shown=shown)

        return answer_from_graph(self._services, context, find, names=[arguments["node_id"]])

    def _result(
        self, call: GraphCall, symbol: Symbol, found: _Edges, chosen: EdgeFilter, budget: Budget
    ) -> RelationList:
        find = self._services.places_outside(budget)
        known = {} if find is None else places_outside(call.graph, found.edges, find)
        answer = RelationList(
            relation=f"{self.title} {describe_symbol(symbol)}",
            results=list(_rows(call.graph, found.edges, self.direction, known)),
            resolved=found.counts.resolved,
            unresolved_same_name=found.counts.unresolved_same_name,
            external=found.counts.external,
            complete_list=False,
            truncated=found.next_offset is not None or found.counts.truncated,
            snapshot=state_of(call),
        )
        self._known(call, symbol, chosen).tell(answer)
        return answer

    def _known(self, call: GraphCall, symbol: Symbol, chosen: EdgeFilter) -> KnownUses:
        """The knowledge about all edges that were asked for."""
        if self.direction == OUTGOING:
            return call.uses.inside(symbol, listed=chosen)
        return call.uses.of_symbols([symbol], listed=chosen)

    def _chosen(self, arguments: Arguments) -> EdgeFilter:
        """The edges that a call asks for."""
        name = arguments.get("edge_type")
        types = (EdgeType[name.upper()],) if name else self.types
        is_incoming = self.direction == INCOMING
        sure = LISTED if arguments.get("include_dispatch", is_incoming) else SURE
        possible = (Confidence.POSSIBLE,) if arguments.get("include_possible") else ()
        return EdgeFilter(types, (*sure, *possible))

    def _find(
        self,
        graph: GraphSnapshot,
        symbol: Symbol,
        chosen: EdgeFilter,
        offset: int,
        limit: int,
        *,
        is_external: bool,
    ) -> _Edges:
        """A page of the edges: the stored ones, and behind them those that are derived."""
        if self.direction == INCOMING:
            page = edges_into(graph, symbol.id, chosen, offset=offset, limit=limit)
            stored, count = page.edges, page.counts.resolved
            derived = derived_edges_into(graph, symbol.id, chosen)
        else:
            page = self._page_out_of(graph, symbol, chosen)
            known = [edge for edge in page.edges if not edge.external or is_external]
            stored, count = known[offset : offset + limit], len(known)
            derived = [*derived_edges_out_of(graph, symbol.id, chosen)]
        more = derived[max(offset - count, 0) :][: limit - len(stored)]
        counts = page.counts._replace(resolved=page.counts.resolved + len(derived))
        if self.direction == INCOMING:
            counts = without_listed(graph, symbol, chosen, counts)
        end = offset + limit
        return _Edges(
            [*stored, *more],
            counts,
            end if end < count + len(derived) else None,
        )

    def _page_out_of(self, graph: GraphSnapshot, symbol: Symbol, chosen: EdgeFilter) -> EdgePage:
        return edges_from(graph, symbol, chosen)


class GetCallers(Relations):
    """Callers of a symbol."""

    title = "callers of"
    types = (EdgeType.CALLS,)


class GetCallees(Relations):
    """Callees of a symbol; of a type, those of its constructors."""

    title = "callees of"
    types = (EdgeType.CALLS,)
    direction = OUTGOING

    def _page_out_of(self, graph: GraphSnapshot, symbol: Symbol, chosen: EdgeFilter) -> EdgePage:
        ids = with_constructors(graph, symbol.id)
        if is_wider(symbol):
            return edges_from(graph, symbol, chosen)
        pages = [edges_out_of(graph, number, chosen, limit=MOST_EDGES) for number in ids]
        edges = [edge for page in pages for edge in page.edges if edge.target not in ids[1:]]
        counts = Completeness(
            sum(page.counts.resolved for page in pages),
            sum(page.counts.unresolved_same_name for page in pages),
            sum(page.counts.external for page in pages),
            any(page.counts.truncated for page in pages),
        )
        return EdgePage(edges, counts)


class GetImplementations(Relations):
    """Types that implement or extend a symbol."""

    title = "implementations of"
    types = tuple(map(EdgeType, SUBTYPES.types))

    def _known(self, call: GraphCall, symbol: Symbol, chosen: EdgeFilter) -> KnownUses:
        del chosen
        return call.uses.of_types([symbol])


class GetReferences(Relations):
    """References to a symbol of any kind."""

    title = "references to"
    types = MENTIONS


class GetDependencies(Relations):
    """Dependencies of a symbol."""

    title = "dependencies of"
    direction = OUTGOING


class GetDependents(Relations):
    """Dependents of a symbol."""

    types = (*MENTIONS, EdgeType.CONTAINS)


class GetImpact:
    """Code and tests that a change of a symbol may affect."""

    def __init__(self, services: ToolServices) -> None:
        self._services = services

    def __call__(self, arguments: Arguments, context: Context) -> Outcome:
        """Code and tests that reach a symbol or its members."""
        warnings: list[AnswerWarning] = []
        limit = ToolServices.clamp("limit", arguments["limit"], MOST_EDGES_SHOWN, warnings)
        depth = ToolServices.clamp("depth", arguments["depth"], MOST_DEPTH, warnings)

        def find(call: GraphCall) -> Outcome:
            graph, symbol = call.graph, call.symbol(arguments["node_id"])
            found = impact_of(graph, symbol.id, MAY_AFFECT, depth=depth)
            code = [*_reached(graph, found.code.reached[:limit])]
            tests = [*_reached(graph, found.tests.reached[:limit])]
            result = ImpactList(
                relation=f"what a change may affect: {describe_symbol(symbol)}",
                results=code,
                tests=tests,
                affected=found.affected,
                files=found.files,
                unresolved_same_name=unknown_uses(graph, symbol, MAY_AFFECT),
                complete_list=False,
                truncated=found.code.truncated or len(code) + len(tests) < found.affected,
                snapshot=state_of(call),
            )
            reached = [item.id for item in (*found.code.reached, *found.tests.reached)]
            call.uses.of_all(symbol, [*found.members, *reached]).tell(result)
            return Outcome(
                result, [*warnings, *graph_warnings(call.opened)], shown=_shown([*code, *tests])
            )

        return answer_from_graph(self._services, context, find, names=[arguments["node_id"]])


class GetPath:
    """Why one symbol depends on another."""

    def __init__(self, services: ToolServices) -> None:
        self._services = services

    def __call__(self, arguments: Arguments, context: Context) -> Outcome:
        """A shortest way, of calls if there is one."""
        warnings: list[AnswerWarning] = []
        depth = ToolServices.clamp("depth", arguments["depth"], MOST_PATH_DEPTH, warnings)

        def find(call: GraphCall) -> Outcome:
            graph = call.graph
            source, target = call.symbol(arguments["source"]), call.symbol(arguments["target"])
            found, is_reversed = explain_either_way(
                graph,
                source.id,
                target.id,
                MAY_AFFECT.confidences,
                depth=depth,
                budget=IMPACT_BUDGET,
            )
            result = PathResult(
                relation=f"way from {describe_symbol(source)} to {describe_symbol(target)}",
                is_reversed=is_reversed,
                results=[_step(graph, edge) for edge in found.edges],
                truncated=found.truncated,
                snapshot=state_of(call),
            )
            shown = [f"{edge.path}:{edge.line}" for edge in found.edges]
            return Outcome(result, [*warnings, *graph_warnings(call.opened)], shown=shown)

        return answer_from_graph(
            self._services, context, find, names=[arguments["source"], arguments["target"]]
        )


def _reached(graph: GraphSnapshot, reached: Iterable[ReachedSymbol]) -> Iterator[RelationRow]:
    """A row for the last step from each symbol towards the one that was asked about."""
    for item in reached:
        edges = surest_edges(graph, item.id, item.next, MAY_AFFECT, _MOST_PLACES)
        if edges:
            row = _row(graph, edges, INCOMING, {})
            following = graph.symbol(item.next)
            row.distance = item.distance
            row.via = "" if following is None or item.distance == 1 else following.name
            yield row


def _step(graph: GraphSnapshot, edge: PlacedEdge) -> PathStep:
    source, target = graph.symbol_at(edge.source_chunk), graph.symbol(edge.target)
    return PathStep(
        source=source.qualified_name or source.name,
        target=edge.external if target is None else target.qualified_name,
        edge_type=edge.type.name.lower(),
        confidence=Confidence(edge.confidence).name.lower(),
        file_path=edge.path,
        line=edge.line,
    )


def _shown(rows: Iterable[RelationRow]) -> list[str]:
    """The places of rows, for the audit log."""
    return sorted(
        {f"{row.seen_in}:{place.partition(':')[0]}" for row in rows for place in row.places}
    )


def _rows(
    graph: GraphSnapshot,
    edges: Iterable[PlacedEdge],
    direction: str,
    outside: Mapping[OutsideUse, tuple[Symbol, SymbolPlace]],
) -> Iterator[RelationRow]:
    """One row for the edges of one kind between two symbols in one file.

    Of symbols `outside` of the repository the declarations are known that are given.
    """
    groups: dict[tuple[object, ...], list[PlacedEdge]] = {}
    for edge in edges:
        other = edge.source_chunk if direction == INCOMING else (edge.target, edge.external)
        key = other, edge.type, edge.confidence, edge.strategy, edge.path
        groups.setdefault(key, []).append(edge)
    for group in groups.values():
        yield _row(graph, group, direction, outside)


def _row(
    graph: GraphSnapshot,
    group: Sequence[PlacedEdge],
    direction: str,
    outside: Mapping[OutsideUse, tuple[Symbol, SymbolPlace]],
) -> RelationRow:
    edge = group[0]
    if direction == INCOMING:
        symbol: Symbol | None = graph.symbol_at(edge.source_chunk)
    elif edge.external:
        symbol = outside[use_of(edge)][0] if use_of(edge) in outside else None
    else:
        symbol = graph.symbol(edge.target)
    name = edge.external.rpartition(".")[2] if symbol is None else symbol.name
    return RelationRow(
        node_id=node_text(edge.target if symbol is None else symbol.id),
        name=name,
        qualified_name=edge.external if symbol is None else symbol.qualified_name,
        node_type=_EXTERNAL if symbol is None else symbol.node_type,
        file_path="" if symbol is None else symbol.path,
        line_start=0 if symbol is None else symbol.start_line,
        edge_type=edge.type.name.lower(),
        direction=direction,
        confidence=Confidence(edge.confidence).name.lower(),
        strategy=Strategy(edge.strategy).name.lower(),
        seen_in=edge.path,
        places=[f"{item.line}:{item.column + 1}" for item in group],
    )
