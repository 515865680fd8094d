"""Middleware in front of the SDK's server: answers every request from our own core."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Coroutine, Mapping
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from typing import Any, Final

from mcp import types
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.session import ServerSession
from mcp.shared.exceptions import MCPError
from mcp.shared.message import ServerMessageMetadata

from repo_mcp.protocol.call import BEFORE_ASKED, LEVELS, Call, Job
from repo_mcp.protocol.core import Core
from repo_mcp.protocol.eras import Peer, name_of, peer_of
from repo_mcp.protocol.jsonrpc import INVALID_PARAMS, Id, Message, WireError
from repo_mcp.protocol.tasks import REQUEST_METHODS

Fields = dict[str, Any]
_NOTES: Final[dict[str, Any]] = {
    "notifications/progress": types.ProgressNotification,
    "notifications/message": types.LoggingMessageNotification,
    "notifications/tasks/status": types.TaskStatusNotification,
}
# a client that does not read what it is sent must not keep a tool from working
_PATIENCE: Final = 5.0
RequestContext = ServerRequestContext[Any, Any]
_THREADS: Final = {"call": 16, "task": 4, "wait": 64}
_TICK: Final = 0.5
_MOST_LEVELS: Final = 1000
_HEADER_MISMATCH: Final = -32020


class Answers:
    """The one middleware that passes no request on."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._levels: dict[str, str] = {}
        self._pools = {kind: ThreadPoolExecutor(most, kind) for kind, most in _THREADS.items()}

    async def __call__(self, ctx: RequestContext, call_next: CallNext) -> HandlerResult:
        """The result of a request; notifications are the SDK's own business."""
        context = ctx
        if context.request_id is None:
            return await call_next(context)
        message = Message(context.method, dict(context.params or {}), context.request_id)
        try:
            return await self._serve(context, message)
        except WireError as problem:
            raise MCPError(problem.code, problem.message, problem.data) from None

    async def _serve(self, context: RequestContext, message: Message) -> Fields:
        owner = _connection(context)
        peer = peer_of(message, _peer(context, self._levels.get(owner, BEFORE_ASKED)))
        line = HttpLine(context.session, message.id, asyncio.get_running_loop())
        if peer.modern and message.method in REQUEST_METHODS:
            _check_name(context, message.params.get("taskId"))
        plan = self._core.plan(message, peer, line, owner)
        if message.method == "logging/setLevel":
            self._set_level(owner, message.params)
        if plan.job is not None and plan.body is None:
            return await self._perform(plan.job, line)
        if plan.job is not None:
            line.outlive()
            self._pools[plan.job.kind].submit(plan.job.run)
        answer: Fields = json.loads(plan.body or "{}")
        return answer

    async def _perform(self, job: Job, line: HttpLine) -> Fields:
        """Wait for a job, or for its becoming a task; cancel it with the request."""
        running: Future[Fields | None] = self._pools[job.kind].submit(job.run)
        waiting = asyncio.wrap_future(running)
        waiting.add_done_callback(lambda done: done.cancelled() or done.exception())
        try:
            while not waiting.done():
                await asyncio.wait([waiting], timeout=_TICK)
                if not waiting.done():
                    task = self._core.promote(job.call)
                    if task is not None:
                        line.outlive()
                        return task
                    await asyncio.to_thread(job.call.tick)
        except asyncio.CancelledError:
            job.call.cancel()
            raise
        return waiting.result() or {}

    def _set_level(self, owner: str, params: Mapping[str, Any]) -> None:
        if params.get("level") not in LEVELS:
            raise WireError(INVALID_PARAMS, f"level is one of {', '.join(LEVELS)}")
        if len(self._levels) >= _MOST_LEVELS:
            self._levels.clear()
        self._levels[owner] = params["level"]


def _connection(context: RequestContext) -> str:
    """A name for the connection that a request came by, which another one can't guess."""
    request = context.request
    headers: Mapping[str, str] = {} if request is None else request.headers
    query: Mapping[str, str] = {} if request is None else request.query_params
    return headers.get("mcp-session-id") or query.get("session_id") or ""


def _check_name(context: RequestContext, task: object) -> None:
    """What stands on a request's outside has to be what is in it; the SDK knows no tasks."""
    outside = None if context.request is None else context.request.headers.get("mcp-name")
    if outside != task:
        raise WireError(_HEADER_MISMATCH, "Mcp-Name is not the request's taskId")


def _peer(context: RequestContext, level: str) -> Peer:
    """Who asks, as the handshake said."""
    told = context.session.client_params
    if told is None:
        return Peer(context.protocol_version, log_level=level)
    said = told.model_dump(by_alias=True, mode="json", exclude_none=True)
    capabilities = said.get("capabilities", {})
    return Peer(context.protocol_version, capabilities, name_of(said.get("clientInfo")), level)


class HttpLine:
    """Sends along with the answer that is under way, or beside it once that is gone."""

    def __init__(
        self, session: ServerSession, id_: Id | None, loop: asyncio.AbstractEventLoop
    ) -> None:
        self._session = session
        self._id = id_
        self._loop = loop

    def outlive(self) -> None:
        """The request is answered; what is told from now on goes its own way."""
        self._id = None

    def notify(self, method: str, params: Fields) -> None:
        """Send what nobody answers; where nobody listens, nothing is sent."""
        note: Any = _NOTES[method].model_validate(
            {"method": method, "params": params}, by_name=False
        )
        sending = self._start(self._session.send_notification(note, self._id))
        try:
            sending.result(_PATIENCE)
        except Exception:  # noqa: BLE001 the client is gone, however that shows
            sending.cancel()

    def ask(self, method: str, params: Fields, seconds: float, call: Call) -> Fields | None:
        """Send a request and wait for its result; None where none comes, or nobody wants it."""
        request = types.CreateMessageRequest.model_validate(
            {"method": method, "params": params}, by_name=False
        )
        beside = None if self._id is None else ServerMessageMetadata(related_request_id=self._id)
        asking = self._start(
            self._session.send_request(request, types.CreateMessageResult, seconds, beside)
        )

        def give_up() -> None:
            asking.cancel()

        call.when_cancelled(give_up)
        try:
            found = asking.result(seconds + _PATIENCE)
        except (MCPError, ValueError, CancelledError, TimeoutError):
            asking.cancel()
            return None
        finally:
            call.when_cancelled(None)
        answer: Fields = found.model_dump(by_alias=True, mode="json", exclude_none=True)
        return answer

    def _start(self, work: Coroutine[Any, Any, Any]) -> Future[Any]:
        return asyncio.run_coroutine_threadsafe(work, self._loop)
