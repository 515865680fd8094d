"""The real server with this toolset: listing, answers, and files it leaves."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from index_format.health.check import Severity
from repo_mcp.services import services
from repo_mcp.settings import Options
from repo_mcp.toolsets.codeagent.declarations import TOOLS
from tests.repo_mcp.server_process import Server, running
from tests.repo_mcp.toolsets.codeagent.calls import check
from tests.repo_mcp.trees import write
from tests.waiting import until

pytestmark = pytest.mark.servers

INFO = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "tester", "version": "1.0"},
}
FILES: dict[str, str | bytes] = {
    ".env": "TOKEN=hidden",
    "repo_mcp.toml": "[limits]\nmax_file_bytes = 90\n",
    "src/a.py": "def needle(hay):\n    return hay\n",
    "src/large.py": "x = 1\n" * 20,
}


def begin(server: Server) -> None:
    server.ask("begin", "initialize", **INFO)
    server.send(b'{"jsonrpc":"2.0","method":"notifications/initialized"}')


def called(server: Server, name: str, **arguments: Any) -> dict[str, Any]:  # noqa: ANN401 JSON
    reply = server.ask(name, "tools/call", name=name, arguments=arguments)["result"]
    if not name.startswith("repo"):
        check(name, {key: reply[key] for key in ("content", "structuredContent", "isError")})
    data: dict[str, Any] = reply["structuredContent"]
    return data


def watched(server: Server) -> dict[str, Any]:
    """The status once files are watched, which begins a moment after the first call."""
    assert until(lambda: called(server, "get_status")["watcher_active"])
    return called(server, "get_status")


def comes_to(server: Server, files: int, symbols: int) -> bool:
    """True once the status has these counts: a long refresh goes on behind its answer."""
    wanted = (True, files, symbols)

    def is_there() -> bool:
        found = called(server, "get_status")
        return (found["healthy"], found["indexed_files"], found["indexed_symbols"]) == wanted

    return until(is_there)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write(tmp_path / "root", FILES)


def test_the_toolset_is_listed_and_answers(root: Path, tmp_path: Path) -> None:
    with running(root, tmp_path / "data", "--toolsets", "codeagent") as server:
        begin(server)
        listed = server.ask(1, "tools/list")["result"]["tools"]
        assert [tool["name"] for tool in listed] == [tool.name for tool in TOOLS]
        names = [item["name"] for item in called(server, "list_directory")["entries"]]
        assert names == ["repo_mcp.toml", "src"]
        assert called(server, "get_directory_tree", depth=1)["children"][1]["name"] == "src"
        assert "needle" in called(server, "read_file", path="src/a.py")["content"]
        assert called(server, "read_file", path=".env")["error"]["code"] == "not_found"
        assert called(server, "read_file", path="src/large.py")["error"]["code"] == "too_large"
        assert called(server, "index_files", paths=["src/a.py"]) == {"indexed": 1, "errors": []}
        assert server.close() == 0


@pytest.mark.requirement("CAE-lifecycle")
def test_a_server_reads_its_settings_follows_files_and_leaves_a_whole_index(
    root: Path, tmp_path: Path
) -> None:
    data = tmp_path / "data"
    with running(root, data, "--toolsets", "all") as server:
        begin(server)
        called(server, "repo.refresh_index")
        assert watched(server)["watcher_active"]
        assert comes_to(server, files=2, symbols=1)
        called(server, "index_files", paths=["src/a.py"])
        assert server.close() == 0
    manager = services(Options(str(root), str(data))).manager
    # a server that ends while it links leaves the file that it was writing
    assert {finding.severity for finding in manager.stored.check()} <= {Severity.NOTE}
    assert manager.state().files == 2
    with running(root, data, "--toolsets", "codeagent") as server:
        begin(server)
        assert comes_to(server, files=2, symbols=1)
        assert called(server, "get_status")["last_batch_at"]
        assert server.close() == 0
    # what other settings made is of no use, and made anew
    write(root, {"repo_mcp.toml": "[limits]\nmax_file_bytes = 9999\n"})
    with running(root, data, "--toolsets", "all") as server:
        begin(server)
        assert called(server, "get_status")["indexed_files"] in {0, 3}
        called(server, "repo.refresh_index")
        assert comes_to(server, files=3, symbols=2)
        assert server.close() == 0
