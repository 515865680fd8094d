"""What to say of a glob that leaves a search nothing to look at."""

from __future__ import annotations

from typing import Final

from index_format import Snapshot
from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.search import PathText, near_paths
from repo_mcp.toolsets.kit.services import ToolServices

_SHOWN: Final = 80


def unmatched(glob: str | None, snapshot: Snapshot | None, budget: Budget) -> list[str]:
    """A warning where a glob matches no file of the index."""
    if glob is None or snapshot is None:
        return []
    for segment in snapshot.segments:
        budget.check()
        if PathText(segment.reader.files.paths).matching(glob).any():
            return []
    shown = glob if len(glob) <= _SHOWN else f"{glob[:_SHOWN]}..."
    return [f"no indexed file matches file_glob {shown!r}: paths are like src/main.py"]


_MOST: Final = 3
_SECONDS: Final = 0.2


def with_near_files(problem: Problem, path: str, means: ToolServices, budget: Budget) -> Problem:
    """The problem; of a file that is not there, with paths of the index that may be meant."""
    snapshot = means.manager.snapshot() if problem.code == "not_found" else None
    if snapshot is None:
        return problem
    found = [item.path for item in near_paths(snapshot, path, _MOST, budget.within(_SECONDS))]
    return Problem("not_found", f"perhaps {', '.join(found)}") if found else problem
