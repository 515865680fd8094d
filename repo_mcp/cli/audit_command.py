"""The command `audit`: lists recorded tool calls with client and cited lines."""

from __future__ import annotations

import json
import re
from contextlib import closing
from datetime import UTC, datetime, timedelta
from typing import Final

from repo_mcp.audit.log import AuditEntry, AuditLog, Recent
from repo_mcp.cli.arguments import options
from repo_mcp.cli.command_line import CommandLine, complain
from repo_mcp.cli.state.html_file import need_pages, write_html
from repo_mcp.console import print_json, print_line
from repo_mcp.root_settings import ruled_settings, ruling_files
from repo_mcp.safety.denylist import Denylist
from repo_mcp.services import open_door
from repo_mcp.settings import workspace_options
from repo_mcp.text.plurals import counted

_AGO: Final = re.compile(r"(\d{1,6})([smhdw])(?: ago)?")
_UNITS: Final = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}


def run(args: CommandLine) -> int:
    """Show the newest calls first; returns the exit code."""
    if args.html:
        need_pages()
    given = options(args)
    if given.mounts:
        given = workspace_options(given)
    with closing(open_door(given)) as door:
        settings = ruled_settings(given, ruling_files(given, door))
    log = AuditLog(
        settings.audit_dir, Denylist(settings.deny_globs, settings.entries), root=settings.root
    )
    found = log.recent(since_when(args.since or ""), args.limit, token=args.token or "")
    if args.html:
        _write_page(args.html, found)
        return 0
    if args.json:
        calls = [entry._asdict() for entry in found.entries]
        print_json({"calls": calls, "more": found.more, "skipped": found.skipped}, indent=2)
        return 0
    for entry in found.entries:
        print_line(_line(entry))
    if not found.entries:
        complain("no calls are recorded" + (" since then" if args.since else ""))
    if found.more:
        complain(f"there are more calls: raise --limit (now {args.limit})")
    if found.skipped:
        complain(
            f"{counted(found.skipped, 'line')} of the log damaged, or written by another program"
        )
    return 0


def _write_page(name: str, found: Recent) -> None:
    from repo_mcp.web.pages.audit import file_values  # noqa: PLC0415 few commands make pages

    write_html(name, "audit.html", file_values(found))


def since_when(text: str) -> str:
    """A time in the log's format: a span counts back from now, other text is returned unchanged."""
    ago = _AGO.fullmatch(text.strip())
    if ago is None:
        return text.strip()
    span = timedelta(**{_UNITS[ago[2]]: int(ago[1])})
    return (datetime.now(UTC) - span).strftime("%Y-%m-%dT%H:%M:%SZ")


def _line(entry: AuditEntry) -> str:
    """A call as one line; foreign text is escaped."""
    state = "ok" if entry.ok else ("blocked" if entry.blocked else "failed")
    parts = [
        f"{entry.time}  {entry.tool}  {state}{f' ({entry.code})' if entry.code else ''}",
        f"{entry.seconds * 1000:.0f} ms",
        json.dumps(dict(entry.arguments)),
        ", ".join(f"{count} {name}" for name, count in entry.counts.items()),
        f"shown: {json.dumps(list(entry.shown))}" if entry.shown else "",
        f"by {json.dumps(entry.client)}" if entry.client else "",
        f"token {json.dumps(entry.token)}" if entry.token else "",
    ]
    return "  ".join(filter(None, parts))
