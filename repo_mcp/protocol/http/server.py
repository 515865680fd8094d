"""MCP over HTTP for several clients: the SDK's transports in front of the core.

Streamable HTTP at /mcp in both eras, and the older HTTP+SSE at /sse. The SDK reads and writes
messages; the core answers them as it does over stdio. uvicorn listens and writes HTTP; a
`Connection` stands before its protocol. Needs the extra `http`.
"""

from __future__ import annotations

import math
import sys
import threading
import time
from asyncio import AbstractEventLoop, Protocol
from contextlib import nullcontext
from typing import Any, Final, NamedTuple, NoReturn, cast

import uvicorn
from mcp.server.lowlevel import Server
from mcp.server.sse import SseServerTransport
from mcp.server.transport_security import TransportSecuritySettings
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import ServerState

from repo_mcp.allocator import share_arena
from repo_mcp.console import print_error
from repo_mcp.protocol.core import Core
from repo_mcp.protocol.http.answers import CoreMiddleware
from repo_mcp.protocol.http.connection import AnswerWatch, Connection
from repo_mcp.protocol.http.connection_table import Clock, ConnectionTable
from repo_mcp.protocol.http.guard import Guard, Receive, Scope, Send
from repo_mcp.protocol.http.limits import LIMITS, Limits
from repo_mcp.protocol.stdio import leave_on_signals

_TICK: Final = 0.5
# the time of connections is checked in every so many rounds of uvicorn's loop, of 0.1 s each
_ROUNDS: Final = 5
# seconds that requests may take to notice that the server ends
_END_SECONDS: Final = 5
_SSE: Final = "/sse"
_MESSAGES: Final = "/messages/"
# the guard checks Host and Origin for all transports
_UNCHECKED: Final = TransportSecuritySettings(enable_dns_rebinding_protection=False)


class Address(NamedTuple):
    """Host, port and bearer token."""

    host: str
    port: int
    token: str


def serve(core: Core, address: Address, clock: Clock = time.monotonic) -> NoReturn:
    """Serve until a signal arrives; never returns."""
    guard = application(core, address.host, address.token)
    server = HttpServer(guard, address, ConnectionTable(LIMITS, clock))
    leave_on_signals()
    server.run()
    sys.exit(1 if not server.started else 0)


def application(core: Core, host: str, token: str, limits: Limits = LIMITS) -> Guard:
    """The server as an ASGI application."""
    server: Server[Any] = Server("repo-mcp")
    server.middleware[:] = [CoreMiddleware(core)]
    streamable = server.streamable_http_app(
        transport_security=_UNCHECKED,
        max_request_body_size=limits.body_bytes,
        max_sessions=limits.sessions,
    )
    sse = SseServerTransport(_MESSAGES, _UNCHECKED, limits.body_bytes)

    async def route(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["path"] == _SSE and scope["method"] == "GET":
            async with sse.connect_sse(scope, receive, send) as (read, write):
                await server.run(read, write, server.create_initialization_options())
        elif scope["type"] == "http" and scope["path"] == _MESSAGES:
            await sse.handle_post_message(scope, receive, send)
        else:
            await streamable(scope, receive, send)

    _keep_ticking(core)
    return Guard(route, host, token, most=limits.requests)


class HttpServer(uvicorn.Server):
    """Puts a `Connection` before uvicorn's protocol; handles no signals; prints its URL."""

    def __init__(self, guard: Guard, address: Address, table: ConnectionTable) -> None:
        self._guard = guard
        self._table = table
        limits = table.limits
        config = uvicorn.Config(
            AnswerWatch(guard),
            host=address.host,
            port=address.port,
            # neither the loop nor the parser depends on what else is installed
            loop="asyncio",
            http=cast("type[Protocol]", self._make_connection),
            ws="none",
            log_level="warning",
            access_log=False,
            server_header=False,
            # asyncio accepts as many in one round as it lets wait: `startup` sets them apart
            backlog=limits.accepts,
            # the table closes idle connections, by its own clock; uvicorn must not come first
            timeout_keep_alive=math.ceil(limits.idle_seconds) + _END_SECONDS,
            timeout_graceful_shutdown=_END_SECONDS,
        )
        super().__init__(config)

    def capture_signals(self) -> nullcontext[None]:  # type: ignore[override]
        """Do nothing: a signal ends the process, and the index survives that."""
        return nullcontext()

    async def startup(self, sockets: Any = None) -> None:  # noqa: ANN401 as in its base
        """Begin to listen, then print the URL."""
        await super().startup(sockets)
        for listening in self.servers:
            for each in listening.sockets:
                with each.dup() as same:
                    same.listen(self._table.limits.backlog)
                host, port = each.getsockname()[:2]
                shown = f"[{host}]" if ":" in host else host
                print_error(f"repo-mcp: serving at http://{shown}:{port}/mcp")

    async def on_tick(self, counter: int) -> bool:
        """Close connections whose time is over."""
        if counter % _ROUNDS == 0:
            self._table.check_times()
        return await super().on_tick(counter)

    async def shutdown(self, sockets: Any = None) -> None:  # noqa: ANN401 as in its base
        """Close all connections: nothing is lost by that, and streams would never end."""
        for listening in self.servers:
            listening.close()
        self._table.end()
        await super().shutdown(sockets)

    def _make_connection(
        self,
        config: uvicorn.Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: AbstractEventLoop | None = None,
    ) -> Protocol:
        def library(state: dict[str, Any]) -> Protocol:
            return H11Protocol(config, server_state, {**app_state, **state}, _loop)

        return Connection(self._table, self._guard.refusal, library)


def _keep_ticking(core: Core) -> None:
    def tick() -> None:
        while True:
            time.sleep(_TICK)
            core.tasks.tick()

    share_arena()
    threading.Thread(target=tick, daemon=True).start()
