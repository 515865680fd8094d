"""`config` shows effective settings and their sources."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from repo_mcp.settings import SETTINGS
from tests.repo_mcp.server_process import PROGRAM
from tests.repo_mcp.tree_files import write

pytestmark = pytest.mark.servers

TOKEN = {"REPO_MCP_HTTP_TOKEN": "swordfish"}
FILE = """
[limits]
max_open_lines = 10
max_search_hits = 9999
[indexing]
exclude_globs = ["gen/**"]
chunk_lines = 100
[security]
deny_globs = ["a"]
[hybrid]
alpha = 0.5
since = 2020-01-01
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write(tmp_path / "root", {"repo_mcp.toml": FILE, "x.py": ""})


def run(root: Path, *given: str, **around: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*PROGRAM, "config", *given],
        cwd=root,
        env={"HOME": str(root.parent), "PATH": "/usr/bin:/bin", **around},
        capture_output=True,
        text=True,
        check=False,
    )


def shown(root: Path, *given: str, **around: str) -> dict[str, Any]:
    done = run(root, "--json", *given, **around)
    assert (done.returncode, done.stderr) == (0, "")
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_every_setting_is_shown_with_its_value_and_its_source(root: Path) -> None:
    found = shown(
        root, "--deny-glob", "c", "--no-watch", REPO_MCP_DENY_GLOBS="b", REPO_MCP_TOOLS="x,y"
    )["settings"]
    assert list(found) == [setting.name for setting in SETTINGS]
    said = {name: (entry["value"], entry["source"]) for name, entry in found.items()}
    assert said["repo_root"] == (str(root), "default")
    assert said["data_dir"] == (str(root / ".repo_mcp"), "default")
    assert said["max_open_lines"] == (10, "repo_mcp.toml")
    assert said["max_search_hits"] == (200, "default")
    assert said["chunk_lines"] == (100, "repo_mcp.toml")
    assert said["exclude_globs"] == (["gen/**"], "repo_mcp.toml")
    assert said["watch"] == (False, "--no-watch")
    assert said["tools"] == (["x", "y"], "REPO_MCP_TOOLS")
    assert said["deny_globs"] == (
        ["a", "b", "c"],
        "repo_mcp.toml + REPO_MCP_DENY_GLOBS + --deny-glob",
    )
    assert found["deny_globs"]["parts"] == [
        {"source": "repo_mcp.toml", "value": ["a"]},
        {"source": "REPO_MCP_DENY_GLOBS", "value": ["b"]},
        {"source": "--deny-glob", "value": ["c"]},
    ]


def test_of_several_sources_the_last_one_is_named(root: Path) -> None:
    found = shown(root, "--max-open-lines", "30", REPO_MCP_MAX_OPEN_LINES="20")["settings"]
    assert found["max_open_lines"]["value"] == 30
    assert found["max_open_lines"]["source"] == "--max-open-lines"


def test_what_is_wrong_or_kept_for_later_is_shown_too(root: Path) -> None:
    found = shown(root)
    assert found["more"] == {"hybrid": {"alpha": 0.5, "since": "2020-01-01"}}
    assert ["max_search_hits can only be lowered" in note for note in found["notes"]] == [True]


def test_the_token_is_not_shown(root: Path) -> None:
    for given in (["--json"], []):
        done = run(root, *given, "--http", **TOKEN)
        assert done.returncode == 0
        assert "swordfish" not in done.stdout + done.stderr
        assert "REPO_MCP_HTTP_TOKEN" in done.stdout
    assert shown(root, **TOKEN)["http_token_is_set"] is True


def test_people_get_a_line_for_each(root: Path) -> None:
    done = run(root, "--no-watch")
    lines = done.stdout.splitlines()
    assert [line.split()[0] for line in lines[: len(SETTINGS)]] == [
        setting.name for setting in SETTINGS
    ]
    assert lines[-1].startswith("hybrid ")
    assert any(line.split() == ["watch", "off", "(--no-watch)"] for line in lines)
    assert "note: repo_mcp.toml: max_search_hits can only be lowered" in done.stderr


def test_nothing_is_written(root: Path) -> None:
    run(root)
    assert sorted(path.name for path in root.iterdir()) == ["repo_mcp.toml", "x.py"]


def test_a_file_outside_the_repository_is_not_read(root: Path) -> None:
    (root / "repo_mcp.toml").rename(root.parent / "other.toml")
    (root / "repo_mcp.toml").symlink_to(root.parent / "other.toml")
    assert shown(root)["settings"]["max_open_lines"]["source"] == "default"
