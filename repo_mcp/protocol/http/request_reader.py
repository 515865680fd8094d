"""Strict reader of HTTP/1.1 requests: bytes in, heads and pieces of bodies out; no I/O, no clock.

It refuses whatever two readers could understand differently (RFC 9112, section 11.2): lines that
do not end with CR LF, folded headers, a body with two lengths, chunks with lax sizes. What it lets
pass is read alike by every parser: the HTTP library behind it sees only unambiguous requests.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from index_format.tuples import NamedTuple
from repo_mcp.protocol.http.limits import LIMITS, HttpLimits

BAD_REQUEST: Final = 400
TOO_LARGE: Final = 413
URI_TOO_LONG: Final = 414
HEADERS_TOO_LARGE: Final = 431
NOT_IMPLEMENTED: Final = 501
VERSION_NOT_SUPPORTED: Final = 505

_LINE: Final = b"\r\n"
_HEAD_END: Final = b"\r\n\r\n"
_TOKEN: Final = rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+"
_METHOD_START: Final = re.compile(rb"[A-Za-z]")
_REQUEST_LINE: Final = re.compile(rb"(%b) ([\x21-\x7e]+) HTTP/([0-9])\.([0-9])" % _TOKEN)
_HEADER: Final = re.compile(rb"(%b):([\t\x20-\x7e\x80-\xff]*)" % _TOKEN)
_LENGTH: Final = re.compile(rb"[0-9]{1,18}")
_CHUNK_LINE: Final = re.compile(rb"([0-9A-Fa-f]{1,8})(?:[ \t]*;[\t\x20-\x7e\x80-\xff]*)?")
# transfer codings that are registered, but not understood here
_CODING: Final = re.compile(rb"(?:x-)?(?:gzip|compress)|deflate|identity", re.IGNORECASE)

Headers = tuple[tuple[bytes, bytes], ...]


class RequestError(Exception):
    """A request that is refused with this status; the connection ends."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(f"{status}: {reason}")
        self.status = status
        self.reason = reason


class Head(NamedTuple):
    """Request line and headers as sent, headers by lower-case name, and the body's length."""

    raw: bytes
    headers: Headers
    # None: chunked, so it is not known yet
    length: int | None

    @property
    def target(self) -> bytes:
        """The path and the query, as sent."""
        return self.raw.split(b" ", 2)[1]

    def values(self, name: bytes) -> list[bytes]:
        """The values of all headers of this name."""
        return [value for given, value in self.headers if given == name]


class RequestReader:
    """Reads the requests of one connection, one after the other."""

    def __init__(self, limits: HttpLimits = LIMITS) -> None:
        self._limits = limits
        self._buffer = bytearray()
        # up to where the buffer has no end of a head
        self._searched = 0
        # None: the next bytes are a head
        self._body: _SizedBody | _ChunkedBody | None = None

    @property
    def buffered(self) -> int:
        """The number of bytes that no event was made of yet."""
        return len(self._buffer)

    def feed(self, data: bytes) -> None:
        """Add bytes."""
        self._buffer += data

    def drop(self) -> None:
        """Forget bytes that no event was made of."""
        self._buffer.clear()
        self._searched = 0

    def next_event(self) -> Head | bytes | None:
        """A head, a piece of its body, empty bytes at its end; None before more bytes come.

        Raises `RequestError`; the reader can't be used after that.
        """
        if self._body is None:
            head = self._read_head()
            if head is not None:
                self._body = (
                    _ChunkedBody(self._limits) if head.length is None else _SizedBody(head.length)
                )
            return head
        piece = self._body.next_piece(self._buffer)
        if piece == b"":
            self._body = None
        return piece

    def _read_head(self) -> Head | None:
        buffer = self._buffer
        end = buffer.find(_HEAD_END, max(0, self._searched - len(_HEAD_END)))
        self._check_begun(end)
        if end < 0:
            self._searched = len(buffer)
            return None
        raw = bytes(buffer[: end + len(_HEAD_END)])
        del buffer[: len(raw)]
        self._searched = 0
        return parse_head(raw, self._limits)

    def _check_begun(self, end: int) -> None:
        """Refuse what can't become a valid head any more, without waiting for its end."""
        buffer, limits = self._buffer, self._limits
        size = len(buffer) + 1 if end < 0 else end + len(_HEAD_END)
        if buffer and not _METHOD_START.match(buffer):
            raise RequestError(BAD_REQUEST, "this is not an HTTP request")
        if _has_bare_end(buffer, max(0, self._searched - 1), len(buffer) if end < 0 else end):
            raise RequestError(BAD_REQUEST, "a line must end with CR LF")
        window = limits.request_line_bytes + len(_LINE)
        if buffer.find(_LINE, 0, window) < 0 and len(buffer) >= window:
            raise RequestError(
                URI_TOO_LONG, f"a request line has at most {limits.request_line_bytes} bytes"
            )
        if size > limits.head_bytes:
            raise RequestError(
                HEADERS_TOO_LARGE, f"a request has at most {limits.head_bytes} bytes of headers"
            )


def parse_head(raw: bytes, limits: HttpLimits) -> Head:
    """A head from its bytes, with the empty line at its end."""
    first, *lines = raw[: -len(_HEAD_END)].split(_LINE)
    found = _REQUEST_LINE.fullmatch(first)
    if found is None:
        raise RequestError(BAD_REQUEST, "the request line is malformed")
    version = found[3], found[4]
    if version not in {(b"1", b"0"), (b"1", b"1")}:
        raise RequestError(VERSION_NOT_SUPPORTED, "HTTP/1.1 is served, and HTTP/1.0")
    headers = _parse_headers(lines, limits.headers)
    old = version == (b"1", b"0")
    head = Head(raw, headers, 0)
    hosts = len(head.values(b"host"))
    if hosts > 1 or not (hosts or old):
        raise RequestError(BAD_REQUEST, "exactly one Host header is needed")
    return head._replace(length=_body_length(head, old=old))


