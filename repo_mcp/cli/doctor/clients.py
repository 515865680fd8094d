"""Checks of the clients: which of them know this server, and whether they would start it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from repo_mcp.cli.clients.entries import Target, table_of
from repo_mcp.cli.clients.jsonc_tree import EditError
from repo_mcp.cli.doctor.finding import Finding, fail, ok, warn
from repo_mcp.cli.known_clients import BY_NAME, is_ours, line_of
from repo_mcp.cli.program import command


def checks(project: Path) -> Iterator[Finding]:
    """All findings on the clients of this user and of this project."""
    found = [finding for target in _targets(project) for finding in _of_target(target)]
    yield from found
    if not any(finding.level == "ok" for finding in found):
        todo = f"run `repo-mcp install CLIENT`, CLIENT being one of {', '.join(BY_NAME)}"
        yield warn("clients", "none that is known starts this server", todo)


def _targets(project: Path) -> Iterator[Target]:
    for client in BY_NAME.values():
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
