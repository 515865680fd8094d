"""The commands about the index: `index`, `status`, `check`, `compact`, `dump`."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from typing import Final, NoReturn

import index_format
from index_format.tuples import NamedTuple
from repo_mcp.cli.command_line import CommandLine
from repo_mcp.cli.display import Display
from repo_mcp.cli.state.published import copy_rest
from repo_mcp.cli.state.report import (
    NO_INDEX,
    print_refresh,
    print_state,
    refresh_record,
    show_status,
    state_record,
)
from repo_mcp.console import print_json, print_line
from repo_mcp.errors import Problem
from repo_mcp.services import Services
from repo_mcp.text.plurals import counted

_DONE: Final = 0
_DAMAGED: Final = 1


class Invocation(NamedTuple):
    """A command line and its services."""

    args: CommandLine
    parts: Services


def run(args: CommandLine, parts: Services) -> int:
    """Run one of them; returns the exit code."""
    return _COMMANDS[args.command](Invocation(args, parts))


def _index(call: Invocation) -> int:
    if call.args.graph and call.args.words_only:
        raise Problem("argument_invalid", "the graph is linked from declarations")
    if call.args.engine is not None:
        from repo_mcp.cli.state.engine import build  # noqa: PLC0415 few use a cluster

        return build(call.args, call.parts)
    manager = call.parts.manager
    with Display(sys.stderr) as display:
        display.phase("looking for changes")
        done = manager.refresh(
            call.parts.budget,
            display,
            force=call.args.force,
            most_parsed=0 if call.args.words_only else math.inf,
        )
        copy_rest(manager, call.parts.budget, display)
        if not call.args.words_only:  # otherwise the next run replaces most of the index anyway
            display.phase("merging")
            fresh = done.added and done.added == done.files
            manager.tidy(call.parts.budget, full=bool(fresh or call.args.force), free=True)
        if call.args.graph:
            from repo_mcp.cli.state.linking import link_graph  # noqa: PLC0415 few wait for it

            link_graph(manager, call.parts.budget, display)
    if call.args.json:
        state = state_record(call.parts, manager.state())
        print_json({**state, "refresh": refresh_record(done)})
        return _DONE
    _print_notice(call)
    print_refresh(done)
    print_state(call.parts, manager.state())
    if call.args.graph is None and not call.args.words_only:
        from repo_mcp.cli.state.linking import link_behind  # noqa: PLC0415 as above

        link_behind(manager, call.parts.budget)
    return _DONE


def _status(call: Invocation) -> int:
    return show_status(call.args, call.parts)


def _check(call: Invocation) -> int:
    manager = call.parts.manager
    if not call.args.repair:
        if not _has_index(call):
            _refuse()
        return _print_findings(call)
    if not call.args.json:
        _print_findings(call)
    with Display(sys.stderr) as display:
        done = manager.repair(call.parts.budget, display)
    if not call.args.json:
        print_refresh(done)
    return _print_findings(call)


def _print_findings(call: Invocation) -> int:
    """Check the index and print the findings."""
    try:
        findings = list(call.parts.manager.stored.check())
    except (OSError, index_format.IndexFormatError) as error:
        raise Problem("index_unavailable", str(error)) from error
    errors = sum(finding.severity == "error" for finding in findings)
    if call.args.json:
        rows = [{"severity": item.severity, "text": str(item)} for item in findings]
        print_json({"sound": not errors, "findings": rows})
        return _DAMAGED if errors else _DONE
    for finding in findings:
        print_line(str(finding))
    if not errors:
        print_line("sound")
        if call.parts.manager.state().status == "missing":
            print_line(NO_INDEX)
        return _DONE
    again = "" if call.args.repair else ": run `repo-mcp check --repair`"
    print_line(f"{counted(errors, 'error')}{again}")
    return _DAMAGED


def _compact(call: Invocation) -> int:
    manager = call.parts.manager
    if manager.state().status == "missing":
        _refuse()
    with Display(sys.stderr) as display:
        copy_rest(manager, call.parts.budget, display)
        display.phase("merging")
        steps = manager.tidy(call.parts.budget, full=True)
    if call.args.json:
        print_json({**state_record(call.parts, manager.state()), "merges": steps})
        return _DONE
    print_line(counted(steps, "merge") if steps else "nothing to merge")
    print_state(call.parts, manager.state())
    return _DONE


def _dump(call: Invocation) -> int:
    if not _has_index(call):
        _refuse()
    args = call.args
    lines = call.parts.manager.stored.dump(args.name, args.section, args.limit)
    if args.json:
        print_json({"lines": list(lines)})
        return _DONE
    for line in lines:
        print_line(line)
    return _DONE


def _has_index(call: Invocation) -> bool:
    """True if there is any index file."""
    return any(True for _ in call.parts.manager.stored.dump(None, None, 1))


def _print_notice(call: Invocation) -> None:
    notice = call.parts.manager.take_notice()
    if notice is not None:
        print_line(notice.text)


def _refuse() -> NoReturn:
    """There is no index: an error of commands that do not build one."""
    raise Problem("argument_invalid", NO_INDEX)


_COMMANDS: Final[dict[str, Callable[[Invocation], int]]] = {
    "index": _index,
    "status": _status,
    "check": _check,
    "compact": _compact,
    "dump": _dump,
}
