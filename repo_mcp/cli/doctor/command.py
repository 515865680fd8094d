"""Runs the checks of `doctor`, those of the clients among them, and prints their findings."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from repo_mcp.cli.arguments import options
from repo_mcp.cli.clients.entries import Target, table_of
from repo_mcp.cli.clients.jsonc_tree import EditError
from repo_mcp.cli.command_line import CommandLine
from repo_mcp.cli.doctor import installation, repository, start
from repo_mcp.cli.doctor.finding import Finding, fail, ok, warn
from repo_mcp.cli.known_clients import BY_NAME as CLIENTS
from repo_mcp.cli.known_clients import is_ours, line_of
from repo_mcp.cli.program import command
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
        yield from client_checks(Path.cwd())
        return
    yield from repository.checks(given)
    yield from client_checks(Path(given.repo_root).absolute())
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


def client_checks(project: Path) -> Iterator[Finding]:
    """Findings on the clients of this user and of this project."""
    found = [finding for target in _targets(project) for finding in _of_target(target)]
    yield from found
    if not any(finding.level == "ok" for finding in found):
        todo = f"run `repo-mcp install CLIENT`, CLIENT being one of {', '.join(CLIENTS)}"
        yield warn("clients", "none that is known starts this server", todo)


def _targets(project: Path) -> Iterator[Target]:
    for client in CLIENTS.values():
        yield Target(client, "user", project, "")
        yield Target(client, "project", project, "")


def _of_target(target: Target) -> Iterator[Finding]:
    subject = f"{target.client.title} ({target.scope})"
    try:
        table = table_of(target.client, target.read().text)
    except EditError as error:
        if target.place.exists():
            yield warn(subject, f"{target.place}: {error}", "have a look at it")
        return
    for name, entry in table.items():
        line = line_of(entry)
        if is_ours(line):
            yield _of_line(target, subject, f"{name!r} in {target.place}", line)


def _of_line(target: Target, subject: str, where: str, line: list[str]) -> Finding:
    again = f"run `repo-mcp install {target.client.name} --scope {target.scope}`"
    program = line[0]
    if "-m" in line and not {"-P", "-I"} & set(line):
        said = f"{where} starts Python with -m, which imports from the repository's folder"
        return fail(subject, said, again)
    if not Path(program).is_absolute():
        said = f"{where} starts {program!r} from the path: clients may look in other places"
        return warn(subject, said, f"{again}, or leave it where the file is shared")
    if not Path(program).is_file():
        return fail(subject, f"{where} starts {program}, which is not there", again)
    if not _same(program, command()[0]):
        return warn(subject, f"{where} starts another installation: {program}", again)
    if target.client.flags and not {*target.client.flags} <= {*line}:
        said = f"{where} lacks {' '.join(target.client.flags)}, which this client needs"
        return warn(subject, said, "add that to its arguments")
    return ok(subject, where)


def _same(one: str, other: str) -> bool:
    return os.path.realpath(one) == os.path.realpath(other)
