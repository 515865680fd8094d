"""What the SDK asks for every message instead of its own handlers, whatever the transport."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Final

from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.shared.exceptions import MCPError

from repo_mcp.protocol.call import BEFORE_ASKED, LEVELS, Job
from repo_mcp.protocol.core import Core
from repo_mcp.protocol.eras import Peer, name_of, peer_of
from repo_mcp.protocol.http.line import HttpLine
from repo_mcp.protocol.jsonrpc import INVALID_PARAMS, Message, WireError
from repo_mcp.protocol.tasks import REQUEST_METHODS

Fields = dict[str, Any]
Asked = ServerRequestContext[Any, Any]
_THREADS: Final = {"call": 16, "task": 4, "wait": 64}
_TICK: Final = 0.5
_MOST_LEVELS: Final = 1000
_HEADER_MISMATCH: Final = -32020


class Answers:
    """The one middleware that passes no request on."""

    def __init__(self, core: Core) -> None:
        """For all connections."""
        self._core = core
        self._levels: dict[str, str] = {}
        self._pools = {kind: ThreadPoolExecutor(most, kind) for kind, most in _THREADS.items()}

    async def __call__(self, ctx: Asked, call_next: CallNext) -> HandlerResult:
        """The result of a request; notifications are the SDK's own business."""
        asked = ctx
        if asked.request_id is None:
            return await call_next(asked)
        message = Message(asked.method, dict(asked.params or {}), asked.request_id)
        try:
            return await self._served(asked, message)
        except WireError as problem:
            raise MCPError(problem.code, problem.message, problem.data) from None

    async def _served(self, asked: Asked, message: Message) -> Fields:
        owner = _connection(asked)
        peer = peer_of(message, _peer(asked, self._levels.get(owner, BEFORE_ASKED)))
        line = HttpLine(asked.session, message.id, asyncio.get_running_loop())
        if peer.modern and message.method in REQUEST_METHODS:
            _check_name(asked, message.params.get("taskId"))
        plan = self._core.plan(message, peer, line, owner)
        if message.method == "logging/setLevel":
            self._set_level(owner, message.params)
        if plan.job is not None and plan.body is None:
            return await self._performed(plan.job, line)
        if plan.job is not None:
            line.outlive()
            self._pools[plan.job.kind].submit(plan.job.run)
        answer: Fields = json.loads(plan.body or "{}")
        return answer

    async def _performed(self, job: Job, line: HttpLine) -> Fields:
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


def _connection(asked: Asked) -> str:
    """A name for the connection that a request came by, which another one can't guess."""
    request = asked.request
    headers: Mapping[str, str] = {} if request is None else request.headers
    query: Mapping[str, str] = {} if request is None else request.query_params
    return headers.get("mcp-session-id") or query.get("session_id") or ""


def _check_name(asked: Asked, task: object) -> None:
    """What stands on a request's outside has to be what is in it; the SDK knows no tasks."""
    outside = None if asked.request is None else asked.request.headers.get("mcp-name")
    if outside != task:
        raise WireError(_HEADER_MISMATCH, "Mcp-Name is not the request's taskId")


def _peer(asked: Asked, level: str) -> Peer:
    """Who asks, as the handshake said."""
    told = asked.session.client_params
    if told is None:
        return Peer(asked.protocol_version, log_level=level)
    said = told.model_dump(by_alias=True, mode="json", exclude_none=True)
    capabilities = said.get("capabilities", {})
    return Peer(asked.protocol_version, capabilities, name_of(said.get("clientInfo")), level)
