"""The history page: commits, lines, related files and people, with links to each other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from index_format.tuples import NamedTuple
from repo_mcp.answers.history import ABOUT, CommitEntry, HistoryResult
from repo_mcp.web.addresses import Parameters, file_link, link
from repo_mcp.web.pages.page import Page, failure_values
from repo_mcp.web.render import View
from repo_mcp.web.tools import ToolAnswer, Visit

_PAGE: Final = "history"
_TEMPLATE: Final = "history.html"
# what a field of the form is asked as
_KINDS: Final = ("words", "text", "regex")
# fields of the form that are no arguments
_OWN: Final = frozenset({"q", "kind"})
_LIMIT: Final = 20
_SIGNS: Final = {"+": "added", "-": "removed"}


class HunkView(NamedTuple):
    """Changed lines of a file, each with what it is, and the address of the file."""

    path: str
    address: str
    lines: Sequence[tuple[str, str]]


class CommitView(NamedTuple):
    """A commit as the page shows it."""

    entry: CommitEntry
    address: str
    files: Sequence[tuple[str, str]]
    hunks: Sequence[HunkView]


def _ask(given: Parameters, visit: Visit) -> ToolAnswer:
    arguments: dict[str, Any] = {
        name: value for name, value in given.given.items() if value and name not in _OWN
    }
    query = given.text("q")
    if query:
        arguments[given.choice("kind", _KINDS)] = query
    arguments["about"] = given.choice("about", ABOUT)
    return visit.ask("repo.history", {**arguments, "limit": _LIMIT, "max_chars": visit.page_chars})


def _view(given: Parameters, visit: Visit, answer: ToolAnswer) -> View:
    del visit
    path = given.text("path")
    values: dict[str, Any] = {
        "page": _PAGE,
        "q": given.text("q"),
        "kind": given.choice("kind", _KINDS),
        "kinds": _KINDS,
        "path": path,
        "author": given.text("author"),
        "about": given.choice("about", ABOUT),
        "json": given.link("/history.json"),
        "warnings": answer.warnings,
        "asides": list(_asides(path)),
    }
    if not answer.ok:
        failed = {**values, "state": "failed", **failure_values(answer)}
        return View(_TEMPLATE, failed, answer.status)
    result: HistoryResult = answer.result
    shown = {
        "state": "shown",
        "commits": [_commit(entry) for entry in result.commits],
        "first": [_commit(entry) for entry in result.first],
        "blame": [
            (row, link("/history", rev=row.commit, path=path), file_link(path, *_lines(row.lines)))
            for row in result.blame
        ],
        "related": [(row, link("/history", path=row.path)) for row in result.related],
        "people": [
            (row, given.link("/history", about="", author=row.name)) for row in result.people
        ],
        "content": result.content,
        "next": given.link("/history", cursor=result.cursor) if result.cursor else "",
        "indexed": result.indexed,
    }
    return View(_TEMPLATE, {**values, **shown})


def _commit(entry: CommitEntry) -> CommitView:
    hunks = [
        HunkView(
            f"{hunk.path}:{hunk.line}",
            link("/history", path=hunk.path),
            [(_SIGNS.get(row[:1], ""), row) for row in hunk.text.split("\n")],
        )
        for hunk in entry.hunks
    ]
    shown = {hunk.path for hunk in entry.hunks}
    # of a file that was followed, the text says more than its path
    files = [
        (path, link("/history", path=path.partition(" +")[0].rpartition("→ ")[2]))
        for path in entry.files
        if path not in shown
    ]
    return CommitView(entry, link("/history", rev=entry.commit), files, hunks)


def _asides(path: str) -> Iterator[tuple[str, str]]:
    """Other questions about a path."""
    yield "Authors", link("/history", path=path, about="people")
    if path:
        yield "Files that change with it", link("/history", path=path, about="related")
        yield "Who changed each line", link("/history", path=path, lines="1-400")
        yield "The file", file_link(path)


def _lines(text: str) -> tuple[int, int]:
    first, _, last = text.partition("-")
    return int(first), int(last or first)


PAGE: Final = Page(_ask, _view)
