"""A file that is not there is answered with paths that may be meant."""

from __future__ import annotations

from typing import Final

from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.search.near_paths import near_paths
from repo_mcp.tools.means import Means

_MOST: Final = 3
_SECONDS: Final = 0.2


def with_near_files(problem: Problem, path: str, means: Means, budget: Budget) -> Problem:
    """The problem; of a file that is not there, with paths of the index that may be meant."""
    snapshot = means.manager.snapshot() if problem.code == "not_found" else None
    if snapshot is None:
        return problem
    found = [item.path for item in near_paths(snapshot, path, _MOST, budget.within(_SECONDS))]
    return Problem("not_found", f"perhaps {', '.join(found)}") if found else problem
