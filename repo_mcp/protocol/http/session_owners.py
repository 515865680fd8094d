"""Keeps each session to the token that has begun it."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any, Final

from repo_mcp.protocol.http.guard import (
    Application,
    Bearers,
    Receive,
    Scope,
    Send,
    bearer_of,
    by_name,
)

_SESSION: Final = "mcp-session-id"
_NOT_FOUND: Final = 404


class SessionOwners:
    """Wraps an application: a session is not there for any other token.

    If there are too many, those go that were used least lately: they are nobody's from then on.
    """

    def __init__(self, application: Application, bearers: Bearers, most: int) -> None:
        self._application = application
        self._bearers = bearers
        self._most = most
        self._owners: OrderedDict[str, str] = OrderedDict()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer that its session is not there."""
        if scope["type"] != "http":
            await self._application(scope, receive, send)
            return
        headers = by_name(scope["headers"])
        bearer = bearer_of(headers.get("authorization", []), self._bearers)
        for session in headers.get(_SESSION, []):
            if bearer is None or self._owners.get(session, bearer) != bearer:
                await send({"type": "http.response.start", "status": _NOT_FOUND, "headers": []})
                await send({"type": "http.response.body", "body": b""})
                return
            if session in self._owners:
                self._owners.move_to_end(session)

        async def watched(message: Any) -> None:  # noqa: ANN401 ASGI
            if message["type"] == "http.response.start" and bearer is not None:
                for session in by_name(message.get("headers", ())).get(_SESSION, []):
                    self._note(session, bearer)
            await send(message)

        await self._application(scope, receive, watched)

    def _note(self, session: str, bearer: str) -> None:
        self._owners.setdefault(session, bearer)
        self._owners.move_to_end(session)
        while len(self._owners) > self._most:
            self._owners.popitem(last=False)
