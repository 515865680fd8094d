"""Tells a client's agents when to use the tools: a block in the file they read, and a skill.

A block stands between two marks. The first has the number of line feeds that were added before it,
`-` for a file that was made for it, so that removal gives every byte back, and a hash of the text,
which differs once somebody has edited the block: then it stays as it is.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from index_format.tuples import NamedTuple
from repo_mcp import guidance
from repo_mcp.cli.clients import files
from repo_mcp.cli.clients.entries import ClientTarget
from repo_mcp.cli.clients.files import ClientFile, EditError
from repo_mcp.cli.known_clients import BY_NAME, skill_path, text_path

_BEGIN: Final = "<!-- repo-mcp:begin {} {} (`repo-mcp uninstall` removes this) -->\n"
_END: Final = "<!-- repo-mcp:end -->\n"
_BLOCK: Final = re.compile(
    r"<!-- repo-mcp:begin (-|[0-2]) ([0-9a-f]{12}) [^\n]*-->\n(.*?)<!-- repo-mcp:end -->\n",
    re.DOTALL,
)
_NEW: Final = "-"
_HASH_LETTERS: Final = 12


class Change(NamedTuple):
    """A file and its new text.

    Without a text, the note says why it stays; with one, a note says that the file was made for it.
    """

    file: ClientFile
    text: str | None
    note: str = ""


def additions(target: ClientTarget) -> Iterator[Change]:
    """The files that get the text, those with it already left out."""
    body = guidance.instructions(target.name)
    for path, head in _places(target):
        file = _read(target, path)
        if file.found is not None and head and not file.text.startswith(head):
            yield Change(file, None, "it is there already, and not of repo-mcp: it stays")
            continue
        found = _BLOCK.search(file.text)
        if found is None:
            text = _with_block(file, head, body)
        elif _is_edited(found):
            yield Change(file, None, "the text was edited by hand: it stays as it is")
            continue
        else:
            block = _block(found[1], body)
            text = file.text[: found.start()] + block + file.text[found.end() :]
        if text != file.text:
            yield Change(file, text)


def removals(target: ClientTarget) -> Iterator[Change]:
    """The files without the text; what others have written in them stays."""
    for path, head in _places(target):
        file = _read(target, path)
        found = _BLOCK.search(file.text)
        if found is None:
            continue
        others = _others(target, path)
        if others:
            yield Change(file, None, f"the text stays for {others}")
        elif _is_edited(found):
            yield Change(file, None, "the text was edited by hand: it stays, remove it by hand")
        else:
            before, after = file.text[: found.start()], file.text[found.end() :]
            added = 0 if found[1] == _NEW else int(found[1])
            is_own = found[1] == _NEW and not after and before == head
            rest = "" if is_own else _without_feeds(before, added) + after
            yield Change(file, rest, _NEW if found[1] == _NEW and not rest else "")


def unreached(target: ClientTarget) -> list[str]:
    """Names of subagents with a list of tools of their own, in which these are not."""
    if target.client.name != "claude":
        return []
    top = target.project if target.scope == "project" else Path.home()
    found: list[str] = []
    for path in sorted((top / ".claude" / "agents").glob("*.md")):
        try:
            text = files.read(path, top).text
        except EditError:
            continue
        head = text.split("\n---", 1)[0]
        if re.search(r"^tools:", head, re.MULTILINE) and f"mcp__{target.name}__" not in head:
            found.append(path.stem)
    return found


def _places(target: ClientTarget) -> Iterator[tuple[Path, str]]:
    """The files, each with what stands above the text."""
    text = text_path(target.client, target.scope, target.project)
    if text is not None:
        yield text, ""
    yield skill_path(target.client, target.scope, target.project), guidance.skill().head


def _read(target: ClientTarget, path: Path) -> ClientFile:
    return files.read(path, target.project if target.scope == "project" else None)


def _with_block(file: ClientFile, head: str, body: str) -> str:
    if file.found is None:
        return head + _block(_NEW, body)
    feeds = 0 if not file.text else 1 if file.text.endswith("\n") else 2
    return file.text + "\n" * feeds + _block(str(feeds), body)


def _block(added: str, body: str) -> str:
    return _BEGIN.format(added, _hash(body)) + body + _END


def _hash(body: str) -> str:
    return hashlib.sha256(body.encode()).hexdigest()[:_HASH_LETTERS]


def _is_edited(found: re.Match[str]) -> bool:
    return _hash(found[3]) != found[2]


def _without_feeds(text: str, count: int) -> str:
    feeds = "\n" * count
    return text[: len(text) - count] if count and text.endswith(feeds) else text


def _others(target: ClientTarget, path: Path) -> str:
    """Other clients that read the same file and still have the server."""
    found: list[str] = []
    for client in BY_NAME.values():
        other = target._replace(client=client)
        places = [os.path.realpath(place) for place, _ in _places(other)]
        if client is target.client or os.path.realpath(path) not in places:
            continue
        try:
            has_entry = other.entry(other.read().text) is not None
        except EditError:
            has_entry = True
        found += [client.title] if has_entry else []
    return ", ".join(found)
