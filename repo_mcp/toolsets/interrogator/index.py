"""`repo.status` and `repo.refresh_index`: how the index stands, and bringing it up to date."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import asdict
from typing import Final

from repo_mcp import __version__
from repo_mcp.model import AnswerWarning, IndexState, RefreshResult
from repo_mcp.toolsets.interrogator.results import (
    LeftOutCount,
    LimitsInForce,
    RefreshIndexResult,
    StatusResult,
)
from repo_mcp.toolsets.kit.answers import Outcome
from repo_mcp.toolsets.kit.index_warnings import progress_text
from repo_mcp.toolsets.kit.services import Arguments, Context, ToolServices

_SECONDS_DIGITS: Final = 3
# how often a client is told how far a refresh is
_TOLD_EVERY: Final = 0.5
_ELSEWHERE: Final = "another process is writing the index"


class Status:
    """Tells how the index stands."""

    def __init__(self, services: ToolServices) -> None:
        """Take what it works with."""
        self._services = services

    def __call__(self, _: Arguments, _context: Context) -> Outcome:
        """All of it."""
        services = self._services
        state = services.repository.manager.state()
        now = state.progress
        languages = services.repository.languages
        result = StatusResult(
            repo_root=services.repository.settings.root,
            index_status=state.status,
            last_refresh=state.last_refresh,
            indexed_files=state.files,
            generation=state.generation,
            declarations_complete=state.status == "ready" and not state.shallow,
            refreshing=now is not None or state.elsewhere,
            progress=_ELSEWHERE * state.elsewhere if now is None else progress_text(now),
            watching=services.background.watching,
            enabled_adapters=list(languages.names()),
            limits=LimitsInForce(**asdict(services.limits)),
            version=__version__,
        )
        notes = (AnswerWarning("languages", text) for text in languages.notes())
        warnings = [*services.background_notes, *notes]
        if state.status == "missing" and not result.refreshing:
            text = "nothing is indexed yet: repo.search or repo.refresh_index will do it"
            warnings.append(AnswerWarning("missing", text))
        return Outcome(result, warnings)


class RefreshIndex:
    """Brings the index up to date, and tells how far it is."""

    def __init__(self, services: ToolServices) -> None:
        """Take what it works with."""
        self._services = services

    def __call__(self, arguments: Arguments, context: Context) -> Outcome:
        """Counts of what was done; what takes too long goes on in the background."""
        services = self._services
        limit = context.budget.within(services.repository.settings.refresh_seconds)
        with _ProgressReports(lambda: self._tell(context)):
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
            left_out=[LeftOutCount(reason=reason, count=count) for reason, count in left_out],
        )
        remarks = (AnswerWarning("refresh", text) for text in _remarks(done, state))
        return Outcome(result, [*services.background_notes, *remarks])

    def _tell(self, context: Context) -> None:
        state = self._services.repository.manager.state()
        if state.progress is not None:
            context.progress(
                state.progress.files, state.progress.all_files, progress_text(state.progress)
            )
        elif state.elsewhere:
            context.progress(0, 0, _ELSEWHERE)


def _remarks(done: RefreshResult, state: IndexState) -> Iterator[str]:
    """What the counts don't tell: who else was at work, and what is still done."""
    if done.waited:
        yield (
            f"another process was writing the index and was waited for, {done.waited:.1f} s: what"
            " it did is in the index, and not in these counts"
        )
    if done.complete:
        return
    if state.elsewhere:
        yield f"{_ELSEWHERE}: the files are compared with what it made when it has finished"
    elif state.progress is None:
        yield "it goes on in the background: the files are compared with the index soon"
    else:
        yield f"it goes on in the background: {progress_text(state.progress)}"
    yield "repo.status says how far it is"


class _ProgressReports:
    """Tells something now and then for as long as something else goes on."""

    def __init__(self, tell: Callable[[], None]) -> None:
        self._tell = tell
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._work, daemon=True)

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _work(self) -> None:
        while not self._over.wait(_TOLD_EVERY):
            self._tell()
