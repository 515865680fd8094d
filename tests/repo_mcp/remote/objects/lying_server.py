"""A server of HTTP whose answers are not what was asked for; it counts the bytes that it sends."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Final, NamedTuple, Self

GIGABYTES: Final = 4 << 30
_PIECE: Final = b"x" * (1 << 16)
_MOMENT: Final = "Sun, 22 Nov 2026 12:00:00 GMT"


class Question(NamedTuple):
    """A request: its method, what it names, and the range it asks for."""

    method: str
    path: str
    range: tuple[int, int] | None

    @property
    def content_range(self) -> str:
        """The header that says that the range is answered."""
        first, last = self.range or (0, 0)
        return f"bytes {first}-{last}/{GIGABYTES}"


class Answer(NamedTuple):
    """Status, headers and body."""

    status: int
    headers: Mapping[str, str]
    body: Iterator[bytes]


def endless(first: bytes = b"", piece: bytes = _PIECE) -> Iterator[bytes]:
    """A body of some gigabytes."""
    yield first
    for _ in range(GIGABYTES // len(piece)):
        yield piece


def chunked(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """A body in chunks, as it is sent."""
    for piece in pieces:
        if piece:
            yield b"%x\r\n%s\r\n" % (len(piece), piece)
    yield b"0\r\n\r\n"


class LyingServer:
    """Answers each request as `lie` says."""

    def __init__(self, lie: Callable[[Question], Answer]) -> None:
        self.sent = 0
        self.requests: list[Question] = []
        server, guard = self, threading.Lock()

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def handle_one_request(self) -> None:
                try:
                    super().handle_one_request()
                except OSError:  # the other side has heard enough
                    self.close_connection = True

            def do_GET(self) -> None:
                asked = re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("Range") or "")
                span = (int(asked[1]), int(asked[2])) if asked else None
                question = Question(self.command, self.path, span)
                server.requests.append(question)
                answer = lie(question)
                self.send_response(answer.status)
                headers = {"Last-Modified": _MOMENT, "ETag": '"x"', **answer.headers}
                for name, value in headers.items():
                    self.send_header(name, value)
                self.end_headers()
                if question.method != "HEAD":
                    for piece in answer.body:
                        self.wfile.write(piece)
                        with guard:
                            server.sent += len(piece)
                self.close_connection = True

            def do_HEAD(self) -> None:
                self.do_GET()

            def log_message(self, *_: object) -> None:
                """Say nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self._server.server_port
        self._thread = threading.Thread(target=self._server.serve_forever)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
