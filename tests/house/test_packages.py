"""The packages of clients have every part, are of one version, and name what the product has.

That their files are those that `make docs` writes is checked with the other documents.
"""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest

from release import packages
from repo_mcp import __version__, guidance
from repo_mcp.cli.clients import hooks

ROOT = Path(__file__).parents[2]
FILES = {str(path.relative_to(ROOT)): text for path, text in packages.files()}
MANIFESTS = (
    "plugins/claude/.claude-plugin/plugin.json",
    "plugins/codex/.codex-plugin/plugin.json",
    "plugins/gemini/gemini-extension.json",
    "plugins/copilot/plugin.json",
    "plugins/mcpb/manifest.json",
    "server.json",
)
MARKETPLACES = (
    ".claude-plugin/marketplace.json",
    ".agents/plugins/marketplace.json",
    ".github/plugin/marketplace.json",
)


@pytest.mark.parametrize("name", MANIFESTS)
def test_every_package_is_of_this_version_and_says_the_same(name: str) -> None:
    said = json.loads(FILES[name])
    assert said["version"] == __version__
    assert said["description"] == packages.product().description
    assert len(said["description"]) <= packages.MOST_CHARACTERS


@pytest.mark.parametrize("name", MARKETPLACES)
def test_a_marketplace_names_a_folder_with_a_manifest(name: str) -> None:
    (plugin,) = json.loads(FILES[name])["plugins"]
    source = plugin["source"]
    folder = source if isinstance(source, str) else source["path"]
    held = [path for path in MANIFESTS if path.startswith(folder.removeprefix("./") + "/")]
    assert [json.loads(FILES[path])["name"] for path in held] == [plugin["name"]]


@pytest.mark.parametrize("client", ["claude", "codex", "gemini", "copilot"])
def test_a_package_has_skill_hooks_and_a_server_from_path(client: str) -> None:
    own = {name: text for name, text in FILES.items() if name.startswith(f"plugins/{client}/")}
    (skill,) = (text for name, text in own.items() if name.endswith("SKILL.md"))
    assert skill == guidance.skill().text
    (hooked,) = (text for name, text in own.items() if name.endswith("hooks.json"))
    assert [line[:2] for line in hooks.our_lines(hooked)] == [["repo-mcp", "hook"]] * 2
    servers = [
        json.loads(text)["mcpServers"]["repo"]
        for name, text in own.items()
        if name.endswith((".mcp.json", "gemini-extension.json"))
    ]
    assert [(server["command"], server["args"][0]) for server in servers] == [("repo-mcp", "serve")]


def test_a_bundle_installs_this_version_and_names_a_file_that_it_has() -> None:
    manifest = json.loads(FILES["plugins/mcpb/manifest.json"])
    assert manifest["server"]["type"] == "uv"
    assert f"plugins/mcpb/{manifest['server']['entry_point']}" in FILES
    needed = tomllib.loads(FILES["plugins/mcpb/pyproject.toml"])["project"]["dependencies"]
    assert needed == [f"repo-mcp=={__version__}"]
