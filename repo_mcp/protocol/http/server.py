"""MCP over HTTP for several clients: the SDK's transports in front of the core.

Streamable HTTP at /mcp in both eras, and the older HTTP+SSE at /sse. The SDK reads and writes
messages; the core answers them as it does over stdio. Needs the extra `http`.
"""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections import OrderedDict
from collections.abc import Coroutine, Iterable, Mapping
from concurrent.futures import CancelledError, Future
from typing import Any, Final, NoReturn, Protocol
from weakref import finalize

from mcp import types
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.session import ServerSession
from mcp.server.sse import SseServerTransport
from mcp.server.transport_security import TransportSecuritySettings
from mcp.shared.exceptions import MCPError
from mcp.shared.message import ServerMessageMetadata

from repo_mcp.allocator import share_arena
from repo_mcp.console import print_error
from repo_mcp.protocol.call import Call, ThreadJob
from repo_mcp.protocol.core import Core
from repo_mcp.protocol.deprecated import DEFAULT_LEVEL, LOG_MESSAGE, SET_LEVEL, level_of
from repo_mcp.protocol.eras import Peer, name_of, peer_of
from repo_mcp.protocol.http.connection_table import Clock, ConnectionTable
from repo_mcp.protocol.http.fair_pool import FairPool
from repo_mcp.protocol.http.guard import (
    BearerRules,
    Bearers,
    Guard,
    Receive,
    Scope,
    Send,
    SingleToken,
    bearer_of,
)
from repo_mcp.protocol.http.limits import LIMITS, HttpLimits
from repo_mcp.protocol.http.listener import Address, HttpServer, run
from repo_mcp.protocol.http.session_owners import SessionOwners
from repo_mcp.protocol.jsonrpc import INVALID_REQUEST, Id, JsonRpcRequest, WireError
from repo_mcp.protocol.tasks import REQUEST_METHODS

# seconds between two looks: whether the program is to end, and whether a call has an answer
_TICK: Final = 0.5
_SSE: Final = "/sse"
_MESSAGES: Final = "/messages/"
# the guard checks Host and Origin for all transports
_UNCHECKED: Final = TransportSecuritySettings(enable_dns_rebinding_protection=False)
_Fields = dict[str, Any]
_NOTIFICATIONS: Final[dict[str, Any]] = {
    "notifications/progress": types.ProgressNotification,
    LOG_MESSAGE: types.LoggingMessageNotification,
    "notifications/tasks/status": types.TaskStatusNotification,
}
# seconds to wait for a client that does not read: it must not block a tool
_SEND_SECONDS: Final = 5.0
_RequestContext = ServerRequestContext[Any, Any]
_THREADS: Final = {"call": 16, "task": 4, "wait": 64}
# more than there can be sessions: streamable ones, and connections with the older transport
_MOST_LEVELS: Final = 2 * LIMITS.sessions
_HEADER_MISMATCH: Final = -32020
_AUTHORIZATION: Final = "authorization"


class Cores(Protocol):
    """The bearers who may come in, and the core that answers each."""

    def bearer(self, token: bytes) -> str | None:
        """The name of the bearer of a token; None for a token of nobody."""
        ...

    def core(self, bearer: str) -> Core:
        """The core that answers a bearer; raises `WireError` for one who is gone."""
        ...

    def open_cores(self) -> Iterable[Core]:
        """The cores that have answered."""
        ...


class SingleCore:
    """One core for the one token."""

    def __init__(self, core: Core, token: str) -> None:
        self._core = core
        self.bearer: Bearers = SingleToken(token)

    def core(self, bearer: str) -> Core:  # noqa: ARG002 all are the same
        """The core."""
        return self._core

    def open_cores(self) -> Iterable[Core]:
        """The core."""
        return (self._core,)


def serve(cores: Cores, address: Address, clock: Clock = time.monotonic) -> NoReturn:
    """Serve until a signal arrives; never returns."""
    guard = application(cores, address.host)
    run(HttpServer(guard, address, ConnectionTable(LIMITS, clock), _announce))


