"""The commands `dependencies` and `dependents`: uses of a symbol or file, members included."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from code_graph.model import EdgeType
from code_graph.query.dispatch import without_listed
from code_graph.query.edges import EdgeFilter, edges_into, edges_out_of
from code_graph.query.model import USES, Completeness, PlacedEdge
from code_graph.query.names import NameTarget
from code_graph.query.neighbours import incoming_edges, members_of, outgoing_edges
from code_graph.query.paths import closure
from index_format.tuples import NamedTuple
from repo_mcp.cli.graph.graph_query import GraphAnswer, GraphQuery, claim_note
from repo_mcp.cli.graph.pictures import relation_picture
from repo_mcp.cli.graph.records import RelationRecord, RelationsAnswer, target_record
from repo_mcp.cli.graph.relations import (
    in_tree_order,
    reached_rows,
    relation_lines,
    relation_row,
)
from repo_mcp.cli.graph_arguments import GraphCommand
from repo_mcp.text.plurals import counted, verb

_FOUND: Final = 0
_NOTHING: Final = 1
_BUDGET: Final = 5_000


class _Subject(NamedTuple):
    """The symbol asked about, with all that it contains."""

    target: NameTarget
    members: Sequence[int]
    chosen: EdgeFilter
    forward: bool

    @property
    def ids(self) -> list[int]:
        """The symbol and its members."""
        return [self.target.id, *self.members]


def find_uses(query: GraphQuery) -> GraphAnswer:
    """Dependencies of a symbol and its members, or its dependents, outside of it."""
    args = query.args
    target = query.target(args.name)
    types = [EdgeType[name.upper()] for name in args.edge_type or ()]
    chosen = query.edges(types or USES)
    forward = args.command == GraphCommand.DEPENDENCIES
    members = members_of(query.graph, target.id)
    subject = _Subject(target, members, chosen, forward)
    counts = _counts(query, subject)
    rows = _direct_rows(query, subject)
    truncated = counts.truncated or len(rows) > args.limit
    if args.depth > 1 and not truncated:
        rows, cut = _farther_rows(query, subject, rows)
        truncated = cut or len(rows) > args.limit
    kept = rows[: args.limit]
    record = RelationsAnswer(
        symbol=target_record(target),
        results=kept,
        resolved=counts.resolved,
        unresolved_same_name=counts.unresolved_same_name,
        external=counts.external,
        complete_list=False,
        truncated=truncated,
    )
    if target.symbol is not None and forward:
        query.uses.inside(target.symbol, members, listed=chosen).tell(record)
    elif target.symbol is not None:
        query.uses.of_all(target.symbol, members, listed=chosen).tell(record)
    return GraphAnswer(
        _FOUND if kept else _NOTHING,
        record,
        lambda style: relation_lines(style, in_tree_order(kept), forward=forward),
        [*_notes(query, record, forward=forward), *claim_note(record, kept)],
        lambda: relation_picture(query, target, kept, chosen, forward=forward, members=members),
    )


def _counts(query: GraphQuery, subject: _Subject) -> Completeness:
    """Completeness of the direct edges; uses of members count for all of them."""
    graph, chosen = query.graph, subject.chosen
    if not subject.forward:
        counts = edges_into(graph, subject.target.id, chosen, limit=1).counts
        counts = without_listed(graph, subject.target.symbol, chosen, counts)
        return counts._replace(truncated=False)
    pages = [edges_out_of(graph, number, chosen, limit=1).counts for number in subject.ids]
    return Completeness(
        sum(page.resolved for page in pages),
        sum(page.unresolved_same_name for page in pages),
        sum(page.external for page in pages),
    )


def _direct_rows(query: GraphQuery, subject: _Subject) -> list[RelationRecord]:
    """One row for the edges of one kind to or from one symbol outside of the subject."""
    own, forward = frozenset(subject.ids), subject.forward
    is_contained = EdgeType.CONTAINS in subject.chosen.types
    groups: dict[tuple[object, ...], dict[tuple[object, ...], PlacedEdge]] = {}
    for edge in _edges(query, subject):
        end = edge.target if forward else edge.source
        inside = end in own and not (is_contained and edge.type is EdgeType.CONTAINS)
        if inside or (forward and edge.external and not query.args.external):
            continue
        other = end or -edge.source_chunk
        found = groups.setdefault((other, edge.type, edge.confidence), {})
        # calling a class is calling its constructor, in the same place
        found.setdefault(edge.place, edge)
    rows: list[RelationRecord] = []
    for places in groups.values():
        group = [*places.values()]
        edge = group[0]
        at_end = query.symbol(edge.target, edge.external)
        end_of = at_end if forward else query.source_of(edge)
        nearer = edge.source if forward else edge.target
        if query.choice.has(end_of) and len(rows) <= query.args.limit:
            rows.append(relation_row(query, end_of, 1, nearer or subject.target.id, group))
    return rows


def _edges(query: GraphQuery, subject: _Subject) -> Iterator[PlacedEdge]:
    find = outgoing_edges if subject.forward else incoming_edges
    for number in subject.ids:
        yield from find(query.graph, number, subject.chosen)


def _farther_rows(
    query: GraphQuery, subject: _Subject, direct: list[RelationRecord]
) -> tuple[list[RelationRecord], bool]:
    """The direct rows and those behind them, and whether the search ended early."""
    found = closure(
        query.graph,
        subject.target.id,
        subject.chosen,
        depth=query.args.depth,
        budget=_BUDGET,
        also=subject.members,
        forward=subject.forward,
        through_files=False,
    )
    farther = found._replace(reached=[item for item in found.reached if item.distance > 1])
    rows = reached_rows(query, farther, subject.chosen, forward=subject.forward)
    return [*direct, *rows], found.truncated


def _notes(query: GraphQuery, record: RelationsAnswer, *, forward: bool) -> Iterator[str]:
    args, count = query.args, record.unresolved_same_name
    if count:
        uses = counted(count, "use") + (" in it" if forward else " of this name")
        yield f"note: what {uses} {verb(count, 'means', 'mean')} is not known"
    if forward and record.external and not args.external:
        uses = counted(record.external, "use")
        yield f"note: {uses} of what is declared elsewhere: --external shows them"
    if record.truncated:
        yield f"note: only the first {args.limit} are shown: --limit raises that"
