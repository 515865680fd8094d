"""The page about a change: what may break by it, tests to run, and what is missing in it."""

from __future__ import annotations

from typing import Any, Final

from repo_mcp.answers.changes import ChangesResult
from repo_mcp.web.addresses import Parameters, file_link, link
from repo_mcp.web.pages.page import Page, failure_values
from repo_mcp.web.render import View
from repo_mcp.web.tools import ToolAnswer, Visit

_PAGE: Final = "changes"
_TEMPLATE: Final = "changes.html"
_REVISIONS: Final = ("rev", "since")
_SIGNS: Final = {"+": "added", "-": "removed"}


def _ask(given: Parameters, visit: Visit) -> ToolAnswer:
    named = {name: given.text(name) for name in _REVISIONS}
    named |= {"path": given.text("path"), "cursor": given.text("cursor")}
    arguments: dict[str, Any] = {name: text for name, text in named.items() if text}
    if given.text("staged"):
        arguments["staged"] = True
    return visit.ask("repo.changes", {**arguments, "context": True, "max_chars": visit.page_chars})


def _view(given: Parameters, visit: Visit, answer: ToolAnswer) -> View:
    del visit
    values: dict[str, Any] = {
        "page": _PAGE,
        **{name: given.text(name) for name in _REVISIONS},
        "path": given.text("path"),
        "staged": given.text("staged"),
        "json": given.link("/changes.json"),
        "warnings": answer.warnings,
    }
    if not answer.ok:
        failed = {**values, "state": "failed", **failure_values(answer)}
        return View(_TEMPLATE, failed, answer.status)
    result: ChangesResult = answer.result
    shown = {
        "state": "shown",
        "result": result,
        "next": given.link("/changes", cursor=result.cursor) if result.cursor else "",
        "breaking": [
            (row, file_link(row.path, row.line, row.line), f"{row.path}:{row.line}")
            for row in result.breaking
        ],
        "unused": [(row, file_link(row.path, row.line, row.line)) for row in result.unused],
        "tests": [(row, file_link(row.path)) for row in result.tests if row.sure],
        "other_tests": [(row, file_link(row.path)) for row in result.tests if not row.sure],
        "companions": [(row, link("/history", path=row.path)) for row in result.companions],
        "declarations": [
            (row, "" if row.kind == "removed" else file_link(row.path, row.line, row.line))
            for row in result.declarations
        ],
        "context": [
            (
                row,
                file_link(row.path, row.line, row.line),
                [(_SIGNS.get(text[:1], ""), text) for text in row.text.split("\n")],
            )
            for row in result.context
        ],
    }
    return View(_TEMPLATE, {**values, **shown})


PAGE: Final = Page(_ask, _view)
