"""Examples do what they say."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from repo_mcp import __version__
from tests.repo_mcp.trees import write

EXAMPLES = Path(__file__).parents[2] / "examples"


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


def test_the_library_example(tmp_path: Path) -> None:
    done = run(str(EXAMPLES / "index_format_example.py"), str(tmp_path / "index"))
    assert (done.returncode, done.stderr) == (0, "")
    assert "tides.txt:2" in done.stdout
    assert "damage: none" in done.stdout


@pytest.mark.parametrize(("question", "code"), [("needle", 0), ("nowhere", 1)])
def test_the_demo_succeeds_exactly_when_there_is_an_answer(
    tmp_path: Path, question: str, code: int
) -> None:
    root = write(tmp_path / "root", {"src/a.py": "x = 1\ndef needle():\n    pass\n"})
    done = run(str(EXAMPLES / "demo.py"), "--root", str(root), question)
    assert (done.returncode, done.stderr) == (code, "")
    assert "1 files indexed" in done.stdout
    assert ("src/a.py:" in done.stdout) is (code == 0)
    assert [path.name for path in root.iterdir()] == ["src"]


@pytest.mark.parametrize(
    "path", sorted(EXAMPLES.glob("*/*.json")), ids=lambda path: path.parent.name
)
def test_a_client_configuration_starts_the_server(path: Path) -> None:
    found = json.loads(path.read_text(encoding="utf-8"))
    servers = found.get("mcpServers") or found["servers"]
    assert [server["command"] for server in servers.values()] == ["repo-mcp"]


@pytest.mark.requirement("INT-13-packaging")
def test_the_package_is_what_the_specification_asks_for() -> None:
    top = EXAMPLES.parent
    project = tomllib.loads((top / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["requires-python"] == ">=3.11"
    assert project["scripts"] == {"repo-mcp": "repo_mcp.server:main"}
    assert project["version"] == __version__
    assert (top / "README.md").stat().st_size > 0
    assert "Safety" in (top / "AGENTS.md").read_text(encoding="utf-8")
    configured = {path.parent.name for path in EXAMPLES.glob("*/*") if path.is_file()}
    assert configured == {"codex", "vscode", "claude-code", "gemini-cli", "copilot-cli"}


def test_the_configuration_for_codex_starts_the_server() -> None:
    found = tomllib.loads((EXAMPLES / "codex" / "config.toml").read_text(encoding="utf-8"))
    assert found["mcp_servers"]["repo"]["command"] == "repo-mcp"
