"""The packages of each client, made of one description of the product: `make docs` writes them.

A package has the server, the skill, the hooks and the explorer in the form of its client. It starts
the program that is on PATH; a bundle and the entry of the registry let `uvx` or `uv` fetch it.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from repo_mcp import guidance
from repo_mcp.cli.clients.hooks import FORMS, hook_entries
from repo_mcp.cli.clients.instructions import agent_file
from repo_mcp.cli.known_clients import BY_NAME
from repo_mcp.guidance import PACKAGE_NAME, SERVER_NAME

ROOT: Final = Path(__file__).parents[1]
PLUGINS: Final = ROOT / "plugins"
PROGRAM: Final = "repo-mcp"
# of `server.json`, whose schema allows no more
MOST_CHARACTERS: Final = 100
_REGISTRY_SCHEMA: Final = (
    "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"
)
_ROOT_HELP: Final = (
    "The repository to serve; without it, the one around the folder that the client starts the"
    " server in"
)


_STARTER: Final = '''\
"""Starts the server that this bundle names."""

import sys

from repo_mcp.server import main

sys.exit(main())
'''


class Product(NamedTuple):
    """The facts that every package tells; numbers and texts are those of pyproject.toml."""

    version: str
    description: str
    author: str
    licence: str
    source: str
    keywords: tuple[str, ...] = ("code-search", "code-graph", "mcp", "symbols")


def product() -> Product:
    """The product as pyproject.toml has it."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return Product(
        project["version"],
        project["description"],
        project["authors"][0]["name"],
        project["license"],
        project["urls"]["Source"],
    )


def files() -> Iterator[tuple[Path, str]]:
    """Every file of every package."""
    what = product()
    yield from _claude(what)
    yield from _codex(what)
    yield from _gemini(what)
    yield from _copilot(what)
    yield from _bundle(what)
    yield ROOT / "server.json", _json(_registry(what))


def _claude(what: Product) -> Iterator[tuple[Path, str]]:
    top = PLUGINS / "claude"
    yield top / ".claude-plugin" / "plugin.json", _json(_manifest(what))
    yield top / ".mcp.json", _json({"mcpServers": {SERVER_NAME: _entry("claude")}})
    yield top / "hooks" / "hooks.json", _json(_hooks("claude"))
    yield _skill(top)
    # a plugin's server has the plugin's name in front of its own
    yield _explorer(top, "claude", f"plugin_{PACKAGE_NAME}_{SERVER_NAME}", ".md")
    marketplace = {
        "name": PACKAGE_NAME,
        "description": what.description,
        "owner": {"name": what.author},
        "plugins": [
            {
                "name": PACKAGE_NAME,
                "source": "./plugins/claude",
                "description": what.description,
                "version": what.version,
            }
        ],
    }
    yield ROOT / ".claude-plugin" / "marketplace.json", _json(marketplace)


def _codex(what: Product) -> Iterator[tuple[Path, str]]:
    top = PLUGINS / "codex"
    parts = {"skills": "./skills/", "mcpServers": "./.mcp.json", "hooks": "./hooks/hooks.json"}
    interface = {
        "displayName": PACKAGE_NAME,
        "shortDescription": what.description,
        "developerName": what.author,
        "category": "Coding",
    }
    yield (
        top / ".codex-plugin" / "plugin.json",
        _json({**_manifest(what), **parts, "interface": interface}),
    )
    yield top / ".mcp.json", _json({"mcpServers": {SERVER_NAME: _entry("codex")}})
    yield top / "hooks" / "hooks.json", _json(_hooks("codex"))
    yield _skill(top)
    plugin = {
        "name": PACKAGE_NAME,
        "source": {"source": "local", "path": "./plugins/codex"},
        "policy": {"installation": "AVAILABLE", "authentication": "ON_INSTALL"},
        "category": "Coding",
    }
    marketplace = {
        "name": PACKAGE_NAME,
        "interface": {"displayName": PACKAGE_NAME},
        "plugins": [plugin],
    }
    yield ROOT / ".agents" / "plugins" / "marketplace.json", _json(marketplace)


def _gemini(what: Product) -> Iterator[tuple[Path, str]]:
    top = PLUGINS / "gemini"
    manifest = {
        "name": PACKAGE_NAME,
        "version": what.version,
        "description": what.description,
        "mcpServers": {SERVER_NAME: _entry("gemini")},
        "contextFileName": "GEMINI.md",
    }
    yield top / "gemini-extension.json", _json(manifest)
    yield top / "GEMINI.md", guidance.instructions()
    yield top / "hooks" / "hooks.json", _json(_hooks("gemini"))
    yield _skill(top)
    yield _explorer(top, "gemini", SERVER_NAME, ".md")


