"""Tells a client's agents when to use the tools: in the file they read, by a skill, an explorer."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Final

from index_format.tuples import NamedTuple
from repo_mcp import guidance
from repo_mcp.cli.clients import blocks, files
from repo_mcp.cli.clients.blocks import Change, MarkedText
from repo_mcp.cli.clients.entries import ClientTarget, other_readers
from repo_mcp.cli.clients.files import ClientFile, EditError
from repo_mcp.cli.clients.places import explorer_path, skill_path, text_path
from repo_mcp.guidance import EXPLORER, Explorer

# a client that counts turns ends the explorer where its prompt has not
_MOST_TURNS: Final = 12


def additions(target: ClientTarget, *, explorer: bool = False) -> Iterator[Change]:
    """The files that get a text, those with it already left out."""
    for piece in pieces(target) if explorer else _texts(target):
        change = blocks.addition(piece, read(target, piece.path))
        if change is not None:
            yield change


def removals(target: ClientTarget) -> Iterator[Change]:
    """The files without the texts; what others have written in them stays."""
    for piece in pieces(target):
        file = read(target, piece.path)
        change = blocks.removal(piece, file)
        if change is None:
            continue
        others = other_readers(target, piece.path, _paths_of)
        yield Change(file, None, f"the text stays for {others}") if others else change


def pieces(target: ClientTarget) -> Iterator[MarkedText]:
    """All texts for the client's agents."""
    yield from _texts(target)
    yield from _explorer(target)


def _texts(target: ClientTarget) -> Iterator[MarkedText]:
    text = text_path(target.client, target.scope, target.project)
    skill = skill_path(target.client, target.scope, target.project)
    if text is not None:
        yield MarkedText(text, guidance.instructions(target.name))
    if skill is not None:
        whole = guidance.skill(target.name)
        yield MarkedText(skill, whole.body, whole.head, is_file=True)


def _explorer(target: ClientTarget) -> Iterator[MarkedText]:
    path = explorer_path(target.client, target.scope, target.project)
    if path is not None:
        agent = agent_file(target.client.name, target.name)
        yield MarkedText(path, agent.body, agent.head, is_file=True)


def unreached(target: ClientTarget) -> list[str]:
    """Names of subagents with a list of tools of their own, in which these are not."""
    if target.client.name != "claude":
        return []
    top = target.project if target.scope == "project" else Path.home()
    lacking: list[str] = []
    for path in sorted((top / ".claude" / "agents").glob("*.md")):
        try:
            text = files.read(path, top).text
        except EditError:
            continue
        head = text.split("\n---", 1)[0]
        if re.search(r"^tools:", head, re.MULTILINE) and f"mcp__{target.name}__" not in head:
            lacking.append(path.stem)
    return lacking


def read(target: ClientTarget, path: Path) -> ClientFile:
    """Read one of these files, which has to be in the project if the target is."""
    return files.read(path, target.project if target.scope == "project" else None)


def _paths_of(target: ClientTarget) -> Iterator[Path]:
    return (piece.path for piece in pieces(target))


class AgentFile(NamedTuple):
    """The text of a subagent's file: fields for the client, then what the model reads."""

    head: str
    body: str


def agent_file(client: str, server: str) -> AgentFile:
    """The explorer for a client that has the server under this name."""
    if client == "codex":
        return AgentFile("", _toml(EXPLORER))
    fields = {
        "name": EXPLORER.name,
        "description": EXPLORER.description,
        **_FIELDS[client](server, EXPLORER),
    }
    # of JSON, which YAML contains, so that no text needs another form of quotes
    lines = [f"{key}: {_yaml(value)}" for key, value in fields.items()]
    return AgentFile("\n".join(["---", *lines, "---", "", ""]), EXPLORER.prompt)


def _yaml(value: object) -> str:
    return value if isinstance(value, str) and value.isidentifier() else json.dumps(value)


def _toml(explorer: Explorer) -> str:
    """Codex gives a subagent every server; it can't write, as nothing there may."""
    return (
        f"name = {json.dumps(explorer.name)}\n"
        f"description = {json.dumps(explorer.description)}\n"
        'sandbox_mode = "read-only"\n'
        f'developer_instructions = """\n{explorer.prompt}"""\n'
    )


def _names(prefix: str, explorer: Explorer) -> list[str]:
    return [prefix + tool.replace(".", "_") for tool in explorer.tools]


def _qwen_fields(server: str, explorer: Explorer) -> Mapping[str, object]:
    return {"tools": _names(f"mcp__{server}__", explorer)}


def _claude_fields(server: str, explorer: Explorer) -> Mapping[str, object]:
    return {"tools": ", ".join(_names(f"mcp__{server}__", explorer))}


def _gemini_fields(server: str, _: Explorer) -> Mapping[str, object]:
    return {"kind": "local", "tools": [f"mcp_{server}_*"], "max_turns": _MOST_TURNS}


def _copilot_fields(server: str, _: Explorer) -> Mapping[str, object]:
    return {"tools": [f"{server}/*"]}


def _cursor_fields(_: str, __: Explorer) -> Mapping[str, object]:
    return {"model": "inherit", "readonly": True}


def _opencode_fields(server: str, _: Explorer) -> Mapping[str, object]:
    return {"mode": "subagent", "permission": {"*": "deny", f"{server}_*": "allow"}}


_FIELDS: Final[Mapping[str, Callable[[str, Explorer], Mapping[str, object]]]] = {
    "claude": _claude_fields,
    "qwen": _qwen_fields,
    "gemini": _gemini_fields,
    "copilot": _copilot_fields,
    "vscode": _copilot_fields,
    "cursor": _cursor_fields,
    "opencode": _opencode_fields,
}
