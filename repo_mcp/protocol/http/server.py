"""MCP over HTTP for several clients: the SDK's transports in front of the core.

Streamable HTTP at /mcp in both eras, and the older HTTP+SSE at /sse. The SDK reads and writes
messages; the core answers them as it does over stdio. Needs the extra `http`.
"""

from __future__ import annotations

import threading
import time
from typing import Any, Final, NoReturn

from mcp.server.lowlevel import Server
from mcp.server.sse import SseServerTransport
from mcp.server.transport_security import TransportSecuritySettings

from repo_mcp.allocator import share_arena
from repo_mcp.console import print_error
from repo_mcp.protocol.core import Core
from repo_mcp.protocol.http.answers import CoreMiddleware
from repo_mcp.protocol.http.connection_table import Clock, ConnectionTable
from repo_mcp.protocol.http.guard import BearerRules, Guard, Receive, Scope, Send
from repo_mcp.protocol.http.limits import LIMITS, HttpLimits
from repo_mcp.protocol.http.listener import Address, HttpServer, run

_TICK: Final = 0.5
_SSE: Final = "/sse"
_MESSAGES: Final = "/messages/"
# the guard checks Host and Origin for all transports
_UNCHECKED: Final = TransportSecuritySettings(enable_dns_rebinding_protection=False)


def serve(core: Core, address: Address, token: str, clock: Clock = time.monotonic) -> NoReturn:
    """Serve until a signal arrives; never returns."""
    guard = application(core, address.host, token)
    run(HttpServer(guard, address, ConnectionTable(LIMITS, clock), _announce))


def application(core: Core, host: str, token: str, limits: HttpLimits = LIMITS) -> Guard:
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
    return Guard(route, BearerRules(host, token), most=limits.requests)


def _announce(base: str) -> None:
    print_error(f"repo-mcp: serving at {base}/mcp")


def _keep_ticking(core: Core) -> None:
    def tick() -> None:
        while True:
            time.sleep(_TICK)
            core.tasks.tick()

    share_arena()
    threading.Thread(target=tick, daemon=True).start()
