"""An MCP session without I/O: takes lines, sends answers through a function.

Requests of both eras may come in any order. A cancelled request is never answered; no notification
about a request follows its answer.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

from index_format.annotations import Any, Final
from repo_mcp.console import log_place
from repo_mcp.protocol import jsonrpc
from repo_mcp.protocol.call import Call, ThreadJob
from repo_mcp.protocol.core import Core
from repo_mcp.protocol.deprecated import DEFAULT_LEVEL, ROOTS_CHANGED, SET_LEVEL, level_of
from repo_mcp.protocol.eras import Peer, handshake_version, name_of, peer_of
from repo_mcp.protocol.jsonrpc import (
    INTERNAL_ERROR,
    Id,
    JsonRpcRequest,
    Reply,
    WireError,
)

Fields = dict[str, Any]
_OUR_IDS: Final = "repo-mcp-"
_BEFORE_HANDSHAKE: Final = Peer(log_level=DEFAULT_LEVEL)


class _Question:
    """A request to the client that waits for its response."""

    def __init__(self) -> None:
        self.event = threading.Event()
        self.result: Fields | None = None


class Session:
    """Takes lines and sends answers; returns jobs for other threads."""

    def __init__(self, core: Core, send: Callable[[bytes], None]) -> None:
        self._core = core
        self._send = send
        self._handshake = _BEFORE_HANDSHAKE
        self._calls: dict[Id, Call] = {}
        self._questions: dict[Id, _Question] = {}
        self._asked = 0
        self._lock = threading.Lock()

    def receive(self, line: bytes) -> ThreadJob | None:
        """Answer a line, or return a job, to be passed to `perform`."""
        try:
            message = jsonrpc.parse(line)
            if isinstance(message, Reply):
                self._handle_reply(message)
            elif message.id is None:
                self._handle_notification(message)
            else:
                return self._handle_request(message, message.id)
        except WireError as problem:
            self._send(jsonrpc.error(problem))
        return None

    def perform(self, job: ThreadJob) -> None:
        """Run a job, on any thread, and answer unless the call was cancelled."""
        id_ = self._id_of(job.call)
        try:
            found = job.run()
            # within: what can't be written is a defect to report, like any other
            body = None if found is None else jsonrpc.dumps(found)
        except WireError as problem:
            if id_ is not None and self._claim_answer(id_, job.call):
                problem.id = id_
                self._send(jsonrpc.error(problem))
            return
        except Exception as error:  # noqa: BLE001 it is logged, and the client gets an answer
            log_place(error)
            if id_ is not None and self._claim_answer(id_, job.call):
                self._send(jsonrpc.error(WireError(INTERNAL_ERROR, "internal error", id_)))
            return
        if id_ is not None and self._claim_answer(id_, job.call) and body is not None:
            self._send(jsonrpc.result(id_, body))

    def tick(self) -> None:
        """Report long calls and turn them into tasks; to be called twice a second."""
        with self._lock:
            calls = list(self._calls.items())
        for id_, call in calls:
            body = self._core.promote(call)
            if body is not None and self._claim_answer(id_, call):
                self._send(jsonrpc.result(id_, jsonrpc.dumps(body)))
            call.tick()
        self._core.tasks.tick()

    def end(self) -> None:
        """Cancel all calls and tasks."""
        with self._lock:
            calls = list(self._calls.values())
        for call in calls:
            call.cancel()
        self._core.tasks.cancel_all()

    def notify(self, method: str, params: Fields) -> None:
        """Send a notification."""
        self._send(jsonrpc.line({"jsonrpc": "2.0", "method": method, "params": params}))

    def ask(self, method: str, params: Fields, seconds: float, call: Call) -> Fields | None:
        """Send a request and wait for its result; None after a timeout, refusal or cancellation."""
        question = _Question()
        with self._lock:
            self._asked += 1
            id_ = f"{_OUR_IDS}{self._asked}"
            self._questions[id_] = question
        call.when_cancelled(question.event.set)
        self._send(jsonrpc.line({"jsonrpc": "2.0", "id": id_, "method": method, "params": params}))
        in_time = question.event.wait(seconds)
        call.when_cancelled(None)
        with self._lock:
            answered = self._questions.pop(id_, None) is None
        if not answered:
            reason = "no longer needed" if in_time else "timeout"
            self.notify("notifications/cancelled", {"requestId": id_, "reason": reason})
        return question.result

    def _handle_request(self, message: JsonRpcRequest, id_: Id) -> ThreadJob | None:
        try:
            peer = peer_of(message, self._handshake)
            plan = self._core.plan(message, peer, self)
            job = plan.job
            if job is not None and job.kind != "task":
                self._register(id_, job.call)
            if not peer.modern:
                self._settle_handshake(message)
        except WireError as problem:
            problem.id = id_
            raise
        except Exception as error:  # as in `perform`; this thread reads for all calls
            log_place(error)
            raise WireError(INTERNAL_ERROR, "internal error", id_) from error
        if plan.body is not None:
            self._send(jsonrpc.result(id_, plan.body))
        return job

    def _settle_handshake(self, message: JsonRpcRequest) -> None:
        """Take over version, capabilities or log level from a handshake request."""
        params = message.params
        if message.method == "initialize":
            given = params.get("capabilities")
            self._handshake = Peer(
                handshake_version(params["protocolVersion"]),
                given if isinstance(given, dict) else {},
                name_of(params.get("clientInfo")),
                self._handshake.log_level,
            )
        elif message.method == SET_LEVEL:
            self._handshake = self._handshake._replace(log_level=level_of(params))

    def _register(self, id_: Id, call: Call) -> None:
        with self._lock:
            if id_ in self._calls:
                raise WireError(jsonrpc.INVALID_REQUEST, "this id is in use by a running call")
            self._calls[id_] = call

    def _id_of(self, call: Call) -> Id | None:
        with self._lock:
            return next((id_ for id_, open_ in self._calls.items() if open_ is call), None)

    def _claim_answer(self, id_: Id, call: Call) -> bool:
        """Claim the right to answer this call; True at most once per call."""
        with self._lock:
            if self._calls.get(id_) is not call:
                return False
            del self._calls[id_]
        return not call.is_cancelled()

    def _handle_notification(self, message: JsonRpcRequest) -> None:
        if message.method == ROOTS_CHANGED:
            self._core.roots_changed()
        id_ = message.params.get("requestId")
        if message.method != "notifications/cancelled" or isinstance(id_, bool):
            return
        with self._lock:
            call = self._calls.get(id_) if isinstance(id_, str | int) else None
        if call is not None:
            call.cancel()

    def _handle_reply(self, reply: Reply) -> None:
        with self._lock:
            question = None if reply.id is None else self._questions.pop(reply.id, None)
        if question is not None:
            question.result = reply.result
            question.event.set()
