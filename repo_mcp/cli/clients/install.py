"""The commands `install` and `uninstall`: add this server to clients, or remove it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from repo_mcp.cli.clients import files
from repo_mcp.cli.clients.entries import (
    Target,
    edit_file,
    merge_entry,
    remove_entry,
    server_line,
    snippet,
)
from repo_mcp.cli.clients.files import ClientFile
from repo_mcp.cli.clients.jsonc_tree import EditError
from repo_mcp.cli.command_line import CommandLine, complain
from repo_mcp.cli.known_clients import BY_NAME, Scope
from repo_mcp.cli.program import command, is_temporary
from repo_mcp.settings import ConfigError, project_root

_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,30}")
_FAILED: Final = 2


def run(asked: CommandLine) -> int:
    """Do it for each client that is named; gives the exit code."""
    if not _NAME.fullmatch(asked.name):
        return complain("--name: letters, digits, - and _, 31 at most")
    work = _install if asked.command == "install" else _uninstall
    codes = [work(target, asked) for target in list(_targets(asked))]
    return max(codes)


def _targets(asked: CommandLine) -> Iterator[Target]:
    project = Path(asked.repo_root).expanduser().absolute() if asked.repo_root else None
    if project is not None and not project.is_dir():
        raise ConfigError(f"--repo-root {asked.repo_root}: not a folder")
    if project is not None and not Path(asked.repo_root).is_absolute():
        project_root.refuse_too_much(str(project))
    for name in dict.fromkeys(asked.clients):
        client = BY_NAME[name]
        scope: Scope = asked.scope or client.scope
        if scope == "project":
            yield Target(client, scope, project or Path(project_root.found(".")), asked.name)
        elif client.name == "cursor" and project is None and asked.command == "install":
            raise ConfigError(
                "cursor does not tell in its user file which project is open: leave --scope out, or"
                " say which repository by --repo-root"
            )
        else:
            yield Target(client, scope, project or Path.cwd(), asked.name)


def _install(target: Target, asked: CommandLine) -> int:
    program = [asked.program] if asked.program else command()
    pinned = str(target.project) if asked.repo_root and target.scope == "user" else ""
    line = server_line(target.client, program, pinned)
    entry = target.client.entry(line)
    if asked.print:
        return _show(target, entry)
    try:
        held = target.read()
        before = target.entry(held.text)
        entry = merge_entry(target, before, program, line, keep=not pinned)
        text = edit_file(target, held.text, before, entry)
    except EditError as error:
        return _refused(target, error, target.client.entry(line))
    if text == held.text:
        _say(f"{target.client.title}: {target.place} has it already")
        return 0
    code = _write(target, held, text)
    if not code and is_temporary(program):
        complain(f"{program[0]} lies in a cache that is emptied: install repo-mcp for good")
    return code


def _uninstall(target: Target, asked: CommandLine) -> int:
    try:
        held = target.read()
        text = remove_entry(target, held.text)
    except EditError as error:
        return complain(f"{target.client.title}: {target.place} is left as it is: {error}")
    if text is None:
        _say(f"{target.client.title}: {target.place} does not have it")
        return 0
    if asked.print:
        _say(text)
        return 0
    return _write(target, held, text)


def _write(target: Target, held: ClientFile, text: str) -> int:
    try:
        backup = files.replace(held, text, private=target.scope == "user")
    except EditError as error:
        return complain(f"{target.client.title}: {target.place} is left as it is: {error}")
    kept = f"; as it was: {backup}" if backup else ""
    _say(f"{target.client.title}: {target.place} written{kept}")
    return 0


def _show(target: Target, entry: Mapping[str, Any]) -> int:
    complain(f"{target.client.title}: this belongs into {target.place}")
    _say(snippet(target, entry))
    return 0


def _refused(target: Target, error: EditError, entry: Mapping[str, Any]) -> int:
    complain(f"{target.client.title}: {target.place} is left as it is: {error}. To add by hand:")
    _say(snippet(target, entry))
    return _FAILED


def _say(text: str) -> None:
    print(text)  # noqa: T201 a command speaks to a person
