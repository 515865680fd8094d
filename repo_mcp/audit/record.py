"""A call as one line of the audit log, and back: only what has the right form is believed."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple

from repo_mcp.errors import Problem
from repo_mcp.safety.denylist import Denylist
from repo_mcp.safety.redaction import DENIED, kept

_MOST_LINE: Final = 32 << 10
_MOST_SHOWN: Final = 50
_MOST_PATH: Final = 300
_MOST_WORD: Final = 200
_MOST_COUNTS: Final = 20
# how a line fails to be what it should be
_OTHERS: Final = (
    *(ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError),
    Problem,
)
_TOOL: Final = re.compile(r"[\w./-]{1,128}", re.ASCII)
_WORD: Final = re.compile(r"[\w-]{0,64}", re.ASCII)


class Entry(NamedTuple):
    """One call: what was asked, what became of it, and what was shown of which files.

    `counts` says how much of what was found; `shown` names files and lines, as `path:first-last`,
    the first ones where they are many, and `shown_in_all` counts them. `time` is set when it is
    written.
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


def now() -> str:
    """The time of day, to a thousandth of a second."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def time_of(text: str) -> datetime:
    """A time as RFC 3339 writes it; without an offset it is of UTC, without a clock midnight."""
    try:
        found = datetime.fromisoformat(text.strip())
        return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
    except (ValueError, OverflowError):
        hint = "since is a time such as 2026-01-31T09:30:00Z"
        raise Problem("argument_invalid", hint) from None


def line_of(entry: Entry, denylist: Denylist) -> bytes:
    """The line of an entry; what is very long is left out, and seen to be."""
    record = {
        "time": entry.time or now(),
        "request_id": entry.request_id,
        "tool": entry.tool,
        "client": entry.client[:_MOST_WORD],
        "arguments": kept(entry.arguments, denylist, entry.code),
        "ok": entry.ok,
        "blocked": entry.blocked,
        "code": entry.code,
        "counts": dict(entry.counts),
        "shown": [path[:_MOST_PATH] for path in entry.shown[:_MOST_SHOWN]],
        "shown_in_all": entry.shown_in_all or len(entry.shown),
        "milliseconds": round(entry.seconds * 1000, 1),
        "generation": entry.generation,
        "process": os.getpid(),
    }
    line = _packed(record)
    if len(line) > _MOST_LINE:
        line = _packed({**record, "arguments": {}, "shown": []})
    return line + b"\n"


def _packed(record: Mapping[str, Any]) -> bytes:
    return json.dumps(record, separators=(",", ":")).encode()


def entry_of(line: bytes, denylist: Denylist) -> Entry | None:
    """A line as it was written; None for one that was not written here."""
    with suppress(*_OTHERS):
        return _checked(json.loads(line), denylist)
    return None


def _checked(record: Any, denylist: Denylist) -> Entry:  # noqa: ANN401 whatever the line says
    """Only what has the right form is passed on: the file may have come with the repository."""
    time_of(record["time"])
    tool, code, request_id = record["tool"], record["code"], record["request_id"]
    if not (_TOOL.fullmatch(tool) and _WORD.fullmatch(code) and _WORD.fullmatch(request_id)):
        raise ValueError(tool)
    counts = list(record["counts"].items())[:_MOST_COUNTS]
    return Entry(
        request_id,
        tool,
        kept(record["arguments"], denylist),
        bool(record["ok"]),
        bool(record["blocked"]),
        code,
        {str(name)[:_MOST_WORD]: int(value) for name, value in counts},
        tuple(_allowed(str(path)[:_MOST_PATH], denylist) for path in record["shown"][:_MOST_SHOWN]),
        max(float(record["milliseconds"]), 0.0) / 1000,
        str(record["client"])[:_MOST_WORD],
        int(record["generation"]),
        str(record["time"]),
        int(record["shown_in_all"]),
    )


def _allowed(place: str, denylist: Denylist) -> str:
    """What was shown, if it might be shown today."""
    path = place.rpartition(":")[0] or place
    return DENIED if denylist.rule(path) or denylist.rule(place) else place
