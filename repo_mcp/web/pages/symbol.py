"""The symbol page: what a symbol is, what calls and uses it, and what it calls and uses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from code_graph.paths.path_kinds import is_test
from code_graph.query.choice import choose_target
from code_graph.query.model import Symbol
from code_graph.query.names import node_text
from index_format.tuples import NamedTuple
from repo_mcp.answers.symbols import (
    RelationList,
    RelationRow,
    SymbolAnswer,
    SymbolResult,
    SymbolRow,
)
from repo_mcp.picture.model import Arrow, Box, Picture
from repo_mcp.web.addresses import Parameters, file_link, link
from repo_mcp.web.drawing import DrawnPicture, draw
from repo_mcp.web.grouping import Neighbour, gather, share_room, without_tests
from repo_mcp.web.highlight import SECONDS
from repo_mcp.web.lines import dress, no_marks, page_lines
from repo_mcp.web.pages.page import Page, failure_values
from repo_mcp.web.render import View
from repo_mcp.web.tools import Fields, ToolAnswer, Visit

_TEMPLATE: Final = "symbol.html"
_PAGE: Final = "symbols"
_MOST: Final = 50
# places of a relation that are asked for
_MOST_PLACES: Final = 200
_EXTERNAL: Final = "external"
_SURE: Final = frozenset({"exact", "inferred", "contract"})
_MOST_SHOWN: Final = 6


class RelationLink(NamedTuple):
    """A way to follow edges of a symbol."""

    tool: str
    title: str
    nothing: str
    options: Fields

    def ask(self, given: Parameters, visit: Visit) -> ToolAnswer:
        """Its edges."""
        cursor = {"cursor": given.text("cursor")} if given.text("cursor") else {}
        asked = {"node_id": _named(given), "limit": _MOST_PLACES, **cursor, **self.options}
        return visit.ask(self.tool, asked)


# the names of their JSON
RELATIONS: Final = {
    "callers": RelationLink("get_callers", "Callers", "Nothing calls it.", {}),
    "callees": RelationLink(
        "get_callees", "Calls", "It calls nothing.", {"include_external": True}
    ),
    "dependents": RelationLink("get_dependents", "Used by", "Nothing uses it.", {}),
    "dependencies": RelationLink("get_dependencies", "Uses", "It uses nothing.", {}),
}
_NO_OVERVIEW: Final = SymbolAnswer(
    name="", kind="", language="", path="", start_line=0, end_line=0, complete_list=False
)
_PICTURES: Final = (
    ("Calls", "callers", "callees"),
    ("Dependencies", "dependents", "dependencies"),
)


class RelatedPlace(NamedTuple):
    """Where an edge was seen."""

    text: str
    address: str


class RelatedSymbol(NamedTuple):
    """A symbol at the other end of edges of one kind."""

    path: str
    name: str
    kind: str
    address: str
    edge: str
    confidence: str
    places: Sequence[RelatedPlace]
    more: int


class RelationTable(NamedTuple):
    """The symbols of a relation; of a symbol that is no test, tests stand apart."""

    name: str
    title: str
    nothing: str
    rows: Sequence[RelatedSymbol]
    tests: Sequence[RelatedSymbol]
    problem: str
    unknown: int
    truncated: bool
    json: str


class SymbolItem(NamedTuple):
    """A symbol of a list."""

    name: str
    kind: str
    signature: str
    place: str
    place_address: str
    address: str


def _ask(given: Parameters, visit: Visit) -> ToolAnswer:
    if _named(given):
        return visit.ask("get_symbol", {"node_id": _chosen(given, visit)})
    if given.text("path"):
        return visit.ask("get_file_outline", {"path": given.text("path")})
    return visit.ask("search_symbols", {"query": given.text("q"), "limit": _MOST})


def _view(given: Parameters, visit: Visit, answer: ToolAnswer) -> View:
    values: dict[str, Any] = {**_form(given), "json": given.link("/symbol.json")}
    values["warnings"] = answer.warnings
    if not answer.ok:
        failed = {**values, "state": "failed", **failure_values(answer)}
        return View(_TEMPLATE, failed, answer.status)
    if _named(given):
        return View(_TEMPLATE, {**values, **_detail_values(given, visit, answer)})
    listed = {
        "state": "listed",
        "of_file": given.text("path"),
        "file_address": file_link(given.text("path")),
        "items": [_item(row) for row in answer.result.results],
        "truncated": answer.result.truncated,
    }
    return View(_TEMPLATE, {**values, **listed})


def _blank(given: Parameters) -> View | None:
    if any(given.text(name).strip() for name in ("id", "name", "path", "q")):
        return None
    return View(_TEMPLATE, {**_form(given), "state": "empty", "warnings": ()})


def _named(given: Parameters) -> str:
    """The symbol that a page is about, by its id or as people name it; empty for a list."""
    return given.text("id") or given.text("name")


def _form(given: Parameters) -> dict[str, Any]:
    return {"page": _PAGE, "query": given.text("q")}


def _item(row: SymbolRow) -> SymbolItem:
    result = f" → {row.return_type}" if row.return_type else ""
    return SymbolItem(
        row.qualified_name or row.name,
        row.node_type,
        f"{row.parameter_signature}{result}",
        f"{row.file_path}:{row.line_start}",
        file_link(row.file_path, row.line_start, row.line_end),
        _address(row.node_id),
    )


def _address(node: str) -> str:
    return link("/symbol", id=node)


def _detail_values(given: Parameters, visit: Visit, answer: ToolAnswer) -> dict[str, Any]:
    symbol: SymbolResult = answer.result
    asked = _named(given)  # a name alone means the overloads, too
    given = Parameters.of({**given.given, "id": asked})
    answers = {name: relation.ask(given, visit) for name, relation in RELATIONS.items()}
    pictures = [
        _draw(
            symbol,
            title,
            _side(incoming, answers[incoming], forward=False),
            _side(outgoing, answers[outgoing], forward=True),
        )
        for title, incoming, outgoing in _PICTURES
        if answers[incoming].ok and answers[outgoing].ok
    ]
    place = f"{symbol.file_path}:{symbol.line_start}-{symbol.line_end}"
    overview = visit.ask("repo.symbol", {"name": asked})
    shown = overview.result if overview.ok else _NO_OVERVIEW
    path, lines = symbol.file_path, list(page_lines(shown.code))
    names = visit.names_in(path, {line.number: line.text for line in lines})
    others, more = _others(given, visit, symbol)
    return {
        "state": "detail",
        "overview": shown,
        "lines": dress(lines, path, no_marks, visit.budget(SECONDS), names),
        "others": others,
        "more_others": more,
        "symbol": symbol,
        "place": place,
        "place_address": file_link(symbol.file_path, symbol.line_start, symbol.line_end),
        "marks": [
            name.partition("_")[2].replace("_", " ")
            for name in ("is_public_api", "is_static", "is_abstract", "is_async", "is_override")
            if getattr(symbol, name)
        ],
        "pictures": [picture for picture in pictures if len(picture.boxes) > 1],
        "tables": [
            _table(name, answers[name], given, tests_apart=not is_test(path)) for name in RELATIONS
        ],
    }


def _chosen(given: Parameters, visit: Visit) -> str:
    """The id of the likeliest symbol of a name, as far as the graph is there."""
    graph = visit.graph
    found = None if graph is None or given.text("id") else choose_target(graph, given.text("name"))
    target = None if found is None else found.target
    is_known = target is not None and target.symbol is not None
    return node_text(target.id) if target is not None and is_known else _named(given)


def _others(given: Parameters, visit: Visit, symbol: SymbolResult) -> tuple[list[SymbolItem], int]:
    """The other symbols of a name, the likeliest first, and the number of those left out."""
    graph = visit.graph
    if graph is None:
        return [], 0
    found = choose_target(graph, given.text("name") or symbol.name)
    every = [found.target, *found.others]
    symbols = [item.symbol for item in every if item is not None and item.symbol is not None]
    others = [item for item in symbols if node_text(item.id) != symbol.node_id]
    return list(map(_other, others[:_MOST])), max(len(others) - _MOST, 0)


def _other(symbol: Symbol) -> SymbolItem:
    return SymbolItem(
        symbol.qualified_name,
        symbol.node_type,
        "",
        f"{symbol.path}:{symbol.start_line}",
        file_link(symbol.path, symbol.start_line, symbol.end_line),
        _address(node_text(symbol.id)),
    )


def _table(name: str, answer: ToolAnswer, given: Parameters, *, tests_apart: bool) -> RelationTable:
    relation = RELATIONS[name]
    found: RelationList | None = answer.result if answer.ok else None
    every = [] if found is None else [*map(_related, found.results)]
    return RelationTable(
        name,
        relation.title,
        relation.nothing,
        [row for row in every if not tests_apart or not is_test(row.path)],
        [row for row in every if tests_apart and is_test(row.path)],
        failure_values(answer)["reason"] if found is None else "",
        0 if found is None else found.unresolved_same_name,
        found is not None and found.truncated,
        link(f"/{name}.json", id=_named(given)),
    )


def _related(row: RelationRow) -> RelatedSymbol:
    lines = [place.partition(":")[0] for place in row.places]
    places = [
        RelatedPlace(f"{row.seen_in}:{line}", file_link(row.seen_in, int(line)))
        for line in lines[:_MOST_SHOWN]
    ]
    return RelatedSymbol(
        row.file_path or row.seen_in,
        row.qualified_name or row.name,
        row.node_type,
        "" if row.node_type == _EXTERNAL else _address(row.node_id),
        row.edge_type,
        row.told,
        places,
        max(len(lines) - _MOST_SHOWN, 0),
    )


class _Side(NamedTuple):
    """One side of a picture: what leads to the symbol, or what it leads to; its table below."""

    table: str
    rows: Mapping[str, RelationRow]  # the first edge of each symbol, by its key
    forward: bool

    def neighbours(self) -> list[Neighbour]:
        """The symbols at the other end."""
        return [
            Neighbour(key, row.qualified_name or row.name, row.file_path, _holder(row))
            for key, row in self.rows.items()
        ]


def _side(name: str, answer: ToolAnswer, *, forward: bool) -> _Side:
    rows: dict[str, RelationRow] = {}
    for row in answer.result.results:
        rows.setdefault(_key(row), row)
    return _Side(name, rows, forward)


def _draw(symbol: SymbolResult, title: str, left: _Side, right: _Side) -> DrawnPicture:
    """The symbol in the middle, what leads to it on the left, what it leads to on the right."""
    center = _box(symbol, is_center=True)
    in_tests = is_test(symbol.file_path)
    boxes, addresses = {center.key: center}, {center.key: ""}
    arrows: list[Arrow] = []
    sides = left.neighbours(), right.neighbours()
    needs = (len(without_tests(side, in_tests=in_tests)) for side in sides)
    for side, neighbours, room in zip((left, right), sides, share_room(*needs), strict=True):
        for group in gather(neighbours, room, in_tests=in_tests):
            first = side.rows[group.members[0].key]
            key = f"{side.table}:{group.label}" if group.label else _key(first)
            box = Box(key, group.label, "", group.title) if group.label else _box(first)
            boxes.setdefault(key, box)
            addresses[key] = f"#{side.table}" if group.label else _box_address(box)
            rows = [side.rows[item.key] for item in group.members]
            ends = (center.key, key) if side.forward else (key, center.key)
            arrows.append(_arrow(*ends, rows))
    picture = Picture(title, [*boxes.values()], arrows, rightwards=True)
    return draw(picture, lambda box: addresses[box.key])


def _key(row: SymbolResult | RelationRow) -> str:
    """External symbols have no id."""
    if row.node_type == _EXTERNAL:
        return f"{_EXTERNAL}:{row.qualified_name}"
    return str(row.node_id)


def _holder(row: RelationRow) -> str:
    """The class or file that has a symbol; of an external one the library."""
    name: str = row.qualified_name or row.name
    if row.node_type == _EXTERNAL:
        return name.partition(".")[0]
    return ".".join(name.split(".")[:-1][-2:])


def _box(row: SymbolResult | RelationRow, *, is_center: bool = False) -> Box:
    name = row.qualified_name or row.name
    if row.node_type == _EXTERNAL:
        return Box(_key(row), name, "", f"external {name}", _EXTERNAL)
    place = f"{row.file_path}:{row.line_start}"
    is_file = row.node_type == "file"
    label = row.file_path if is_file else ".".join(name.split(".")[-2:])
    title = f"{row.node_type} {name}, {place}"
    return Box(_key(row), label, "" if is_file else place, title, row.node_type, is_center)


def _box_address(box: Box) -> str:
    return "" if box.kind == _EXTERNAL or box.is_center else _address(box.key)


def _arrow(source: str, target: str, rows: Sequence[RelationRow]) -> Arrow:
    row = rows[0]
    if len(rows) > 1:
        title = ", ".join(dict.fromkeys(item.edge_type for item in rows))
    else:
        place = f"{row.seen_in}:{row.places[0].partition(':')[0]}"
        title = f"{row.edge_type} ({row.confidence}), {place}"
    is_sure = all(item.confidence in _SURE for item in rows)
    return Arrow(source, target, row.edge_type, title, sure=is_sure)


PAGE: Final = Page(_ask, _view, _blank)
