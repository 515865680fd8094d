"""Pictures of answers: boxes for symbols and groups, arrows for what leads between them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from code_graph.model import Confidence
from code_graph.query.edges import EdgeFilter
from code_graph.query.model import PlacedEdge
from code_graph.query.names import NameTarget, node_text
from code_graph.query.neighbours import edges_among
from repo_mcp.ask import source_named, target_named
from repo_mcp.cli.graph.graph_query import GraphQuery
from repo_mcp.cli.graph.records import EXTERNAL, GroupStepRecord, RelationRecord
from repo_mcp.picture.model import Arrow, Box, Picture

# of edges that are not stored
_DERIVED = frozenset({"dispatch", "probable", "possible"})


def symbol_box(target: NameTarget, *, is_center: bool = False) -> Box:
    """A box for a symbol: the last parts of its name, and its place."""
    symbol = target.symbol
    key = node_text(target.id)
    if symbol is None:
        return Box(key, target.name, "", f"external {target.name}", EXTERNAL, is_center)
    place = f"{symbol.path}:{symbol.start_line}"
    if symbol.node_type == "file":
        return Box(key, symbol.path, "", f"file {place}", "file", is_center)
    title = f"{symbol.node_type} {symbol.qualified_name}\n{place}"
    parts = symbol.qualified_name.split(symbol.separator)
    has_holder = symbol.node_type in {"method", "constructor", "property"}
    label = symbol.separator.join(parts[-2:] if has_holder else parts[-1:]) or symbol.name
    return Box(key, label, place, title.replace("\n", " "), symbol.node_type, is_center)


def edge_arrow(edge: PlacedEdge, name_of: Mapping[int, str] | None = None) -> Arrow:
    """An arrow for an edge; `name_of` gives other keys to some ids."""
    keys = name_of or {}
    kind = edge.type.name.lower()
    sure = edge.confidence <= Confidence.CONTRACT
    mark = "" if edge.confidence == Confidence.EXACT else f" ({edge.confidence.name.lower()})"
    return Arrow(
        keys.get(edge.source, node_text(edge.source)),
        keys.get(edge.target, node_text(edge.target)),
        "" if kind == "calls" else kind,
        f"{kind}{mark} {edge.path}:{edge.line}",
        sure,
    )


def edges_picture(query: GraphQuery, title: str, edges: Sequence[PlacedEdge]) -> Picture:
    """These edges and what they join."""
    boxes: dict[str, Box] = {}
    for number, edge in enumerate(edges):
        is_first, is_last = number == 0, number == len(edges) - 1
        for target, is_end in (
            (source_named(query.graph, edge), is_first),
            (target_named(query.graph, edge.target, edge.external), is_last),
        ):
            box = symbol_box(target, is_center=is_end)
            boxes.setdefault(box.key, box)
    return Picture(title, [*boxes.values()], [edge_arrow(edge) for edge in edges])


def relation_picture(
    query: GraphQuery,
    center: NameTarget,
    rows: Iterable[RelationRecord],
    chosen: EdgeFilter,
    *,
    forward: bool = False,
    members: Sequence[int] = (),
) -> Picture:
    """A symbol and what reaches it (or is reached), with all edges between them."""
    targets = {center.id: center}
    places: list[Arrow] = []
    own_key = node_text(center.id)
    of_members = dict.fromkeys(members, own_key)
    for row in rows:
        number = int(row.symbol.node_id, 16)
        external = row.symbol.qualified_name if row.symbol.node_type == EXTERNAL else ""
        other = target_named(query.graph, number, external)
        if number:
            targets.setdefault(number, other)
        if row.symbol.node_type == EXTERNAL or row.confidence in {
            "dispatch",
            "probable",
            "possible",
        }:
            places.append(_row_arrow(row, of_members, forward=forward))
    boxes = [symbol_box(item, is_center=item is center) for item in targets.values()]
    arrows = [*arrows_between(query, [*targets, *members], chosen, of_members), *places]
    title = f"what {center.name} reaches" if forward else f"what reaches {center.name}"
    joined = {own_key, *(key for arrow in arrows for key in (arrow.source, arrow.target))}
    # a symbol that only joins others through hidden ones says nothing
    return Picture(title, [box for box in boxes if box.key in joined], arrows)


def _row_arrow(row: RelationRecord, keys: Mapping[int, str], *, forward: bool) -> Arrow:
    number = int(row.next, 16)
    ends = keys.get(number, row.next), row.symbol.node_id
    source, target = ends if forward else ends[::-1]
    place = row.places[0]
    title = f"{row.edge_type} ({row.confidence}) {place.file_path}:{place.line}"
    label = "" if row.edge_type == "calls" else row.edge_type
    return Arrow(
        source, target, label, title, sure=row.confidence in {"exact", "inferred", "contract"}
    )


def arrows_between(
    query: GraphQuery, ids: Sequence[int], chosen: EdgeFilter, keys: Mapping[int, str]
) -> list[Arrow]:
    """Arrows among symbols; `keys` are boxes of members, whose own edges are left out."""
    found = (
        (edge, edge_arrow(edge, keys))
        for edge in edges_among(query.graph, [*dict.fromkeys(ids)], chosen)
    )
    return [
        arrow
        for edge, arrow in found
        if arrow.source != arrow.target or (edge.source == edge.target and edge.source not in keys)
    ]


def groups_picture(title: str, names: Sequence[str], edges: Sequence[GroupStepRecord]) -> Picture:
    """Groups of files and what leads between them."""
    boxes = [Box(name, name, title=name) for name in names]
    arrows = [
        Arrow(
            edge.source,
            edge.target,
            str(edge.count),
            f"{edge.count} uses, first at {edge.place.file_path}:{edge.place.line}",
        )
        for edge in edges
    ]
    return Picture(title, boxes, arrows)
