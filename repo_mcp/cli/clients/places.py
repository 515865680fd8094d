"""The files of each client beside its configuration: instructions, skill, explorer and hooks."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from index_format.tuples import NamedTuple
from repo_mcp.cli.known_clients import Client, Scope, user_folder
from repo_mcp.guidance import EXPLORER, PACKAGE_NAME


class ClientPlaces(NamedTuple):
    """Where a client looks; empty where it has no such thing.

    Pairs are of a project and of a user. Those of a user begin with `~/` or are below the client's
    own folder.
    """

    text: tuple[str, str] = ("AGENTS.md", "")
    skills: tuple[str, str] = ("", "")
    explorer: tuple[str, str] = ("", "")
    # of the user alone: no repository gets what runs by itself
    hooks: str = ""


def text_path(
    client: Client, scope: Scope, project: Path, environment: Mapping[str, str] = os.environ
) -> Path | None:
    """The file of instructions that its agents read; None where there is none but in settings."""
    return _path(client, PLACES[client.name].text, scope, project, environment)


def skill_path(
    client: Client, scope: Scope, project: Path, environment: Mapping[str, str] = os.environ
) -> Path | None:
    """The file of our skill."""
    folder = _path(client, PLACES[client.name].skills, scope, project, environment)
    return folder / PACKAGE_NAME / "SKILL.md" if folder else None


def explorer_path(
    client: Client, scope: Scope, project: Path, environment: Mapping[str, str] = os.environ
) -> Path | None:
    """The file of the explorer."""
    return _path(client, PLACES[client.name].explorer, scope, project, environment)


def hooks_path(client: Client, environment: Mapping[str, str] = os.environ) -> Path | None:
    """The user's file of hooks."""
    return _path(client, ("", PLACES[client.name].hooks), "user", Path(), environment)


def _path(
    client: Client,
    pair: tuple[str, str],
    scope: Scope,
    project: Path,
    environment: Mapping[str, str],
) -> Path | None:
    below = pair[scope == "user"]
    if not below:
        return None
    if scope == "project":
        return project / below
    home, rest = Path.home(), below.removeprefix("~/")
    return home / rest if rest != below else user_folder(client.name, environment) / rest


def _explorers(project: str, user: str, ending: str = ".md") -> tuple[str, str]:
    return (f"{project}/{EXPLORER.name}{ending}", f"{user}/{EXPLORER.name}{ending}")


_GITHUB: Final = _explorers(".github/agents", "~/.copilot/agents", ".agent.md")
_COPILOT_HOOKS: Final = f"~/.copilot/hooks/{PACKAGE_NAME}.json"
PLACES: Final = {
    "codex": ClientPlaces(
        text=("AGENTS.md", "AGENTS.md"),
        skills=(".agents/skills", "~/.agents/skills"),
        explorer=_explorers(".codex/agents", "agents", ".toml"),
        hooks="hooks.json",
    ),
    "claude": ClientPlaces(
        text=("CLAUDE.md", "CLAUDE.md"),
        skills=(".claude/skills", "skills"),
        explorer=_explorers(".claude/agents", "agents"),
        hooks="settings.json",
    ),
    "gemini": ClientPlaces(
        text=("GEMINI.md", "GEMINI.md"),
        skills=(".gemini/skills", "skills"),
        explorer=_explorers(".gemini/agents", "agents"),
        hooks="settings.json",
    ),
    "copilot": ClientPlaces(
        text=("AGENTS.md", "copilot-instructions.md"),
        skills=(".github/skills", "skills"),
        explorer=_explorers(".github/agents", "agents", ".agent.md"),
        hooks=f"hooks/{PACKAGE_NAME}.json",
    ),
    "vscode": ClientPlaces(
        skills=(".github/skills", "~/.copilot/skills"), explorer=_GITHUB, hooks=_COPILOT_HOOKS
    ),
    "cursor": ClientPlaces(
        skills=(".cursor/skills", "~/.cursor/skills"),
        explorer=_explorers(".cursor/agents", "~/.cursor/agents"),
        hooks="~/.cursor/hooks.json",
    ),
    "opencode": ClientPlaces(
        text=("AGENTS.md", "AGENTS.md"),
        skills=(".opencode/skills", "skills"),
        explorer=_explorers(".opencode/agents", "agents"),
        hooks=f"plugins/{PACKAGE_NAME}.js",
    ),
    "qwen": ClientPlaces(
        text=("QWEN.md", "QWEN.md"),
        skills=(".qwen/skills", "skills"),
        explorer=_explorers(".qwen/agents", "agents"),
        hooks="settings.json",
    ),
    "kimi": ClientPlaces(skills=(".agents/skills", "~/.agents/skills")),
    "cline": ClientPlaces(),
    "amp": ClientPlaces(
        text=("AGENTS.md", "AGENTS.md"), skills=(".agents/skills", "~/.config/agents/skills")
    ),
    "zed": ClientPlaces(),
    "windsurf": ClientPlaces(skills=(".windsurf/skills", "skills")),
    "kiro": ClientPlaces(),
    "junie": ClientPlaces(text=(".junie/guidelines.md", "")),
}
