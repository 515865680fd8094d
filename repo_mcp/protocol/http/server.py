"""MCP over HTTP for several clients: the SDK's transports in front of the core.

Streamable HTTP at /mcp in both eras, and the older HTTP+SSE at /sse. The SDK reads and writes
messages; the core answers them as it does over stdio. Needs the extra `http`.
"""

from __future__ import annotations

import sys
import threading
import time
from contextlib import nullcontext
from typing import Any, Final, NamedTuple, NoReturn

import uvicorn
from mcp.server.lowlevel import Server
from mcp.server.sse import SseServerTransport
from mcp.server.transport_security import TransportSecuritySettings

from repo_mcp.protocol.core import Core
from repo_mcp.protocol.http.answers import CoreMiddleware
from repo_mcp.protocol.http.guard import Application, Guard, Receive, Scope, Send
from repo_mcp.protocol.stdio import leave_on_signals

_TICK: Final = 0.5
_MOST_REQUESTS: Final = 256
_SSE: Final = "/sse"
_MESSAGES: Final = "/messages/"
# the guard checks Host and Origin for all transports
_UNCHECKED: Final = TransportSecuritySettings(enable_dns_rebinding_protection=False)


class Address(NamedTuple):
    """Host, port and bearer token."""

    host: str
    port: int
    token: str


def serve(core: Core, address: Address) -> NoReturn:
    """Serve until a signal arrives; never returns."""
    config = uvicorn.Config(
        application(core, address.host, address.token),
        host=address.host,
        port=address.port,
        log_level="warning",
        access_log=False,
        server_header=False,
    )
    server = _Server(config)
    leave_on_signals()
    server.run()
    sys.exit(1 if not server.started else 0)


def application(core: Core, host: str, token: str) -> Application:
    """The server as an ASGI application."""
    server: Server[Any] = Server("repo-mcp")
    server.middleware[:] = [CoreMiddleware(core)]
    streamable = server.streamable_http_app(transport_security=_UNCHECKED)
    sse = SseServerTransport(_MESSAGES, _UNCHECKED)

    async def route(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["path"] == _SSE and scope["method"] == "GET":
            async with sse.connect_sse(scope, receive, send) as (read, write):
                await server.run(read, write, server.create_initialization_options())
        elif scope["type"] == "http" and scope["path"] == _MESSAGES:
            await sse.handle_post_message(scope, receive, send)
        else:
            await streamable(scope, receive, send)

    _keep_ticking(core)
    return Guard(route, host, token, most=_MOST_REQUESTS)


class _Server(uvicorn.Server):
    """Does not handle signals; prints its URL."""

    def capture_signals(self) -> nullcontext[None]:  # type: ignore[override]
        """Do nothing: a signal ends the process, and the index survives that."""
        return nullcontext()

    async def startup(self, sockets: Any = None) -> None:  # noqa: ANN401 as in its base
        """Begin to listen, then print the URL."""
        await super().startup(sockets)
        for listening in self.servers:
            for each in listening.sockets:
                host, port = each.getsockname()[:2]
                shown = f"[{host}]" if ":" in host else host
                text = f"repo-mcp: serving at http://{shown}:{port}/mcp"
                print(text, file=sys.stderr, flush=True)  # noqa: T201 a person reads it


def _keep_ticking(core: Core) -> None:
    def tick() -> None:
        while True:
            time.sleep(_TICK)
            core.tasks.tick()

    threading.Thread(target=tick, daemon=True).start()
