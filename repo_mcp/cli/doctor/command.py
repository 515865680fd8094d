"""The command `doctor`: checks the installation and the clients, and runs all other checks."""

from __future__ import annotations

import platform
import re
import sys
from collections.abc import Container, Iterator
from importlib import metadata
from importlib.util import cache_from_source
from pathlib import Path
from typing import Final

import repo_mcp
from index_format.analysis import counting
from repo_mcp import __version__
from repo_mcp.cli.arguments import options
from repo_mcp.cli.clients import drift
from repo_mcp.cli.clients.entries import ClientTarget, table_of
from repo_mcp.cli.clients.files import EditError
from repo_mcp.cli.clients.install import mend
from repo_mcp.cli.clients.report import StepReport
from repo_mcp.cli.command_line import CommandLine
from repo_mcp.cli.doctor import repository, start
from repo_mcp.cli.doctor.finding import DoctorFinding, fail, ok, warn
from repo_mcp.cli.known_clients import BY_NAME as CLIENTS, is_ours, line_of
from repo_mcp.cli.program import command, is_temporary
from repo_mcp.console import print_json, print_line
from repo_mcp.settings import BY_NAME, OFF, ConfigError

_FAILED: Final = 1
_NAME: Final = re.compile(r"[A-Za-z0-9._-]+")
_EXTRA: Final = re.compile(r"extra\s*==\s*['\"]([\w-]+)['\"]")
_LEAST: Final = re.compile(r">=\s*([\d.]+)")
# packages whose absence is only a warning
_OPTIONAL: Final = ("watchfiles", "tree-sitter")
_AGAIN: Final = "install repo-mcp again"


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
    yield from _installation_checks()
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


def _installation_checks() -> Iterator[DoctorFinding]:
    """All findings about the installation."""
    yield ok("python", f"{platform.python_version()} ({platform.machine()}), {sys.executable}")
    yield _command()
    yield from _packages()
    yield _bytecode()
    yield _compiled_code()
    yield _opening()


def _command() -> DoctorFinding:
    line = command()
    text = f"repo-mcp {__version__}, started as {line[0]}"
    if len(line) > 1:
        return warn("command", f"{text} -P -c ...: the command itself is missing", _AGAIN)
    if is_temporary(line):
        todo = "install it permanently, e.g. with `pipx install` or `uv tool install`"
        return warn("command", f"{text}, in a cache that may be emptied", todo)
    return ok("command", text)


def _packages() -> Iterator[DoctorFinding]:
    try:
        required = metadata.requires("repo-mcp") or []
    except metadata.PackageNotFoundError:
        yield warn("packages", "repo-mcp runs without being installed", _AGAIN)
        return
    have = [_package(line) for line in required if not _EXTRA.search(line)]
    found = [finding for finding in have if finding.level != "ok"]
    yield from found or [ok("packages", f"all {len(have)} required packages are installed")]
    http = [_package(line) for line in required if "http" in _EXTRA.findall(line)]
    missing = any(finding.level != "ok" for finding in http)
    yield ok("extra http", "not installed: stdio only" if missing else "installed")


def _package(line: str) -> DoctorFinding:
    match = _NAME.match(line)
    name = match[0] if match else line
    try:
        version = metadata.version(name)
    except metadata.PackageNotFoundError:
        level = warn if name.startswith(_OPTIONAL) else fail
        return level("packages", f"{name} is missing", _AGAIN)
    least = _LEAST.search(line)
    if least and _numbers(version) < _numbers(least[1]):
        return warn("packages", f"{name} {version} is older than {least[1]}", _AGAIN)
    return ok("packages", f"{name} {version}")


def _numbers(version: str) -> tuple[int, ...]:
    release = version.partition("+")[0]
    return tuple(int(part) for part in re.findall(r"\d+", release)[:4])


def _bytecode() -> DoctorFinding:
    source = Path(repo_mcp.__file__).parent / "server.py"
    if Path(cache_from_source(str(source))).exists():
        return ok("bytecode", "compiled")
    todo = f"run `{sys.executable} -m compileall -q {source.parent}`"
    return warn("bytecode", "not compiled: every start is slower than necessary", todo)


def _compiled_code() -> DoctorFinding:
    if counting.COMPILED:
        return ok("compiled part", "in use")
    todo = "install repo-mcp with a C compiler available, if indexing takes too long"
    return warn("compiled part", "missing: Python code is used, which is slower", todo)


def _opening() -> DoctorFinding:
    if sys.platform == "win32":
        return ok("opening files", "by handles, each checked before reading")
    from repo_mcp.safety.sandbox import openat2  # noqa: PLC0415 not available on Windows

    if openat2.is_available():
        return ok("opening files", "the kernel keeps every path below the root (openat2)")
    return ok(
        "opening files", "component by component: this system has no openat2; safe, slightly slower"
    )
