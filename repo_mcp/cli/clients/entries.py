"""Finds, merges, writes and removes a server's entry in a client's file."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from index_format.tuples import NamedTuple
from repo_mcp.cli.arguments import plain_flags
from repo_mcp.cli.clients import files, jsonc_edit, toml_edit
from repo_mcp.cli.clients.files import ClientFile, EditError
from repo_mcp.cli.command_line import SERVE
from repo_mcp.cli.known_clients import BY_NAME, Client, Scope, is_ours, line_of


class ClientTarget(NamedTuple):
    """A client's configuration file, and the server's name there."""

    client: Client
    scope: Scope
    project: Path
    name: str

    @property
    def config_path(self) -> Path:
        """The configuration file."""
        return self.client.config_path(self.scope, self.project)

    @property
    def keys(self) -> tuple[str, str]:
        """The keys of the server's entry."""
        return (self.client.table, self.name)

    def read(self) -> ClientFile:
        """Read the file."""
        return files.read(self.config_path, self.project if self.scope == "project" else None)

    def entry(self, text: str) -> object:
        """The server's entry in the file's text; None if there is none."""
        return table_of(self.client, text).get(self.name)


def table_of(client: Client, text: str) -> dict[str, Any]:
    """The table of servers in a file's text."""
    whole: Any = toml_edit.value_of(text) if client.toml else jsonc_edit.value_of(text)
    table = whole.get(client.table, {})
    if not isinstance(table, dict):
        raise EditError(f"{client.table!r} in it is not a table")
    return table


# the flag with which the open folder is not what is served
_WORKSPACE: Final = "--workspace"


def server_line(
    client: Client, program: Sequence[str], repo_root: str, chosen: Sequence[str] = ()
) -> list[str]:
    """The command line that a client starts, with the flags that were chosen."""
    root = repo_root or ("" if _WORKSPACE in chosen else client.open_folder)
    where = ["--repo-root", root] if root else []
    return [*program, SERVE, *where, *chosen, *client.flags]


def snippet(target: ClientTarget, entry: Mapping[str, Any]) -> str:
    """The entry as a complete file."""
    if target.client.toml:
        return toml_edit.format_table(target.keys, entry)
    return jsonc_edit.with_member("", target.keys, entry).rstrip("\n")


def merge_entry(
    target: ClientTarget, before: object, program: Sequence[str], line: list[str], *, keep: bool
) -> dict[str, Any]:
    """The new entry, with the old one's fields except for the start of the server."""
    if before is None:
        return target.client.entry(line)
    old = line_of(before)
    if not isinstance(before, dict) or not is_ours(old):
        raise EditError(f"{target.name!r} is another server in it: use another --name")
    own = old[old.index(SERVE) + 1 :] if SERVE in old else []
    if keep and own and plain_flags(own) is not None:
        line = [*program, SERVE, *own]
    fresh = target.client.entry(line)
    started = {key: fresh[key] for key in ("command", "args") if key in fresh}
    return {**target.client.entry(line), **before, **started}


def edit_file(target: ClientTarget, text: str, before: object, entry: Mapping[str, Any]) -> str:
    """The file's text with `entry` in place of `before` (None if it has none)."""
    if before == entry:
        return text
    if target.client.toml:
        changed = _changed_fields(before, entry)
        return toml_edit.with_table(text, target.keys, changed)
    if before is None:
        return jsonc_edit.with_member(text, target.keys, entry)
    for key, value in _changed_fields(before, entry).items():
        text = jsonc_edit.with_member(text, (*target.keys, key), value)
    return text


def is_empty(target: ClientTarget, text: str) -> bool:
    """True if a file's text holds nothing but an empty table of servers, not even a comment."""
    if target.client.toml:
        return not text.strip()
    if "//" in text or "/*" in text:
        return False
    whole = jsonc_edit.value_of(text)
    return not whole or whole == {target.client.table: {}}


def remove_entry(target: ClientTarget, file: ClientFile) -> str | None:
    """The file's text without the server; None if the server is not in it."""
    before = target.entry(file.text)
    if before is None:
        return None
    if not is_ours(line_of(before)):
        raise EditError(f"{target.name!r} is another server in it")
    original = text_before(target, file)
    if original is not None:
        return original
    if target.client.toml:
        return toml_edit.without_table(file.text, target.keys)
    text = jsonc_edit.without_member(file.text, target.keys)
    if table_of(target.client, text) or _had_table(target, file):
        return text
    return jsonc_edit.without_member(text, target.keys[:1])


def text_before(target: ClientTarget, file: ClientFile) -> str | None:
    """The text that `install` made the file's of; None if anything else has changed since."""
    before, entry = files.backup_text(file) or "", target.entry(file.text)
    with suppress(EditError):
        if isinstance(entry, dict) and target.entry(before) is None:
            return before if edit_file(target, before, None, entry) == file.text else None
    return None


def _had_table(target: ClientTarget, file: ClientFile) -> bool:
    """True if the file had a table of servers before `install`, as far as its backup tells."""
    with suppress(EditError):
        whole = jsonc_edit.value_of(files.backup_text(file) or "")
        table = whole.get(target.client.table)
        return table == {} or (isinstance(table, dict) and {*table} != {target.name})
    return False


def _changed_fields(before: object, entry: Mapping[str, Any]) -> dict[str, Any]:
    old = before if isinstance(before, dict) else {}
    return {key: value for key, value in entry.items() if key not in old or old[key] != value}


def other_readers(
    target: ClientTarget,
    path: Path,
    paths_of: Callable[[ClientTarget], Iterable[Path]],
    *,
    any_scope: bool = False,
) -> str:
    """The titles of other clients that read a file and have the server, in this scope or in any."""
    real = os.path.realpath(path)
    titles: list[str] = []
    for client in BY_NAME.values():
        if client is target.client:
            continue
        scopes = client.scopes if any_scope else {target.scope} & {*client.scopes}
        others = [target._replace(client=client, scope=scope) for scope in scopes]
        reading = (other for other in others if real in map(os.path.realpath, paths_of(other)))
        if any(map(_may_have_entry, reading)):
            titles.append(client.title)
    return ", ".join(titles)


def _may_have_entry(target: ClientTarget) -> bool:
    try:
        return target.entry(target.read().text) is not None
    except EditError:
        return True
