"""Drift: parts of an installation in files of clients that are not as this version writes them.

`doctor` reports it, and with `--mend` changes that and nothing else.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final, Literal

from index_format.tuples import NamedTuple
from repo_mcp.cli.clients import blocks, hooks, instructions
from repo_mcp.cli.clients.blocks import Change
from repo_mcp.cli.clients.entries import (
    ClientTarget,
    edit_file,
    merge_entry,
    server_line,
    table_of,
)
from repo_mcp.cli.clients.files import EditError
from repo_mcp.cli.command_line import SERVE
from repo_mcp.cli.known_clients import BY_NAME, Client, Scope, is_ours, line_of
from repo_mcp.cli.program import command
from repo_mcp.guidance import SERVER_NAME, TOOL_NAMES

MEND: Final = "run `repo-mcp doctor --mend`"
_TOOL: Final = re.compile(r"\brepo[._](?!mcp\b)([a-z]+(?:_[a-z]+)*)\b")
# fields of an entry that a client assumes where they are absent
_GRANTED: Final = {"type", "enabled"}
_SCOPES: Final[tuple[Scope, ...]] = ("user", "project")


class Drift(NamedTuple):
    """One thing that is not as this version writes it, and the change that mends it."""

    part: Literal["entry", "text", "hooks"]
    target: ClientTarget
    level: Literal["warn", "fail"]
    message: str
    # without a text it has to be mended by hand, as the note says
    change: Change


class EntryFault(NamedTuple):
    """A fault of a server's command line; `is_shared` if it may be right for those who share it."""

    level: Literal["warn", "fail"]
    message: str
    is_shared: bool = False


def drifts(project: Path) -> Iterator[Drift]:
    """All drift in the files of this user and this project, each text once."""
    targets = [target for client in BY_NAME.values() for target in _targets(client, project)]
    for target in targets:
        with suppress(EditError):  # doctor says of each file that can't be read why
            yield from _of_entry(target)
    yield from _of_texts(targets)
    for target in _of_users(targets):
        with suppress(EditError):
            yield from _of_hooks(target)


def _targets(client: Client, project: Path) -> Iterator[ClientTarget]:
    """A client's servers that are ours; it reads files of both scopes, wherever the server is."""
    for scope in client.scopes:
        target = ClientTarget(client, scope, project, SERVER_NAME)
        with suppress(EditError):
            for name, entry in table_of(client, target.read().text).items():
                if is_ours(line_of(entry)):
                    yield target._replace(name=name)


def _of_users(targets: Iterable[ClientTarget]) -> Iterator[ClientTarget]:
    """One target for each client with hooks."""
    clients = {target.client.name: target for target in targets}
    yield from (target for name, target in clients.items() if name in hooks.CLIENTS)


def _of_texts(targets: Iterable[ClientTarget]) -> Iterator[Drift]:
    """Texts that are right for none of the clients that read them."""
    readers: dict[Path, list[tuple[ClientTarget, Change | None]]] = {}
    for one in targets:
        for target in (one._replace(scope=scope) for scope in _SCOPES):
            for marked in instructions.pieces(target):
                with suppress(EditError):
                    file = instructions.read(target, marked.path)
                    if blocks.body_of(file) is not None:
                        change = blocks.addition(marked, file)
                        readers.setdefault(file.path, []).append((target, change))
    for path, states in readers.items():
        target, change = states[0]
        if change is None or not all(other for _, other in states):
            continue
        if change.text is not None:
            yield Drift("text", target, "warn", f"{path} is of another version", change)
        else:
            yield from _gone_tools(target, change)


def _of_entry(target: ClientTarget) -> Iterator[Drift]:
    file = target.read()
    entry = target.entry(file.text)
    line = line_of(entry)
    fault = entry_fault(line)
    lacking = _lacking(target.client, entry, line)
    if (fault is None or fault.is_shared) and not lacking:
        return
    if fault is None or fault.is_shared:
        fault = EntryFault("warn", f"lacks {lacking}, which this client needs")
        program = line[: line.index(SERVE)] if SERVE in line else line[:1]
    else:
        program = command()
    whole = _with_line(entry, _with_flags(target.client, line))
    fresh = merge_entry(target, whole, program, server_line(target.client, program, ""), keep=True)
    text = edit_file(target, file.text, entry, fresh)
    said = f"{target.name!r} in {file.path} {fault.message}"
    yield Drift("entry", target, fault.level, said, Change(file, text))


def entry_fault(line: Sequence[str]) -> EntryFault | None:
    """The fault in how an entry starts the server; None if there is none."""
    program = line[0]
    if "-m" in line and not {"-P", "-I"} & {*line}:
        said = "starts Python with -m, which imports from the repository's folder"
        return EntryFault("fail", said)
    if not Path(program).is_absolute():
        said = f"starts {program!r} from PATH, which may differ in the client"
        return EntryFault("warn", said, is_shared=True)
    if not Path(program).is_file():
        return EntryFault("fail", f"starts {program}, which does not exist")
    if os.path.realpath(program) != os.path.realpath(command()[0]):
        return EntryFault("warn", f"starts another installation: {program}")
    return None


def _lacking(client: Client, entry: object, line: Sequence[str]) -> str:
    """Flags and fields that this client needs and the entry does not have."""
    flags = [] if {*client.flags} <= {*line} else [*client.flags]
    wanted = {*client.more} - _GRANTED
    fields = [key for key in wanted if isinstance(entry, dict) and key not in entry]
    return " ".join([*flags, *fields])


def _with_flags(client: Client, line: Sequence[str]) -> list[str]:
    """The line with the client's flags, unless it has other values of them."""
    return [*line] if {*client.flags[:1]} <= {*line} else [*line, *client.flags]


def _with_line(entry: object, line: Sequence[str]) -> object:
    if not isinstance(entry, dict):
        return entry
    if isinstance(entry.get("command"), list):
        return {**entry, "command": [*line]}
    return {**entry, "command": line[0], "args": [*line[1:]]}


def _gone_tools(target: ClientTarget, change: Change) -> Iterator[Drift]:
    """An edited text that names tools which the server no longer has."""
    text = blocks.body_of(change.file) or ""
    gone = sorted({name for name in _TOOL.findall(text) if f"repo.{name}" not in TOOL_NAMES})
    if gone:
        said = f"{change.file.path} names tools that are gone: {', '.join(gone)}"
        yield Drift("text", target, "warn", said, change)


def _of_hooks(target: ClientTarget) -> Iterator[Drift]:
    for line in hooks.present(target)[:1]:
        fault = entry_fault(line)
        is_right = fault is None or fault.is_shared
        change = hooks.addition(target, hooks.program_of(line) if is_right else command())
        if change is not None:
            told = fault.message if fault and not fault.is_shared else "are of another version"
            said = f"hooks in {change.file.path}: {told}"
            yield Drift("hooks", target, "warn", said, change)
