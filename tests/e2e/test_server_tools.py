"""Tools that the program serves, by its flags and variables."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.repo_mcp.server_process import PROGRAM, request, running
from tests.waiting import HANG

pytestmark = pytest.mark.servers


def listed(root: Path, *flags: str) -> list[str]:
    with running(root, root / "data", *flags) as server:
        names = [tool["name"] for tool in server.ask(1, "tools/list")["result"]["tools"]]
        called = server.ask(2, "tools/call", name=names[0].replace(".", "_"), arguments={})
        assert "result" in called
        assert server.close() == 0
        return names


@pytest.mark.parametrize(
    ("flags", "expected"),
    [
        (["--tools", "repo.status,repo.search"], {"repo.search", "repo.status"}),
        (["--tools", "repo_status"], {"repo.status"}),
        (["--tools", "repo.status", "--tool-names", "underscore"], {"repo_status"}),
    ],
)
def test_only_the_tools_that_are_wanted_are_served(
    tmp_path: Path, flags: list[str], expected: set[str]
) -> None:
    assert set(listed(tmp_path, *flags)) == expected


def test_tools_can_be_left_out(tmp_path: Path) -> None:
    every, fewer = listed(tmp_path), listed(tmp_path, "--exclude-tools", "repo.search")
    assert every == listed(tmp_path, "--toolsets", "default")
    assert [name for name in every if name != "repo.search"] == fewer


def test_a_tool_that_is_not_served_is_unknown(tmp_path: Path) -> None:
    with running(tmp_path, tmp_path / "data", "--tools", "repo.status") as server:
        called = server.ask(1, "tools/call", name="repo.search", arguments={"query": "x"})
        assert called["error"]["code"] == -32602


@pytest.mark.parametrize(
    ("variable", "value", "expected"),
    [
        ("REPO_MCP_TOOLS", "repo.status", ["repo.status"]),
        ("REPO_MCP_TOOL_NAMES", "underscore", None),
        ("REPO_MCP_EXCLUDE_TOOLS", "repo.status", None),
    ],
)
def test_variables_say_it_too(
    tmp_path: Path, variable: str, value: str, expected: list[str] | None
) -> None:
    command = [*PROGRAM, "--repo-root", str(tmp_path), "--data-dir", str(tmp_path / "data")]
    asked = request(1, "tools/list") + b"\n"
    around = {**os.environ, variable: value}
    done = subprocess.run(
        command, input=asked, capture_output=True, env=around, timeout=HANG, check=True
    )
    found = done.stdout.decode()
    if expected is not None:
        assert all(f'"name":"{name}"' in found for name in expected)
    assert '"name":"repo.search"' not in found or variable == "REPO_MCP_EXCLUDE_TOOLS"
    assert ('"name":"repo.status"' in found) is (variable == "REPO_MCP_TOOLS")


@pytest.mark.parametrize(
    ("flag", "first"),
    [("--toolsets", "interrogator"), ("--tools", "repo."), ("--exclude-tools", "repo.")],
)
def test_unknown_names_are_errors_that_name_the_known_ones(
    tmp_path: Path, flag: str, first: str
) -> None:
    command = [*PROGRAM, "--repo-root", str(tmp_path), flag, "nothing"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=HANG, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert "unknown tool" in done.stderr
    assert f"known: {first}" in done.stderr
