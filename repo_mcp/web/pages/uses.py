"""The page of uses: how files and folders in a folder use one another, as a picture and a table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from code_graph.paths.path_kinds import is_test
from code_graph.query.edges import EdgeFilter
from code_graph.query.model import SURE, USES
from code_graph.query.whole import NO_NODE, groups_below
from index_format import CorruptIndexError
from index_format.tuples import NamedTuple
from repo_mcp.ask import find_group_uses
from repo_mcp.errors import Problem
from repo_mcp.picture.model import Arrow, Box, Picture
from repo_mcp.repository import OpenGraph, Repository
from repo_mcp.web.addresses import Parameters, file_link, link
from repo_mcp.web.drawing import draw
from repo_mcp.web.grouping import MOST_BOXES
from repo_mcp.web.matrix import MatrixCell, uses_matrix
from repo_mcp.web.pages.page import Crumb, Page, crumbs, failure_values
from repo_mcp.web.render import View
from repo_mcp.web.tools import Answered, Fields, ToolAnswer, Visit

_TEMPLATE: Final = "uses.html"
# files and folders that are told apart, arrows that can be followed, and rows of a table
_MOST: Final = 30
_MOST_ARROWS: Final = 24
_MOST_ROWS: Final = 200
_CHOSEN: Final = EdgeFilter(USES, SURE)
# no path begins so
_TESTS: Final = "\0"
_INCOMPLETE: Final = "the symbol graph is being linked: some uses are missing"
_WAITING: Final = Problem("index_unavailable", "the symbol graph is not linked yet")


class UsesRow(NamedTuple):
    """A row of the matrix."""

    number: int
    label: str
    address: str
    cells: Sequence[MatrixCell]


class FolderUse(NamedTuple):
    """Uses between the parts of a folder, with the numbers of declarations that have them."""

    source: str
    source_address: str
    target: str
    target_address: str
    times: int


def _ask(given: Parameters, visit: Visit) -> ToolAnswer:
    def find(repository: Repository) -> Answered:
        budget = visit.budget(repository.settings.first_answer_seconds)
        opened = repository.open_graph(budget)
        warnings = [] if opened.current else [_INCOMPLETE]
        return _uses_in(given.text("path").strip("/"), repository, opened), warnings

    return visit.answer(find)


def _uses_in(folder: str, repository: Repository, opened: OpenGraph) -> dict[str, Any]:
    graph = opened.graph
    if graph is None:
        raise _WAITING
    try:
        groups = groups_below(graph, folder)
        between = find_group_uses(graph, groups, _CHOSEN, _MOST)
    except CorruptIndexError:
        repository.relink_damaged_graph()
        raise _WAITING from None
    if not (groups.of_file != NO_NODE).any():
        raise Problem("not_found", "no folder of this name has files in the index")
    uses = [
        {"source": groups.name_of(source), "target": groups.name_of(target), "count": count}
        for (source, target), count in between.counts.items()
    ]
    return {
        "folder": folder,
        "nodes": sorted(map(groups.name_of, between.groups)),
        "left_out": between.left_out,
        "uses": sorted(uses, key=lambda use: (-use["count"], use["source"], use["target"])),
    }


def _view(given: Parameters, visit: Visit, answer: ToolAnswer) -> View:
    del visit
    folder = given.text("path").strip("/")
    values: dict[str, Any] = {
        "page": "symbols",
        "folder": folder,
        "name": folder.rpartition("/")[2] or "All folders",
        "crumbs": list(_crumbs(folder)),
        "search": link("/search", folder=folder),
        "files": link("/folder", path=folder),
        "json": link("/uses.json", path=folder),
        "warnings": answer.warnings,
    }
    if not answer.ok:
        failed = {**values, "state": "failed", **failure_values(answer)}
        return View(_TEMPLATE, failed, answer.status)
    result = answer.result
    parts = _Parts.of(result, folder)
    shown = {
        "state": "shown",
        "picture": draw(_picture(parts, folder), lambda box: _address(box.key))
        if parts.are_drawn
        else None,
        "matrix": [] if parts.are_drawn else list(_matrix(parts, folder)),
        "left_out": result["left_out"],
        "uses": list(_rows(result["uses"][:_MOST_ROWS], folder)),
        "more": max(len(result["uses"]) - _MOST_ROWS, 0),
    }
    return View(_TEMPLATE, {**values, **shown})


class _Parts(NamedTuple):
    """The parts of a folder that are shown by name, and their uses of each other; tests are one."""

    names: Sequence[str]
    uses: Mapping[tuple[str, str], int]

    @property
    def are_drawn(self) -> bool:
        """True if boxes and arrows can be told apart."""
        return len(self.names) <= MOST_BOXES and len(self.uses) <= _MOST_ARROWS

    @classmethod
    def of(cls, result: Fields, folder: str) -> _Parts:
        """The parts of an answer."""
        all_tests = is_test(f"{folder}/x")
        tests = [] if all_tests else [name for name in result["nodes"] if _is_test(name)]
        together = f"{_TESTS}{len(tests)}"
        part_of = {name: name for name in result["nodes"]}
        if len(tests) > 1:
            part_of.update(dict.fromkeys(tests, together))
        uses: dict[tuple[str, str], int] = {}
        for use in result["uses"]:
            pair = part_of[use["source"]], part_of[use["target"]]
            if pair[0] != pair[1]:
                uses[pair] = uses.get(pair, 0) + use["count"]
        return cls([*dict.fromkeys(part_of.values())], uses)


def _is_test(name: str) -> bool:
    """A folder's name ends with a slash."""
    return is_test(f"{name}x" if name.endswith("/") else name)


def _matrix(parts: _Parts, folder: str) -> Iterator[UsesRow]:
    for row in uses_matrix(parts.names, parts.uses):
        yield UsesRow(row.number, _label(row.name, folder), _address(row.name), row.cells)


def _crumbs(folder: str) -> Iterator[Crumb]:
    yield Crumb("All folders", "/uses")
    yield from crumbs(folder, "/uses", "path")


def _picture(parts: _Parts, folder: str) -> Picture:
    boxes = [Box(name, _label(name, folder), title=_label(name, "")) for name in parts.names]
    drawn = [
        Arrow(source, target, str(count), f"{count} uses of {target} in {source}")
        for (source, target), count in parts.uses.items()
    ]
    return Picture("Dependencies", boxes, drawn, rightwards=True)


def _rows(uses: Iterable[Fields], folder: str) -> Iterator[FolderUse]:
    for use in uses:
        source, target = use["source"], use["target"]
        yield FolderUse(
            _label(source, folder),
            _address(source),
            _label(target, folder),
            _address(target),
            use["count"],
        )


def _label(name: str, folder: str) -> str:
    if name.startswith(_TESTS):
        return f"{name.removeprefix(_TESTS)} test files and folders"
    return name.removeprefix(f"{folder}/") if folder else name


def _address(name: str) -> str:
    """A folder's name ends with a slash."""
    if name.startswith(_TESTS):
        return "#uses"
    return link("/uses", path=name[:-1]) if name.endswith("/") else file_link(name)


PAGE: Final = Page(_ask, _view)
