"""Listens for HTTP: uvicorn with a `Connection` before its protocol; knows nothing of MCP."""

from __future__ import annotations

import sys
from asyncio import AbstractEventLoop, Protocol
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any, Final, NoReturn, cast

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import ServerState

from index_format.tuples import NamedTuple
from repo_mcp.protocol.http.connection import AnswerWatch, Connection
from repo_mcp.protocol.http.connection_table import ConnectionTable
from repo_mcp.protocol.http.guard import Guard
from repo_mcp.protocol.stdio import leave_on_signals

# the time of connections is checked in every so many rounds of uvicorn's loop, of 0.1 s each
_ROUNDS: Final = 5


class Address(NamedTuple):
    """Host and port; port 0 is any free one."""

    host: str
    port: int


class HttpServer(uvicorn.Server):
    """Puts a `Connection` before uvicorn's protocol; handles no signals."""

    def __init__(
        self,
        guard: Guard,
        address: Address,
        table: ConnectionTable,
        announce: Callable[[str], None],
    ) -> None:
        """`announce` is called with the URL of each address once it is listened at."""
        self._guard = guard
        self._table = table
        self._announce = announce
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
            timeout_keep_alive=round(2 * limits.idle_seconds),
        )
        super().__init__(config)

    def capture_signals(self) -> nullcontext[None]:  # type: ignore[override]
        """Do nothing: a signal ends the process, and the index survives that."""
        return nullcontext()

    async def startup(self, sockets: Any = None) -> None:  # noqa: ANN401 as in its base
        """Begin to listen, then announce it."""
        await super().startup(sockets)
        for listening in self.servers:
            for each in listening.sockets:
                with each.dup() as same:
                    same.listen(self._table.limits.backlog)
                host, port = each.getsockname()[:2]
                shown = f"[{host}]" if ":" in host else host
                self._announce(f"http://{shown}:{port}")

    async def on_tick(self, counter: int) -> bool:
        """Close connections whose time is over."""
        if counter % _ROUNDS == 0:
            self._table.check_times()
        return await super().on_tick(counter)

    def _make_connection(
        self,
        config: uvicorn.Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: AbstractEventLoop | None = None,
    ) -> Protocol:
        def library(state: dict[str, Any]) -> Protocol:
            return H11Protocol(config, server_state, {**app_state, **state}, _loop)

        return Connection(self._table, self._guard.judge, library)


def run(server: HttpServer) -> NoReturn:
    """Serve until a signal arrives; never returns."""
    leave_on_signals()
    server.run()
    sys.exit(1 if not server.started else 0)