def application(cores: Cores, host: str, limits: HttpLimits = LIMITS) -> Guard:
    """The server as an ASGI application."""
    server: Server[Any] = Server("repo-mcp")
    server.middleware[:] = [CoreMiddleware(cores)]
    streamable = server.streamable_http_app(
        transport_security=_UNCHECKED,
        max_request_body_size=limits.body_bytes,
        max_sessions=limits.sessions,
    )
    sse = SseServerTransport(_MESSAGES, _UNCHECKED, limits.body_bytes)
    owned = SessionOwners(streamable, cores.bearer, 2 * limits.sessions)

    async def route(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["path"] == _SSE and scope["method"] == "GET":
            async with sse.connect_sse(scope, receive, send) as (read, write):
                await server.run(read, write, server.create_initialization_options())
        elif scope["type"] == "http" and scope["path"] == _MESSAGES:
            await sse.handle_post_message(scope, receive, send)
        else:
            await owned(scope, receive, send)

    _keep_ticking(cores)
    return Guard(route, BearerRules(host, cores.bearer), most=limits.requests)


def _announce(base: str) -> None:
    print_error(f"repo-mcp: serving at {base}/mcp")


def _keep_ticking(cores: Cores) -> None:
    def tick() -> None:
        while True:
            time.sleep(_TICK)
            for core in cores.open_cores():
                core.tasks.tick()

    share_arena()
    threading.Thread(target=tick, daemon=True).start()


class CoreMiddleware:
    """Answers requests itself and never calls the next handler for them."""

    def __init__(self, cores: Cores) -> None:
        self._cores = cores
        self._levels = SessionLevels(_MOST_LEVELS)
        self._pools = {kind: FairPool(most, kind) for kind, most in _THREADS.items()}

    async def __call__(self, ctx: _RequestContext, call_next: CallNext) -> HandlerResult:
        """The result of a request; notifications are passed to the SDK."""
        context = ctx
        if context.request_id is None:
            return await call_next(context)
        message = JsonRpcRequest(context.method, dict(context.params or {}), context.request_id)
        try:
            return await self._serve(context, message)
        except WireError as problem:
            raise MCPError(problem.code, problem.message, problem.data) from None

    async def _serve(self, context: _RequestContext, message: JsonRpcRequest) -> _Fields:
        owner, bearer = _connection(context), self._bearer(context)
        core = self._cores.core(bearer)
        peer = peer_of(message, _peer(context, self._levels.get(owner)))._replace(token=bearer)
        # of one token for all, each session has its turn
        turn = bearer or owner
        channel = HttpChannel(context.session, message.id, asyncio.get_running_loop())
        if peer.modern and message.method in REQUEST_METHODS:
            _check_name(context, message.params.get("taskId"))
        plan = core.plan(message, peer, channel, owner)
        if message.method == SET_LEVEL:
            self._set_level(context, owner, message.params)
        if plan.job is not None and plan.body is None:
            return await self._perform(core, plan.job, channel, turn)
        if plan.job is not None:
            channel.outlive()
            self._pools[plan.job.kind].submit(turn, plan.job.run)
        answer: _Fields = json.loads(plan.body or "{}")
        return answer

    def _bearer(self, context: _RequestContext) -> str:
        """The name of who sends a request: the guard has let it in."""
        headers = [] if context.request is None else context.request.headers.getlist(_AUTHORIZATION)
        bearer = bearer_of(headers, self._cores.bearer)
        if bearer is None:
            raise WireError(INVALID_REQUEST, "the token is not known any more")
        return bearer

    async def _perform(
        self, core: Core, job: ThreadJob, channel: HttpChannel, turn: str
    ) -> _Fields:
        """Wait until a job ends or becomes a task; a cancelled request cancels it."""
        running: Future[_Fields | None] = self._pools[job.kind].submit(turn, job.run)
        waiting = asyncio.wrap_future(running)
        waiting.add_done_callback(lambda done: done.cancelled() or done.exception())
        try:
            while not waiting.done():
                await asyncio.wait([waiting], timeout=_TICK)
                if not waiting.done():
                    task = core.promote(job.call)
                    if task is not None:
                        channel.outlive()
                        return task
                    await asyncio.to_thread(job.call.tick)
        except asyncio.CancelledError:
            job.call.cancel()
            raise
        return waiting.result() or {}

    def _set_level(self, context: _RequestContext, owner: str, params: Mapping[str, Any]) -> None:
        self._levels.set(owner, level_of(params), context.session.client_params)


class SessionLevels:
    """The log level of each session that has set one.

    A level goes with its session. If there are too many nevertheless, the one goes whose session
    has sent nothing for the longest time.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._levels: OrderedDict[str, str] = OrderedDict()

    def get(self, owner: str) -> str:
        """The level of a session, which is in use now."""
        level = self._levels.get(owner)
        if level is None:
            return DEFAULT_LEVEL
        self._levels.move_to_end(owner)
        return level

    def set(self, owner: str, level: str, life: object) -> None:
        """Set the level of a session, for as long as `life`, an object of the session, lives."""
        if owner not in self._levels and life is not None:
            finalize(life, self._levels.pop, owner, None).atexit = False
        self._levels[owner] = level
        self._levels.move_to_end(owner)
        while len(self._levels) > self._most:
            self._levels.popitem(last=False)


def _connection(context: _RequestContext) -> str:
    """The session id of a request's connection, which others can't guess."""
    request = context.request
    headers: Mapping[str, str] = {} if request is None else request.headers
    query: Mapping[str, str] = {} if request is None else request.query_params
    return headers.get("mcp-session-id") or query.get("session_id") or ""


def _check_name(context: _RequestContext, task: object) -> None:
    """Check the header against the request; the SDK does not for task methods."""
    header = None if context.request is None else context.request.headers.get("mcp-name")
    if header != task:
        raise WireError(_HEADER_MISMATCH, "the header Mcp-Name differs from taskId")


def _peer(context: _RequestContext, level: str) -> Peer:
    """The client, as declared in the handshake."""
    given = context.session.client_params
    if given is None:
        return Peer(context.protocol_version, log_level=level)
    fields = given.model_dump(by_alias=True, mode="json", exclude_none=True)
    capabilities = fields.get("capabilities", {})
    return Peer(context.protocol_version, capabilities, name_of(fields.get("clientInfo")), level)


class HttpChannel:
    """Sends messages on the request's response stream until it is answered, then separately."""

    def __init__(
        self, session: ServerSession, id_: Id | None, loop: asyncio.AbstractEventLoop
    ) -> None:
        self._session = session
        self._id = id_
        self._loop = loop

    def outlive(self) -> None:
        """Send separately from now on: the request is answered."""
        self._id = None

    def notify(self, method: str, params: _Fields) -> None:
        """Send a notification, if the client is connected."""
        notification: Any = _NOTIFICATIONS[method].model_validate(
            {"method": method, "params": params}, by_name=False
        )
        sending = self._start(self._session.send_notification(notification, self._id))
        try:
            sending.result(_SEND_SECONDS)
        except Exception:  # noqa: BLE001 any failure means that the client is gone
            sending.cancel()

    def ask(self, method: str, params: _Fields, seconds: float, call: Call) -> _Fields | None:
        """Send a request and wait for its result; None after a timeout, refusal or cancellation."""
        request = types.CreateMessageRequest.model_validate(
            {"method": method, "params": params}, by_name=False
        )
        metadata = None if self._id is None else ServerMessageMetadata(related_request_id=self._id)
        request_future = self._start(
            self._session.send_request(request, types.CreateMessageResult, seconds, metadata)
        )

        def give_up() -> None:
            request_future.cancel()

        call.when_cancelled(give_up)
        try:
            found = request_future.result(seconds + _SEND_SECONDS)
        except (MCPError, ValueError, CancelledError, TimeoutError):
            request_future.cancel()
            return None
        finally:
            call.when_cancelled(None)
        answer: _Fields = found.model_dump(by_alias=True, mode="json", exclude_none=True)
        return answer

    def _start(self, work: Coroutine[Any, Any, Any]) -> Future[Any]:
        return asyncio.run_coroutine_threadsafe(work, self._loop)
