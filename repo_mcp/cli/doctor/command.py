"""The command `doctor`: checks all that can go wrong around the server, and says what to do."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from repo_mcp.cli.arguments import options
from repo_mcp.cli.command_line import CommandLine
from repo_mcp.cli.doctor import clients, installation, repository, start
from repo_mcp.cli.doctor.finding import Finding, fail
from repo_mcp.settings import BY_NAME, OFF, ConfigError

_FAILED: Final = 1


def run(asked: CommandLine) -> int:
    """Show every finding as it is made; gives the exit code."""
    found = []
    for finding in _findings(asked):
        found.append(finding)
        if not asked.json:
            _show(finding)
    failed = sum(finding.level == "fail" for finding in found)
    if asked.json:
        record = {"ok": not failed, "findings": [finding._asdict() for finding in found]}
        print(json.dumps(record, indent=2))  # noqa: T201 a command speaks to a person
    else:
        warned = sum(finding.level == "warn" for finding in found)
        print(f"{len(found)} checks: {failed} failed, {warned} could be better")  # noqa: T201 as above
    return _FAILED if failed else 0


def _findings(asked: CommandLine) -> Iterator[Finding]:
    yield from installation.checks()
    try:
        given = options(asked)
    except ConfigError as error:
        yield fail("settings", str(error), "correct that")
        yield from clients.checks(Path.cwd())
        return
    yield from repository.checks(given)
    yield from clients.checks(Path(given.repo_root).absolute())
    yield start.check(list(_flags(asked)))


def _flags(asked: CommandLine) -> Iterator[str]:
    """What flags said, for the server that is started from the same folder."""
    for name, text in asked.said:
        setting = BY_NAME[name]
        if setting.kind == "switch":
            yield setting.flag_off if text == OFF else setting.flag
        else:
            yield f"{setting.flag}={text}"


def _show(finding: Finding) -> None:
    todo = f"\n      -> {finding.todo}" if finding.todo else ""
    print(f"{finding.level:<4}  {finding.subject}: {finding.said}{todo}")  # noqa: T201 as above
