"""The HTTP server over sockets, with a small application behind it and a clock that tests move."""

from __future__ import annotations

import asyncio
import gc
import socket
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from repo_mcp.protocol.http.connection import Connection
from repo_mcp.protocol.http.connection_table import ConnectionTable
from repo_mcp.protocol.http.guard import BearerRules, Guard, SingleToken
from repo_mcp.protocol.http.limits import HttpLimits
from repo_mcp.protocol.http.listener import Address, HttpServer
from tests.repo_mcp.clocks import Clock
from tests.waiting import HANG

PHRASE = "sesame"
HOST = b"Host: localhost\r\n"
BEARER = b"Authorization: Bearer sesame\r\n"
POLL = 0.01


def request(path: bytes, *headers: bytes, body: bytes = b"") -> bytes:
    lines = b"".join(header + b"\r\n" for header in headers)
    length = b"Content-Length: %d\r\n" % len(body) if body else b""
    return b"POST " + path + b" HTTP/1.1\r\n" + HOST + BEARER + lines + length + b"\r\n" + body


async def application(scope: Any, receive: Any, send: Any) -> None:  # noqa: ANN401 ASGI
    """Tells the length of a body; /stream sends until the client is gone, /early does not read."""
    assert scope["type"] == "http"
    path, size = scope["path"], 0
    if path != "/early":
        while (message := await receive())["type"] == "http.request":
            size += len(message["body"])
            if not message["more_body"]:
                break
    await send({"type": "http.response.start", "status": 200, "headers": []})
    text = b"%d bytes" % size
    await send({"type": "http.response.body", "body": text, "more_body": path == "/stream"})
    if path == "/stream":
        while (await receive())["type"] != "http.disconnect":
            pass


class Setting:
    """A server that runs in this thread."""

    def __init__(self, limits: HttpLimits) -> None:
        self.clock = Clock()
        self.table = ConnectionTable(limits, self.clock)
        guard = Guard(
            application, BearerRules("127.0.0.1", SingleToken(PHRASE)), most=limits.requests
        )
        self.server = HttpServer(guard, Address("127.0.0.1", 0), self.table, lambda _: None)
        self.port = 0

    @property
    def unproven(self) -> int:
        return len(self.table._unproven.members)

    @property
    def proven(self) -> int:
        return len(self.table._proven.members)

    def end(self) -> None:
        """End the server; a program ends by a signal."""
        for listening in self.server.servers:
            listening.close()
        for member in [*self.table._unproven.members, *self.table._proven.members]:
            assert isinstance(member, Connection)
            member.end()
        self.server.should_exit = True

    async def connect(self, sent: bytes = b"") -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        writer.write(sent)
        return reader, writer

    async def say(self, sent: bytes) -> bytes:
        """All that is answered until the server closes the connection."""
        reader, writer = await self.connect(sent)
        answer = await reader.read()
        writer.close()
        return answer


async def until(condition: Callable[[], bool]) -> None:
    for _ in range(int(HANG / POLL)):
        if condition():
            return
        await asyncio.sleep(POLL)
    raise AssertionError


@asynccontextmanager
async def running(limits: HttpLimits) -> AsyncIterator[Setting]:
    setting = Setting(limits)
    serving = asyncio.create_task(setting.server.serve())
    await until(lambda: setting.server.started)
    setting.port = setting.server.servers[0].sockets[0].getsockname()[1]
    try:
        yield setting
    finally:
        setting.end()
        await serving


def talk(
    conversation: Callable[[Setting], Awaitable[None]], limits: HttpLimits | None = None
) -> None:
    async def run() -> None:
        async with running(limits or HttpLimits()) as setting, asyncio.timeout(HANG):
            await conversation(setting)

    asyncio.run(run())


async def answered(reader: asyncio.StreamReader, text: bytes) -> bytes:
    """An answer whose chunked body has this text, headers included."""
    return await reader.readuntil(b"%x\r\n%b\r\n0\r\n\r\n" % (len(text), text))


CLOSED = [
    (b"POST /echo HTTP/1.1\r\n" + HOST + b"Content-Length: 5\r\n\r\nhello", 401),
    (b"POST /echo HTTP/1.1\r\n" + HOST + b"Expect: 100-continue\r\n\r\n", 401),
    (request(b"/echo", b"Content-Length: 1", b"Transfer-Encoding: chunked"), 400),
    (request(b"/echo", b"Content-Length: 1", b"Content-Length: 1"), 400),
    (request(b"/echo", b"Transfer-Encoding: chunked") + b"x\r\n", 400),
    (request(b"/echo", b"Transfer-Encoding: chunked") + b"1\na\r\n0\r\n\r\n", 400),
    (request(b"/echo", b"Transfer-Encoding: chunked") + b"1;" + b"a" * 999 + b"\r\n", 400),
    (request(b"/echo").replace(b"\r\n", b"\n"), 400),
    (request(b"/echo", b"a: b\rc: d"), 400),
    (request(b"/" + b"a" * 9000), 414),
    (request(b"/echo", b"a: " + b"b" * 17_000), 431),
    (request(b"/echo", *[b"a: b"] * 200), 431),
    (request(b"/echo", b"Content-Length: 5000000"), 413),
    (request(b"/echo", b"Expect: other"), 417),
]


