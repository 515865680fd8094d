"""`repo.status` and `repo.refresh_index`: the state of the index, and its refresh."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Final

from repo_mcp import __version__
from repo_mcp.model import AnswerWarning, IndexState, RefreshResult
from repo_mcp.toolsets.interrogator.results import (
    RefreshIndexResult,
    StatusResult,
)
from repo_mcp.toolsets.kit.answers import Outcome
from repo_mcp.toolsets.kit.index_warnings import progress_text
from repo_mcp.toolsets.kit.progress import OTHER_WRITER, IndexProgress
from repo_mcp.toolsets.kit.services import Arguments, Context, ToolServices

_SECONDS_DIGITS: Final = 3


class Status:
    """Reports the state of the index."""

    def __init__(self, services: ToolServices) -> None:
        self._services = services

    def __call__(self, _: Arguments, _context: Context) -> Outcome:
        """The state, the limits and the version."""
        services = self._services
        state = services.repository.manager.state()
        progress = state.progress
        languages = services.repository.languages
        result = StatusResult(
            repo_root=services.repository.settings.root,
            index_status=state.status,
            last_refresh=state.last_refresh,
            indexed_files=state.files,
            generation=state.generation,
            declarations_complete=state.status == "ready" and not state.shallow,
            refreshing=progress is not None or state.elsewhere,
            progress=OTHER_WRITER * state.elsewhere
            if progress is None
            else progress_text(progress),
            watching=services.background.watching,
            enabled_adapters=list(languages.names()),
            limits=asdict(services.limits),
            version=__version__,
        )
        notes = (AnswerWarning("languages", text) for text in languages.notes())
        warnings = [*services.background_notes, *notes]
        if state.status == "missing" and not result.refreshing:
            text = "there is no index yet: repo.search and repo.refresh_index build it"
            warnings.append(AnswerWarning("missing", text))
        return Outcome(result, warnings)


class RefreshIndex:
    """Refreshes the index and reports progress."""

    def __init__(self, services: ToolServices) -> None:
        self._services = services

    def __call__(self, arguments: Arguments, context: Context) -> Outcome:
        """Counts of changed files; a long refresh continues in the background."""
        services = self._services
        limit = context.budget.within(services.repository.settings.refresh_seconds)
        with IndexProgress(services, context):
            done = services.background.refresh(limit, force=arguments["force"])
        state = services.repository.manager.state()
        left_out = done.left_out.items()
        result = RefreshIndexResult(
            added=done.added,
            updated=done.updated,
            removed=done.removed,
            indexed_files=done.files,
            duration_seconds=round(done.seconds, _SECONDS_DIGITS),
            timestamp=done.timestamp,
            complete=done.complete,
            text_complete=state.status == "ready" and not done.words_left,
            text_left=done.words_left,
            declarations_left=done.facts_left,
            left_out=", ".join(f"{count} {reason}" for reason, count in left_out),
        )
        remarks = (AnswerWarning("refresh", text) for text in _remarks(done, state))
        rebuilt = services.repository.manager.take_notice()
        notices = [] if rebuilt is None else [rebuilt]
        return Outcome(result, [*notices, *services.background_notes, *remarks])


def _remarks(done: RefreshResult, state: IndexState) -> Iterator[str]:
    """Texts about another writer and about work that continues."""
    if done.waited:
        yield (
            f"waited {done.waited:.1f} s for another process that was writing the index; its"
            " changes are in the index and not in these counts"
        )
    if done.complete:
        return
    if state.elsewhere:
        yield f"{OTHER_WRITER}: the files are compared with the index when it has finished"
    elif state.progress is None:
        yield "the refresh continues in the background"
    else:
        yield f"the refresh continues in the background: {progress_text(state.progress)}"
    yield "repo.status shows its progress"
