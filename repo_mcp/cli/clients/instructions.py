"""Tells a client's agents when to use the tools: in the file they read, by a skill, an explorer."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from repo_mcp import guidance
from repo_mcp.cli.clients import blocks, files
from repo_mcp.cli.clients.blocks import Change, MarkedText
from repo_mcp.cli.clients.entries import ClientTarget, other_readers
from repo_mcp.cli.clients.explorer import agent_file
from repo_mcp.cli.clients.files import ClientFile, EditError
from repo_mcp.cli.clients.places import explorer_path, skill_path, text_path


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
