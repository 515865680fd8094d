"""The SDK's own client drives every tool of the toolset `codeagent`, in both eras."""

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

from tests.repo_mcp.schemas import check_shape
from tests.repo_mcp.server_process import UNHURRIED
from tests.repo_mcp.trees import write
from tests.waiting import HANG

pytestmark = pytest.mark.servers

Ask = Callable[[str, dict[str, Any]], Awaitable[CallToolResult]]
FILES: dict[str, str | bytes] = {
    "a.py": "class Base:\n    def run(self): ...\n\n\ndef needle():\n    return Base().run()\n",
    "b.py": (
        "from a import Base, needle\n\n\nclass Own(Base):\n    def run(self):\n        needle()\n"
    ),
}
LINKING = "linked for the first time"


@pytest.fixture
def parameters(tmp_path: Path) -> StdioServerParameters:
    root = write(tmp_path / "root", FILES)
    where = ["--repo-root", str(root), "--data-dir", str(tmp_path / "data")]
    arguments = ["serve", *where, "--toolsets", "codeagent"]
    return StdioServerParameters(command=UNHURRIED[0], args=[*UNHURRIED[1:], *arguments])


async def linked(ask: Ask) -> dict[str, str]:
    """Ids of all symbols by name, once the graph is linked as far as it can be."""
    data: Any = None
    for _ in range(int(HANG)):
        found = await ask("search_symbols", {"query": "base needle own run", "limit": 20})
        data = found.structured_content
        if not found.is_error and data["snapshot"]["complete"]:
            return {item["qualified_name"]: item["node_id"] for item in data["results"]}
        assert not found.is_error or LINKING in data["error"]["message"]
    raise AssertionError(data)


async def use_every_tool(tools: list[Tool], ask: Ask) -> None:
    schemas = {tool.name: tool.output_schema for tool in tools}
    ids = await linked(ask)
    needle, base = {"node_id": ids["a.needle"]}, {"node_id": ids["a.Base"]}
    calls: dict[str, dict[str, Any]] = {
        "list_directory": {"path": ""},
        "read_file": {"path": "a.py"},
        "get_directory_tree": {"path": ""},
        "index_files": {"paths": ["a.py"]},
        "get_status": {},
        "search_symbols": {"query": "needle"},
        "lookup_symbol": {"qualified_name": "a.needle"},
        "get_symbol": needle,
        "get_source_spans": needle,
        "get_file_outline": {"path": "a.py"},
        "get_callers": needle,
        "get_callees": needle,
        "get_implementations": base,
        "get_references": base,
        "get_dependencies": needle,
        "get_dependents": base,
        "find_similar": needle,
        "get_impact": needle,
        "get_path": {"source": "b.Own.run", "target": "a.needle"},
    }
    found: dict[str, Any] = {}
    for name, arguments in calls.items():
        called = await ask(name, arguments)
        assert not called.is_error, called
        assert isinstance(called.content[0], TextContent)
        schema = schemas.pop(name)
        assert schema is not None
        check_shape(called.structured_content, schema)
        found[name] = called.structured_content
    assert schemas == {}
    assert [row["qualified_name"] for row in found["get_callers"]["results"]] == ["b.Own.run"]
    assert {row["qualified_name"] for row in found["get_callees"]["results"]} >= {"a.Base.run"}
    assert [row["qualified_name"] for row in found["get_implementations"]["results"]] == ["b.Own"]
    refused = await ask("get_symbol", {"node_id": "0" * 16})
    assert refused.is_error


def test_a_session_with_a_handshake(parameters: StdioServerParameters) -> None:
    async def talk() -> None:
        async with (
            stdio_client(parameters) as (read, write_),
            ClientSession(read, write_) as session,
        ):
            await session.initialize()
            await use_every_tool((await session.list_tools()).tools, session.call_tool)

    asyncio.run(talk())


def test_a_client_that_probes_for_the_new_era_first(parameters: StdioServerParameters) -> None:
    async def talk() -> None:
        async with Client(stdio_client(parameters)) as client:
            await use_every_tool((await client.list_tools()).tools, client.call_tool)

    asyncio.run(talk())