def _parse_headers(lines: Iterable[bytes], most: int) -> Headers:
    headers = []
    for line in lines:
        found = _HEADER.fullmatch(line)
        if found is None:
            raise RequestError(BAD_REQUEST, "a header is malformed")
        headers.append((found[1].lower(), found[2].strip(b" \t")))
        if len(headers) > most:
            raise RequestError(HEADERS_TOO_LARGE, f"a request has at most {most} headers")
    return tuple(headers)


def _body_length(head: Head, *, old: bool) -> int | None:
    """The length of the body; None if it is chunked."""
    lengths, codings = head.values(b"content-length"), head.values(b"transfer-encoding")
    if lengths and codings:
        raise RequestError(BAD_REQUEST, "Content-Length and Transfer-Encoding exclude each other")
    if codings:
        _check_coding(codings, old=old)
        return None
    if len(lengths) > 1 or (lengths and not _LENGTH.fullmatch(lengths[0])):
        raise RequestError(BAD_REQUEST, "Content-Length must be one number")
    return int(lengths[0]) if lengths else 0


def _check_coding(codings: list[bytes], *, old: bool) -> None:
    if len(codings) == 1 and codings[0].lower() == b"chunked" and not old:
        return
    if len(codings) == 1 and _CODING.match(codings[0]):
        raise RequestError(NOT_IMPLEMENTED, "of transfer codings only chunked is understood")
    raise RequestError(BAD_REQUEST, "Transfer-Encoding must be chunked, once, in HTTP/1.1")


class _SizedBody:
    """A body of known length."""

    def __init__(self, length: int) -> None:
        self._left = length

    def next_piece(self, buffer: bytearray) -> bytes | None:
        if not self._left:
            return b""
        piece = bytes(buffer[: self._left])
        del buffer[: len(piece)]
        self._left -= len(piece)
        return piece or None


class _ChunkedBody:
    """A body in chunks, without what frames them: extensions and trailers are read and dropped."""

    def __init__(self, limits: HttpLimits) -> None:
        self._limits = limits
        self._chunks = 0
        self._size = 0
        # bytes of the current chunk that have not come yet
        self._left = 0
        # the line end after a chunk's bytes has not come yet
        self._open = False
        # the last chunk has come: None before it
        self._trailer_bytes: int | None = None

    def next_piece(self, buffer: bytearray) -> bytes | None:
        while True:
            if self._trailer_bytes is not None:
                return self._skip_trailers(buffer, self._trailer_bytes)
            if self._left:
                piece = bytes(buffer[: self._left])
                del buffer[: len(piece)]
                self._left -= len(piece)
                return piece or None
            if not (self._close_chunk(buffer) if self._open else self._begin_chunk(buffer)):
                return None

    def _close_chunk(self, buffer: bytearray) -> bool:
        if not _LINE.startswith(bytes(buffer[: len(_LINE)])):
            raise RequestError(BAD_REQUEST, "a chunk is longer than its size")
        if len(buffer) < len(_LINE):
            return False
        del buffer[: len(_LINE)]
        self._open = False
        return True

    def _begin_chunk(self, buffer: bytearray) -> bool:
        line = _take_line(buffer, self._limits.chunk_line_bytes)
        if line is None:
            return False
        found = _CHUNK_LINE.fullmatch(line)
        if found is None:
            raise RequestError(BAD_REQUEST, "the size of a chunk is malformed")
        self._left = int(found[1], 16)
        self._open = bool(self._left)
        self._size += self._left
        self._chunks += 1
        if self._size > self._limits.body_bytes:
            raise too_large(self._limits)
        if self._chunks > self._limits.chunks:
            raise RequestError(TOO_LARGE, f"a body has at most {self._limits.chunks} chunks")
        if not self._left:
            self._trailer_bytes = 0
        return True

    def _skip_trailers(self, buffer: bytearray, taken: int) -> bytes | None:
        most = self._limits.trailer_bytes
        while (line := _take_line(buffer, most - taken)) is not None:
            if not line:
                return b""
            _parse_headers([line], self._limits.headers)
            taken += len(line) + len(_LINE)
            self._trailer_bytes = taken
        return None


def too_large(limits: HttpLimits) -> RequestError:
    """The refusal of a body that is too large."""
    return RequestError(TOO_LARGE, f"a body has at most {limits.body_bytes} bytes")


def _has_bare_end(buffer: bytearray, start: int, end: int) -> bool:
    """True if a CR or LF stands alone; what the cuts may have parted from it is left out."""
    if buffer.startswith(b"\n", start) and start:
        start += 1
    if buffer.endswith(b"\r", start, end):
        end -= 1
    pairs = buffer.count(_LINE, start, end)
    return not buffer.count(b"\n", start, end) == buffer.count(b"\r", start, end) == pairs


def _take_line(buffer: bytearray, most: int) -> bytes | None:
    """The first line without its end, removed from the buffer; None if it is incomplete."""
    window = most + len(_LINE)
    end = buffer.find(_LINE, 0, window)
    if _has_bare_end(buffer, 0, min(len(buffer), window) if end < 0 else end):
        raise RequestError(BAD_REQUEST, "a line must end with CR LF")
    if end >= 0:
        line = bytes(buffer[:end])
        del buffer[: end + len(_LINE)]
        return line
    if len(buffer) >= window:
        raise RequestError(BAD_REQUEST, f"a line of a chunk or trailer has at most {most} bytes")
    return None
