"""A proxy of HTTP that ill-treats the requests that a plan names: late, refused, cut, or lost.

It understands each request, so that a plan says at which one what happens, whatever the speed of
the machine: a test can go through all requests of a run.
"""

from __future__ import annotations

import http.client
import re
import socket
import struct
import threading
from collections.abc import Callable
from enum import Enum
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Final, Self

from tests.waiting import HANG

_LATE_SECONDS: Final = 0.03
_OF_THE_CONNECTION: Final = {"connection", "keep-alive", "transfer-encoding", "content-length"}
_BUSY: Final = b"HTTP/1.1 503 Slow Down\r\nContent-Length: 0\r\nRetry-After: 0\r\n\r\n"


class Toxic(Enum):
    """Faults of a request."""

    LATE = "answered later"
    REFUSED = "answered 503 and not carried out"
    RESET = "the connection is reset before it is carried out"
    LOST = "carried out, and the connection reset instead of an answer"
    HALF = "carried out, and the connection ends in the middle of the answer"
    DISOWNED = "carried out, and answered 503"


Plan = Callable[[int], Toxic | None]
Upstream = Callable[[], http.client.HTTPConnection]


def at(number: int, toxic: Toxic) -> Plan:
    """Ill-treat one request."""
    return lambda now: toxic if now == number else None


def from_on(number: int, toxic: Toxic) -> Plan:
    """Ill-treat this request and all after it."""
    return lambda now: toxic if now >= number else None


def every_third(now: int) -> Toxic | None:
    """Ill-treat a third of all requests, each in another way."""
    return None if now % 3 else list(Toxic)[now // 3 % len(Toxic)]


class ToxicLink:
    """Forwards what comes to a port of its own; `requests` are the lines of what came."""

    def __init__(self, upstream: Upstream, plan: Plan = lambda _: None) -> None:
        self.plan = plan
        self.requests: list[str] = []
        self._upstream = upstream
        self._guard = threading.Lock()

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            timeout = HANG

            def handle_one_request(self) -> None:
                try:
                    super().handle_one_request()
                except OSError:  # the other side has hung up
                    self.close_connection = True

            def log_message(self, *_: object) -> None:
                """Say nothing."""

        for method in ("GET", "HEAD", "PUT", "POST", "DELETE"):
            setattr(Handler, f"do_{method}", lambda request: self._forward(request))  # noqa: PLW0108 is bound late
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.port = self._server.server_port
        self.url = f"http://127.0.0.1:{self.port}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self._thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def begin(self, plan: Plan) -> None:
        """Count from 0 again, by another plan."""
        with self._guard:
            self.requests.clear()
            self.plan = plan

    def _forward(self, request: BaseHTTPRequestHandler) -> None:
        body = request.rfile.read(int(request.headers.get("Content-Length") or 0))
        with self._guard:
            toxic = self.plan(len(self.requests))
            self.requests.append(request.requestline)
        if toxic is Toxic.LATE:
            threading.Event().wait(_LATE_SECONDS)
        if toxic is Toxic.RESET:
            _reset(request)
        elif toxic is Toxic.REFUSED:
            request.wfile.write(_BUSY)
        else:
            answer = self._ask(request, body)
            if toxic is Toxic.LOST:
                _reset(request)
            elif toxic is Toxic.DISOWNED:
                request.wfile.write(_BUSY)
            elif toxic is Toxic.HALF:
                request.wfile.write(answer[: len(answer) // 2])
                request.close_connection = True
            else:
                request.wfile.write(answer)

    def _ask(self, request: BaseHTTPRequestHandler, body: bytes) -> bytes:
        """The answer of the server, all bytes of it."""
        connection = self._upstream()
        try:
            connection.putrequest(
                request.command, request.path, skip_host=True, skip_accept_encoding=True
            )
            for name, value in request.headers.items():
                if name.lower() not in _OF_THE_CONNECTION:
                    connection.putheader(name, value)
            if body or request.command in {"PUT", "POST"}:
                connection.putheader("Content-Length", str(len(body)))
            connection.endheaders(body or None)
            answer = connection.getresponse()
            content = answer.read()
            length = len(content)
            if request.command == "HEAD":
                length = int(answer.headers.get("Content-Length") or 0)
            head = [f"HTTP/1.1 {answer.status} {answer.reason}"]
            head += [
                f"{name}: {value}"
                for name, value in answer.getheaders()
                if name.lower() not in _OF_THE_CONNECTION
            ]
            head += [f"Content-Length: {length}", "", ""]
            return "\r\n".join(head).encode("latin-1") + content
        finally:
            connection.close()


def _reset(request: BaseHTTPRequestHandler) -> None:
    """End the connection as a machine that has lost it does."""
    request.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    request.connection.close()
    request.close_connection = True


def tcp(port: int) -> Upstream:
    """A server at a port of this machine."""
    return lambda: http.client.HTTPConnection("127.0.0.1", port, timeout=HANG)


class _UnixConnection(http.client.HTTPConnection):
    def __init__(self, path: str) -> None:
        super().__init__("localhost", timeout=HANG)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(HANG)
        self.sock.connect(self._path)


def unix(path: str) -> Upstream:
    """A server at a socket of the file system."""
    return lambda: _UnixConnection(path)


def port_in(line: str) -> int:
    """The port that a server says it listens at."""
    found = re.search(r":(\d+)\s*$", line)
    assert found is not None, line
    return int(found[1])
