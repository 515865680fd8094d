"""Warnings about an incomplete index and about a glob without matches."""

from __future__ import annotations

import math
from typing import Final

from repo_mcp.budget import Budget
from repo_mcp.model import AnswerWarning, Progress
from repo_mcp.repository import IndexGap, OpenIndex, Repository, has_match

COMPARING: Final = AnswerWarning(
    "comparing",
    "the index is as it was last refreshed, and is being compared with the files now: changes since"
    " then may be missing for some seconds",
)
_LACKING: Final = {
    IndexGap.FILES: "the index is being built",
    IndexGap.BUILD: "the index could not be built",
    IndexGap.DECLARATIONS: "the declarations of some files are not indexed yet",
}
_LONGEST_GLOB: Final = 80


def lacking_text(index: OpenIndex, repository: Repository) -> str:
    """What an incomplete index lacks, and the progress of a running refresh."""
    running = repository.progress
    progress = "" if running is None else f" ({progress_text(running)})"
    return f"{_LACKING[index.gap or IndexGap.FILES]}{progress}"


def wait_text(index: OpenIndex, repository: Repository) -> str:
    """When the answer to the same question will be complete."""
    if index.gap is IndexGap.BUILD:
        return "asking again does not help: repo.status and the server's log say why"
    running = repository.progress
    seconds = None if running is None else seconds_left(running)
    if seconds is None:
        return "the rest is being prepared: asking the same again at once is of no use"
    return f"the rest is ready in about {seconds} s: asking the same sooner is of no use"


def seconds_left(now: Progress) -> int | None:
    """How long a refresh goes on at its speed so far; None if it has none yet."""
    if now.files <= 0 or now.seconds <= 0:
        return None
    return max(1, math.ceil(now.seconds * (now.all_files - now.files) / now.files))


def progress_text(now: Progress) -> str:
    """The progress of a refresh."""
    return f"{now.phase} {now.files} of {now.all_files} files, {now.seconds:.0f} s so far"


def warn_unmatched(glob: str | None, index: OpenIndex, budget: Budget) -> list[AnswerWarning]:
    """A warning if the glob matches no indexed file."""
    if glob is None or index.snapshot is None or has_match(index.snapshot, glob, budget):
        return []
    shown = glob if len(glob) <= _LONGEST_GLOB else f"{glob[:_LONGEST_GLOB]}..."
    text = f"no indexed file matches file_glob {shown!r}: paths are like src/main.py"
    return [AnswerWarning("unmatched", text)]
