"""Warnings about what is still being prepared, with an estimate, and about unmatched globs."""

from __future__ import annotations

import math
from typing import Final

from repo_mcp.budget import Budget
from repo_mcp.model import AnswerWarning, Progress
from repo_mcp.repository import IndexGap, OpenGraph, OpenIndex, Repository, has_match

COMPARING: Final = AnswerWarning(
    "comparing",
    "the index is as it was last refreshed, and is being compared with the files now: changes since"
    " then may be missing for some seconds",
)
_LACKING: Final = {
    IndexGap.FILES: "the index is being built",
    IndexGap.BUILD: "the index could not be built",
    IndexGap.DECLARATIONS: (
        "the declarations of some files are not indexed yet, and parts of their names not found"
    ),
}
_LONGEST_GLOB: Final = 80


def _lacking_text(index: OpenIndex, repository: Repository) -> str:
    """What an incomplete index lacks, and the progress of a running refresh."""
    running = repository.progress
    progress = "" if running is None else f" ({progress_text(running)})"
    return f"{_LACKING[index.gap or IndexGap.FILES]}{progress}"


def _wait_text(index: OpenIndex, repository: Repository) -> str:
    """When the answer to the same question will be complete."""
    if index.gap is IndexGap.BUILD:
        return "asking again does not help: repo.status and the server's log say why"
    return rest_text(repository.progress)


def lacking_warning(index: OpenIndex, repository: Repository, so_far: str = "") -> AnswerWarning:
    """What an incomplete index lacks, what was done `so_far`, and when the rest will be there."""
    text = f"{_lacking_text(index, repository)}{so_far}; {_wait_text(index, repository)}"
    return AnswerWarning("incomplete", text)


def building_detail(repository: Repository) -> str:
    """How far the first index is, and when it will be there."""
    return _with_rest(repository.progress)


def linking_warning(opened: OpenGraph) -> AnswerWarning:
    """That the graph does not have all files of the current text yet, and when it will."""
    running = opened.linked
    done = "" if running is None else f" ({progress_text(running)})"
    lacks = "the answer may lack some, and edges of others"
    text = f"symbols are still being linked{done}: {lacks}; {rest_text(running)}"
    return AnswerWarning("linking", text)


def linking_detail(opened: OpenGraph, repository: Repository) -> str:
    """How far the first graph is, and when it will be there."""
    if opened.linked is None and repository.progress is not None:
        # linking follows, and nothing tells yet how long that will take
        return f"{progress_text(repository.progress)}; {rest_text(None)}"
    return _with_rest(opened.linked)


def _with_rest(running: Progress | None) -> str:
    done = "" if running is None else f"{progress_text(running)}; "
    return f"{done}{rest_text(running)}"


def rest_text(running: Progress | None) -> str:
    """When what is being prepared will be complete."""
    left = None if running is None else running.seconds_left
    if left is None:
        return "the rest is being prepared: asking the same again at once is of no use"
    seconds = max(1, math.ceil(left))
    return f"the rest is ready in about {seconds} s: asking the same sooner is of no use"


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
