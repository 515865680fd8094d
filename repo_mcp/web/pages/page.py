"""A page: the tool calls behind it, and the view of the answer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from index_format.tuples import NamedTuple
from repo_mcp.web.addresses import Parameters, link
from repo_mcp.web.render import View
from repo_mcp.web.tools import ToolAnswer, Visit
from repo_mcp.web.wording import page_hint


class Page(NamedTuple):
    """A page; its JSON is the structured answer of the tool that it asks first."""

    ask: Callable[[Parameters, Visit], ToolAnswer]
    view: Callable[[Parameters, Visit, ToolAnswer], View]
    # the view without an answer; None where the parameters give something to ask
    blank: Callable[[Parameters], View | None] = lambda _: None


class Crumb(NamedTuple):
    """A folder above what a page shows."""

    name: str
    address: str


def crumbs(folder: str, page: str, parameter: str) -> Iterator[Crumb]:
    """A folder and those above it, each with the address of a page about it."""
    names = folder.split("/") if folder else []
    for number, name in enumerate(names, 1):
        yield Crumb(name, link(page, **{parameter: "/".join(names[:number])}))


def failure(answer: ToolAnswer, page: str) -> View:
    """The view of an answer that says what went wrong."""
    return View("failure.html", {"page": page, **failure_values(answer)}, answer.status)


def failure_values(answer: ToolAnswer) -> dict[str, Any]:
    """The values of an error, for a template of its own."""
    result, problem = answer.result, answer.reply.problem
    return {
        "title": "Blocked" if answer.reply.blocked else "Not answered",
        "reason": result.reason if problem is None else problem.reason,
        "hint": result.hint if problem is None else page_hint(problem),
        "warnings": answer.warnings,
    }
