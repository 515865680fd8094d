"""The commands that ask about the whole graph: `cycles`, `unused` and `graph`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from code_graph.facts import Declaration
from code_graph.model import EdgeType
from code_graph.query.cycles import cycle_places, group_cycles
from code_graph.query.model import USES, PlacedEdge, Symbol
from code_graph.query.names import NameTarget, node_text
from code_graph.query.neighbours import edges_among, members_of
from code_graph.query.paths import closure
from code_graph.query.search import SymbolFilter
from code_graph.query.snapshot import GraphSnapshot
from code_graph.query.whole import (
    NO_NODE,
    Groups,
    files,
    first_edges,
    folders,
    projects,
)
from repo_mcp.ask import (
    UNUSED_TYPES,
    find_group_uses,
    looks_used,
    target_named,
    unused_symbols,
)
from repo_mcp.cli.graph.graph_query import GraphAnswer, GraphQuery, place_text, symbol_text
from repo_mcp.cli.graph.pictures import (
    arrows_between,
    groups_picture,
    symbol_box,
)
from repo_mcp.cli.graph.reach import step_lines, step_record
from repo_mcp.cli.graph.records import (
    CycleRecord,
    CyclesAnswer,
    GroupStepRecord,
    NeighbourhoodAnswer,
    PackagesAnswer,
    SymbolRecord,
    UnusedAnswer,
    symbol_record,
    target_record,
)
from repo_mcp.cli.search.style import Style
from repo_mcp.errors import Problem
from repo_mcp.picture.model import Picture

# edges of a neighbourhood: mere references would hide the rest
_AROUND: Final = (
    *(EdgeType.CALLS, EdgeType.INHERITS, EdgeType.IMPLEMENTS, EdgeType.IMPORTS),
    *(EdgeType.OVERRIDES, EdgeType.EXTENDS),
)
_PUBLIC: Final = "public symbols, which other repositories may use"
_ASSUMPTIONS: Final = (
    "tests, and what is declared in their files",
    "entry points: main and init",
    "decorated and annotated declarations, which may be registered",
    "names that a language calls by itself, such as __enter__",
    "overrides, and members of classes with a base that is declared elsewhere",
    "public members where types are not declared",
    "members of classes in files that look up names at run time, such as by getattr",
    "symbols whose name is used anywhere with a target that is not known or declared elsewhere",
    "uses made at run time alone, by reflection or in files of other languages, are not seen",
)


def find_cycles(query: GraphQuery) -> GraphAnswer:
    """Files, folders or projects that import each other."""
    args, graph = query.args, query.graph
    groups = _groups(graph, args.by)
    found = group_cycles(graph, groups)
    shown = found.cycles[: args.limit]
    rows: list[CycleRecord] = []
    for cycle, places in zip(shown, cycle_places(graph, groups, shown), strict=True):
        ends = zip(cycle.cycle, cycle.cycle[1:], places, strict=False)
        steps = [_group_step(query, one, other, edge) for one, other, edge in ends]
        rows.append(CycleRecord(members=[*cycle.members], steps=steps))
    record = CyclesAnswer(
        by=args.by, results=rows, truncated=found.truncated or len(found.cycles) > len(rows)
    )
    notes = ["note: there is too much to be searched"] if found.truncated else []

    def lines(style: Style) -> Iterator[str]:
        for number, row in enumerate(rows):
            if number:
                yield ""
            yield style("aside", f"{len(row.members)} {args.by}s import each other")
            yield from _group_lines(style, row.steps)

    return GraphAnswer(bool(rows), record, lines, notes)


def _groups(graph: GraphSnapshot, by: str, depth: int | None = None) -> Groups:
    if by == "file":
        return files(graph)
    return projects(graph) if by == "project" else folders(graph, depth)


def _group_step(
    query: GraphQuery, source: str, target: str, edge: PlacedEdge, count: int = 0
) -> GroupStepRecord:
    step = GroupStepRecord(source=source, target=target, place=query.place(edge))
    if count:
        step.count = count
    return step


def _group_lines(style: Style, steps: Sequence[GroupStepRecord]) -> Iterator[str]:
    for step in steps:
        names = f"{style('symbol', step.source)} -> {style('symbol', step.target)}"
        uses = style("aside", f" ({step.count} uses)") if step.count else ""
        yield f"{place_text(style, step.place)} {names}{uses}: {style('plain', step.place.text)}"


def find_unused(query: GraphQuery) -> GraphAnswer:
    """Symbols that nothing uses."""
    args, choice = query.args, query.choice

    def is_kept(symbol: Symbol, declaration: Declaration) -> bool:
        is_chosen = choice.has(NameTarget(symbol.id, symbol.qualified_name, symbol))
        return looks_used(symbol, declaration) or not is_chosen

    found = unused_symbols(
        query.graph,
        is_kept,
        node_types=choice.kinds or UNUSED_TYPES,
        limit=args.limit + 1,
        public=args.public,
    )
    shown = found.symbols[: args.limit]
    assumptions = [*([] if args.public else [_PUBLIC]), *_ASSUMPTIONS]
    record = UnusedAnswer(
        results=[_signed(query, symbol) for symbol in shown],
        assumptions=assumptions,
        unlinked=[*found.unlinked],
        truncated=found.truncated or len(found.symbols) > len(shown),
    )
    notes = [f"note: taken as used: {'; '.join(assumptions)}"]
    if found.unlinked:
        listed = ", ".join(found.unlinked)
        notes.append(f"note: no uses are known in these languages: {listed}")
    for symbol in shown:
        query.source.line(symbol.path, symbol.start_line)
    return GraphAnswer(
        bool(shown),
        record,
        lambda style: (symbol_text(style, row) for row in record.results),
        notes,
    )


def _signed(query: GraphQuery, symbol: Symbol) -> SymbolRecord:
    declared = query.graph.declaration(symbol)
    return symbol_record(symbol, "" if declared is None else declared.signature)


def find_graph(query: GraphQuery) -> GraphAnswer:
    """The symbols around one, or the packages of the repository."""
    args = query.args
    if bool(args.name) == args.packages:
        raise Problem("argument_invalid", "give NAME or --packages")
    if args.by and not args.packages:
        raise Problem("argument_invalid", "--by is for --packages")
    return _packages(query) if args.packages else _neighbourhood(query)


def _neighbourhood(query: GraphQuery) -> GraphAnswer:
    args, graph = query.args, query.graph
    center = query.target(args.name)
    chosen = query.edges(_AROUND)
    members = members_of(graph, center.id)
    keys = dict.fromkeys(members, node_text(center.id))
    targets = {center.id: center}
    truncated = False
    sides = [
        closure(graph, center.id, chosen, depth=args.depth or 1, also=members, forward=forward)
        for forward in (False, True)
    ]
    for item in sorted(
        (item for side in sides for item in side.reached), key=lambda item: item.distance
    ):
        other = target_named(graph, item.id)
        if item.id in targets or other.symbol is None or not query.choice.has(other):
            continue
        if len(targets) > args.limit:
            truncated = True
            break
        targets[item.id] = other
    edges = [
        edge
        for edge in edges_among(graph, [*targets, *members], chosen)
        if keys.get(edge.source) is None or keys.get(edge.source) != keys.get(edge.target)
    ]
    steps = [step_record(query, edge) for edge in edges]
    record = NeighbourhoodAnswer(
        symbol=target_record(center),
        nodes=[target_record(item) for item in targets.values()],
        edges=steps,
        truncated=truncated or any(side.truncated for side in sides),
    )

    def picture() -> Picture:
        boxes = [symbol_box(item, is_center=item is center) for item in targets.values()]
        every = [*targets, *members]
        return Picture(center.name, boxes, arrows_between(query, every, chosen, keys))

    return GraphAnswer(
        bool(steps),
        record,
        lambda style: step_lines(style, steps),
        _cut_notes(query, truncated=record.truncated),
        picture,
    )


def _packages(query: GraphQuery) -> GraphAnswer:
    args, graph, choice = query.args, query.graph, query.choice
    by = args.by or ("project" if _has_projects(graph) else "folder")
    groups = _groups(graph, by, args.depth)
    path = choice.has_path if choice.has_paths else None
    mask = SymbolFilter(languages=choice.languages, path=path).mask(graph)
    if mask is not None:
        # languages and paths are those of whole files
        of_file = np.where(mask[graph.snapshot.file_starts[:-1]], groups.of_file, NO_NODE)
        groups = groups._replace(of_file=of_file)
    chosen = query.edges(USES)
    uses = find_group_uses(graph, groups, chosen, args.limit)
    places = first_edges(graph, groups, chosen, uses.counts)
    steps = [
        _group_step(
            query, groups.name_of(pair[0]), groups.name_of(pair[1]), edge, uses.counts[pair]
        )
        for pair, edge in sorted(places.items())
    ]
    names = [groups.name_of(number) for number in sorted(uses.groups)]
    truncated = uses.left_out > 0
    record = PackagesAnswer(by=by, nodes=names, edges=steps, truncated=truncated)
    return GraphAnswer(
        bool(steps),
        record,
        lambda style: _group_lines(style, steps),
        _cut_notes(query, truncated=truncated),
        lambda: groups_picture(f"{by}s", names, steps),
    )


def _has_projects(graph: GraphSnapshot) -> bool:
    of_file = projects(graph).of_file
    return len(np.unique(of_file[of_file != NO_NODE])) > 1


def _cut_notes(query: GraphQuery, *, truncated: bool) -> list[str]:
    return [f"note: limited to {query.args.limit}: --limit raises that"] if truncated else []