@pytest.mark.parametrize(("sent", "status"), CLOSED)
def test_what_is_refused_is_answered_once_and_closed(sent: bytes, status: int) -> None:
    async def conversation(setting: Setting) -> None:
        answer = await setting.say(sent + request(b"/echo"))
        assert answer.startswith(b"HTTP/1.1 %d " % status)
        assert answer.count(b"HTTP/1.1 ") == 1

    talk(conversation)


def test_a_refusal_reaches_who_is_still_sending() -> None:
    async def conversation(setting: Setting) -> None:
        wrong = request(b"/echo", body=b"a" * 1_000_000).replace(BEARER, b"")
        assert (await setting.say(wrong)).startswith(b"HTTP/1.1 401 ")

    talk(conversation)


def test_a_body_is_asked_for_when_the_token_is_right() -> None:
    async def conversation(setting: Setting) -> None:
        reader, writer = await setting.connect(
            request(b"/echo", b"Expect: 100-continue", b"Content-Length: 5")
        )
        assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 100 ")
        writer.write(b"hello")
        assert (await answered(reader, b"5 bytes")).startswith(b"HTTP/1.1 200 ")
        writer.close()

    talk(conversation)


@pytest.mark.parametrize("together", [True, False])
def test_requests_on_one_connection_are_answered_in_order(*, together: bool) -> None:
    async def conversation(setting: Setting) -> None:
        chunked = request(b"/echo", b"Transfer-Encoding: chunked")
        asked = [
            (request(b"/echo", body=b"a" * 5), b"5 bytes"),
            (chunked + b"3\r\nabc\r\n1;x\r\nd\r\n0\r\n\r\n", b"4 bytes"),
            (request(b"/early", body=b"a" * 200_000), b"0 bytes"),
            (request(b"/echo", body=b"a" * 200_000), b"200000 bytes"),
        ]
        if together:
            # what comes before its time is limited
            asked = asked[:2]
        reader, writer = await setting.connect()
        if together:
            writer.write(b"".join(sent for sent, _ in asked))
        for sent, expected in asked:
            if not together:
                writer.write(sent)
            assert (await answered(reader, expected)).startswith(b"HTTP/1.1 200 ")
        writer.close()

    talk(conversation)


def test_half_open_connections_go_when_their_time_is_over() -> None:
    async def conversation(setting: Setting) -> None:
        streaming, stream = await setting.connect(request(b"/stream"))
        await streaming.readuntil(b"0 bytes\r\n")
        sent = [b"", b"POST /ec", request(b"/echo", b"Content-Length: 9") + b"a"]
        half = [await setting.connect(begun) for begun in sent * 10]
        await until(lambda: (setting.unproven, setting.proven) == (20, 11))
        setting.clock.advance(20)
        for (reader, writer), begun in zip(half, sent * 10, strict=True):
            answer = await reader.read()
            assert answer.startswith(b"HTTP/1.1 408 ") if begun else answer == b""
            writer.close()
        setting.clock.advance(1e6)
        await until(lambda: setting.unproven == 0)
        # what the server keeps open is not idle
        assert setting.proven == 1
        assert not streaming.at_eof()
        stream.close()
        await until(lambda: setting.proven == 0)

    talk(conversation)


def test_a_full_table_keeps_out_nobody_with_the_token() -> None:
    async def conversation(setting: Setting) -> None:
        kept, keeper = await setting.connect(request(b"/echo"))
        await answered(kept, b"0 bytes")
        half = [await setting.connect(b"POST /ec") for _ in range(20)]
        for _ in range(5):
            reader, writer = await setting.connect(request(b"/echo", b"Connection: close"))
            assert (await reader.read()).startswith(b"HTTP/1.1 200 ")
            writer.close()
        answers = [await reader.read() for reader, _ in half[:16]]
        assert all(answer.startswith(b"HTTP/1.1 503 ") for answer in answers)
        assert all(b"\r\nretry-after: 1\r\n" in answer for answer in answers)
        assert setting.unproven <= 4
        keeper.write(request(b"/echo"))
        await answered(kept, b"0 bytes")
        for _, writer in [*half, (kept, keeper)]:
            writer.close()

    talk(conversation, HttpLimits(unproven=4, unproven_per_peer=4))


