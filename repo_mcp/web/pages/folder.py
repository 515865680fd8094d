"""The folder page: the folders and files in a folder, with counts of files and declarations."""

from __future__ import annotations

from typing import Any, Final

from repo_mcp.repository import FolderOverview, Repository, TreeEntry, overview_of
from repo_mcp.web.addresses import Parameters, file_link, link
from repo_mcp.web.pages.page import Page, crumbs, failure
from repo_mcp.web.render import View
from repo_mcp.web.tools import Answered, Fields, ToolAnswer, Visit

_PAGE: Final = "files"
# seconds in which the files of all folders are counted
_SECONDS: Final = 2.0


def _ask(given: Parameters, visit: Visit) -> ToolAnswer:
    def find(repository: Repository) -> Answered:
        found = overview_of(repository, given.text("path"), visit.budget(_SECONDS))
        return overview_fields(found), [warning.text for warning in found.warnings]

    return visit.answer(find)


def overview_fields(found: FolderOverview) -> Fields:
    """A folder as JSON."""
    return {
        "path": found.path,
        "files": found.files,
        "entries": list(map(entry_fields, found.entries)),
        "more": found.more,
    }


def entry_fields(entry: TreeEntry) -> Fields:
    """A file or folder as JSON, with the address of its page."""
    address = link("/folder", path=entry.path) if entry.is_folder else file_link(entry.path)
    return {**entry._asdict(), "address": address}


def _view(given: Parameters, visit: Visit, answer: ToolAnswer) -> View:
    del visit
    if not answer.ok:
        return failure(answer, _PAGE)
    result = answer.result
    path = result["path"]
    values: dict[str, Any] = {
        "page": _PAGE,
        "path": path,
        "name": path.rpartition("/")[2] or "All files",
        "crumbs": list(crumbs(path.rpartition("/")[0], "/folder", "path")),
        "entries": result["entries"],
        "files": result["files"],
        "more": result["more"],
        "search": link("/search", folder=path),
        "uses": link("/uses", path=path),
        "json": given.link("/folder.json"),
        "warnings": answer.warnings,
    }
    return View("folder.html", values)


PAGE: Final = Page(_ask, _view)
