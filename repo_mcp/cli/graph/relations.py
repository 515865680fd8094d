"""The commands that list symbols, the relations of one, or all that is known of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from itertools import islice
from typing import TYPE_CHECKING, Final

from code_graph.model import EdgeType, Strategy
from code_graph.paths.path_kinds import is_test
from code_graph.query.choice import exact_symbols
from code_graph.query.edges import EdgeFilter
from code_graph.query.impact import IMPACT_BUDGET
from code_graph.query.names import node_text, parse_node_id
from code_graph.query.paths import DEFAULT_BUDGET, Closure, closure
from repo_mcp import history
from repo_mcp.answers.symbols import told_of
from repo_mcp.ask import (
    CALLEES,
    CALLERS,
    DEPENDENCIES_OF_WHOLE,
    DEPENDENTS_OF_WHOLE,
    IMPLEMENTATIONS,
    MOST_PLACES,
    REFERENCES,
    EdgeGroup,
    EdgeRelation,
    RelatedUses,
    find_related,
    group_edges,
    group_reached,
    known_uses,
    name_external,
    prefer_setting,
    summarize_symbol,
    symbol_answer,
    target_named,
)
from repo_mcp.cli.graph.graph_query import (
    GraphAnswer,
    GraphQuery,
    NameProblem,
    claim_note,
    missing_answer,
    name_overloads,
    overload_note,
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
    symbol_record,
    target_record,
)
from repo_mcp.cli.graph_arguments import GraphCommand
from repo_mcp.cli.search.style import Style
from repo_mcp.console import visible
from repo_mcp.errors import Problem
from repo_mcp.repository import near_symbols
from repo_mcp.repository.outside import places_outside
from repo_mcp.text.plurals import counted, verb

if TYPE_CHECKING:
    from repo_mcp.answers.symbols import SymbolAnswer
    from repo_mcp.services import Services

_RELATIONS: Final[dict[str, EdgeRelation]] = {
    GraphCommand.CALLERS: CALLERS,
    GraphCommand.CALLEES: CALLEES,
    GraphCommand.IMPLEMENTATIONS: IMPLEMENTATIONS,
    GraphCommand.REFS: REFERENCES,
    GraphCommand.DEPENDENCIES: DEPENDENCIES_OF_WHOLE,
    GraphCommand.DEPENDENTS: DEPENDENTS_OF_WHOLE,
}
_INCOMING: Final = frozenset({GraphCommand.CALLERS, GraphCommand.REFS})
_OF_VERSION: Final = Strategy.VERSION.name.lower()
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

    return GraphAnswer(bool(rows), record, lines, notes)


def find_relations(query: GraphQuery) -> GraphAnswer:
    """The symbols at the other end of a symbol's edges, and farther ones."""
    args, relation = query.args, _RELATIONS[query.args.command]
    targets = query.targets(args.name)[: 1 if relation.forward else None]
    target, symbols = targets[0], [item.symbol for item in targets if item.symbol is not None]
    types = [EdgeType[name.upper()] for name in args.edge_type or ()]
    chosen = query.edges(types or relation.types)
    is_external = bool(args.external) or not relation.forward
    uses = find_related(query.graph, targets, relation, chosen, with_external=is_external)
    rows, truncated = _rows(query, relation, uses, chosen)
    kept = rows[: args.limit]
    is_incoming = bool(symbols) and args.command in _INCOMING
    record = RelationsAnswer(
        symbol=target_record(target),
        overloads=name_overloads(targets),
        results=kept,
        resolved=uses.counts.resolved,
        unresolved_same_name=uses.counts.unresolved_same_name,
        external=uses.counts.external,
        external_places=name_external(query.graph, symbols[0], chosen.types) if is_incoming else [],
        complete_list=False,
        truncated=truncated or len(rows) > len(kept),
    )
    if symbols:
        far = (args.depth or 1) > 1 and not (relation.has_members or relation.forward)
        reached = {parse_node_id(row.symbol.node_id) for row in rows if far}
        also = [*uses.members, *(number for number in reached if number)]
        known_uses(query.uses, symbols, relation, chosen, also).tell(record)
    return GraphAnswer(
        bool(kept),
        record,
        lambda style: relation_lines(style, in_tree_order(kept), forward=relation.forward),
        [*_notes(query, relation, record, is_cut=len(rows) > len(kept)), *claim_note(record)],
        lambda: relation_picture(
            query, target, kept, chosen, forward=relation.forward, members=uses.members
        ),
    )


def _rows(
    query: GraphQuery, relation: EdgeRelation, uses: RelatedUses, chosen: EdgeFilter
) -> tuple[list[RelationRecord], bool]:
    """The rows of an answer, and whether the graph has more."""
    depth, truncated = query.args.depth or 1, uses.counts.truncated
    rows = []
    if depth == 1 or relation.has_members:
        rows = _direct_rows(query, relation, uses)
        if depth == 1 or truncated or len(rows) > query.args.limit:
            return rows, truncated
    found = closure(
        query.graph,
        uses.ids[0],
        chosen,
        depth=depth,
        budget=IMPACT_BUDGET if relation.has_members else DEFAULT_BUDGET,
        also=[*uses.ids[1:], *uses.members],
        forward=relation.forward,
        through_files=not relation.has_members,
    )
    if relation.has_members:  # the direct ones have all their kinds
        found = found._replace(reached=[item for item in found.reached if item.distance > 1])
    return [*rows, *reached_rows(query, found, chosen, forward=relation.forward)], found.truncated


