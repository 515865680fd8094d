"""The commands that are not the server."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from repo_mcp.app import Services, services
from repo_mcp.budget import Budget
from repo_mcp.cli.arguments import complain, options
from repo_mcp.cli.display import Display
from repo_mcp.errors import Problem
from repo_mcp.model import IndexState, Refreshed

_SOUND: Final = 0
_DAMAGED: Final = 1


@dataclass(frozen=True, slots=True)
class _Call:
    """A command and what it works with."""

    asked: argparse.Namespace
    parts: Services


def run(asked: argparse.Namespace) -> int:
    """Run a command; gives the exit code."""
    call = _Call(asked, services(options(asked)))
    for note in call.parts.settings.notes:
        _say(f"note: {note}")
    try:
        return _COMMANDS[asked.command](call)
    except Problem as problem:
        return complain(f"{problem.reason}. {problem.hint}")
    except KeyboardInterrupt:
        return complain("stopped; what was published stands, and the next run goes on from there")


def _index(call: _Call) -> int:
    manager = call.parts.manager
    with Display(sys.stderr) as display:
        done = manager.refresh(
            Budget(), force=call.asked.force, deep=not call.asked.words_only, tell=display.show
        )
        display.phase("merging")
        fresh = done.added and done.added == done.files
        manager.tidy(Budget(), full=bool(fresh or call.asked.force))
    _say_refreshed(done)
    _say_state(call, manager.state())
    return _SOUND


def _status(call: _Call) -> int:
    _say_state(call, call.parts.manager.state())
    return _SOUND


def _check(call: _Call) -> int:
    findings = list(call.parts.manager.check())
    for finding in findings:
        _say(str(finding))
    errors = [finding for finding in findings if finding.severity == "error"]
    if not call.asked.repair:
        _say("sound" if not errors else f"{len(errors)} error(s): run again with --repair")
        return _DAMAGED if errors else _SOUND
    with Display(sys.stderr) as display:
        done = call.parts.manager.repair(Budget(), tell=display.show)
    _say_refreshed(done)
    return _SOUND


def _compact(call: _Call) -> int:
    steps = call.parts.manager.tidy(Budget(), full=True)
    _say(f"{steps} merge(s)" if steps else "nothing to merge")
    _say_state(call, call.parts.manager.state())
    return _SOUND


def _dump(call: _Call) -> int:
    asked = call.asked
    for line in call.parts.manager.dump(asked.name, asked.section, asked.limit):
        _say(line)
    return _SOUND


_COMMANDS: Final[dict[str, Callable[[_Call], int]]] = {
    "index": _index,
    "status": _status,
    "check": _check,
    "compact": _compact,
    "dump": _dump,
}


def _say_refreshed(done: Refreshed) -> None:
    left_out = ", ".join(f"{count} {reason}" for reason, count in done.left_out.items())
    _say(f"{done.files} files indexed in {done.seconds:.2f} s")
    _say(f"{done.added} added, {done.updated} updated, {done.removed} removed")
    _say(f"left out: {left_out or 'nothing'}")


def _say_state(call: _Call, state: IndexState) -> None:
    settings = call.parts.settings
    depth = ", declarations still to come" if state.shallow else ""
    _say(
        f"{settings.root}: index {state.status}{depth}, {state.files} files,"
        f" generation {state.generation}"
    )
    _say(f"last refresh: {state.last_refresh or 'never'}")
    _say(f"data folder: {settings.data_dir}")


def _say(line: str) -> None:
    print(line)  # noqa: T201 a command speaks to a person
