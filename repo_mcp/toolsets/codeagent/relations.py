"""Edges of a symbol: callers, callees, implementations, references, dependencies, dependents."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from code_graph.model import Confidence, EdgeType
from code_graph.query.choice import target_of
from code_graph.query.dispatch import unknown_uses
from code_graph.query.edges import EdgeFilter
from code_graph.query.impact import IMPACT_BUDGET, impact_of
from code_graph.query.model import LISTED, SURE, PlacedEdge, Symbol
from code_graph.query.names import node_text
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
    EdgeGroup,
    RelatedUses,
    find_related,
    group_edges,
    group_reached,
    known_uses,
)
from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.model import AnswerWarning
from repo_mcp.repository.outside import places_outside
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
        find, forward = self._services.places_outside(budget), self.relation.forward
        outside = {} if find is None else places_outside(call.graph, uses.edges, find)
        groups = group_edges(
            call.graph,
            uses.edges,
            forward=forward,
            outside=outside,
            by_file=True,
            files=call.uses.files,
        )
        answer = RelationList(
            relation=f"{self.title} {describe_symbol(symbols[0])}",
            overloads=[describe_symbol(symbol) for symbol in symbols[1:]],
            results=[_row(group, forward=forward) for group in groups],
            resolved=uses.counts.resolved,
            unresolved_same_name=uses.counts.unresolved_same_name,
            external=uses.counts.external,
            complete_list=False,
            truncated=uses.next_offset is not None or uses.counts.truncated,
            snapshot=state_of(call),
        )
        files = call.uses.files
        answer.not_compiled = sum(files.is_left_out(edge.path, edge.line) for edge in uses.edges)
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
            symbol, ids = symbols[0], [item.id for item in symbols]
            found = impact_of(graph, ids, MAY_AFFECT, depth=depth)
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
    for group in group_reached(graph, reached, MAY_AFFECT, most_places=_MOST_PLACES):
        row = _row(group)
        following = graph.symbol(group.near)
        row.via = "" if following is None or group.distance == 1 else following.name
        yield row


def _step(graph: GraphSnapshot, edge: PlacedEdge) -> PathStep:
    source, target = graph.symbol_at(edge.source_chunk), graph.symbol(edge.target)
    return PathStep(
        source=source.qualified_name or source.name,
        target=edge.external if target is None else target.qualified_name,
        edge_type=edge.type.name.lower(),
        confidence=edge.words[0],
        file_path=edge.path,
        line=edge.line,
    )


def _shown(rows: Iterable[RelationRow]) -> list[str]:
    """The places of rows, for the audit log."""
    return sorted(
        {f"{row.seen_in}:{place.partition(':')[0]}" for row in rows for place in row.places}
    )


def _row(group: EdgeGroup, *, forward: bool = False) -> RelationRow:
    """The symbol at the other end of edges that one file has."""
    symbol, edge = group.other.symbol, group.edges[0]
    confidence, strategy = group.words
    return RelationRow(
        node_id=node_text(group.other.id),
        name=edge.external.rpartition(".")[2] if symbol is None else symbol.name,
        qualified_name=edge.external if symbol is None else symbol.qualified_name,
        node_type=_EXTERNAL if symbol is None else symbol.node_type,
        file_path="" if symbol is None else symbol.path,
        line_start=0 if symbol is None else symbol.start_line,
        edge_type=group.kind,
        direction="outgoing" if forward else "incoming",
        confidence=confidence,
        strategy=strategy,
        seen_in=edge.path,
        places=[f"{place.line}:{place.column + 1}" for place in group.edges],
        distance=group.distance,
        built=group.built,
    )
