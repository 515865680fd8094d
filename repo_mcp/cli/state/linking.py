"""Links the symbol graph for a command that waits for it, here or on an engine."""

from __future__ import annotations

import sys
from typing import Final

from repo_mcp.budget import Budget
from repo_mcp.cli.command_line import complain
from repo_mcp.cli.display import Display
from repo_mcp.console import flush
from repo_mcp.indexing.keep.keeper import JobEngine
from repo_mcp.indexing.keep.manager import Indexes

# files may be saved while others are linked
_MOST_ROUNDS: Final = 3
_NOT_LINKED: Final = (
    "note: callers of symbols are not linked yet: `repo-mcp index --graph` does that, or the first"
    " question"
)
_LINKING: Final = (
    "note: the index is ready to be used; its symbols are linked now, for questions about callers:"
    " Ctrl-C ends that, and what is linked is kept"
)
_GOES_ON: Final = "note: the next question about a symbol, or the next `repo-mcp index`, goes on"


def link_behind(manager: Indexes, budget: Budget) -> None:
    """Link the symbol graph behind an index that can be used already, where a person sees it.

    What is linked by Ctrl-C is kept. Where nobody watches, nothing waits for it: a line says how.
    """
    if manager.graph().current:
        return
    flush()
    if sys.stderr is None or not sys.stderr.isatty():
        complain(_NOT_LINKED)
        return
    complain(_LINKING)
    try:
        with Display(sys.stderr) as display:
            link_graph(manager, budget, display)
    except KeyboardInterrupt:
        complain(_GOES_ON)


def link_graph(
    manager: Indexes,
    budget: Budget,
    display: Display,
    engine: JobEngine | None = None,
) -> None:
    """Bring the graph up to date; after a first build, its segments are those of a full merge."""
    is_first = manager.graph().snapshot is None
    display.phase("linking")
    for _ in range(_MOST_ROUNDS):
        changed = manager.link(budget, display, engine)
        if not changed:
            break
        manager.refresh_paths(changed, budget, deep=True)
    if is_first:
        display.phase("merging")
        manager.tidy(budget, full=True, free=True)
