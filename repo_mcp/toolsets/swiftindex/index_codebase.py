"""`index_codebase`: brings the index up to date and says what it holds."""

from __future__ import annotations

import time
from typing import Final

from index_format import Snapshot
from repo_mcp.budget import Budget
from repo_mcp.model import AnswerWarning, RefreshResult
from repo_mcp.toolsets.kit.answers import Outcome
from repo_mcp.toolsets.kit.progress import ProgressReporter
from repo_mcp.toolsets.kit.services import Arguments, Context, ToolHandler
from repo_mcp.toolsets.swiftindex.errors import NO_INDEX, SwiftIndexRefusal
from repo_mcp.toolsets.swiftindex.finding import folder_of
from repo_mcp.toolsets.swiftindex.results import IndexResult, SkippedFiles

_DIGITS: Final = 3
# files that are left out on purpose, and are no errors
_ON_PURPOSE: Final = frozenset({"ignored", "excluded", "denied", "link", "binary", "mount"})
_CHECK_EVERY: Final = 5_000
_GOES_ON: Final = AnswerWarning(
    "refresh", "indexing goes on in the background; searches say when they are complete"
)


class IndexCodebase(ToolHandler):
    """Indexes the repository."""

    def __call__(self, arguments: Arguments, context: Context) -> Outcome:
        """Counts; a task waits to the end, a plain call as long as clients wait."""
        services = self._services
        folder = folder_of(services, arguments["path"])
        began = time.monotonic()
        seconds = services.repository.settings.refresh_seconds
        limit = context.budget if context.is_task else context.budget.within(seconds)
        with ProgressReporter(services, context):
            done = services.background.refresh(limit, force=arguments["force"])
        snapshot = services.repository.manager.snapshot()
        if snapshot is None and not done.files:
            raise SwiftIndexRefusal(NO_INDEX, services.repository.settings.root)
        result = _result(done, snapshot, folder, context.budget)
        result.duration_seconds = round(time.monotonic() - began, _DIGITS)
        return Outcome(result, () if done.complete else (_GOES_ON,))


def _result(
    done: RefreshResult, snapshot: Snapshot | None, folder: str, budget: Budget
) -> IndexResult:
    files, chunks = (done.files, 0) if snapshot is None else _count(snapshot, folder, budget)
    errors = [
        SkippedFiles(reason=reason, count=count)
        for reason, count in done.left_out.items()
        if reason not in _ON_PURPOSE
    ]
    return IndexResult(
        path=folder or ".",
        files=files,
        chunks=chunks,
        added=done.added,
        updated=done.updated,
        removed=done.removed,
        unchanged=max(0, done.files - done.added - done.updated),
        errors=errors,
        complete=done.complete,
        duration_seconds=0.0,
    )


def _count(snapshot: Snapshot, folder: str, budget: Budget) -> tuple[int, int]:
    """The files and chunks of a folder."""
    inside = f"{folder}/".encode("utf-8", "surrogatepass") if folder else b""
    files = chunks = 0
    for path, number, file in snapshot.files():
        if not files % _CHECK_EVERY:
            budget.check()
        if path.startswith(inside):
            bounds = snapshot.segments[number].reader.files.bounds
            files += 1
            chunks += int(bounds[file + 1] - bounds[file])
    return files, chunks
