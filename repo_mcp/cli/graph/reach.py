"""The commands `impact` and `path`: what is reached over several edges, with a place for each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from code_graph.model import EdgeType
from code_graph.query.dispatch import unknown_uses
from code_graph.query.edges import EdgeFilter
from code_graph.query.impact import IMPACT_BUDGET, impact_of
from code_graph.query.model import PlacedEdge
from code_graph.query.names import NameTarget
from code_graph.query.neighbours import members_of
from code_graph.query.paths import AFFECTS, explain_either_way
from repo_mcp.answers.symbols import told_of
from repo_mcp.ask import source_named, target_named
from repo_mcp.cli.graph.graph_query import (
    GraphAnswer,
    GraphQuery,
    claim_note,
    name_overloads,
    overload_note,
    place_text,
)
from repo_mcp.cli.graph.pictures import edges_picture, relation_picture
from repo_mcp.cli.graph.records import (
    ImpactAnswer,
    PathAnswer,
    StepRecord,
    target_record,
)
from repo_mcp.cli.graph.relations import in_tree_order, reached_rows, relation_lines
from repo_mcp.cli.search.style import Style
from repo_mcp.text.plurals import counted, verb


def find_impact(query: GraphQuery) -> GraphAnswer:
    """The symbols that a change of a symbol, or of its members, may affect."""
    args = query.args
    targets = query.targets(args.name)
    target, ids = targets[0], [item.id for item in targets]
    chosen = query.edges(AFFECTS.types)
    found = impact_of(query.graph, ids, chosen, depth=args.depth)
    shown = reached_rows(query, found.code, chosen)
    shown_tests = reached_rows(query, found.tests, chosen)
    rows, test_rows = shown[: args.limit], shown_tests[: args.limit]
    record = ImpactAnswer(
        symbol=target_record(target),
        overloads=name_overloads(targets),
        results=rows,
        tests=test_rows,
        affected=found.affected,
        files=found.files,
        unresolved_same_name=_unresolved(query, target, chosen),
        complete_list=False,
        truncated=found.code.truncated
        or len(shown) > len(rows)
        or len(shown_tests) > len(test_rows),
    )
    if target.symbol is not None:
        reached = [item.id for item in (*found.code.reached, *found.tests.reached)]
        symbols = [item.symbol for item in targets if item.symbol is not None]
        query.uses.of_all(symbols, [*found.members, *reached], listed=chosen).tell(record)

    def lines(style: Style) -> Iterator[str]:
        yield from relation_lines(style, in_tree_order(rows))
        if test_rows:
            yield from ["", style("aside", "tests that reach it:")] if rows else []
            yield from relation_lines(style, test_rows)

    return GraphAnswer(
        bool(rows or test_rows),
        record,
        lines,
        _impact_notes(query, record),
        lambda: relation_picture(query, target, [*rows, *test_rows], chosen, members=found.members),
    )


def _unresolved(query: GraphQuery, target: NameTarget, chosen: EdgeFilter) -> int:
    return 0 if target.symbol is None else unknown_uses(query.graph, target.symbol, chosen)


def _impact_notes(query: GraphQuery, record: ImpactAnswer) -> list[str]:
    symbols = counted(record.affected, "symbol", least=record.truncated)
    around = f"{symbols} in {counted(record.files, 'file')}"
    steps = f"within {counted(query.args.depth, 'step')}"
    notes = [f"note: {around} {steps}, {len(record.tests)} in tests shown"]
    if record.unresolved_same_name:
        count = record.unresolved_same_name
        uses = f"{counted(count, 'use')} of this name {verb(count, 'means', 'mean')}"
        notes.append(f"note: what {uses} is not known")
    return [*notes, *overload_note(record), *claim_note(record)]


def find_path(query: GraphQuery) -> GraphAnswer:
    """A shortest way from one symbol to another, or back if there is none."""
    args = query.args
    source, target = query.target(args.source), query.target(args.target)
    found, is_reversed = explain_either_way(
        query.graph,
        source.id,
        target.id,
        query.edges(AFFECTS.types).confidences,
        depth=args.depth,
        budget=IMPACT_BUDGET,
    )
    steps = [step_record(query, edge) for edge in found.edges]
    record = PathAnswer(
        source=target_record(source),
        target=target_record(target),
        is_reversed=is_reversed,
        steps=steps,
        truncated=found.truncated,
    )
    return GraphAnswer(
        bool(steps),
        record,
        lambda style: step_lines(style, steps),
        _path_notes(query, source, target, record),
        lambda: edges_picture(query, f"{source.name} to {target.name}", found.edges),
    )


def _path_notes(
    query: GraphQuery, source: NameTarget, target: NameTarget, record: PathAnswer
) -> list[str]:
    if record.is_reversed:
        least = " within the steps searched" if record.truncated else ""
        return [f"note: {source.name} does not lead to {target.name}{least}; this is the way back"]
    if record.steps:
        return []
    for one, other in ((source, target), (target, source)):
        if other.id in members_of(query.graph, one.id):
            return [f"note: {one.name} contains {other.name}"]
    return ["note: there may be a longer way: --depth raises the limit"] if record.truncated else []


def step_record(query: GraphQuery, edge: PlacedEdge) -> StepRecord:
    """One edge with its two symbols."""
    confidence, strategy = edge.words
    return StepRecord(
        source=target_record(source_named(query.graph, edge)),
        target=target_record(target_named(query.graph, edge.target, edge.external)),
        edge_type=edge.type.name.lower(),
        confidence=confidence,
        strategy=strategy,
        place=query.place(edge),
    )


def step_lines(style: Style, steps: list[StepRecord]) -> Iterator[str]:
    """A line for each edge."""
    for step in steps:
        told = told_of(step.confidence, step.strategy)
        marks = "" if told == "exact" else f" [{told}]"
        source, target = (
            style("symbol", item.qualified_name) for item in (step.source, step.target)
        )
        how = style("aside", f"{_VERBS[step.edge_type]}{marks}")
        text = f": {style('plain', step.place.text)}" if step.place.text else ""
        yield f"{place_text(style, step.place)} {source} {how} {target}{text}"


_VERBS: Final = {kind.name.lower(): kind.name.lower() for kind in EdgeType} | {
    "references": "refers to"
}