def _copilot(what: Product) -> Iterator[tuple[Path, str]]:
    """Copilot CLI, and VS Code, which reads the same plugins."""
    top = PLUGINS / "copilot"
    parts = {
        "agents": "agents/",
        "skills": "skills/",
        "hooks": "hooks.json",
        "mcpServers": ".mcp.json",
    }
    yield top / "plugin.json", _json({**_manifest(what), **parts})
    # without a folder it is started in that of the plugin; this one is the project's
    entry = {**_entry("copilot"), "cwd": "."}
    yield top / ".mcp.json", _json({"mcpServers": {SERVER_NAME: entry}})
    yield top / "hooks.json", _json(_hooks("copilot"))
    yield _skill(top)
    yield _explorer(top, "copilot", SERVER_NAME, ".agent.md")
    plugin = {
        "name": PACKAGE_NAME,
        "description": what.description,
        "version": what.version,
        "source": "./plugins/copilot",
    }
    marketplace = {
        "name": PACKAGE_NAME,
        "metadata": {"description": what.description, "version": what.version},
        "owner": {"name": what.author},
        "plugins": [plugin],
    }
    yield ROOT / ".github" / "plugin" / "marketplace.json", _json(marketplace)


def _bundle(what: Product) -> Iterator[tuple[Path, str]]:
    """A bundle for desktop clients: they run it with `uv`, which installs what it names."""
    top = PLUGINS / "mcpb"
    start = "src/server.py"
    line = ["--repo-root", "${user_config.repository}", "--content", "text"]
    manifest = {
        "manifest_version": "0.4",
        "name": PACKAGE_NAME,
        "display_name": PACKAGE_NAME,
        "version": what.version,
        "description": what.description,
        "author": {"name": what.author},
        "repository": {"type": "git", "url": what.source},
        "documentation": f"{what.source}/blob/main/docs/index.md",
        "license": what.licence,
        "keywords": list(what.keywords),
        "server": {
            "type": "uv",
            "entry_point": start,
            "mcp_config": {
                "command": "uv",
                "args": ["run", "--directory", "${__dirname}", start, "serve", *line],
            },
        },
        "tools_generated": True,
        "compatibility": {"platforms": ["darwin", "linux"], "runtimes": {"python": ">=3.11"}},
        "user_config": {
            "repository": {
                "type": "directory",
                "title": "Repository",
                "description": "The folder whose code is searched",
                "required": True,
            }
        },
    }
    yield top / "manifest.json", _json(manifest)
    needed = (
        f'[project]\nname = "{PACKAGE_NAME}-bundle"\nversion = "{what.version}"\n'
        f'requires-python = ">=3.11"\ndependencies = ["{PACKAGE_NAME}=={what.version}"]\n'
    )
    yield top / "pyproject.toml", needed
    yield top / "src" / "server.py", _STARTER


def _registry(what: Product) -> dict[str, Any]:
    settings = [
        {
            "name": "REPO_MCP_TOOLSETS",
            "description": "Toolsets to serve: their names with commas between them, all, or"
            " default",
            "isRequired": False,
        },
        {
            "name": "REPO_MCP_TOOL_NAMES",
            "description": "How names of tools are listed: underscore for clients that reject dots",
            "isRequired": False,
            "choices": ["dotted", "underscore"],
            "default": "dotted",
        },
    ]
    root = {
        "type": "named",
        "name": "--repo-root",
        "description": _ROOT_HELP,
        "format": "filepath",
        "isRequired": False,
    }
    package = {
        "registryType": "pypi",
        "identifier": PACKAGE_NAME,
        "version": what.version,
        "runtimeHint": "uvx",
        "transport": {"type": "stdio"},
        "packageArguments": [{"type": "positional", "value": "serve"}, root],
        "environmentVariables": settings,
    }
    return {
        "$schema": _REGISTRY_SCHEMA,
        "name": "io.github.repo-mcp/repo-mcp",
        "title": PACKAGE_NAME,
        "description": what.description,
        "version": what.version,
        "repository": {"url": what.source, "source": "github"},
        "packages": [package],
    }


def _manifest(what: Product) -> dict[str, Any]:
    """Fields that all kinds of plugins have."""
    return {
        "name": PACKAGE_NAME,
        "version": what.version,
        "description": what.description,
        "author": {"name": what.author},
        "homepage": what.source,
        "repository": what.source,
        "license": what.licence,
        "keywords": list(what.keywords),
    }


def _entry(client: str) -> Mapping[str, Any]:
    """The server as `install` writes it, started from PATH."""
    known = BY_NAME[client]
    return known.entry([PROGRAM, "serve", *known.flags])


def _hooks(client: str) -> dict[str, Any]:
    form = FORMS[client]
    entries = hook_entries(form, [PROGRAM])
    return {**form.head, "hooks": {event: [entry] for event, entry in entries.items()}}


def _skill(top: Path) -> tuple[Path, str]:
    return top / "skills" / PACKAGE_NAME / "SKILL.md", guidance.skill().text


def _explorer(top: Path, client: str, server: str, ending: str) -> tuple[Path, str]:
    agent = agent_file(client, server)
    return top / "agents" / f"{guidance.EXPLORER.name}{ending}", agent.head + agent.body


def _json(value: Mapping[str, Any]) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"
