"""Accepted and refused requests: shapes, sizes, any way the bytes are cut."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given, strategies as st

from repo_mcp.protocol.http.limits import HttpLimits
from repo_mcp.protocol.http.request_reader import Head, RequestError, RequestReader

LIMITS = HttpLimits(
    request_line_bytes=60,
    head_bytes=200,
    headers=5,
    body_bytes=40,
    chunk_line_bytes=16,
    chunks=4,
    trailer_bytes=24,
)
HOST = b"Host: localhost\r\n"
START = b"POST /mcp HTTP/1.1\r\n" + HOST
CHUNKED = START + b"Transfer-Encoding: chunked\r\n\r\n"
LAST = b"0\r\n\r\n"


def read(*pieces: bytes) -> list[Head | bytes]:
    reader = RequestReader(LIMITS)
    events: list[Head | bytes] = []
    for piece in pieces:
        reader.feed(piece)
        while (event := reader.next_event()) is not None:
            events.append(event)
    return events


def body(*pieces: bytes) -> bytes | None:
    """The body of one request; None before its end."""
    _, *parts = read(*pieces)
    whole = b"".join(part for part in parts if isinstance(part, bytes))
    return whole if parts and parts[-1] == b"" else None


def refusal(sent: bytes) -> int:
    with pytest.raises(RequestError) as found:
        read(sent)
    assert found.value.args[0].isascii()
    return found.value.status


def test_a_head_has_its_headers_by_lower_case_name() -> None:
    (head, end) = read(START + b"X-A:  one \t\r\nx-a: two\r\n\r\n")
    assert isinstance(head, Head)
    assert head.headers == ((b"host", b"localhost"), (b"x-a", b"one"), (b"x-a", b"two"))
    assert (head.length, end) == (0, b"")
    assert head.values(b"x-a") == [b"one", b"two"]


def test_a_body_has_the_length_that_was_declared() -> None:
    begun = START + b"Content-Length: 5\r\n\r\n"
    assert body(begun, b"he") is None
    assert body(begun, b"he", b"llo") == b"hello"


def test_requests_follow_each_other() -> None:
    one = START + b"Content-Length: 2\r\n\r\nab"
    events = read(one + one)
    assert [event for event in events if isinstance(event, bytes)] == [b"ab", b"", b"ab", b""]


def test_chunks_are_read_without_extensions_and_trailers() -> None:
    chunks = b'3;a="b;c"\r\nabc\r\n0A ; x\r\n0123456789\r\n0\r\nX: y\r\n\r\n'
    assert body(CHUNKED + chunks) == b"abc0123456789"


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (b"\x16\x03\x01\x02", 400),
        (b"\r\n", 400),
        (b"GET /\r\n\r\n", 400),
        (b"GET  / HTTP/1.1\r\n" + HOST + b"\r\n", 400),
        (b"GET / HTTP/1.1 \r\n" + HOST + b"\r\n", 400),
        (b"GET /\x80 HTTP/1.1\r\n" + HOST + b"\r\n", 400),
        (b"GET / HTTP/2.0\r\n" + HOST + b"\r\n", 505),
        (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505),
        (b"GET / HTTP/1.1\r\n\r\n", 400),
        (START + HOST + b"\r\n", 400),
        (START + b" folded\r\n\r\n", 400),
        (START + b"a : b\r\n\r\n", 400),
        (START + b": b\r\n\r\n", 400),
        (START + b"a\r\n\r\n", 400),
        (START + b"a: \x00\r\n\r\n", 400),
    ],
)
def test_a_malformed_head_is_refused(sent: bytes, status: int) -> None:
    assert refusal(sent) == status


@pytest.mark.parametrize(
    "sent",
    [
        b"GET / HTTP/1.1\nHost: localhost\n\n",
        b"GET / HTTP/1.1\r\nHost: localhost\n",
        START + b"a: b\nTransfer-Encoding: chunked\r\n\r\n",
        START + b"a: b\rc: d\r\n\r\n",
        START + b"a: b\r\r\n\r\n",
        CHUNKED + b"1\na\r\n" + LAST,
        CHUNKED + b"1;\n\r\na\r\n" + LAST,
        CHUNKED + b"1;\rx\r\na\r\n" + LAST,
        CHUNKED + b"1\r\na\n" + LAST,
        CHUNKED + b"0\r\na: b\n\r\n",
    ],
)
def test_lines_end_with_both_characters_at_once(sent: bytes) -> None:
    assert refusal(sent) == 400


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        (b"Content-Length: 1\r\nTransfer-Encoding: chunked\r\n", 400),
        (b"Transfer-Encoding: chunked\r\nContent-Length: 1\r\n", 400),
        (b"Content-Length: 1\r\nContent-Length: 1\r\n", 400),
        (b"Content-Length: 1\r\nContent-Length: 2\r\n", 400),
        (b"Content-Length: 1, 1\r\n", 400),
        (b"Content-Length: +1\r\n", 400),
        (b"Content-Length: -1\r\n", 400),
        (b"Content-Length: 0x1\r\n", 400),
        (b"Content-Length: 1_0\r\n", 400),
        (b"Content-Length: \xb2\r\n", 400),
        (b"Content-Length:\r\n", 400),
        (b"Content-Length: " + b"9" * 19 + b"\r\n", 400),
        (b"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", 400),
        (b"Transfer-Encoding: chunked, chunked\r\n", 400),
        (b"Transfer-Encoding: xchunked\r\n", 400),
        (b"Transfer-Encoding:\r\n", 400),
        (b"Transfer-Encoding: gzip, chunked\r\n", 501),
        (b"Transfer-Encoding: identity\r\n", 501),
    ],
)
def test_a_body_has_one_clear_length(headers: bytes, status: int) -> None:
    assert refusal(START + headers + b"\r\n") == status


def test_chunks_belong_to_the_newer_version() -> None:
    assert refusal(b"POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n") == 400
    assert body(b"POST / HTTP/1.0\r\nContent-Length: 1\r\n\r\na") == b"a"


@pytest.mark.parametrize(
    "chunks",
    [
        b"\r\n",
        b"g\r\n",
        b"-1\r\n",
        b"+1\r\n",
        b"0x1\r\n",
        b" 1\r\n",
        b"1 \r\n",
        b"1;\x00\r\n",
        b"000000001\r\n",
        b"1\r\nab\r\n",
        b"1\r\na1\r\n",
        b"0\r\n folded\r\n\r\n",
        b"0\r\nno colon\r\n\r\n",
    ],
)
def test_a_malformed_chunk_is_refused(chunks: bytes) -> None:
    assert refusal(CHUNKED + chunks) == 400


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (b"GET /" + b"a" * 57, 414),
        (b"GET /" + b"a" * 60 + b" HTTP/1.1\r\n", 414),
        (START + b"a: " + b"b" * 200, 431),
        (START + b"a: " + b"b" * 200 + b"\r\n\r\n", 431),
        (START + b"a:\r\n" * 5 + b"\r\n", 431),
        (CHUNKED + b"29\r\n", 413),
        (CHUNKED + b"14\r\n" + b"a" * 20 + b"\r\n15\r\n", 413),
        (CHUNKED + b"1\r\na\r\n" * 5, 413),
        (CHUNKED + b"1;" + b"a" * 16, 400),
        (CHUNKED + b"1;" + b"a" * 15 + b"\r\na\r\n", 400),
        (CHUNKED + b"0\r\na: " + b"b" * 30, 400),
        (CHUNKED + b"0\r\na: bcdefgh\r\na: bcdefghijk\r\n", 400),
    ],
)
def test_what_is_too_large_is_refused_before_all_of_it_has_come(sent: bytes, status: int) -> None:
    assert refusal(sent) == status


AT_LIMITS = [
    b"GET /" + b"a" * 46 + b" HTTP/1.1\r\n" + HOST + b"\r\n",
    START + b"a:\r\n" * 4 + b"\r\n",
    START + b"a: " + b"b" * (200 - len(START) - 7) + b"\r\n\r\n",
    CHUNKED + b"28;abcdefghijklm\r\n" + b"a" * 40 + b"\r\n" + LAST,
    CHUNKED + b"1\r\na\r\n" * 3 + LAST,
    CHUNKED + b"0\r\na: bcdefgh\r\na: bcdefgh\r\n\r\n",
]


@pytest.mark.parametrize("sent", AT_LIMITS)
def test_what_reaches_a_limit_is_accepted(sent: bytes) -> None:
    assert read(sent)[-1] == b""


def test_bytes_that_came_early_can_be_dropped() -> None:
    reader = RequestReader(LIMITS)
    reader.feed(START)
    assert reader.next_event() is None
    assert reader.buffered == len(START)
    reader.drop()
    assert reader.buffered == 0
    reader.feed(START + b"\r\n")
    assert isinstance(reader.next_event(), Head)


STREAMS = [
    *AT_LIMITS,
    START + b"Content-Length: 5\r\n\r\nhello" + START + b"\r\n",
    CHUNKED + b"3;a=b\r\nabc\r\n2\r\nde\r\n0\r\nX: y\r\n\r\n" + START + b"\r\n",
    CHUNKED + b"3\r\nabc\r\nx",
    START + b"a: b\rc\r\n\r\n",
    START + b"a: " + b"b" * 200,
]


def joined(pieces: list[bytes]) -> list[Head | bytes | int]:
    """Events with neighbouring pieces of a body as one, and how it ended if badly."""
    reader = RequestReader(LIMITS)
    found: list[Head | bytes | int] = []
    try:
        for piece in pieces:
            reader.feed(piece)
            while (event := reader.next_event()) is not None:
                last = found[-1] if found else None
                if event and isinstance(event, bytes) and last and isinstance(last, bytes):
                    found[-1] = last + event
                else:
                    found.append(event)
    except RequestError as error:
        found.append(error.status)
    return found


@given(st.sampled_from(STREAMS), st.lists(st.integers(0, 200)))
def test_it_does_not_matter_how_bytes_are_cut(stream: bytes, cuts: list[int]) -> None:
    ends = sorted({min(cut, len(stream)) for cut in cuts} | {len(stream)})
    starts = [0, *ends[:-1]]
    pieces = [stream[start:end] for start, end in zip(starts, ends, strict=True)]
    assert joined(pieces) == joined([stream])


WORDS = st.sampled_from(
    [START, CHUNKED, HOST, LAST, b"\r\n", b"\n", b"\r", b"Content-Length: 3\r\n", b"3\r\nabc\r\n"]
)


@given(st.lists(st.one_of(WORDS, st.binary(max_size=8)), max_size=12))
def test_any_bytes_are_read_or_refused(pieces: list[bytes]) -> None:
    with contextlib.suppress(RequestError):
        read(*pieces)
