"""The SDK's own client against the real server, in both eras."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from mcp import ClientSession, StdioServerParameters
from mcp.client.client import Client
from mcp.client.stdio import stdio_client
from mcp_types import CallToolResult, TextContent, Tool

from docs.sample_shop import commit_files
from tests.repo_mcp.schemas import check_shape
from tests.repo_mcp.server_process import UNHURRIED
from tests.repo_mcp.trees import write

pytestmark = pytest.mark.servers

Ask = Callable[[str, dict[str, Any]], Awaitable[CallToolResult]]


@pytest.fixture
def parameters(tmp_path: Path) -> StdioServerParameters:
    root = write(tmp_path / "root", {"a.py": "def needle(): pass\n", ".env": "TOKEN=hidden"})
    commit_files(root)
    arguments = ["serve", "--repo-root", str(root), "--data-dir", str(tmp_path / "data")]
    return StdioServerParameters(command=UNHURRIED[0], args=[*UNHURRIED[1:], *arguments])


async def use_every_tool(tools: list[Tool], ask: Ask) -> None:
    schemas = {tool.name: tool.output_schema for tool in tools}
    found: dict[str, dict[str, Any]] = {}
    calls: list[tuple[str, dict[str, Any]]] = [
        ("repo.status", {}),
        ("repo.refresh_index", {"force": False}),
        ("repo.search", {"query": "needle"}),
        ("repo.list_files", {"glob": "*.py", "max_results": "5"}),
        ("repo.outline", {"path": "a.py"}),
        ("repo.symbol", {"name": "needle"}),
        ("repo.ask", {"names": ["needle"]}),
        ("repo.history", {"text": "needle"}),
        ("repo.changes", {}),
        ("repo.build_context_bundle", {"prompt": "what is needle?", "budget": {"max_files": 1}}),
        ("repo.open_file", {"path": "a.py", "start_line": 1, "end_line": 1}),
        ("repo.audit_log", {"limit": 20}),
    ]
    for name, arguments in calls:
        called = await ask(name, arguments)
        schema = schemas.pop(name)
        assert isinstance(called.structured_content, dict)
        if schema is not None:  # some tools are for people: docs/tools.md describes their answers
            check_shape(called.structured_content, schema)
        assert isinstance(called.content[0], TextContent)
        assert not called.is_error
        assert called.structured_content["ok"] is True
        found[name] = called.structured_content["result"]
    assert schemas == {}
    assert found["repo.refresh_index"]["added"] == 1
    assert found["repo.search"]["hits"][0]["path"] == "a.py"
    assert found["repo.open_file"]["text"] == "1: def needle(): pass"
    assert [item["path"] for item in found["repo.list_files"]["files"]] == ["a.py"]
    assert [item["name"] for item in found["repo.outline"]["symbols"]] == ["needle"]
    cited = [item["citation"] for item in found["repo.build_context_bundle"]["excerpts"]]
    assert cited == ["a.py:1"]
    told = [item["tool"] for item in found["repo.audit_log"]["calls"]]
    assert told == [name for name, _ in reversed(calls[:-1])]
    blocked = await ask("repo.open_file", {"path": ".env"})
    assert blocked.is_error
    assert isinstance(blocked.structured_content, dict)
    assert blocked.structured_content["blocked"] is True
    assert "hidden" not in blocked.model_dump_json()


@pytest.mark.requirement("INT-11-envelope")
def test_a_session_with_a_handshake(parameters: StdioServerParameters) -> None:
    async def talk() -> None:
        async with (
            stdio_client(parameters) as (read, write_),
            ClientSession(read, write_) as session,
        ):
            hello = await session.initialize()
            assert hello.server_info.name == "repo-mcp"
            assert hello.instructions
            tools = (await session.list_tools()).tools
            await use_every_tool(tools, session.call_tool)

    asyncio.run(talk())


def test_a_client_that_probes_for_the_new_era_first(parameters: StdioServerParameters) -> None:
    async def talk() -> None:
        async with Client(stdio_client(parameters)) as client:
            tools = (await client.list_tools()).tools
            await use_every_tool(tools, client.call_tool)

    asyncio.run(talk())
