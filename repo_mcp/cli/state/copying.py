"""Copies the rest of a published index at the end of a command, with visible progress."""

from __future__ import annotations

import sys

from repo_mcp.budget import Budget
from repo_mcp.cli.display import Display
from repo_mcp.errors import Problem
from repo_mcp.indexing.keep.manager import IndexManager
from repo_mcp.log import log_call


def copy_rest(manager: IndexManager, budget: Budget, display: Display) -> None:
    """Copy what of a published index is still read at its address; says why if that fails."""
    if not manager.copies:
        return
    sys.stdout.flush()  # an answer is shown before
    try:
        manager.copy(budget, display.on_progress)
    except Problem as problem:
        if problem.code == "cancelled":
            raise
        log_call(f"the published index is still read at its address: {problem.reason}")
