"""Edges of a symbol: callers, callees, implementations, references, dependencies, dependents."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from code_graph.model import Confidence, EdgeType, Strategy
from code_graph.query.choice import target_of
from code_graph.query.dispatch import unknown_uses
from code_graph.query.edges import EdgeFilter
from code_graph.query.impact import IMPACT_BUDGET, impact_of
from code_graph.query.model import LISTED, SURE, PlacedEdge, Symbol
from code_graph.query.names import node_text
from code_graph.query.neighbours import surest_edges
from code_graph.query.paths import MAY_AFFECT, ReachedSymbol, explain_either_way
from code_graph.query.snapshot import GraphSnapshot
from repo_mcp.answers.symbols import (
    ImpactList,
    PathResult,
    PathStep,
    RelationList,
    RelationRow,
    describe_symbol,
)
from repo_mcp.ask import (
    CALLEES,
    CALLERS,
    DEPENDENCIES,
    DEPENDENTS,
    IMPLEMENTATIONS,
    REFERENCES,
    RelatedUses,
    find_related,
    known_uses,
)
from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.model import AnswerWarning
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
from repo_mcp.toolsets.kit.services import Arguments, Context, ToolHandler, ToolServices

_EXTERNAL: Final = "external"
# places of one step that are given
_MOST_PLACES: Final = 20


class Relations(ToolHandler):
    """Lists the edges of one relation."""

    relation = DEPENDENTS
    title = "dependents of"

    def __call__(self, arguments: Arguments, context: Context) -> Outcome:
        """A page of symbols at the other end, with places."""
        warnings: list[AnswerWarning] = []
        if arguments["limit"] < 1:
            raise Problem("argument_invalid", "limit must be at least 1")
        limit = ToolServices.clamp("limit", arguments["limit"], MOST_EDGES_SHOWN, warnings)
        question = {name: value for name, value in arguments.items() if name != "cursor"}
        cursor = arguments["cursor"]
        position = decode_cursor(cursor, question, int) if cursor else None
        offset = 0 if position is None else position.place[0]
        chosen = self._chosen(arguments)

        def find(call: GraphCall) -> Outcome:
            symbols = call.symbols(arguments["node_id"])
            symbols = symbols[:1] if self.relation.forward else symbols
            uses = find_related(
                call.graph,
                list(map(target_of, symbols)),
                self.relation,
                chosen,
                offset=offset,
                limit=limit,
                with_external=arguments.get("include_external", False),
            )
            result = self._result(call, symbols, uses, chosen, context.budget)
            generation = call.graph.snapshot.generation
            if uses.next_offset is not None:
                result.cursor = encode_cursor(question, generation, [uses.next_offset])
            is_other = position is not None and position.generation != generation
            shown = sorted({f"{edge.path}:{edge.line}" for edge in uses.edges})
            return Outcome(result, [*warnings, *([CHANGED] if is_other else [])], shown=shown)

        return answer_from_graph(self._services, context, find, names=[arguments["node_id"]])

    def _chosen(self, arguments: Arguments) -> EdgeFilter:
        """The edges that a call asks for."""
        name = arguments.get("edge_type")
        types = (EdgeType[name.upper()],) if name else self.relation.types
        by_dispatch = arguments.get("include_dispatch", not self.relation.forward)
        possible = (Confidence.POSSIBLE,) if arguments.get("include_possible") else ()
        return EdgeFilter(types, (*(LISTED if by_dispatch else SURE), *possible))

    def _result(
        self,
        call: GraphCall,
        symbols: Sequence[Symbol],
        uses: RelatedUses,
        chosen: EdgeFilter,
        budget: Budget,
    ) -> RelationList:
        find = self._services.places_outside(budget)
        outside = {} if find is None else places_outside(call.graph, uses.edges, find)
        answer = RelationList(
            relation=f"{self.title} {describe_symbol(symbols[0])}",
            overloads=[describe_symbol(symbol) for symbol in symbols[1:]],
            results=list(_rows(call.graph, uses.edges, outside, forward=self.relation.forward)),
            resolved=uses.counts.resolved,
            unresolved_same_name=uses.counts.unresolved_same_name,
            external=uses.counts.external,
            complete_list=False,
            truncated=uses.next_offset is not None or uses.counts.truncated,
            snapshot=state_of(call),
        )
        known_uses(call.uses, symbols, self.relation, chosen).tell(answer)
        return answer


class GetCallers(Relations):
    """Callers of a symbol."""

    title = "callers of"
    relation = CALLERS


class GetCallees(Relations):
    """Callees of a symbol; of a type, those of its constructors."""

    title = "callees of"
    relation = CALLEES


class GetImplementations(Relations):
    """Types that implement or extend a symbol."""

    title = "implementations of"
    relation = IMPLEMENTATIONS


class GetReferences(Relations):
    """References to a symbol of any kind."""

    title = "references to"
    relation = REFERENCES


class GetDependencies(Relations):
    """Dependencies of a symbol."""

    title = "dependencies of"
    relation = DEPENDENCIES


class GetDependents(Relations):
    """Dependents of a symbol."""


class GetImpact(ToolHandler):
    """Code and tests that a change of a symbol may affect."""

    def __call__(self, arguments: Arguments, context: Context) -> Outcome:
        """Code and tests that reach a symbol or its members."""
        warnings: list[AnswerWarning] = []
        limit = ToolServices.clamp("limit", arguments["limit"], MOST_EDGES_SHOWN, warnings)
        depth = ToolServices.clamp("depth", arguments["depth"], MOST_DEPTH, warnings)

        def find(call: GraphCall) -> Outcome:
            graph, symbols = call.graph, call.symbols(arguments["node_id"])
            symbol, overloads = symbols[0], [item.id for item in symbols[1:]]
            found = impact_of(graph, symbol.id, MAY_AFFECT, depth=depth, also=overloads)
            code = [*_reached(graph, found.code.reached[:limit])]
            tests = [*_reached(graph, found.tests.reached[:limit])]
            result = ImpactList(
                relation=f"what a change may affect: {describe_symbol(symbol)}",
                overloads=[describe_symbol(item) for item in symbols[1:]],
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
            call.uses.of_all(symbols, [*found.members, *reached]).tell(result)
            return Outcome(result, warnings, shown=_shown([*code, *tests]))

        names = [arguments["node_id"]]
        return answer_from_graph(self._services, context, find, names=names, is_direct=False)


class GetPath(ToolHandler):
    """Why one symbol depends on another."""

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
            return Outcome(result, warnings, shown=shown)

        names = [arguments["source"], arguments["target"]]
        return answer_from_graph(self._services, context, find, names=names, is_direct=False)


def _reached(graph: GraphSnapshot, reached: Iterable[ReachedSymbol]) -> Iterator[RelationRow]:
    """A row for the last step from each symbol towards the one that was asked about."""
    for item in reached:
        edges = surest_edges(graph, item.id, item.next, MAY_AFFECT, _MOST_PLACES)
        if edges:
            row = _row(graph, edges, {})
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
    outside: Mapping[OutsideUse, tuple[Symbol, SymbolPlace]],
    *,
    forward: bool,
) -> Iterator[RelationRow]:
    """One row for the edges of one kind between two symbols in one file.

    Of symbols `outside` of the repository the declarations are known that are given.
    """
    groups: dict[tuple[object, ...], list[PlacedEdge]] = {}
    for edge in edges:
        other = (edge.target, edge.external) if forward else edge.source_chunk
        key = other, edge.type, edge.confidence, edge.strategy, edge.path
        groups.setdefault(key, []).append(edge)
    for group in groups.values():
        yield _row(graph, group, outside, forward=forward)


def _row(
    graph: GraphSnapshot,
    group: Sequence[PlacedEdge],
    outside: Mapping[OutsideUse, tuple[Symbol, SymbolPlace]],
    *,
    forward: bool = False,
) -> RelationRow:
    edge = group[0]
    if not forward:
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
        direction="outgoing" if forward else "incoming",
        confidence=Confidence(edge.confidence).name.lower(),
        strategy=Strategy(edge.strategy).name.lower(),
        seen_in=edge.path,
        places=[f"{item.line}:{item.column + 1}" for item in group],
    )
