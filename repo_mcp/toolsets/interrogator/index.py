"""`repo.status`, `repo.refresh_index`, `repo.audit_log`: the index, its refresh, and past calls."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Final

from index_format.records import values_of
from repo_mcp import __version__
from repo_mcp.answers.repository import (
    AuditedCall,
    AuditLogResult,
    RefreshIndexResult,
    StatusResult,
)
from repo_mcp.audit.log import AuditEntry
from repo_mcp.model import AnswerWarning, IndexState, RefreshResult
from repo_mcp.text.cutting import cut
from repo_mcp.text.plurals import counted
from repo_mcp.toolsets.kit.answers import Outcome, size
from repo_mcp.toolsets.kit.cursors import decode_cursor, encode_cursor
from repo_mcp.toolsets.kit.index_warnings import progress_text, rest_text
from repo_mcp.toolsets.kit.progress import OTHER_WRITER, ProgressReporter
from repo_mcp.toolsets.kit.services import Arguments, Context, ToolHandler, ToolServices

# states of the index of a root, where they might be taken for those of its folder
_STATES: Final = {"missing": "no index yet"}
_SECONDS_DIGITS: Final = 3
_MOST_CALLS: Final = 200
_MOST_SHOWN: Final = 12
_MOST_ARGUMENTS: Final = 600
_MILLISECOND_DIGITS: Final = 1


class Status(ToolHandler):
    """Reports the state of the index."""

    def __call__(self, _: Arguments, _context: Context) -> Outcome:
        """The state, the limits and the version."""
        services = self._services
        settings = services.repository.settings
        state = services.repository.manager.state()
        progress = state.progress
        languages = services.repository.languages
        result = StatusResult(
            repo_root=settings.shown_root,
            index_status=state.status,
            last_refresh=state.last_refresh,
            indexed_files=state.files,
            generation=state.generation,
            declarations_complete=state.status == "ready" and not state.shallow,
            refreshing=progress is not None or state.elsewhere,
            progress=OTHER_WRITER * state.elsewhere
            if progress is None
            else progress_text(progress),
            graph=_graph_state(services),
            watching=services.background.watching,
            enabled_adapters=list(languages.names()),
            limits=values_of(services.limits),
            version=__version__,
        )
        if services.replica is not None:
            result.published = services.replica.text
        if states := services.repository.manager.root_states():
            result.roots = [
                f"{name}: {_STATES.get(state.status, state.status)},"
                f" {counted(state.files, 'file')}"
                + (f", last refresh {state.last_refresh}" if state.last_refresh else "")
                + (", being refreshed" if state.progress is not None or state.elsewhere else "")
                for name, state in states.items()
            ]
        notes = (AnswerWarning("languages", text) for text in languages.notes())
        warnings = [*services.background_notes, *notes]
        if (encoding := services.background.encoding) is not None:
            warnings.append(AnswerWarning("encoding", encoding.state.text))
        if state.status == "missing" and not result.refreshing:
            text = "there is no index yet: repo.search and repo.refresh_index build it"
            warnings.append(AnswerWarning("missing", text))
        return Outcome(result, warnings)


def _graph_state(services: ToolServices) -> str:
    """The state of the symbol graph: complete, being linked, or why it is not."""
    manager = services.repository.manager
    running = manager.link_progress
    if running is not None:
        return f"{progress_text(running)}; {rest_text(running)}"
    found = manager.graph()
    if found.current:
        return "complete"
    state = "not linked yet" if found.snapshot is None else "behind the files"
    return f"{state}: a question about a symbol links it"


class RefreshIndex(ToolHandler):
    """Refreshes the index and reports progress."""

    def __call__(self, arguments: Arguments, context: Context) -> Outcome:
        """Counts of changed files; a long refresh continues in the background."""
        services = self._services
        limit = context.budget.within(services.repository.settings.refresh_seconds)
        with ProgressReporter(services, context):
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
        reached, rest = progress_text(state.progress), rest_text(state.progress)
        yield f"the refresh continues in the background: {reached}; {rest}"


class AuditCalls(ToolHandler):
    """Reads the audit log."""

    def __call__(self, arguments: Arguments, context: Context) -> Outcome:
        """A page of calls, newest first; of several users, those of the one who asks."""
        services = self._services
        warnings: list[AnswerWarning] = []
        limit = services.clamp("limit", arguments["limit"], _MOST_CALLS, warnings)
        since = arguments["since"] or ""
        after = ""
        if arguments["cursor"]:
            after = decode_cursor(arguments["cursor"], [since], str).place[0]
        found = services.audit.recent(since, limit, after, context.token)
        result = AuditLogResult(calls=[], skipped_lines=found.skipped)
        if after and not found.entries:
            text = "there are no older calls: they are removed when the log is full"
            warnings.append(AnswerWarning("expired", text))
        room = services.room(services.page_size(None, warnings), result, warnings)
        calls: list[AuditedCall] = []
        for entry in found.entries:
            call = _call(entry)
            room -= size(call)
            if room < 0 and calls:
                break
            calls.append(call)
        result.calls = calls
        if found.more or len(calls) < len(found.entries):
            result.truncated = True
            result.cursor = encode_cursor([since], 0, [calls[-1].request_id])
        return Outcome(result, warnings)


def _call(entry: AuditEntry) -> AuditedCall:
    shown = list(entry.shown[:_MOST_SHOWN])
    if entry.shown_in_all > len(shown):
        shown.append(f"and {entry.shown_in_all - len(shown)} more")
    return AuditedCall(
        time=entry.time,
        request_id=entry.request_id,
        tool=entry.tool,
        client=entry.client,
        arguments=cut(json.dumps(entry.arguments, ensure_ascii=False), _MOST_ARGUMENTS),
        ok=entry.ok,
        blocked=entry.blocked,
        code=entry.code,
        counts=[f"{name} {count}" for name, count in entry.counts.items()],
        shown=shown,
        milliseconds=round(entry.seconds * 1000, _MILLISECOND_DIGITS),
        generation=entry.generation,
    )