def _direct_rows(
    query: GraphQuery, relation: EdgeRelation, uses: RelatedUses
) -> list[RelationRecord]:
    """The rows of the edges to or from single symbols."""
    forward = relation.forward
    find = query.services.places_outside if forward and query.args.external else None
    outside = {} if find is None else places_outside(query.graph, uses.edges, find)
    groups = group_edges(
        query.graph, uses.edges, forward=forward, outside=outside, files=query.source
    )
    chosen = (group for group in groups if query.choice.has(group.other))
    rows: list[RelationRecord] = []
    # one more than is shown tells that there are more
    for group in islice(chosen, query.args.limit + 1):
        nearer = group.near if group.near in uses.members else uses.ids[0]
        rows.append(_row(query, group._replace(near=nearer)))
    return rows


def reached_rows(
    query: GraphQuery, found: Closure, chosen: EdgeFilter, *, forward: bool = False
) -> list[RelationRecord]:
    """Rows of what a search reached, nearest first, with the edge of the last step."""
    reached = (item for item in found.reached if _is_shown(query, item.id))
    groups = group_reached(query.graph, reached, chosen, forward=forward)
    return [_row(query, group) for group in islice(groups, query.args.limit + 1)]


def _is_shown(query: GraphQuery, number: int) -> bool:
    """True for a symbol that is here, and chosen."""
    target = target_named(query.graph, number)
    return target.symbol is not None and query.choice.has(target)


def _row(query: GraphQuery, group: EdgeGroup) -> RelationRecord:
    """A symbol at the other end of some edges of one kind."""
    symbol = group.other.symbol
    confidence, strategy = group.words
    row = RelationRecord(
        symbol=target_record(group.other),
        distance=group.distance,
        next=node_text(group.near),
        edge_type=group.kind,
        confidence=confidence,
        strategy=strategy,
        places=[query.place(edge) for edge in group.edges[:MOST_PLACES]],
        built=group.built,
    )
    if symbol is not None and is_test(symbol.path):
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
        marks += [row.built] if row.built else []
        noted = style("aside", f" [{', '.join(marks)}]") if marks else ""
        name = f"{'  ' * (row.distance - 1)}{style('symbol', row.symbol.qualified_name)}{noted}"
        if forward and row.symbol.node_type != EXTERNAL:
            declared = f" ({row.symbol.file_path}:{row.symbol.line_start})"
            name += style("aside", declared)
        for place in row.places:
            text = f": {style('plain', place.text)}" if place.text else ""
            yield f"{place_text(style, place)} {name}{text}"


def _notes(
    query: GraphQuery, relation: EdgeRelation, record: RelationsAnswer, *, is_cut: bool
) -> Iterator[str]:
    """Notes on what the list has besides, and on what it may lack."""
    args, count = query.args, record.unresolved_same_name
    yield from overload_note(record)
    if count and (relation.has_members or args.confidence != "possible"):
        kind = "call" if relation.runs_constructors else "use"
        where = "in it" if relation.forward else "of this name"
        is_followed = not (relation.has_members or args.command == GraphCommand.REFS)
        more = ": --confidence possible shows calls" if is_followed else ""
        uses = f"{counted(count, kind)} {where} {verb(count, 'means', 'mean')}"
        yield f"note: what {uses} is not known{more}"
    if record.external and args.command in _INCOMING:
        places = f": {'; '.join(record.external_places)}" if record.external_places else ""
        uses = counted(record.external, "use")
        yield f"note: {uses} of this name on values from outside of the repository{places}"
    if record.external and relation.forward and relation.has_members and not args.external:
        uses = counted(record.external, "use")
        yield f"note: {uses} of what is declared elsewhere: --external shows them"
    if any(row.strategy == _OF_VERSION for row in record.results):
        yield (
            "note: some of these may mean another version of the package: no lock file says which"
            " of those that are here"
        )
    if is_cut or (relation.has_members and record.truncated):
        yield f"note: only the first {args.limit} are shown: --limit raises that"


def find_symbol(query: GraphQuery) -> GraphAnswer:
    """The likeliest symbol of a name, as `repo.symbol` shows it."""
    args, services = query.args, query.services
    graph, files, lines = query.graph, query.source, query.uses.lines
    summary = summarize_symbol(
        graph,
        files,
        args.name,
        lines,
        is_current=not services.on_demand,
        is_on_demand=services.on_demand,
        outside=services.places_outside,
    )
    summary = prefer_setting(summary, graph, files, args.name, lines)
    if summary is None:
        raise NameProblem(missing_answer(args.name, query.near(args.name)))
    record = symbol_answer(summary, args.max_chars)
    record.last_commit = _last_commit(services, record)
    rows = (row for text in record.as_text() for row in text.split("\n"))
    return GraphAnswer(has_rows=True, record=record, lines=lambda _: map(visible, rows))


def _last_commit(services: Services, answer: SymbolAnswer) -> str:
    """The last commit that has changed the symbol, if commits are indexed."""
    parts = services.manager.parts
    if not (answer.path and any(manager.has_history for manager in parts.values())):
        return ""
    with closing(history.Histories(parts, stays=False)) as histories:
        lines = answer.start_line, answer.end_line
        entry = history.last_change(histories, answer.path, lines, services.budget)
    return "" if entry is None else next(entry.as_text())
