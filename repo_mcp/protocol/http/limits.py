"""Limits of the HTTP server: what a connection may take in time, bytes and places."""

from __future__ import annotations

from typing import Final

from index_format.tuples import NamedTuple

KIB: Final = 1024


class HttpLimits(NamedTuple):
    """One value for each limit; docs/http.md lists them for users, a test compares the two.

    A connection is *proven* once it has sent a request with the token.
    """

    # seconds from the accept, or from the first byte of a later request, to complete headers
    head_seconds: float = 10.0
    # seconds for a body: these, and its bytes at this many bytes a second
    body_seconds: float = 10.0
    body_rate: int = 16 * KIB
    # seconds that a connection may be open between two requests
    idle_seconds: float = 60.0
    # seconds to read on after a refusal: closing with unread bytes may take the answer back
    linger_seconds: float = 2.0

    # clients send less than 1 KiB in less than 20 headers
    request_line_bytes: int = 8 * KIB
    head_bytes: int = 16 * KIB
    headers: int = 100
    body_bytes: int = 4 * KIB * KIB
    # the line that begins a chunk, with its extensions
    chunk_line_bytes: int = 256
    chunks: int = 10_000
    trailer_bytes: int = 4 * KIB
    # bytes of later requests that are kept while one is answered
    ahead_bytes: int = 16 * KIB

    # a connection of a client is unproven for milliseconds, so few are at a time
    unproven: int = 160
    unproven_per_peer: int = 128
    # eight clients on one machine have 32 connections each
    proven: int = 320
    proven_per_peer: int = 256
    # connections that wait in the system until they are accepted
    backlog: int = 2048
    # connections that are accepted in one round of the loop. Two rounds pass before too many are
    # closed, so that with those above all stay below 1,024, the usual limit of open files
    accepts: int = 64
    # requests that are answered at a time, open streams included
    requests: int = 256
    # sessions of Streamable HTTP
    sessions: int = 1000


LIMITS: Final = HttpLimits()
