"""What a page is: a tool, its arguments, and the view of its answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from repo_mcp.web.addresses import Parameters
from repo_mcp.web.render import View
from repo_mcp.web.tools import ToolAnswer, Visit


class Page(NamedTuple):
    """A page; its JSON is the structured answer of its tool."""

    tool: str
    arguments: Callable[[Parameters, Visit], dict[str, Any]]
    view: Callable[[Parameters, Visit, ToolAnswer], View]
    # the view without an answer; None where the parameters give something to ask
    blank: Callable[[Parameters], View | None] = lambda _: None


def failure(answer: ToolAnswer, page: str) -> View:
    """The view of an answer that says what went wrong."""
    result = answer.result
    values = {
        "page": page,
        "title": "Blocked" if answer.fields.get("blocked") else "Not answered",
        "reason": result.get("reason", "the question was given up"),
        "hint": result.get("hint", ""),
        "warnings": answer.warnings,
    }
    return View("failure.html", values, answer.status)
