"""The first page: the tree, its languages, the files that declare most, and what changed last."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, Final

from repo_mcp.repository import Repository, most_declaring, overview_of, survey_files
from repo_mcp.web.addresses import Parameters, file_link, link
from repo_mcp.web.pages.folder import entry_fields, overview_fields
from repo_mcp.web.pages.page import Page, failure_values
from repo_mcp.web.pages.search import form_values
from repo_mcp.web.plots import share_bar
from repo_mcp.web.render import View
from repo_mcp.web.tools import Answered, Fields, ToolAnswer, Visit

_PAGE: Final = "home"
# seconds that the page waits for the walk
_WALK_SECONDS: Final = 1.0
_MOST_DECLARING: Final = 8


def _ask(given: Parameters, visit: Visit) -> ToolAnswer:
    del given

    def find(repository: Repository) -> Answered:
        tree = overview_of(repository, "", visit.budget(_WALK_SECONDS))
        survey = survey_files(repository.manager, visit.budget(_WALK_SECONDS))
        result = {
            **overview_fields(tree),
            "languages": [share._asdict() for share in survey.languages],
            "declaring": list(map(entry_fields, most_declaring(repository, _MOST_DECLARING))),
            "changed": [
                {"path": item.path, "time": _time_text(item.time)} for item in survey.changed
            ],
            "walked": survey.complete,
        }
        return result, [warning.text for warning in tree.warnings]

    return visit.answer(find)


def _time_text(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")


def _view(given: Parameters, visit: Visit, answer: ToolAnswer) -> View:
    del visit
    values: dict[str, Any] = {
        **form_values(given),
        "page": _PAGE,
        "is_asked": False,
        "json": "/home.json",
        "warnings": answer.warnings,
    }
    if not answer.ok:
        failed = {**values, **failure_values(answer), "is_asked": True, "is_failed": True}
        return View("search.html", failed, answer.status)
    result = answer.result
    largest = max((share["size"] for share in result["languages"]), default=0)
    shown = {
        "entries": result["entries"],
        "files": result["files"],
        "more": result["more"],
        "walked": result["walked"],
        "languages": [_with_bar(share, largest) for share in result["languages"]],
        "declaring": result["declaring"],
        "changed": [{**item, "address": file_link(item["path"])} for item in result["changed"]],
        "tree_address": link("/folder"),
    }
    return View("home.html", {**values, **shown})


def _with_bar(share: Fields, largest: int) -> Fields:
    return {**share, "bar": share_bar(share["size"], largest)}


PAGE: Final = Page(_ask, _view)
