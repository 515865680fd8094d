"""One connection: reads heads, checks the token, and passes on what the HTTP library may see.

The library (uvicorn's protocol for h11) gets its first byte once a request's head is complete and
accepted; it parses the request again, runs the application and writes the answer. Bodies are passed
on piece by piece, chunks framed anew. One request is passed on at a time.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable
from typing import Any, Final, cast

from repo_mcp.protocol.http.connection_table import ConnectionTable, peer_of
from repo_mcp.protocol.http.guard import Application, Receive, Refusal, Rules, Scope, Send
from repo_mcp.protocol.http.request_reader import Head, RequestError, RequestReader, too_large

_TIMEOUT: Final = 408
_EXPECTATION_FAILED: Final = 417
_UNAVAILABLE: Final = 503
_PHRASES: Final = {
    400: "Bad Request",
    401: "Unauthorized",
    403: "Forbidden",
    408: "Request Timeout",
    413: "Content Too Large",
    414: "URI Too Long",
    417: "Expectation Failed",
    421: "Misdirected Request",
    431: "Request Header Fields Too Large",
    501: "Not Implemented",
    503: "Service Unavailable",
    505: "HTTP Version Not Supported",
}
_RETRY: Final = (("retry-after", "1"),)
_PLAIN: Final = "text/plain; charset=utf-8"
# the connection's name in the state of a request
_KEY: Final = "repo_mcp.connection"


class Connection(asyncio.Protocol):
    """The protocol of one connection, in front of the library's."""

    def __init__(
        self,
        table: ConnectionTable,
        judge: Rules,
        library: Callable[[dict[str, Any]], asyncio.Protocol],
    ) -> None:
        """`library` makes the library's protocol, given the state that its requests start with."""
        self._table = table
        self._limits = table.limits
        self._judge = judge
        self._make_library = library
        self._library: asyncio.Protocol | None = None
        self._reader = RequestReader(table.limits)
        self._transport: asyncio.Transport | None = None
        self._deadline = math.inf
        self.peer = ""
        # the request that was accepted last, until it is complete and answered
        self._head: Head | None = None
        self._body_ended = False
        self._answer_begun = False
        self._answer_ended = False
        self._body_began = 0.0
        self._body_bytes = 0
        # refused, or to be closed after this answer
        self._refused = False
        self._last = False
        self._discarded = 0

    @property
    def is_idle(self) -> bool:
        """True if it is between two requests."""
        return self._head is None and not self._reader.buffered and not self._refused

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Enter the table."""
        self._transport = cast("asyncio.Transport", transport)
        self.peer = peer_of(transport.get_extra_info("peername"))
        self._deadline = self._table.clock() + self._limits.head_seconds
        if self._table.enter(self):
            # two rounds of the loop later: then bytes that are here already have been read
            loop = asyncio.get_running_loop()
            loop.call_soon(loop.call_soon, self._table.trim)

    def connection_lost(self, exc: Exception | None) -> None:
        """Leave the table."""
        self._table.leave(self)
        self._drop_library(exc)
        self._refused = True

    def data_received(self, data: bytes) -> None:
        """Take bytes; after a refusal they are dropped."""
        if self._refused:
            self._discard(len(data))
            return
        if self.is_idle and self._library is not None:
            self._deadline = self._table.clock() + self._limits.head_seconds
        self._reader.feed(data)
        self._read_on()

    def eof_received(self) -> bool | None:
        """Close: nobody reads answers after the end of requests here."""
        return None

    def pause_writing(self) -> None:
        """Pass on."""
        if self._library is not None:
            self._library.pause_writing()

    def resume_writing(self) -> None:
        """Pass on."""
        if self._library is not None:
            self._library.resume_writing()

    def begin_answer(self) -> None:
        """Note that the answer's status is being sent."""
        self._answer_begun = True

    def end_answer(self) -> None:
        """Note that the answer is complete, and go on to the next request."""
        self._answer_ended = True
        if self._refused or self._transport is None:
            return
        if self._last:
            self._transport.close()
        elif self._body_ended:
            self._end_request()

    def check_time(self, now: float) -> None:
        """Close it if its time is over."""
        if self._deadline == math.inf and self._is_closing():
            # the rest to send goes to a client that may have stopped reading
            self._deadline = now + self._limits.head_seconds
        elif now >= self._body_deadline() and not self._refused:
            self.refuse(_plain(_TIMEOUT, "the body comes too slowly"))
        elif now < self._deadline:
            return
        elif self._reader.buffered and not self._refused:
            self.refuse(_plain(_TIMEOUT, "the headers come too slowly"))
        else:
            self.end()

    def evict(self) -> None:
        """Close it at once, to make room."""
        if not self.is_idle or self._library is None:
            self._write_refusal(_BUSY)
        self.end()

    def end(self) -> None:
        """Close it at once."""
        self._refused = True
        self._drop_library(ConnectionAbortedError())
        if self._transport is not None:
            self._transport.abort()

    def refuse(self, refusal: Refusal) -> None:
        """Answer with a refusal and close; what the client still sends is read for a moment."""
        self._refused = True
        begun = self._answer_begun
        self._reader.drop()
        self._drop_library(ConnectionAbortedError())
        if self._transport is None or begun or self._is_closing():
            self.end()
            return
        self._deadline = self._table.clock() + self._limits.linger_seconds
        self._write_refusal(refusal)
        self._transport.write_eof()
        self._transport.resume_reading()

    def _read_on(self) -> None:
        try:
            while not self._refused and self._take_event():
                pass
        except RequestError as error:
            self.refuse(_plain(error.status, error.reason))

    def _take_event(self) -> bool:
        """Handle the next part of a request; False if it has to be waited for."""
        if self._body_ended:
            self._keep_little()
            return False
        event = self._reader.next_event()
        if event is None:
            return False
        if isinstance(event, Head):
            refusal = self._judge(event.target, event.headers)
            if refusal is not None:
                self.refuse(refusal)
                return False
            self._accept(event)
        elif event:
            self._pass_body(event)
        else:
            self._end_body()
        return True

    def _accept(self, head: Head) -> None:
        """Check what else a head asks for; pass it on."""
        if not self._table.prove(self):
            raise RequestError(_UNAVAILABLE, "too many connections")
        if head.length is not None and head.length > self._limits.body_bytes:
            raise too_large(self._limits)
        if any(value.lower() != b"100-continue" for value in head.values(b"expect")):
            raise RequestError(_EXPECTATION_FAILED, "of expectations only 100-continue is met")
        self._head = head
        self._body_began, self._body_bytes = self._table.clock(), 0
        self._deadline = math.inf
        self._pass_on(head.raw)

    def _pass_body(self, piece: bytes) -> None:
        self._body_bytes += len(piece)
        if self._head is not None and self._head.length is None:
            piece = b"%x\r\n%b\r\n" % (len(piece), piece)
        self._pass_on(piece)

    def _end_body(self) -> None:
        self._body_ended = True
        if self._head is not None and self._head.length is None:
            self._pass_on(b"0\r\n\r\n")
        if self._answer_ended:
            self._end_request()

    def _end_request(self) -> None:
        """Wait for the next request, or go on with what has come of it."""
        self._head = None
        self._body_ended = self._answer_begun = self._answer_ended = False
        limits, now = self._limits, self._table.clock()
        if self._is_closing():
            self._deadline = math.inf
        elif self._reader.buffered:
            self._deadline = now + limits.head_seconds
            asyncio.get_running_loop().call_soon(self._read_on)
        else:
            self._deadline = now + limits.idle_seconds

    def _keep_little(self) -> None:
        """Keep a little of requests that come before their time; more ends the connection."""
        if self._last or self._reader.buffered > self._limits.ahead_bytes:
            self._last = True
            self._reader.drop()

    def _body_deadline(self) -> float:
        """The deadline of the current request's body; it is in time from then on."""
        if self._head is None or self._body_ended:
            return math.inf
        # of chunks only those that came can be counted
        size = self._body_bytes if self._head.length is None else self._head.length
        return self._body_began + self._limits.body_seconds + size / self._limits.body_rate

    def _pass_on(self, data: bytes) -> None:
        if self._transport is None:
            return
        if self._library is None:
            self._library = self._make_library({_KEY: self})
            self._library.connection_made(self._transport)
        self._library.data_received(data)

    def _drop_library(self, exc: Exception | None) -> None:
        """Tell the library that its connection is gone; it writes nothing after that."""
        library, self._library = self._library, None
        if library is not None:
            library.connection_lost(exc)

    def _is_closing(self) -> bool:
        return self._transport is None or self._transport.is_closing()

    def _discard(self, count: int) -> None:
        self._discarded += count
        # a request of any permitted size is read to its end, so that its sender sees the answer
        if self._discarded > self._limits.body_bytes + self._limits.head_bytes:
            self.end()

    def _write_refusal(self, refusal: Refusal) -> None:
        if self._transport is None or self._is_closing():
            return
        phrase = _PHRASES[refusal.status]
        body = refusal.body or f"{phrase.lower()}\n".encode("ascii")
        headers = {"connection": "close", "content-type": _PLAIN, **dict(refusal.headers)}
        headers["content-length"] = str(len(body))
        lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        head = f"HTTP/1.1 {refusal.status} {phrase}\r\n{lines}\r\n"
        self._transport.write(head.encode("ascii") + body)


def _plain(status: int, reason: str) -> Refusal:
    headers = _RETRY if status == _UNAVAILABLE else ()
    return Refusal(status, headers, f"{reason}\n".encode("ascii"))


_BUSY: Final = _plain(_UNAVAILABLE, "too many connections")


class AnswerWatch:
    """Wraps an application; tells a connection when the answer to its request begins and ends."""

    def __init__(self, application: Application) -> None:
        self._application = application

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request to the application."""
        state = scope.get("state", {})
        connection = state.pop(_KEY, None) if scope["type"] == "http" else None
        if not isinstance(connection, Connection):
            await self._application(scope, receive, send)
            return

        async def watched(message: Any) -> None:  # noqa: ANN401 ASGI
            begins = message["type"] == "http.response.start"
            if begins:
                connection.begin_answer()
            await send(message)
            if not begins and not message.get("more_body", False):
                connection.end_answer()

        await self._application(scope, receive, watched)