def test_of_many_that_come_at_once_those_with_the_token_get_in() -> None:
    async def conversation(setting: Setting) -> None:
        sent = [request(b"/echo", b"Connection: close")] + [b"POST /ec"] * 40
        # the server runs in this thread, so that it finds all of them waiting
        wires = [socket.create_connection(("127.0.0.1", setting.port)) for _ in sent]
        for wire, begun in zip(wires, sent, strict=True):
            wire.sendall(begun)
        reader, writer = await asyncio.open_connection(sock=wires[0])
        assert (await reader.read()).startswith(b"HTTP/1.1 200 ")
        await until(lambda: setting.unproven == 2)
        for wire in wires[1:]:
            wire.close()
        writer.close()

    talk(conversation, HttpLimits(unproven=2, unproven_per_peer=2))


def test_few_connections_are_accepted_in_one_round() -> None:
    async def conversation(setting: Setting) -> None:
        sent = [b"POST /ec"] * 100 + [request(b"/echo", b"Connection: close")]
        # the server runs in this thread, so that it finds all of them waiting
        wires = [socket.create_connection(("127.0.0.1", setting.port)) for _ in sent]
        for wire, begun in zip(wires, sent, strict=True):
            wire.sendall(begun)
        reader, writer = await asyncio.open_connection(sock=wires[-1])
        answer, most = asyncio.create_task(reader.read()), 0
        while not answer.done():
            most = max(most, setting.unproven)
            await asyncio.sleep(0)
        assert answer.result().startswith(b"HTTP/1.1 200 ")
        assert most < 30
        for wire in wires[:-1]:
            wire.close()
        writer.close()

    talk(conversation, HttpLimits(unproven=2, unproven_per_peer=2, accepts=4))


def test_idle_connections_are_no_requests() -> None:
    async def conversation(setting: Setting) -> None:
        wires = [await setting.connect() for _ in range(3)]
        for reader, writer in wires:
            writer.write(request(b"/echo"))
            await answered(reader, b"0 bytes")
        assert setting.proven == 3
        for _, writer in wires:
            writer.close()

    talk(conversation, HttpLimits(requests=1))


def test_connections_of_every_kind_can_be_ended() -> None:
    async def run() -> None:
        async with running(HttpLimits()) as setting:
            sent = [b"", b"POST", request(b"/stream"), request(b"/echo", b"Content-Length: 9")]
            wires = [await setting.connect(each) for each in sent]
            idle, keeper = await setting.connect(request(b"/echo"))
            await answered(idle, b"0 bytes")
            await until(lambda: (setting.unproven, setting.proven) == (2, 3))
        assert setting.server.server_state.connections == set()
        assert setting.server.server_state.tasks == set()
        for reader, writer in [*wires, (idle, keeper)]:
            with suppress(ConnectionResetError):
                await reader.read()
            writer.close()

    asyncio.run(asyncio.wait_for(run(), HANG))


@pytest.mark.skipif(sys.platform != "linux", reason="descriptors are counted in /proc")
def test_connections_that_are_gone_leave_nothing_behind() -> None:
    def sockets() -> int:
        """Count the sockets alone: threads of other tests open files in between."""
        opened = 0
        for link in Path("/proc/self/fd").iterdir():
            with suppress(FileNotFoundError):
                opened += str(link.readlink()).startswith("socket:")
        return opened

    async def conversation(setting: Setting) -> None:
        gc.collect()  # what other tests have left must not be closed in between
        before = sockets()
        kinds = [b"", b"POST /ec", request(b"/echo"), request(b"/stream"), b"\r\n"]
        for _ in range(100):
            wires = [await setting.connect(kind) for kind in kinds * 4]
            for _, writer in wires:
                writer.close()
        await until(lambda: (setting.unproven, setting.proven) == (0, 0))
        await until(lambda: sockets() <= before)
        assert setting.server.server_state.connections == set()
        await until(lambda: not setting.server.server_state.tasks)

    talk(conversation)


def test_the_limits_are_documented() -> None:
    page = (Path(__file__).parents[4] / "docs" / "http.md").read_text(encoding="utf-8")
    limits = page.partition("## Limits")[2].splitlines()
    rows = dict(line.strip("| ").split(" | ")[:2] for line in limits if line.startswith("| `"))
    shown = {name: f"{value:,.0f}" for name, value in HttpLimits()._asdict().items()}
    assert {name.strip("`"): value for name, value in rows.items()} == shown
