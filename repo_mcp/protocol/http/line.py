"""The way from a call to its client over HTTP: from any thread into the loop of the streams."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from concurrent.futures import CancelledError, Future
from typing import Any, Final

from mcp import types
from mcp.server.session import ServerSession
from mcp.shared.exceptions import MCPError
from mcp.shared.message import ServerMessageMetadata

from repo_mcp.protocol.call import Call
from repo_mcp.protocol.jsonrpc import Id

Fields = dict[str, Any]
_NOTES: Final[dict[str, Any]] = {
    "notifications/progress": types.ProgressNotification,
    "notifications/message": types.LoggingMessageNotification,
    "notifications/tasks/status": types.TaskStatusNotification,
}
# a client that does not read what it is sent must not keep a tool from working
_PATIENCE: Final = 5.0


class HttpLine:
    """Sends along with the answer that is under way, or beside it once that is gone."""

    def __init__(
        self, session: ServerSession, id_: Id | None, loop: asyncio.AbstractEventLoop
    ) -> None:
        """For one request."""
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
        sending = self._started(self._session.send_notification(note, self._id))
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
        asking = self._started(
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

    def _started(self, work: Coroutine[Any, Any, Any]) -> Future[Any]:
        return asyncio.run_coroutine_threadsafe(work, self._loop)
