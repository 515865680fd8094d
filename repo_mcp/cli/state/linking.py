"""Links the symbol graph for a command that waits for it, here or on an engine."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from repo_mcp.budget import Budget
from repo_mcp.cli.display import Display
from repo_mcp.indexing.build.recipe import Recipe
from repo_mcp.indexing.fresh.manager import IndexManager
from repo_mcp.processes.pool import JobRunner

# files may be saved while others are linked
_MOST_ROUNDS: Final = 3


def link_graph(
    manager: IndexManager,
    budget: Budget,
    display: Display,
    engine: Callable[[Recipe], JobRunner] | None = None,
) -> None:
    """Bring the graph up to date; after a first build, its segments are those of a full merge."""
    is_first = manager.graph().snapshot is None
    display.phase("linking")
    for _ in range(_MOST_ROUNDS):
        manager.engine = engine
        try:
            changed = manager.link(budget, on_progress=display.show)
        finally:
            manager.engine = None
        if not changed:
            break
        manager.refresh_paths(changed, budget, deep=True)
    if is_first:
        display.phase("merging")
        manager.tidy(budget, full=True, free=True)
