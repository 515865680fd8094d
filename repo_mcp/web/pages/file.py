"""The file page: highlighted lines with addresses, in parts, and the outline beside them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from index_format.tuples import NamedTuple
from repo_mcp.answers.repository import OutlineResult
from repo_mcp.web.addresses import Parameters, file_link, link
from repo_mcp.web.lines import dress, no_marks, page_lines
from repo_mcp.web.pages.page import Page, crumbs, failure
from repo_mcp.web.render import View
from repo_mcp.web.tools import ToolAnswer, Visit

# lines before the one that was asked for, if the part that it is in is too large for one answer
_BEFORE: Final = 20
_DEEPEST: Final = 6
# seconds for the colours of a whole file
_SECONDS: Final = 0.5
_OPEN: Final = "repo.open_file"


class OutlineRow(NamedTuple):
    """A declaration."""

    text: str
    kind: str
    address: str
    depth: int


def _ask(given: Parameters, visit: Visit) -> ToolAnswer:
    part = visit.limits.max_open_lines
    first = (given.number("line") - 1) // part * part + 1
    return visit.ask(_OPEN, _part(given, visit, first, first + part - 1))


def _part(given: Parameters, visit: Visit, first: int, last: int) -> dict[str, Any]:
    return {
        "path": given.text("path"),
        "start_line": first,
        "end_line": last,
        "max_chars": visit.limits.max_total_bytes_per_response,
    }


def _view(given: Parameters, visit: Visit, answer: ToolAnswer) -> View:
    line = given.number("line")
    result = answer.result
    if answer.ok and 0 < result.end_line < line <= result.total_lines:
        first = max(line - _BEFORE, result.end_line + 1)
        answer = visit.ask(_OPEN, _part(given, visit, first, first + visit.limits.max_open_lines))
        result = answer.result
    if not answer.ok:
        return failure(answer, "files")
    path = result.path
    outline = _ask_outline(visit, path)
    shown = list(page_lines(result.text))
    nearest = sorted(shown, key=lambda row: abs(row.number - line))
    names = visit.names_in(path, {row.number: row.text for row in nearest})
    first, last, total = result.start_line, result.end_line, result.total_lines
    near = max(line - first, 0)
    lines = dress(shown, path, no_marks, visit.budget(_SECONDS), names, near)
    marked = range(line, max(given.number("end", line), line) + 1) if given.text("line") else ()
    values = {
        "page": "files",
        "path": path,
        "name": path.rpartition("/")[2],
        "crumbs": list(crumbs(path.rpartition("/")[0], "/folder", "path")),
        "uses": link("/uses", path=path.rpartition("/")[0]),
        "history": link("/history", path=path),
        "lines": lines,
        "marked": marked,
        "first": first,
        "last": last,
        "total": total,
        "kind": result.kind,
        "mime_type": result.mime_type,
        "size": result.size,
        "before": file_link(path, max(first - visit.limits.max_open_lines, 1)) if first > 1 else "",
        "after": file_link(path, last + 1) if 0 < last < total else "",
        "outline": list(_outline(path, outline.result)) if outline.ok else [],
        "language": outline.result.language if outline.ok else "",
        "warnings": [*answer.warnings, *(outline.warnings if outline.ok else ())],
        "json": given.link("/file.json"),
        "outline_json": link("/outline.json", path=path),
        "symbols": link("/symbol", path=path) if outline.ok and outline.result.total else "",
    }
    return View("file.html", values)


def _ask_outline(visit: Visit, path: str) -> ToolAnswer:
    most = visit.limits.max_total_bytes_per_response
    # of lines, an outline has all levels: of a file it takes a share of its size
    return visit.ask("repo.outline", {"path": path, "start_line": 1, "max_chars": most})


def _outline(path: str, result: OutlineResult) -> Iterator[OutlineRow]:
    """Declarations below those that they are in."""
    for item in result.symbols:
        parent = item.parent_symbol
        depth = min(parent.count(".") + 1, _DEEPEST) if parent else 0
        address = file_link(path, item.start_line, item.end_line)
        yield OutlineRow(item.name, item.kind, address, depth)


PAGE: Final = Page(_ask, _view)


def outline_data(given: Parameters, visit: Visit) -> ToolAnswer:
    """The outline, for its JSON."""
    return _ask_outline(visit, given.text("path"))
