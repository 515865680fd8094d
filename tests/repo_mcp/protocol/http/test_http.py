"""The real server over HTTP on this machine: both eras, the older transport, several at once."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp import Client, ClientSession, types
from mcp.client.sse import sse_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPDeprecationWarning

from tests.repo_mcp.server_process import UNHURRIED
from tests.repo_mcp.trees import write
from tests.waiting import HANG, until

pytestmark = pytest.mark.servers

PHRASE = "sesame"
ALLOWED = {"authorization": f"Bearer {PHRASE}"}


@contextmanager
def serving(folder: Path) -> Iterator[tuple[str, int]]:
    """The address of a server and the number of its process."""
    root = write(folder / "root", {"a.py": "def needle(): pass\n", ".env": "TOKEN=hidden"})
    where = ["--repo-root", str(root), "--data-dir", str(folder / "data"), "--no-watch"]
    command = [*UNHURRIED, "serve", "--http", "--http-port", "0", *where]
    told = {**os.environ, "REPO_MCP_HTTP_TOKEN": PHRASE}
    with subprocess.Popen(command, stderr=subprocess.PIPE, env=told) as process:
        assert process.stderr
        said = process.stderr.readline().decode()
        try:
            yield said.split()[-1], process.pid
            process.terminate()
            assert process.wait(HANG) == -signal.SIGTERM
            assert process.stderr.read() == b""
        finally:
            process.kill()


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with serving(tmp_path_factory.mktemp("http")) as (address, _):
        yield address


@asynccontextmanager
async def client(url: str, mode: str, **more: Any) -> AsyncIterator[Client]:  # noqa: ANN401 the client's
    async with httpx2.AsyncClient(headers=ALLOWED, timeout=HANG) as http:
        transport = streamable_http_client(url, http_client=http)
        async with Client(transport, mode=mode, **more) as found:
            yield found


async def found(ask: Any) -> str:  # noqa: ANN401 two kinds of client
    answer = await ask("repo.search", {"query": "needle"})
    hits: list[dict[str, Any]] = answer.structured_content["result"]["hits"]
    return str(hits[0]["path"])


@pytest.mark.requirement("CAE-transport")
@pytest.mark.parametrize(("mode", "version"), [("legacy", "2025-11-25"), ("auto", "2026-07-28")])
def test_both_eras_are_served(url: str, mode: str, version: str) -> None:
    async def talk() -> None:
        async with client(url, mode) as mine:
            assert mine.protocol_version == version
            assert (await mine.list_tools()).tools[0].name.startswith("repo.")
            assert await found(mine.call_tool) == "a.py"
            read = await mine.read_resource("repo:///a.py")
            assert isinstance(read.contents[0], types.TextResourceContents)
            assert read.contents[0].text == "def needle(): pass\n"
            blocked = await mine.call_tool("repo.open_file", {"path": ".env"})
            assert "hidden" not in blocked.model_dump_json()

    asyncio.run(talk())


@pytest.mark.requirement("CAE-transport")
def test_the_older_transport_is_served(url: str) -> None:
    async def talk() -> None:
        where = url.removesuffix("/mcp") + "/sse"
        async with (
            sse_client(where, headers=ALLOWED) as (read, write_),
            ClientSession(read, write_) as session,
        ):
            await session.initialize()
            assert await found(session.call_tool) == "a.py"

    asyncio.run(talk())


@pytest.mark.requirement("CAE-transport")
def test_several_clients_are_served_at_once(url: str) -> None:
    async def one(mode: str) -> str:
        async with client(url, mode) as mine:
            return await found(mine.call_tool)

    async def talk() -> None:
        modes = ["legacy", "auto"] * 4
        assert await asyncio.gather(*map(one, modes)) == ["a.py"] * 8

    asyncio.run(talk())


def test_a_root_that_is_replaced_is_noticed(tmp_path: Path) -> None:
    root = tmp_path / "root"

    async def talk(where: str) -> None:
        async with client(where, "auto") as mine:
            assert await found(mine.call_tool) == "a.py"
            root.rename(tmp_path / "moved")
            missing = await mine.call_tool("repo.search", {"query": "needle"})
            assert missing.structured_content["result"]["code"] == "root_missing"
            write(root, {"b.py": "def needle(): pass\n"})
            again = await mine.call_tool("repo.search", {"query": "needle"})
            assert [hit["path"] for hit in again.structured_content["result"]["hits"]] == ["b.py"]
            assert "was removed or replaced" in again.structured_content["warnings"][0]

    with serving(tmp_path) as (where, _):
        asyncio.run(talk(where))


@pytest.mark.parametrize("path", ["/mcp", "/sse", "/messages/", "/elsewhere"])
def test_nothing_is_told_without_the_token(url: str, path: str) -> None:
    where = url.removesuffix("/mcp") + path
    for headers in ({}, {"authorization": "Bearer other"}):
        assert httpx2.post(where, headers=headers, json={}).status_code == 401
        assert httpx2.get(where, headers=headers).status_code == 401


@pytest.mark.parametrize(("name", "status"), [("host", 421), ("origin", 403)])
def test_other_peoples_pages_are_refused(url: str, name: str, status: int) -> None:
    headers = {**ALLOWED, name: "http://evil.example" if name == "origin" else "evil.example"}
    assert httpx2.post(url, headers=headers, json={}).status_code == status


def test_a_level_of_log_is_checked(url: str) -> None:
    async def talk() -> None:
        async with client(url, "legacy") as mine:
            await mine.session.set_logging_level("debug")

    with pytest.warns(MCPDeprecationWarning):
        asyncio.run(talk())


def test_a_token_is_made_up_where_none_is_set(tmp_path: Path) -> None:
    places = ["--repo-root", str(tmp_path), "--data-dir", str(tmp_path / "data")]
    command = [*UNHURRIED, "serve", "--http", "--http-port", "0", *places]
    told = {name: value for name, value in os.environ.items() if name != "REPO_MCP_HTTP_TOKEN"}
    with subprocess.Popen(command, stderr=subprocess.PIPE, env=told) as process:
        assert process.stderr
        try:
            token = process.stderr.readline().decode().split()[-1]
            assert len(token) == 48
            where = process.stderr.readline().decode().split()[-1]
            allowed = {"authorization": f"Bearer {token}"}
            assert httpx2.post(where, headers=allowed, json={}).status_code == 400
        finally:
            process.kill()


def memory(process: int) -> int:
    """The memory of a process in bytes."""
    status = Path(f"/proc/{process}/status").read_text(encoding="ascii")
    (line,) = (line for line in status.splitlines() if line.startswith("VmRSS:"))
    return int(line.split()[1]) * 1024


@contextmanager
def files(count: int) -> Iterator[None]:
    """Let this process have so many open files."""
    import resource  # noqa: PLC0415 not on every system

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < count:
        pytest.skip(f"needs {count} open files")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, count), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.mark.skipif(sys.platform != "linux", reason="memory is read from /proc")
def test_connections_without_token_take_little_and_keep_out_nobody(tmp_path: Path) -> None:
    async def call(url: str) -> str:
        async with client(url, "auto") as mine:
            return await found(mine.call_tool)

    begun = b"POST /mcp HTTP/1.1\r\nHost: localhost\r\n"
    with serving(tmp_path) as (url, process), files(4000), ExitStack() as held:
        host, _, port = url.split("/")[2].partition(":")
        assert asyncio.run(call(url)) == "a.py"
        before = memory(process)
        for sent in [begun[:10]] * 1000 + [begun + b"a: " + b"b" * 16_000] * 1000:
            wire = held.enter_context(socket.create_connection((host, int(port))))
            with suppress(ConnectionError):
                wire.sendall(sent)
        assert asyncio.run(call(url)) == "a.py"
        assert memory(process) - before < 50_000_000
        assert until(lambda: len(list(Path(f"/proc/{process}/fd").iterdir())) < 200)
