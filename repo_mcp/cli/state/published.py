"""The commands `publish` and `pull`: indexes to and from an object store."""

from __future__ import annotations

import sys

from repo_mcp.cli.command_line import CommandLine
from repo_mcp.cli.display import Display, size_text
from repo_mcp.cli.state.report import print_refresh, print_state, refresh_record, state_record
from repo_mcp.console import print_json, print_line
from repo_mcp.errors import Problem
from repo_mcp.repository import publish_index, pull_index
from repo_mcp.repository.services import Services
from repo_mcp.text.english.plurals import counted


def publish(args: CommandLine, parts: Services) -> int:
    """Bring index and graph up to date, and publish them; returns the exit code."""
    manager, budget = parts.manager, parts.budget
    with Display(sys.stderr) as display:
        display.phase("looking for changes")
        done = manager.refresh(budget, on_progress=display.show)
        if not done.complete:
            raise Problem("index_missing", "the index is not complete: call again")
        display.phase("merging")
        manager.tidy(budget, full=bool(done.added and done.added == done.files))
        display.phase("linking")
        manager.link(budget, display.show)
        display.phase("publishing")
        report = publish_index(
            parts.settings,
            manager,
            args.url,
            args.label,
            budget,
            pin=args.pin,
            keep_seconds=args.keep,
            on_progress=display.show,
        )
    if args.json:
        print_json({"label": args.label, **report._asdict()})
        return 0
    print_line(
        f"published {report.publication[:12]}: {counted(report.segments, 'segment')},"
        f" {size_text(report.size)}; uploaded {report.uploaded},"
        f" {size_text(report.uploaded_size)}"
    )
    state = "moved" if report.moved else "unchanged"
    print_line(f"label {args.label} {state}" + (", pinned" if args.pin else ""))
    if args.keep is not None:
        print_line(f"removed {counted(report.removed, 'old object')}")
    return 0


def pull(args: CommandLine, parts: Services) -> int:
    """Take over a published index, and index what differs here; returns the exit code."""
    manager, budget = parts.manager, parts.budget
    url = args.url or parts.settings.index_from
    if not url:
        raise Problem("argument_invalid", "name an address, here or in the setting index.from")
    with Display(sys.stderr) as display:
        display.phase("pulling")
        report = pull_index(parts.settings, manager, url, args.label, budget, display.show)
        display.phase("looking for changes")
        done = manager.refresh(budget, on_progress=display.show)
        manager.tidy(budget, free=True)
    state = manager.state()
    if args.json:
        record = {**state_record(parts, state), "refresh": refresh_record(done)}
        print_json({**record, "pull": report._asdict()})
        return 0
    where = f"of commit {report.commit[:12]}" if report.ancestor else f"of label {args.label}"
    print_line(
        f"pulled {report.publication[:12]} {where}: {counted(report.segments, 'segment')},"
        f" {size_text(report.size)}; fetched {report.fetched}, {size_text(report.fetched_size)}"
    )
    print_refresh(done)
    print_state(parts, state)
    return 0
