"""Examples do what they say."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from repo_mcp import __version__
from repo_mcp.cli.clients.entries import table_of
from repo_mcp.cli.known_clients import BY_NAME, CLIENTS, line_of
from repo_mcp.settings import SETTINGS
from tests.repo_mcp.server_process import PROGRAM, request
from tests.repo_mcp.trees import write
from tests.waiting import HANG

pytestmark = pytest.mark.servers

EXAMPLES = Path(__file__).parents[2] / "examples"
CONFIGURATIONS = {
    "codex": "codex/config.toml",
    "claude": "claude-code/mcp.json",
    "gemini": "gemini-cli/settings.json",
    "copilot": "copilot-cli/mcp-config.json",
    "vscode": "vscode/mcp.json",
    "cursor": "cursor/mcp.json",
    "opencode": "opencode/opencode.json",
    "qwen": "qwen-code/settings.json",
    "kimi": "kimi-code/mcp.json",
    "cline": "cline/cline_mcp_settings.json",
    "amp": "amp/settings.json",
    "zed": "zed/settings.json",
    "windsurf": "windsurf/mcp_config.json",
    "kiro": "kiro/mcp.json",
    "junie": "junie/mcp.json",
}
REPOSITORY = "/path/to/repository"


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=HANG, check=False)


def test_the_library_example(tmp_path: Path) -> None:
    done = run(str(EXAMPLES / "index_format_example.py"), str(tmp_path / "index"))
    assert (done.returncode, done.stderr) == (0, "")
    assert "tides.txt:2" in done.stdout
    assert "damage: none" in done.stdout


def test_the_example_of_the_code_graph_prints_edges_of_two_languages() -> None:
    done = run(str(EXAMPLES / "code_graph_example.py"))
    assert (done.returncode, done.stderr) == (0, "")
    assert "shop/till.py:4: shop.till.pay calls shop.tax.add_tax" in done.stdout
    assert "lib/main.go:3: main.main calls main.help" in done.stdout


@pytest.mark.parametrize(
    ("question", "found"), [(["needle"], True), (["nowhere"], False), ([], True)]
)
def test_the_demo_shows_what_it_does_and_never_fails(
    tmp_path: Path, question: list[str], *, found: bool
) -> None:
    """Without a question, one is made from a name that is declared."""
    root = write(tmp_path / "root", {"src/a.py": "x = 1\ndef needle():\n    pass\n"})
    done = run(str(EXAMPLES / "demo.py"), "--root", str(root), *question)
    assert done.returncode == 0
    assert "indexing 1/1 files" in done.stderr
    assert "1 file indexed" in done.stdout
    assert ("src/a.py" in done.stdout) is found
    assert f'"{question[0] if question else "needle"}", answered in' in done.stdout
    assert [path.name for path in root.iterdir()] == ["src"]


@pytest.mark.parametrize("name", ["ask_plain.py", "ask_with_sdk.py"])
def test_a_script_that_asks_the_server(tmp_path: Path, name: str) -> None:
    root = write(tmp_path / "root", {"src/a.py": "x = 1\ndef needle():\n    pass\n"})
    done = run(str(EXAMPLES / name), "--root", str(root), "needle")
    assert (done.returncode, done.stderr) == (0, "")
    assert "repo.search" in done.stdout
    assert "src/a.py:" in done.stdout
    assert "2: def needle():" in done.stdout
    if name == "ask_with_sdk.py":
        assert "\nbundle " in done.stdout
        assert "  src/a.py:" in done.stdout.partition("\nbundle ")[2]
    assert [path.name for path in root.iterdir()] == ["src"]


@pytest.mark.parametrize("client", CONFIGURATIONS)
def test_a_client_s_configuration_is_what_install_writes(tmp_path: Path, client: str) -> None:
    known = BY_NAME[client]
    named = ["--repo-root", str(tmp_path)] if known.scope in known.untold else []
    shown = subprocess.run(
        [*PROGRAM, "install", client, "--print", "--command", "repo-mcp", *named],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    example = EXAMPLES / CONFIGURATIONS[client]
    assert example.read_text(encoding="utf-8") == shown.stdout.replace(str(tmp_path), REPOSITORY)


@pytest.mark.parametrize("client", CONFIGURATIONS)
def test_a_client_s_configuration_starts_the_server(tmp_path: Path, client: str) -> None:
    """With the flags it holds, in the folder a client would start it in."""
    text = (EXAMPLES / CONFIGURATIONS[client]).read_text(encoding="utf-8")
    line = line_of(table_of(BY_NAME[client], text)["repo"])
    assert line[0] == "repo-mcp"
    root = write(tmp_path / "root", {".git/HEAD": "x", "a.py": "needle\n"})
    told = {"${workspaceFolder}": str(root), REPOSITORY: str(root)}
    flags = [told.get(word, word) for word in line[2:]]
    hello = request(1, "initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo={})
    done = subprocess.run(
        [*PROGRAM, *line[1:2], *flags],
        cwd=root,
        input=hello + b"\n" + request(2, "tools/list") + b"\n",
        capture_output=True,
        check=False,
    )
    answers = {found["id"]: found for found in map(json.loads, done.stdout.splitlines())}
    assert answers[1]["result"]["serverInfo"]["name"] == "repo-mcp"
    names = [tool["name"] for tool in answers[2]["result"]["tools"]]
    assert ("repo_search" if "underscore" in line else "repo.search") in names


def test_there_is_a_configuration_for_every_client() -> None:
    assert set(CONFIGURATIONS) == set(CLIENTS)
    held = {str(path.relative_to(EXAMPLES)) for path in EXAMPLES.glob("*/*") if path.is_file()}
    assert held == set(CONFIGURATIONS.values())
    guide = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    assert all(f"]({name})" in guide for name in CONFIGURATIONS.values())


def test_what_is_told_the_registry_is_true() -> None:
    """By the rules of the schema that it names."""
    top = EXAMPLES.parent
    said = json.loads((top / "server.json").read_text(encoding="utf-8"))
    assert said["$schema"].endswith("/schemas/2025-12-11/server.schema.json")
    assert re.fullmatch(r"[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+", said["name"])
    assert 1 <= len(said["description"]) <= 100
    assert f"mcp-name: {said['name']}" in (top / "README.md").read_text(encoding="utf-8")
    project = tomllib.loads((top / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    (package,) = said["packages"]
    assert said["version"] == package["version"] == project["version"]
    assert (package["registryType"], package["identifier"]) == ("pypi", project["name"])
    assert package["transport"] == {"type": "stdio"}
    named = {item["name"] for item in package["packageArguments"] if item["type"] == "named"}
    assert named <= {setting.flag for setting in SETTINGS}
    variables = {item["name"] for item in package["environmentVariables"]}
    assert variables <= {setting.variable for setting in SETTINGS}


@pytest.mark.requirement("INT-13-packaging")
def test_the_package_is_what_the_specification_asks_for() -> None:
    top = EXAMPLES.parent
    project = tomllib.loads((top / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["requires-python"] == ">=3.11"
    assert project["scripts"] == {"repo-mcp": "repo_mcp.server:main"}
    assert project["version"] == __version__
    assert (top / "README.md").stat().st_size > 0
    assert "Safety" in (top / "AGENTS.md").read_text(encoding="utf-8")
