"""Formats and parses lines of the audit log; a line that is not of the right form is rejected."""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any, Final

from index_format.tuples import NamedTuple
from repo_mcp.errors import Problem
from repo_mcp.safety.denylist import Denylist
from repo_mcp.safety.redaction import DENIED, redact_arguments

# bytes of a line; shown paths, characters of one, characters of a name, and counts of one entry
_MAX_LINE: Final = 32 << 10
_MAX_SHOWN: Final = 50
_MAX_PATH: Final = 300
_MAX_WORD: Final = 200
_MAX_COUNTS: Final = 20
_ID_BYTES: Final = 8
# errors of parsing a line that is not an entry
_PARSE_ERRORS: Final = (
    *(ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError),
    Problem,
)
_TOOL: Final = re.compile(r"[\w./-]{1,128}", re.ASCII)
_WORD: Final = re.compile(r"[\w-]{0,64}", re.ASCII)


class AuditEntry(NamedTuple):
    """One call: its arguments, its outcome, and the files and lines that were shown.

    `counts` has the number of results by kind; `shown` has the first files and lines that were
    shown, as `path:first-last`, and `shown_in_all` the number of all. `time` is set on writing.
    """

    request_id: str
    tool: str
    arguments: Mapping[str, Any]
    ok: bool
    blocked: bool = False
    code: str = ""
    counts: Mapping[str, int] = {}
    shown: Sequence[str] = ()
    seconds: float = 0.0
    client: str = ""
    generation: int = 0
    time: str = ""
    shown_in_all: int = 0
    # the name of the token that the client has shown, where there are several
    token: str = ""


def new_request_id() -> str:
    """A unique request id, short: a model reads it with each answer."""
    return os.urandom(_ID_BYTES).hex()


def current_time() -> str:
    """The time in UTC in RFC 3339 format, to the millisecond."""
    return _format_time(datetime.now(UTC))


def _format_time(time: datetime) -> str:
    return time.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def parse_time(text: str) -> datetime:
    """Parse a time in RFC 3339 format; the default offset is UTC, the default time midnight."""
    try:
        found = datetime.fromisoformat(text.strip())
        return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
    except (ValueError, OverflowError):
        hint = "since must be a time such as 2026-01-31T09:30:00Z"
        raise Problem("argument_invalid", hint) from None


def format_entry(entry: AuditEntry, denylist: Denylist) -> bytes:
    """The line of an entry; if it is too long, without its arguments and shown paths."""
    record = {
        "time": entry.time or current_time(),
        "request_id": entry.request_id,
        "tool": entry.tool,
        "client": entry.client[:_MAX_WORD],
        **({"token": entry.token[:_MAX_WORD]} if entry.token else {}),
        "arguments": redact_arguments(entry.arguments, denylist, entry.code),
        "ok": entry.ok,
        "blocked": entry.blocked,
        "code": entry.code,
        "counts": dict(entry.counts),
        "shown": [path[:_MAX_PATH] for path in entry.shown[:_MAX_SHOWN]],
        "shown_in_all": entry.shown_in_all or len(entry.shown),
        "milliseconds": round(entry.seconds * 1000, 1),
        "generation": entry.generation,
        "process": os.getpid(),
    }
    line = _to_json(record)
    if len(line) > _MAX_LINE:
        line = _to_json({**record, "arguments": {}, "shown": []})
    return line + b"\n"


def _to_json(record: Mapping[str, Any]) -> bytes:
    return json.dumps(record, separators=(",", ":")).encode()


def parse_entry(line: bytes, denylist: Denylist) -> AuditEntry | None:
    """The entry of a line, or None if the line is not one."""
    with suppress(*_PARSE_ERRORS):
        return _check_record(json.loads(line), denylist)
    return None


def _check_record(record: Any, denylist: Denylist) -> AuditEntry:  # noqa: ANN401 any JSON value
    """The entry of a record, redacted again: the file may have come with the repository."""
    time = parse_time(record["time"])
    tool, code, request_id = record["tool"], record["code"], record["request_id"]
    if not (_TOOL.fullmatch(tool) and _WORD.fullmatch(code) and _WORD.fullmatch(request_id)):
        raise ValueError(tool)
    counts = list(record["counts"].items())[:_MAX_COUNTS]
    return AuditEntry(
        request_id,
        tool,
        redact_arguments(record["arguments"], denylist),
        bool(record["ok"]),
        bool(record["blocked"]),
        code,
        {str(name)[:_MAX_WORD]: int(value) for name, value in counts},
        tuple(
            _redact_path(str(path)[:_MAX_PATH], denylist) for path in record["shown"][:_MAX_SHOWN]
        ),
        _seconds(record["milliseconds"]),
        str(record["client"])[:_MAX_WORD],
        int(record["generation"]),
        _format_time(time),  # what is between date and time may be any character
        int(record["shown_in_all"]),
        str(record.get("token", ""))[:_MAX_WORD],
    )


def _seconds(milliseconds: Any) -> float:  # noqa: ANN401 as above
    """A duration; infinity and what is no number, which JSON can't express, are refused."""
    found = max(float(milliseconds), 0.0) / 1000
    if not math.isfinite(found):
        raise ValueError(milliseconds)
    return found


def _redact_path(shown: str, denylist: Denylist) -> str:
    """A shown path and its lines, unless the path is denied by now."""
    path = shown.rpartition(":")[0] or shown
    return DENIED if denylist.rule(path) or denylist.rule(shown) else shown
