"""`repo.audit_log`: a page of recorded calls, newest first."""

from __future__ import annotations

import json
from typing import Final

from repo_mcp.audit.log import AuditEntry
from repo_mcp.model import AnswerWarning
from repo_mcp.text.cutting import cut
from repo_mcp.toolsets.interrogator.results import AuditedCall, AuditLogResult
from repo_mcp.toolsets.kit.answers import Outcome, size
from repo_mcp.toolsets.kit.cursors import decode_cursor, encode_cursor
from repo_mcp.toolsets.kit.services import Arguments, Context, ToolServices

_MOST_CALLS: Final = 200
_MOST_SHOWN: Final = 12
_MOST_ARGUMENTS: Final = 600
_MILLISECOND_DIGITS: Final = 1


class AuditCalls:
    """Reads the audit log."""

    def __init__(self, services: ToolServices) -> None:
        self._services = services

    def __call__(self, arguments: Arguments, _: Context) -> Outcome:
        """A page of calls, newest first."""
        services = self._services
        warnings: list[AnswerWarning] = []
        limit = services.clamp("limit", arguments["limit"], _MOST_CALLS, warnings)
        since = arguments["since"] or ""
        after = ""
        if arguments["cursor"]:
            after = decode_cursor(arguments["cursor"], [since], str).place[0]
        found = services.audit.recent(since, limit, after)
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
