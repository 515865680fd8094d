"""The command `audit`: the tool calls that were made, by whom, and what they showed."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime, timedelta
from typing import Final

from repo_mcp.audit.log import AuditLog, Entry
from repo_mcp.cli.arguments import options
from repo_mcp.cli.command_line import CommandLine, complain
from repo_mcp.languages import known_names
from repo_mcp.safety.denylist import Denylist
from repo_mcp.settings import RepoConfig, merge_settings, read_repo_file

_AGO: Final = re.compile(r"(\d{1,6})([smhdw])(?: ago)?")
_UNITS: Final = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}


def run(asked: CommandLine) -> int:
    """Show the newest calls first; gives the exit code."""
    given = options(asked)
    file = read_repo_file(given.repo_root, given.deny_globs)
    held = merge_settings(given, RepoConfig(file, known_names))
    log = AuditLog(held.data_dir, Denylist(held.deny_globs), root=held.root)
    found = log.recent(since_when(asked.since or ""), asked.limit)
    if asked.json:
        calls = [entry._asdict() for entry in found.entries]
        record = {"calls": calls, "more": found.more, "skipped": found.skipped}
        print(json.dumps(record, indent=2))  # noqa: T201 a command speaks to a person
        return 0
    for entry in found.entries:
        print(_line(entry))  # noqa: T201 as above
    if not found.entries:
        complain("no calls are recorded" + (" since then" if asked.since else ""))
    if found.more:
        complain(f"there are more calls: raise --limit (now {asked.limit})")
    if found.skipped:
        complain(f"{found.skipped} line(s) of the log are damaged, or written by another program")
    return 0


def since_when(text: str) -> str:
    """A time in the log's format; a span counts back from now, anything else stays."""
    ago = _AGO.fullmatch(text.strip())
    if ago is None:
        return text.strip()
    span = timedelta(**{_UNITS[ago[2]]: int(ago[1])})
    return (datetime.now(UTC) - span).strftime("%Y-%m-%dT%H:%M:%SZ")


def _line(entry: Entry) -> str:
    """One call per line; text from outside is escaped."""
    state = "ok" if entry.ok else ("blocked" if entry.blocked else "failed")
    parts = [
        f"{entry.time}  {entry.tool}  {state}{f' ({entry.code})' if entry.code else ''}",
        f"{entry.seconds * 1000:.0f} ms",
        json.dumps(dict(entry.arguments)),
        ", ".join(f"{count} {name}" for name, count in entry.counts.items()),
        f"shown: {json.dumps(list(entry.shown))}" if entry.shown else "",
        f"by {json.dumps(entry.client)}" if entry.client else "",
    ]
    return "  ".join(filter(None, parts))
