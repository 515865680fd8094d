"""The commands about the index: `index`, `check`, `compact`, `dump`."""

from __future__ import annotations

import math
import sys
from typing import Final, NoReturn

import index_format
from repo_mcp.cli.command_line import CommandLine
from repo_mcp.cli.display import Display
from repo_mcp.cli.state.published import copy_rest
from repo_mcp.cli.state.report import (
    NO_INDEX,
    print_refresh,
    print_state,
    refresh_record,
    state_record,
)
from repo_mcp.console import print_json, print_line
from repo_mcp.errors import Problem
from repo_mcp.services import Services
from repo_mcp.text.plurals import counted

_DONE: Final = 0
_DAMAGED: Final = 1


def index(args: CommandLine, parts: Services) -> int:
    """Bring the index up to date; returns the exit code."""
    if args.graph and args.words_only:
        raise Problem("argument_invalid", "the graph is linked from declarations")
    if args.engine is not None:
        from repo_mcp.cli.state.engine import build  # noqa: PLC0415 few use a cluster

        return build(args, parts)
    manager = parts.manager
    with Display(sys.stderr) as display:
        display.phase("looking for changes")
        done = manager.refresh(
            parts.budget,
            display,
            force=args.force,
            most_parsed=0 if args.words_only else math.inf,
        )
        copy_rest(manager, parts.budget, display)
        if not args.words_only:  # otherwise the next run replaces most of the index anyway
            display.phase("merging")
            fresh = done.added and done.added == done.files
            manager.tidy(parts.budget, full=bool(fresh or args.force), free=True)
        if args.graph:
            from repo_mcp.cli.state.linking import link_graph  # noqa: PLC0415 few wait for it

            link_graph(manager, parts.budget, display)
    if args.json:
        state = state_record(parts, manager.state())
        print_json({**state, "refresh": refresh_record(done)})
        return _DONE
    notice = manager.take_notice()
    if notice is not None:
        print_line(notice.text)
    print_refresh(done)
    print_state(parts, manager.state())
    if args.graph is None and not args.words_only:
        from repo_mcp.cli.state.linking import link_behind  # noqa: PLC0415 as above

        link_behind(manager, parts.budget)
    return _DONE


def check(args: CommandLine, parts: Services) -> int:
    """Print the damage of the index, repaired if that is asked for; returns the exit code."""
    manager = parts.manager
    if not args.repair:
        if not _has_index(parts):
            _refuse()
        return _print_findings(args, parts)
    if not args.json:
        _print_findings(args, parts)
    with Display(sys.stderr) as display:
        done = manager.repair(parts.budget, display)
    if not args.json:
        print_refresh(done)
    return _print_findings(args, parts)


def _print_findings(args: CommandLine, parts: Services) -> int:
    """Check the index and print the findings."""
    try:
        findings = list(parts.manager.stored.check())
    except (OSError, index_format.IndexFormatError) as error:
        raise Problem("index_unavailable", str(error)) from error
    errors = sum(finding.severity == "error" for finding in findings)
    if args.json:
        rows = [{"severity": item.severity, "text": str(item)} for item in findings]
        print_json({"sound": not errors, "findings": rows})
        return _DAMAGED if errors else _DONE
    for finding in findings:
        print_line(str(finding))
    if not errors:
        print_line("sound")
        if parts.manager.state().status == "missing":
            print_line(NO_INDEX)
        return _DONE
    again = "" if args.repair else ": run `repo-mcp check --repair`"
    print_line(f"{counted(errors, 'error')}{again}")
    return _DAMAGED


def compact(args: CommandLine, parts: Services) -> int:
    """Merge the index into the fewest files; returns the exit code."""
    manager = parts.manager
    if manager.state().status == "missing":
        _refuse()
    with Display(sys.stderr) as display:
        copy_rest(manager, parts.budget, display)
        display.phase("merging")
        steps = manager.tidy(parts.budget, full=True)
    if args.json:
        print_json({**state_record(parts, manager.state()), "merges": steps})
        return _DONE
    print_line(counted(steps, "merge") if steps else "nothing to merge")
    print_state(parts, manager.state())
    return _DONE


def dump(args: CommandLine, parts: Services) -> int:
    """Print the content of index files; returns the exit code."""
    if not _has_index(parts):
        _refuse()
    lines = parts.manager.stored.dump(args.name, args.section, args.limit)
    if args.json:
        print_json({"lines": list(lines)})
        return _DONE
    for line in lines:
        print_line(line)
    return _DONE


def _has_index(parts: Services) -> bool:
    """True if there is any index file."""
    return any(True for _ in parts.manager.stored.dump(None, None, 1))


def _refuse() -> NoReturn:
    """There is no index: an error of commands that do not build one."""
    raise Problem("argument_invalid", NO_INDEX)
