"""A server's entry in a client's file: found, merged, written and removed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from repo_mcp.cli.arguments import plain_flags
from repo_mcp.cli.clients import files, jsonc_edit, toml_edit
from repo_mcp.cli.clients.files import ClientFile
from repo_mcp.cli.clients.jsonc_tree import EditError
from repo_mcp.cli.command_line import SERVE
from repo_mcp.cli.known_clients import Client, Scope, is_ours, line_of


class Target(NamedTuple):
    """One client's file, and what the server is called there."""

    client: Client
    scope: Scope
    project: Path
    name: str

    @property
    def place(self) -> Path:
        """The file."""
        return self.client.place(self.scope, self.project)

    @property
    def path(self) -> tuple[str, str]:
        """The keys of the server's entry."""
        return (self.client.table, self.name)

    def read(self) -> ClientFile:
        """The file as it is."""
        return files.read(self.place, self.project if self.scope == "project" else None)

    def entry(self, text: str) -> object:
        """The entry of that name in a text, None when there is none."""
        return table_of(self.client, text).get(self.name)


def table_of(client: Client, text: str) -> dict[str, Any]:
    """The servers that a file names."""
    whole: Any = toml_edit.value_of(text) if client.toml else jsonc_edit.value_of(text)
    table = whole.get(client.table, {})
    if not isinstance(table, dict):
        raise EditError(f"{client.table!r} in it is no table")
    return table


def server_line(client: Client, program: Sequence[str], repo_root: str) -> list[str]:
    """The command line that a client starts."""
    root = repo_root or client.open_folder
    where = ["--repo-root", root] if root else []
    return [*program, SERVE, *where, *client.flags]


def snippet(target: Target, entry: Mapping[str, Any]) -> str:
    """The entry as a file of its own would hold it."""
    if target.client.toml:
        return toml_edit.format_table(target.path, entry)
    return jsonc_edit.with_member("", target.path, entry).rstrip("\n")


def merge_entry(
    target: Target, before: object, program: Sequence[str], line: list[str], *, keep: bool
) -> dict[str, Any]:
    """The new entry, with all that the old one says besides how the server is started."""
    if before is None:
        return target.client.entry(line)
    old = line_of(before)
    if not isinstance(before, dict) or not is_ours(old):
        raise EditError(f"{target.name!r} is another server there: take another --name")
    own = old[old.index(SERVE) + 1 :] if SERVE in old else []
    if keep and own and plain_flags(own) is not None:
        line = [*program, SERVE, *own]
    fresh = target.client.entry(line)
    started = {key: fresh[key] for key in ("command", "args") if key in fresh}
    return {**target.client.entry(line), **before, **started}


def edit_file(target: Target, text: str, before: object, entry: Mapping[str, Any]) -> str:
    """The file with an entry in place of the one that it has, None for none."""
    if before == entry:
        return text
    if target.client.toml:
        changed = _changed(before, entry)
        return toml_edit.with_table(text, target.path, changed)
    if before is None:
        return jsonc_edit.with_member(text, target.path, entry)
    for key, value in _changed(before, entry).items():
        text = jsonc_edit.with_member(text, (*target.path, key), value)
    return text


def remove_entry(target: Target, text: str) -> str | None:
    """The file without the server, None when it is not in it."""
    before = target.entry(text)
    if before is None:
        return None
    if not is_ours(line_of(before)):
        raise EditError(f"{target.name!r} is another server there")
    remove = toml_edit.without_table if target.client.toml else jsonc_edit.without_member
    return remove(text, target.path)


def _changed(before: object, entry: Mapping[str, Any]) -> dict[str, Any]:
    old = before if isinstance(before, dict) else {}
    return {key: value for key, value in entry.items() if key not in old or old[key] != value}
