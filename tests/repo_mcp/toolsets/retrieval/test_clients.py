"""The toolset in a server started with two variables, in both eras."""

from __future__ import annotations

import asyncio
import os
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
from tests.repo_mcp.tree_files import write

pytestmark = pytest.mark.servers

Ask = Callable[[str, dict[str, Any]], Awaitable[CallToolResult]]
CALLS: list[tuple[str, dict[str, Any]]] = [
    ("search", {"query": "needle"}),
    ("open_file", {"repo": "docs", "path": "a.md"}),
    ("get_snippet", {"repo": "code", "path": "b.py", "start_line": "1", "end_line": 9}),
    ("list_dir", {"repo": "code", "path": None}),
]


@pytest.fixture
def parameters(tmp_path: Path) -> StdioServerParameters:
    """As hosts of local servers start them: no arguments, a folder that is nobody's project."""
    write(tmp_path, {"docs/a.md": "the needle\n", "code/b.py": "needle = 1\n", "home/x": ""})
    around = {
        "DOCS_ROOT": str(tmp_path / "docs"),
        "CODE_ROOT": str(tmp_path / "code"),
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
        "HOME": str(tmp_path / "home"),
        "PYTHONPATH": str(Path(__file__).parents[4]),
        "REPO_MCP_TOOLSETS": "retrieval",
    }
    return StdioServerParameters(
        command=UNHURRIED[0], args=[*UNHURRIED[1:], "serve"], env={**os.environ, **around}, cwd="/"
    )


async def use_every_tool(tools: list[Tool], ask: Ask) -> None:
    schemas = {tool.name: tool.output_schema for tool in tools}
    assert list(schemas) == [name for name, _ in CALLS]
    for name, arguments in CALLS:
        called = await ask(name, arguments)
        schema = schemas[name]
        assert schema is not None
        assert isinstance(called.structured_content, dict)
        check_shape(called.structured_content, schema)
        assert isinstance(called.content[0], TextContent)
        assert not called.is_error
        assert "needle" in called.model_dump_json() or name == "list_dir"
    refused = await ask("open_file", {"repo": "docs", "path": "../code/b.py"})
    assert refused.is_error
    assert isinstance(refused.structured_content, dict)
    assert refused.structured_content["error"]["code"] == "PATH_OUTSIDE_ROOT"
    assert isinstance(refused.content[0], TextContent)
    assert "PATH_OUTSIDE_ROOT" in refused.content[0].text


@pytest.mark.requirement("RET-CLIENTS")
def test_a_host_that_begins_with_a_handshake(parameters: StdioServerParameters) -> None:
    async def talk() -> None:
        async with (
            stdio_client(parameters) as (read, write_),
            ClientSession(read, write_) as session,
        ):
            assert (await session.initialize()).instructions
            await use_every_tool((await session.list_tools()).tools, session.call_tool)

    asyncio.run(talk())


@pytest.mark.requirement("RET-CLIENTS")
def test_a_host_that_probes_for_the_new_era_first(
    parameters: StdioServerParameters, tmp_path: Path
) -> None:
    async def talk() -> None:
        async with Client(stdio_client(parameters)) as client:
            await use_every_tool((await client.list_tools()).tools, client.call_tool)

    asyncio.run(talk())
    # all that was written lies in the folder for caches
    written = {path.name for path in tmp_path.iterdir()}
    assert written == {"docs", "code", "home", "cache"}
    assert sorted(path.name for path in (tmp_path / "docs").iterdir()) == ["a.md"]
