"""Checks the arguments of the retrieval toolset, each fault with its own code."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from repo_mcp.errors import Problem
from repo_mcp.tools import retrieval
from repo_mcp.tools.arguments import checked, ignored
from repo_mcp.tools.retrieval_errors import Refusal, refusal_of
from repo_mcp.tools.spec import Tool

_MOST: Final = {
    retrieval.SEARCH.name: retrieval.MOST_MATCHES,
    retrieval.LIST_DIR.name: retrieval.MOST_ENTRIES,
}


def arguments_of(tool: Tool, given: Mapping[str, Any]) -> dict[str, Any]:
    """Every argument with its value or default; what is wrong is a `Refusal`."""
    unknown = ignored(tool, given)
    if unknown:  # an answer without what they meant would look like one with it
        raise Refusal("ARGUMENT_INVALID", reason=unknown[0].removeprefix("ignored: "))
    loose = tuple(item._replace(choices=(), minimum=None) for item in tool.arguments)
    try:
        found = checked(tool._replace(arguments=loose), given)
    except Problem as problem:
        raise refusal_of(problem, {}) from None
    allowed = next(item.choices for item in tool.arguments if item.name == "repo")
    if found["repo"] not in allowed:
        raise Refusal("REPO_INVALID", argument="repo", allowed=list(allowed))
    most = _MOST.get(tool.name)
    if most is not None and not 1 <= found["limit"] <= most:
        raise Refusal("LIMIT_INVALID", argument="limit", minimum=1, maximum=most)
    return found
