"""Runs the checks of `doctor`, including those of clients, and prints the findings."""

from __future__ import annotations

from collections.abc import Container, Iterator
from pathlib import Path
from typing import Final

from repo_mcp.cli.arguments import options
from repo_mcp.cli.clients import drift
from repo_mcp.cli.clients.entries import ClientTarget, table_of
from repo_mcp.cli.clients.files import EditError
from repo_mcp.cli.clients.install import mend
from repo_mcp.cli.clients.report import StepReport
from repo_mcp.cli.command_line import CommandLine
from repo_mcp.cli.doctor import installation, repository, start
from repo_mcp.cli.doctor.finding import DoctorFinding, fail, ok, warn
from repo_mcp.cli.known_clients import BY_NAME as CLIENTS
from repo_mcp.cli.known_clients import is_ours, line_of
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
        yield from _clients(args, Path.cwd())
        return
    yield from repository.checks(given)
    yield from _clients(args, Path(given.repo_root).absolute())
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


def _clients(args: CommandLine, project: Path) -> Iterator[DoctorFinding]:
    if args.mend:
        mend(project, StepReport(as_json=args.json))
    yield from client_checks(project)


def client_checks(project: Path) -> Iterator[DoctorFinding]:
    """Findings about clients of this user and this project."""
    drifted = list(drift.drifts(project))
    found = [_finding_of(item) for item in drifted]
    entries = {
        (item.target.config_path, item.target.name) for item in drifted if item.part == "entry"
    }
    for target in _targets(project):
        found += _check_target(target, entries)
    yield from found
    if not any(finding.level == "ok" for finding in found):
        todo = f"run `repo-mcp install CLIENT`, CLIENT being one of {', '.join(CLIENTS)}"
        yield warn("clients", "no known client starts this server", todo)


def _finding_of(item: drift.Drift) -> DoctorFinding:
    todo = drift.MEND if item.change.text is not None else "edit it by hand, or remove its block"
    return DoctorFinding(item.level, _subject(item.target), item.message, todo)


def _subject(target: ClientTarget) -> str:
    return f"{target.client.title} ({target.scope})"


def _targets(project: Path) -> Iterator[ClientTarget]:
    for client in CLIENTS.values():
        for scope in client.scopes:
            yield ClientTarget(client, scope, project, "")


def _check_target(
    target: ClientTarget, drifted: Container[tuple[Path, str]]
) -> Iterator[DoctorFinding]:
    """The servers in a client's file that are as this version writes them, or may be."""
    try:
        table = table_of(target.client, target.read().text)
    except EditError as error:
        if target.config_path.exists():
            said = f"{target.config_path}: {error}"
            yield warn(_subject(target), said, "check the file")
        return
    for name, entry in table.items():
        line = line_of(entry)
        if not is_ours(line) or (target.config_path, name) in drifted:
            continue
        where = f"{name!r} in {target.config_path}"
        fault = drift.entry_fault(line)
        if fault is None:
            yield ok(_subject(target), where)
        else:
            again = f"run `repo-mcp install {target.client.name} --scope {target.scope}`"
            todo = f"{again}, or leave it if the file is shared"
            yield warn(_subject(target), f"{where} {fault.message}", todo)
