"""Runs the checks of `doctor`, including those of clients, and prints the findings."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from repo_mcp.cli.arguments import options
from repo_mcp.cli.clients.entries import ClientTarget, table_of
from repo_mcp.cli.clients.files import EditError
from repo_mcp.cli.command_line import CommandLine
from repo_mcp.cli.doctor import installation, repository, start
from repo_mcp.cli.doctor.finding import DoctorFinding, fail, ok, warn
from repo_mcp.cli.known_clients import BY_NAME as CLIENTS
from repo_mcp.cli.known_clients import is_ours, line_of
from repo_mcp.cli.program import command
from repo_mcp.console import print_json, print_line
from repo_mcp.settings import BY_NAME, OFF, ConfigError

_FAILED: Final = 1


def run(args: CommandLine) -> int:
    """Print findings as they are made; returns the exit code."""
    found = []
    for finding in _findings(args):
        found.append(finding)
        if not args.json:
            _show(finding)
    failed = sum(finding.level == "fail" for finding in found)
    if args.json:
        findings = [finding._asdict() for finding in found]
        print_json({"ok": not failed, "findings": findings}, indent=2)
    else:
        warned = sum(finding.level == "warn" for finding in found)
        print_line(f"{len(found)} checks: {failed} failed, {warned} with warnings")
    return _FAILED if failed else 0


def _findings(args: CommandLine) -> Iterator[DoctorFinding]:
    yield from installation.checks()
    try:
        given = options(args)
    except ConfigError as error:
        yield fail("settings", error.lines[0], "correct the setting")
        yield from client_checks(Path.cwd())
        return
    yield from repository.checks(given)
    yield from client_checks(Path(given.repo_root).absolute())
    yield start.check(list(_flags(args)))


def _flags(args: CommandLine) -> Iterator[str]:
    """The setting flags, for starting the server."""
    for name, text in args.setting_flags:
        setting = BY_NAME[name]
        if setting.kind == "switch":
            yield setting.flag_off if text == OFF else setting.flag
        else:
            yield f"{setting.flag}={text}"


def _show(finding: DoctorFinding) -> None:
    print_line(f"{finding.level:<4}  {finding.subject}: {finding.message}")
    if finding.todo:
        print_line(f"      -> {finding.todo}")


def client_checks(project: Path) -> Iterator[DoctorFinding]:
    """Findings about clients of this user and this project."""
    found = [finding for target in _targets(project) for finding in _check_target(target)]
    yield from found
    if not any(finding.level == "ok" for finding in found):
        todo = f"run `repo-mcp install CLIENT`, CLIENT being one of {', '.join(CLIENTS)}"
        yield warn("clients", "no known client starts this server", todo)


def _targets(project: Path) -> Iterator[ClientTarget]:
    for client in CLIENTS.values():
        yield ClientTarget(client, "user", project, "")
        yield ClientTarget(client, "project", project, "")


def _check_target(target: ClientTarget) -> Iterator[DoctorFinding]:
    subject = f"{target.client.title} ({target.scope})"
    try:
        table = table_of(target.client, target.read().text)
    except EditError as error:
        if target.config_path.exists():
            yield warn(subject, f"{target.config_path}: {error}", "check the file")
        return
    for name, entry in table.items():
        line = line_of(entry)
        if is_ours(line):
            yield _check_line(target, subject, f"{name!r} in {target.config_path}", line)


def _check_line(target: ClientTarget, subject: str, where: str, line: list[str]) -> DoctorFinding:
    again = f"run `repo-mcp install {target.client.name} --scope {target.scope}`"
    program = line[0]
    if "-m" in line and not {"-P", "-I"} & set(line):
        text = f"{where} starts Python with -m, which imports from the repository's folder"
        return fail(subject, text, again)
    if not Path(program).is_absolute():
        text = f"{where} starts {program!r} from PATH, which may differ in the client"
        return warn(subject, text, f"{again}, or leave it if the file is shared")
    if not Path(program).is_file():
        return fail(subject, f"{where} starts {program}, which does not exist", again)
    if not _is_same_file(program, command()[0]):
        return warn(subject, f"{where} starts another installation: {program}", again)
    if target.client.flags and not {*target.client.flags} <= {*line}:
        text = f"{where} lacks {' '.join(target.client.flags)}, which this client needs"
        return warn(subject, text, "add it to the arguments")
    return ok(subject, where)


def _is_same_file(one: str, other: str) -> bool:
    return os.path.realpath(one) == os.path.realpath(other)
