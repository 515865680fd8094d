"""The configurations in the guide start the toolset over the folders that they name."""

from __future__ import annotations

import json
import os
import re
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest

from repo_mcp.toolsets.retrieval.declarations import TOOLS
from tests.repo_mcp.server_process import PROGRAM, Server
from tests.repo_mcp.tree_files import write

GUIDE = Path(__file__).parents[4] / "examples" / "README.md"
SECTION = GUIDE.read_text(encoding="utf-8").partition("\n## Documentation and code\n")[2]
BLOCKS = re.findall(r"```(toml|json)\n(.*?)```", SECTION, re.DOTALL)


def entry(kind: str, text: str) -> dict[str, Any]:
    """The one server of a configuration."""
    (servers,) = (tomllib.loads if kind == "toml" else json.loads)(text).values()
    (found,) = servers.values()
    return dict(found)


def test_there_is_one_for_each_way_to_write_it() -> None:
    assert [kind for kind, _ in BLOCKS] == ["toml", "json", "json"]


@pytest.mark.servers
@pytest.mark.requirement("RET-CLIENTS")
@pytest.mark.parametrize(("kind", "text"), BLOCKS, ids=range(len(BLOCKS)))
def test_a_configuration_of_the_guide_serves_the_toolset(
    tmp_path: Path, kind: str, text: str
) -> None:
    write(tmp_path, {"docs/a.md": "the needle\n", "code/b.py": "needle = 1\n", "home/x": ""})
    said = entry(kind, text.replace("/path/to", tmp_path.as_posix()))
    command = said["command"]
    line = [*command] if isinstance(command, list) else [command, *said["args"]]
    assert line[0] == "repo-mcp"
    around = {**os.environ, "HOME": str(tmp_path / "home"), "XDG_CACHE_HOME": str(tmp_path / "c")}
    around |= said.get("env") or said["environment"]
    process = subprocess.Popen(
        [*PROGRAM, *line[1:]],
        cwd=tmp_path / "home",
        env=around,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    assert process.stdin
    assert process.stdout
    with process:
        server = Server(process, process.stdin, process.stdout)
        server.ask(1, "initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo={})
        names = [tool["name"] for tool in server.ask(2, "tools/list")["result"]["tools"]]
        called = server.ask(3, "tools/call", name="search", arguments={"query": "needle"})
        assert server.close() == 0
    assert names == [tool.name for tool in TOOLS]
    matches = called["result"]["structuredContent"]["result"]["matches"]
    assert [(match["repo"], match["path"]) for match in matches] == [
        ("docs", "a.md"),
        ("code", "b.py"),
    ]
