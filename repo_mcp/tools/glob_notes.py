"""What to say of a glob that leaves a search nothing to look at."""

from __future__ import annotations

from typing import Final

from index_format import Snapshot
from repo_mcp.budget import Budget
from repo_mcp.search.path_globs import PathText

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
