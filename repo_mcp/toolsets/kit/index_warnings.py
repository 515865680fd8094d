"""What to say of an index that does not hold everything, and of a glob that matches nothing."""

from __future__ import annotations

from typing import Final

from repo_mcp.budget import Budget
from repo_mcp.model import AnswerWarning, Progress
from repo_mcp.repository import Lacking, OpenIndex, Repository, has_match

COMPARING: Final = AnswerWarning(
    "comparing", "the files are still being compared with the index: ask again"
)
_LACKING: Final = {
    Lacking.FILES: "the index is being built",
    Lacking.BUILD: "the index could not be built",
    Lacking.DECLARATIONS: "the declarations of some files are not indexed yet",
}
_LONGEST_GLOB: Final = 80


def lacking_text(index: OpenIndex, repository: Repository) -> str:
    """What an index that is not complete lacks, and how far a run has come."""
    now = repository.progress
    progress = "" if now is None else f" ({progress_text(now)})"
    return f"{_LACKING[index.lacking or Lacking.FILES]}{progress}"


def progress_text(now: Progress) -> str:
    """How far a run has come."""
    return f"{now.phase} {now.files} of {now.all_files} files, {now.seconds:.0f} s so far"


def unmatched(glob: str | None, index: OpenIndex, budget: Budget) -> list[AnswerWarning]:
    """A warning where a glob matches no file of the index."""
    if glob is None or index.snapshot is None or has_match(index.snapshot, glob, budget):
        return []
    shown = glob if len(glob) <= _LONGEST_GLOB else f"{glob[:_LONGEST_GLOB]}..."
    text = f"no indexed file matches file_glob {shown!r}: paths are like src/main.py"
    return [AnswerWarning("unmatched", text)]
