"""The symbol page: what a symbol is, what calls and uses it, and what it calls and uses."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, NamedTuple

from repo_mcp.graph.picture.model import Arrow, Box, Picture
from repo_mcp.graph.query.choice import choose_target
from repo_mcp.graph.query.model import Symbol
from repo_mcp.graph.query.names import node_text
from repo_mcp.web.addresses import Parameters, file_link, link
from repo_mcp.web.drawing import DrawnPicture, draw
from repo_mcp.web.highlight import SECONDS
from repo_mcp.web.lines import dress, no_marks, parse_lines
from repo_mcp.web.pages.page import Page, failure_values
from repo_mcp.web.render import View
from repo_mcp.web.tools import Fields, ToolAnswer, Visit

_TEMPLATE: Final = "symbol.html"
_PAGE: Final = "symbols"
_MOST: Final = 50
# places of a relation that are asked for, and boxes on each side of a picture
_MOST_PLACES: Final = 200
_MOST_BOXES: Final = 14
_EXTERNAL: Final = "external"
_SURE: Final = frozenset({"exact", "inferred"})
_MOST_SHOWN: Final = 6


class Relation(NamedTuple):
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
    "callers": Relation("get_callers", "Callers", "Nothing calls it.", {}),
    "callees": Relation("get_callees", "Calls", "It calls nothing.", {"include_external": True}),
    "dependents": Relation("get_dependents", "Used by", "Nothing uses it.", {}),
    "dependencies": Relation("get_dependencies", "Uses", "It uses nothing.", {}),
}
_NO_OVERVIEW: Final[Fields] = {"code": "", "outline": (), "reaching_tests": ()}
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

    name: str
    kind: str
    address: str
    edge: str
    confidence: str
    places: Sequence[RelatedPlace]
    more: int


class RelationTable(NamedTuple):
    """The symbols of a relation."""

    name: str
    title: str
    nothing: str
    rows: Sequence[RelatedSymbol]
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
        "items": [_item(row) for row in answer.result["results"]],
        "truncated": answer.result["truncated"],
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


def _item(row: Fields) -> SymbolItem:
    result = f" → {row['return_type']}" if row.get("return_type") else ""
    return SymbolItem(
        row["qualified_name"] or row["name"],
        row["node_type"],
        f"{row.get('parameter_signature', '')}{result}",
        f"{row['file_path']}:{row['line_start']}",
        file_link(row["file_path"], row["line_start"], row["line_end"]),
        _address(row["node_id"]),
    )


def _address(node: str) -> str:
    return link("/symbol", id=node)


def _detail_values(given: Parameters, visit: Visit, answer: ToolAnswer) -> dict[str, Any]:
    # an empty documentation is left out of answers
    symbol = {"documentation": "", **answer.result}
    given = Parameters.of({**given.given, "id": symbol["node_id"]})
    answers = {name: relation.ask(given, visit) for name, relation in RELATIONS.items()}
    pictures = [
        _draw(symbol, title, answers[incoming].result, answers[outgoing].result)
        for title, incoming, outgoing in _PICTURES
        if answers[incoming].ok and answers[outgoing].ok
    ]
    place = f"{symbol['file_path']}:{symbol['line_start']}-{symbol['line_end']}"
    overview = visit.ask("repo.symbol", {"name": symbol["node_id"]})
    shown = {**_NO_OVERVIEW, **(overview.result if overview.ok else {})}
    path, lines = symbol["file_path"], list(parse_lines(shown["code"]))
    names = visit.names_in(path, {line.number: line.text for line in lines})
    others, more = _others(given, visit, symbol)
    return {
        "state": "detail",
        # what is empty is left out of answers
        "overview": shown,
        "lines": dress(lines, path, no_marks, visit.budget(SECONDS), names),
        "others": others,
        "more_others": more,
        "symbol": symbol,
        "place": place,
        "place_address": file_link(symbol["file_path"], symbol["line_start"], symbol["line_end"]),
        "marks": [
            name.partition("_")[2].replace("_", " ")
            for name in ("is_public_api", "is_static", "is_abstract", "is_async", "is_override")
            if symbol[name]
        ],
        "pictures": [picture for picture in pictures if len(picture.boxes) > 1],
        "tables": [_table(name, answers[name], given) for name in RELATIONS],
    }


def _chosen(given: Parameters, visit: Visit) -> str:
    """The id of the likeliest symbol of a name, as far as the graph is there; the page lists others."""
    graph = visit.graph
    found = None if graph is None or given.text("id") else choose_target(graph, given.text("name"))
    target = None if found is None else found.target
    is_known = target is not None and target.symbol is not None
    return node_text(target.id) if target is not None and is_known else _named(given)


def _others(given: Parameters, visit: Visit, symbol: Fields) -> tuple[list[SymbolItem], int]:
    """What else a name may mean, the likeliest first, and how many more there are."""
    graph = visit.graph
    if graph is None:
        return [], 0
    found = choose_target(graph, given.text("name") or symbol["name"])
    every = [found.target, *found.others]
    symbols = [item.symbol for item in every if item is not None and item.symbol is not None]
    others = [item for item in symbols if node_text(item.id) != symbol["node_id"]]
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


def _table(name: str, answer: ToolAnswer, given: Parameters) -> RelationTable:
    relation, result = RELATIONS[name], answer.result
    return RelationTable(
        name,
        relation.title,
        relation.nothing,
        [*_related(result.get("results", ()))],
        "" if answer.ok else result.get("reason", "not answered"),
        result.get("unresolved_same_name", 0),
        bool(result.get("truncated")),
        link(f"/{name}.json", id=_named(given)),
    )


def _related(rows: Iterable[Fields]) -> Iterator[RelatedSymbol]:
    """Rows of one symbol and kind of edge together, in the order in which they come first."""
    groups: dict[tuple[str, ...], list[Fields]] = {}
    for row in rows:
        key = row["node_id"], row["qualified_name"], row["edge_type"], row["confidence"]
        groups.setdefault(key, []).append(row)
    for group in groups.values():
        row = group[0]
        places = [
            RelatedPlace(f"{item['seen_in']}:{line}", file_link(item["seen_in"], int(line)))
            for item in group
            for line in (place.partition(":")[0] for place in item["places"])
        ]
        is_here = row["node_type"] != _EXTERNAL
        yield RelatedSymbol(
            row["qualified_name"] or row["name"],
            row["node_type"],
            _address(row["node_id"]) if is_here else "",
            row["edge_type"],
            row["confidence"],
            places[:_MOST_SHOWN],
            max(len(places) - _MOST_SHOWN, 0),
        )


def _draw(symbol: Fields, title: str, incoming: Fields, outgoing: Fields) -> DrawnPicture:
    """The symbol in the middle, what leads to it on the left, what it leads to on the right."""
    center = _box(symbol, is_center=True)
    boxes = {center.key: center}
    arrows: list[Arrow] = []
    left_out = 0
    for result, forward in ((incoming, False), (outgoing, True)):
        rows = {_key(row): row for row in reversed(result.get("results", ()))}
        shown = list(reversed(rows.items()))
        left_out += max(len(shown) - _MOST_BOXES, 0)
        for key, row in shown[:_MOST_BOXES]:
            boxes.setdefault(key, _box(row))
            arrows.append(_arrow(center.key, key, row, forward=forward))
    picture = Picture(title, [*boxes.values()], arrows, rightwards=True)
    return draw(picture, _box_address, left_out)


def _key(row: Fields) -> str:
    """External symbols have no id."""
    if row["node_type"] == _EXTERNAL:
        return f"{_EXTERNAL}:{row['qualified_name']}"
    return str(row["node_id"])


def _box(row: Fields, *, is_center: bool = False) -> Box:
    name = row["qualified_name"] or row["name"]
    if row["node_type"] == _EXTERNAL:
        return Box(_key(row), name, "", f"external {name}", _EXTERNAL)
    place = f"{row['file_path']}:{row['line_start']}"
    is_file = row["node_type"] == "file"
    label = row["file_path"] if is_file else ".".join(name.split(".")[-2:])
    title = f"{row['node_type']} {name}, {place}"
    return Box(_key(row), label, "" if is_file else place, title, row["node_type"], is_center)


def _box_address(box: Box) -> str:
    return "" if box.kind == _EXTERNAL or box.is_center else _address(box.key)


def _arrow(center: str, other: str, row: Fields, *, forward: bool) -> Arrow:
    ends = (center, other) if forward else (other, center)
    place = f"{row['seen_in']}:{row['places'][0].partition(':')[0]}"
    title = f"{row['edge_type']} ({row['confidence']}), {place}"
    return Arrow(*ends, row["edge_type"], title, sure=row["confidence"] in _SURE)


PAGE: Final = Page(_ask, _view, _blank)
