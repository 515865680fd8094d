"""The commands `symbol`, `symbols`, `callers`, `callees`, `implementations` and `refs`."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Final

from code_graph.model import EdgeType, Strategy
from code_graph.paths.path_kinds import is_test
from code_graph.query.choice import exact_symbols
from code_graph.query.dispatch import MOST_EDGES
from code_graph.query.edges import EdgeFilter, edges_out_of
from code_graph.query.model import MENTIONS, Completeness, PlacedEdge, Symbol
from code_graph.query.names import NameTarget, node_text, parse_node_id
from code_graph.query.neighbours import (
    SUBTYPES,
    outgoing_edges,
    surest_edges,
    with_constructors,
)
from code_graph.query.paths import Closure, closure
from repo_mcp.answers.symbols import told_of
from repo_mcp.ask import (
    KnownUses,
    UseList,
    find_uses,
    name_external,
    summarize_setting,
    summarize_symbol,
    symbol_answer,
)
from repo_mcp.cli.graph.graph_query import (
    GraphAnswer,
    GraphQuery,
    NameProblem,
    claim_note,
    missing_answer,
    place_text,
    symbol_text,
)
from repo_mcp.cli.graph.pictures import relation_picture
from repo_mcp.cli.graph.records import (
    EXTERNAL,
    RelationRecord,
    RelationsAnswer,
    SymbolRecord,
    SymbolsAnswer,
    strategy_text,
    symbol_record,
    target_record,
)
from repo_mcp.cli.graph_arguments import GraphCommand
from repo_mcp.cli.search.style import Style
from repo_mcp.console import visible
from repo_mcp.errors import Problem
from repo_mcp.repository import near_symbols
from repo_mcp.repository.outside import places_outside, use_of
from repo_mcp.text.plurals import counted, verb

_FOUND: Final = 0
_NOTHING: Final = 1
_CALLS: Final = (EdgeType.CALLS,)
_TYPES: Final[dict[str, tuple[EdgeType, ...]]] = {
    GraphCommand.REFS: MENTIONS,
    GraphCommand.IMPLEMENTATIONS: tuple(map(EdgeType, SUBTYPES.types)),
}
_INCOMING: Final = frozenset({GraphCommand.CALLERS, GraphCommand.REFS})
# places of one edge that are given
_MOST_PLACES: Final = 200
_MOST_SUGGESTED: Final = 3


def find_symbols(query: GraphQuery) -> GraphAnswer:
    """The symbols that fit words best."""
    from code_graph.query.search import SymbolFilter, search_symbols  # noqa: PLC0415 it loads Whoosh

    args, graph, choice = query.args, query.graph, query.choice
    words = " ".join(args.query)
    if not words.strip():
        raise Problem("argument_invalid", "QUERY is empty")
    chosen = SymbolFilter(
        choice.kinds, choice.languages, path=choice.has_path if choice.has_paths else None
    )
    found = exact_symbols(graph, words, args.limit + 1, chosen.mask(graph))
    notes = [f"note: only symbols of exactly this name: {words.strip()}* finds longer ones"]
    if not found:
        notes = []
        hits = search_symbols(graph, words, args.limit + 1, chosen)
        found = [hit.symbol for hit in hits]
        word = words.strip().rstrip("*").casefold()
        if not any(word in symbol.name.casefold() for symbol in found):
            near = near_symbols(graph, words, _MOST_SUGGESTED)
            names = ", ".join(dict.fromkeys(symbol.qualified_name for symbol in near))
            notes = [f"note: no name has {word!r}; nearest: {names}"] if near else []
    rows: list[SymbolRecord] = []
    for symbol in found[: args.limit]:
        declared = graph.declaration(symbol)
        rows.append(symbol_record(symbol, "" if declared is None else declared.signature))
    record = SymbolsAnswer(results=rows, truncated=len(found) > args.limit)

    def lines(style: Style) -> Iterator[str]:
        for row in rows:
            signature = f"  {style('plain', row.signature)}" if row.signature else ""
            yield f"{symbol_text(style, row)}{signature}"

    return GraphAnswer(_FOUND if rows else _NOTHING, record, lines, notes)


def find_relations(query: GraphQuery) -> GraphAnswer:
    """Callers, callees, implementations or references of a symbol."""
    args = query.args
    forward = args.command == GraphCommand.CALLEES
    target, *overloads = query.targets(args.name)
    symbols = [item.symbol for item in (target, *overloads) if item.symbol is not None]
    chosen = query.edges(_TYPES.get(args.command, _CALLS))
    if forward:
        symbols = symbols[:1]
        ids = with_constructors(query.graph, target.id)
        uses = _edges_out_of(query, ids, chosen)
    else:
        ids = [target.id, *(item.id for item in overloads)]
        uses = find_uses(query.graph, ids, chosen)
    counts = uses.counts
    if args.command != GraphCommand.REFS and args.depth > 1:
        found = closure(
            query.graph, target.id, chosen, depth=args.depth, also=ids[1:], forward=forward
        )
        rows = reached_rows(query, found, chosen, forward=forward)
        truncated = found.truncated
    else:
        rows = _direct_rows(query, ids, uses.edges, forward=forward)
        truncated = counts.truncated
    kept = rows[: args.limit]
    outside: list[str] = []
    if target.symbol is not None and args.command in _INCOMING:
        outside = name_external(query.graph, target.symbol, chosen.types)
    record = RelationsAnswer(
        symbol=target_record(target),
        overloads=[f"{item.qualified_name} {item.path}:{item.start_line}" for item in symbols[1:]],
        results=kept,
        resolved=counts.resolved,
        unresolved_same_name=counts.unresolved_same_name,
        external=counts.external,
        external_places=outside,
        complete_list=False,
        truncated=truncated or len(rows) > len(kept),
    )
    if symbols:
        reached = {number for row in rows if (number := parse_node_id(row.symbol.node_id))}
        _known(query, symbols, reached, chosen).tell(record)
    return GraphAnswer(
        _FOUND if kept else _NOTHING,
        record,
        lambda style: relation_lines(style, in_tree_order(kept), forward=forward),
        [
            *_overload_notes(record),
            *_notes(query, counts, outside, len(rows), kept),
            *claim_note(record),
        ],
        lambda: relation_picture(query, target, kept, chosen, forward=forward),
    )


def _known(
    query: GraphQuery, symbols: Sequence[Symbol], reached: Collection[int], chosen: EdgeFilter
) -> KnownUses:
    """The knowledge about all that a command lists."""
    command, uses = query.args.command, query.uses
    if command == GraphCommand.CALLEES:
        return uses.inside(symbols[0], listed=chosen)
    if command == GraphCommand.IMPLEMENTATIONS:
        return uses.of_types(symbols)
    if command != GraphCommand.REFS and query.args.depth > 1:
        return uses.of_all(symbols, reached, listed=chosen)
    return uses.of_symbols(symbols, listed=chosen)


def _edges_out_of(query: GraphQuery, ids: Sequence[int], chosen: EdgeFilter) -> UseList:
    """The edges out of a symbol and what is part of it."""
    counts = [edges_out_of(query.graph, number, chosen, limit=1).counts for number in ids]
    resolved = sum(page.resolved for page in counts)
    edges = [edge for number in ids for edge in outgoing_edges(query.graph, number, chosen)]
    return UseList(
        edges,
        Completeness(
            resolved,
            sum(page.unresolved_same_name for page in counts),
            sum(page.external for page in counts),
            resolved > MOST_EDGES,
        ),
    )


def _direct_rows(
    query: GraphQuery, ids: Sequence[int], edges: Sequence[PlacedEdge], *, forward: bool
) -> list[RelationRecord]:
    """One row for the edges of one kind to or from one symbol; the first of the ids is asked for.

    Where a constructor calls another of its class, that is no callee of the class.
    """
    groups: dict[tuple[object, ...], list[PlacedEdge]] = {}
    outside = query.services.places_outside if forward and query.args.external else None
    known = {} if outside is None else places_outside(query.graph, edges, outside)
    for edge in edges:
        if forward and edge.external and not query.args.external:
            continue
        if forward and edge.target in ids[1:]:
            continue
        other = edge.target if forward else edge.source or -edge.source_chunk
        groups.setdefault((other, edge.type, edge.confidence), []).append(edge)
    rows: list[RelationRecord] = []
    for group in groups.values():
        edge = group[0]
        at_end = query.symbol(edge.target, edge.external)
        if use_of(edge) in known:
            symbol = known[use_of(edge)][0]
            at_end = NameTarget(symbol.id, symbol.qualified_name, symbol)
        other_end = at_end if forward else query.source_of(edge)
        if query.choice.has(other_end) and len(rows) <= query.args.limit:
            rows.append(relation_row(query, other_end, 1, ids[0], group))
    return rows


def reached_rows(
    query: GraphQuery, found: Closure, chosen: EdgeFilter, *, forward: bool = False
) -> list[RelationRecord]:
    """Rows of what a search reached, nearest first, with the edge of the last step."""
    rows: list[RelationRecord] = []
    for item in found.reached:
        other = query.symbol(item.id)
        if other.symbol is None or not query.choice.has(other):
            continue
        if len(rows) > query.args.limit:  # one more than is shown tells that there are more
            break
        ends = (item.next, item.id) if forward else (item.id, item.next)
        edges = surest_edges(query.graph, *ends, chosen, _MOST_PLACES)
        if edges:
            rows.append(relation_row(query, other, item.distance, item.next, edges))
    return rows


def relation_row(
    query: GraphQuery,
    other: NameTarget,
    distance: int,
    following: int,
    edges: Sequence[PlacedEdge],
) -> RelationRecord:
    """A symbol at the other end of some edges of one kind."""
    edge = edges[0]
    row = RelationRecord(
        symbol=target_record(other),
        distance=distance,
        next=node_text(following),
        edge_type=edge.type.name.lower(),
        confidence=edge.confidence.name.lower(),
        strategy=strategy_text(edge),
        places=[query.place(item) for item in edges[:_MOST_PLACES]],
    )
    if other.symbol is not None and is_test(other.symbol.path):
        row.is_test = True
    return row


def in_tree_order(rows: Sequence[RelationRecord]) -> list[RelationRecord]:
    """Each row after the one that it is next to, where that is given; others by place."""
    ids = {row.symbol.node_id for row in rows}
    below: dict[str, list[RelationRecord]] = {}
    for row in rows:
        below.setdefault(row.next if row.next in ids and row.distance > 1 else "", []).append(row)
    ordered: list[RelationRecord] = []
    for group in below.values():
        group.sort(key=_first_place)
    pending = below.pop("", [])[::-1]
    while pending:
        row = pending.pop()
        ordered.append(row)
        pending += below.pop(row.symbol.node_id, [])[::-1]
    return ordered


def _first_place(row: RelationRecord) -> tuple[str, int, int]:
    place = row.places[0]
    return place.file_path, place.line, place.column


def relation_lines(
    style: Style, rows: Iterable[RelationRecord], *, forward: bool = False
) -> Iterator[str]:
    """A line for each place, steps that are farther indented."""
    for row in rows:
        marks = [] if row.edge_type == "calls" else [row.edge_type]
        marks += [] if row.confidence == "exact" else [told_of(row.confidence, row.strategy)]
        noted = style("aside", f" [{', '.join(marks)}]") if marks else ""
        name = f"{'  ' * (row.distance - 1)}{style('symbol', row.symbol.qualified_name)}{noted}"
        if forward and row.symbol.node_type != EXTERNAL:
            declared = f" ({row.symbol.file_path}:{row.symbol.line_start})"
            name += style("aside", declared)
        for place in row.places:
            text = f": {style('plain', place.text)}" if place.text else ""
            yield f"{place_text(style, place)} {name}{text}"


def _overload_notes(record: RelationsAnswer) -> list[str]:
    """A note on the overloads that a name alone means, too."""
    listed = "; ".join(record.overloads)
    return [f"note: uses are those of its overloads, too: {listed}"] if listed else []


def _notes(
    query: GraphQuery,
    counts: Completeness,
    outside: Sequence[str],
    rows: int,
    shown: Sequence[RelationRecord],
) -> list[str]:
    args, notes = query.args, []
    if counts.unresolved_same_name and args.confidence != "possible":
        count = counts.unresolved_same_name
        callees = args.command == GraphCommand.CALLEES
        what = (
            f"{counted(count, 'call')} in it"
            if callees
            else f"{counted(count, 'use')} of this name"
        )
        more = "" if args.command == GraphCommand.REFS else ": --confidence possible shows calls"
        notes.append(f"note: what {what} {verb(count, 'means', 'mean')} is not known{more}")
    if counts.external and args.command in _INCOMING:
        uses = counted(counts.external, "use")
        places = f": {'; '.join(outside)}" if outside else ""
        notes.append(f"note: {uses} of this name on values from outside of the repository{places}")
    if any(row.strategy == Strategy.VERSION.name.lower() for row in shown):
        notes.append(
            "note: some of these may mean another version of the package: no lock file says which"
            " of those that are here"
        )
    if rows > args.limit:
        notes.append(f"note: only the first {args.limit} are shown: --limit raises that")
    return notes


def find_symbol(query: GraphQuery) -> GraphAnswer:
    """The likeliest symbol of a name, as `repo.symbol` shows it."""
    args, services = query.args, query.services
    found = summarize_symbol(
        query.graph,
        query.source,
        args.name,
        query.uses.lines,
        is_current=not services.on_demand,
        is_on_demand=services.on_demand,
        outside=services.places_outside,
    ) or summarize_setting(query.graph, query.source, args.name, query.uses.lines)
    if found is None:
        raise NameProblem(missing_answer(args.name, query.near(args.name)))
    record = symbol_answer(found, args.max_chars)
    rows = (row for text in record.as_text() for row in text.split("\n"))
    return GraphAnswer(_FOUND, record, lambda _: map(visible, rows))
