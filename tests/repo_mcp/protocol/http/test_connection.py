"""One connection without a socket: what is passed on, what is refused, and when time is over."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from repo_mcp.protocol.http.connection import Connection
from repo_mcp.protocol.http.connection_table import ConnectionTable
from repo_mcp.protocol.http.guard import BearerRules, Guard, SingleToken
from repo_mcp.protocol.http.limits import HttpLimits
from tests.repo_mcp.clocks import Clock

PHRASE = "sesame"
START = b"POST /mcp HTTP/1.1\r\nHost: localhost\r\n"
BEARER = b"Authorization: Bearer sesame\r\n"
PLAIN = START + BEARER + b"\r\n"
CHUNKED = START + BEARER + b"Transfer-Encoding: chunked\r\n\r\n"
LIMITS = HttpLimits(body_rate=10, body_bytes=1000, head_bytes=500, ahead_bytes=100)


def sized(length: int) -> bytes:
    return START + BEARER + b"Content-Length: %d\r\n\r\n" % length


class Wire(asyncio.Transport):
    """Where a connection writes to."""

    def __init__(self) -> None:
        super().__init__({"peername": ("127.0.0.1", 5)})
        self.written = b""
        self.at_end = False
        self.closed = False
        self.aborted = False

    def write(self, data: Any) -> None:  # noqa: ANN401 as in its base
        assert not self.at_end
        self.written += data

    def write_eof(self) -> None:
        self.at_end = True

    def is_closing(self) -> bool:
        return self.closed

    def resume_reading(self) -> None:
        pass

    def close(self) -> None:
        self.closed = True

    def abort(self) -> None:
        self.closed = self.aborted = True


class Library(asyncio.Protocol):
    """The HTTP library behind a connection."""

    def __init__(self) -> None:
        self.received = b""
        self.lost = False

    def data_received(self, data: bytes) -> None:
        self.received += data

    def connection_lost(self, exc: Exception | None) -> None:
        del exc
        self.lost = True


async def unused(scope: object, receive: object, send: object) -> None:
    """An application that is never asked."""


class Setting:
    """A connection and all around it."""

    def __init__(self, limits: HttpLimits = LIMITS) -> None:
        self.clock = Clock()
        self.table = ConnectionTable(limits, self.clock)
        self.wire = Wire()
        self.libraries: list[Library] = []
        guard = Guard(unused, BearerRules("127.0.0.1", SingleToken(PHRASE)), most=9)
        self.connection = Connection(self.table, guard.judge, self._library)
        self.connection.connection_made(self.wire)

    def _library(self, _: object) -> Library:
        self.libraries.append(Library())
        return self.libraries[-1]

    @property
    def passed_on(self) -> bytes:
        return b"".join(library.received for library in self.libraries)

    @property
    def status(self) -> int:
        """The status of the only answer; 0 without one."""
        assert self.wire.written.count(b"HTTP/1.1 ") <= 1
        return int(self.wire.written.split()[1]) if self.wire.written else 0

    def is_idle(self) -> bool:
        return self.connection.is_idle

    def is_closed(self) -> bool:
        return self.wire.closed

    def is_cut_off(self) -> bool:
        return self.wire.aborted

    def send(self, *pieces: bytes) -> None:
        for piece in pieces:
            self.connection.data_received(piece)

    def answer(self) -> None:
        self.connection.begin_answer()
        self.connection.end_answer()

    def wait(self, seconds: float) -> None:
        self.clock.advance(seconds)
        self.table.check_times()


@pytest.mark.parametrize("token", [b"", b"Authorization: Bearer other\r\n"])
def test_without_the_token_nothing_is_passed_on(token: bytes) -> None:
    setting = Setting()
    setting.send(START + token + b"Content-Length: 5\r\n\r\nhe", b"llo")
    assert setting.status == 401
    assert b"\r\nwww-authenticate: Bearer\r\n" in setting.wire.written
    assert b"\r\nconnection: close\r\n" in setting.wire.written
    assert setting.libraries == []
    assert setting.wire.at_end
    assert setting.connection._reader.buffered == 0


def test_the_token_is_needed_for_each_request() -> None:
    setting = Setting()
    setting.send(PLAIN)
    setting.answer()
    setting.send(START + b"\r\n")
    assert setting.status == 401
    assert setting.passed_on == PLAIN
    assert setting.libraries[0].lost


def test_the_token_is_checked_before_what_the_request_asks_for() -> None:
    for more in (b"Content-Length: 1001\r\n", b"Expect: x\r\n", b"Expect: 100-continue\r\n"):
        setting = Setting()
        setting.send(START + more + b"\r\n")
        assert setting.status == 401


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        (b"Content-Length: 1001\r\n", 413),
        (b"Expect: x\r\n", 417),
        (b"Expect: 100-continue\r\nExpect: x\r\n", 417),
        (b"Content-Length: 1\r\nContent-Length: 1\r\n", 400),
        (b"Origin: http://evil.example\r\n", 403),
    ],
)
def test_a_refused_head_is_not_passed_on(headers: bytes, status: int) -> None:
    setting = Setting()
    setting.send(START + BEARER + headers + b"\r\n")
    assert setting.status == status
    assert setting.libraries == []


def test_an_accepted_request_is_passed_on_as_it_came() -> None:
    setting = Setting()
    head = START + BEARER + b"Expect: 100-Continue\r\nContent-Length: 5\r\n\r\n"
    setting.send(head[:9], head[9:] + b"he")
    assert setting.passed_on == head + b"he"
    setting.send(b"llo")
    assert setting.passed_on == head + b"hello"
    assert setting.wire.written == b""


def test_chunks_are_framed_anew() -> None:
    setting = Setting()
    setting.send(CHUNKED, b"3;a=b\r\nab", b"c\r\n0;x\r\nX: y\r\n\r\n")
    assert setting.passed_on == CHUNKED + b"2\r\nab\r\n1\r\nc\r\n0\r\n\r\n"


def test_a_malformed_body_ends_the_request() -> None:
    setting = Setting()
    setting.send(CHUNKED, b"x\r\n")
    assert setting.status == 400
    assert setting.passed_on == CHUNKED
    assert setting.libraries[0].lost


def test_a_body_that_turns_out_bad_after_the_answer_began_ends_the_connection() -> None:
    setting = Setting()
    setting.send(CHUNKED)
    setting.connection.begin_answer()
    setting.send(b"x\r\n")
    assert setting.wire.aborted
    assert setting.status == 0


def test_headers_are_complete_in_time_however_they_trickle() -> None:
    setting = Setting()
    for number in range(10):
        setting.send(PLAIN[number : number + 1])
        setting.wait(0.99)
    assert not setting.wire.at_end
    setting.send(PLAIN[10:11])
    setting.wait(0.1)
    assert setting.status == 408
    assert setting.wire.at_end


def test_a_connection_without_a_byte_is_closed_in_silence() -> None:
    setting = Setting()
    setting.wait(9.9)
    assert not setting.wire.closed
    setting.wait(0.1)
    assert setting.wire.aborted
    assert setting.wire.written == b""


@pytest.mark.parametrize("length", [100, 1000])
def test_a_body_has_time_in_proportion_to_its_length(length: int) -> None:
    setting = Setting()
    setting.send(sized(length), b"a" * (length - 1))
    setting.wait(10 + length / 10 - 0.1)
    assert setting.status == 0
    setting.wait(0.1)
    assert setting.status == 408
    assert setting.libraries[0].lost


def test_chunks_have_time_in_proportion_to_what_came() -> None:
    setting = Setting()
    setting.send(CHUNKED)
    setting.wait(9.9)
    setting.send(b"64\r\n" + b"a" * 100)
    setting.wait(10)
    assert setting.status == 0
    setting.wait(0.1)
    assert setting.status == 408


def test_a_body_that_came_in_time_leaves_the_answer_all_the_time() -> None:
    setting = Setting()
    setting.send(sized(1), b"a")
    setting.wait(1e6)
    setting.connection.begin_answer()
    setting.wait(1e6)
    assert not setting.wire.closed
    assert setting.wire.written == b""


def test_between_two_requests_a_connection_may_stay_for_a_minute() -> None:
    setting = Setting()
    setting.send(PLAIN)
    setting.wait(1e6)
    setting.answer()
    setting.wait(59.9)
    assert not setting.wire.closed
    setting.wait(0.1)
    assert setting.wire.aborted
    assert setting.wire.written == b""


def test_a_later_head_has_its_time_from_its_first_byte() -> None:
    setting = Setting()
    setting.send(PLAIN)
    setting.answer()
    setting.wait(50)
    setting.send(PLAIN[:1])
    setting.wait(9.9)
    setting.send(PLAIN[1:2])
    assert setting.status == 0
    setting.wait(0.1)
    assert setting.status == 408


def test_a_body_is_read_to_its_end_after_an_early_answer() -> None:
    setting = Setting()
    setting.send(sized(100))
    setting.answer()
    assert not setting.is_idle()
    setting.send(b"a" * 100)
    assert setting.is_idle()
    setting.send(PLAIN)
    assert setting.passed_on == sized(100) + b"a" * 100 + PLAIN


def test_a_body_has_to_end_after_an_early_answer_too() -> None:
    setting = Setting()
    setting.send(sized(100))
    setting.answer()
    setting.wait(20)
    assert setting.wire.aborted


def test_what_follows_a_refusal_is_dropped_and_limited() -> None:
    setting = Setting()
    setting.send(START + b"\r\n")
    setting.send(b"a" * 1000, b"a" * 500)
    assert not setting.wire.closed
    setting.send(b"a")
    assert setting.wire.aborted
    assert setting.connection._reader.buffered == 0


def test_a_refused_client_has_to_close_soon() -> None:
    setting = Setting()
    setting.send(START + b"\r\n")
    setting.wait(1.9)
    assert not setting.wire.closed
    setting.wait(0.1)
    assert setting.wire.aborted


def test_a_client_that_reads_no_last_answer_is_cut_off() -> None:
    setting = Setting()
    setting.send(PLAIN)
    setting.wire.close()
    setting.answer()
    setting.wait(100)
    assert not setting.is_cut_off()
    setting.wait(10)
    assert setting.is_cut_off()


def test_of_requests_before_their_time_little_is_kept() -> None:
    setting = Setting()
    setting.send(PLAIN, b"a" * 100)
    assert setting.connection._reader.buffered == 100
    setting.send(b"a")
    setting.send(b"a" * 1000)
    assert setting.connection._reader.buffered == 0
    assert not setting.is_closed()
    setting.answer()
    assert setting.is_closed()
    assert setting.passed_on == PLAIN


def test_who_makes_room_is_told_why() -> None:
    for begun in (b"", START):
        setting = Setting()
        setting.send(begun)
        setting.connection.evict()
        assert setting.status == 503
        assert b"\r\nretry-after: 1\r\n" in setting.wire.written
        assert setting.wire.aborted


def test_an_idle_connection_makes_room_in_silence() -> None:
    setting = Setting()
    setting.send(PLAIN)
    setting.answer()
    assert setting.connection.is_idle
    setting.connection.evict()
    assert setting.wire.written == b""
    assert setting.wire.aborted


def test_with_all_places_in_use_a_request_is_to_be_repeated_later() -> None:
    setting = Setting(LIMITS._replace(proven=0))
    setting.send(PLAIN)
    assert setting.status == 503
    assert b"\r\nretry-after: 1\r\n" in setting.wire.written
    assert setting.libraries == []


def test_the_library_hears_of_writing_and_of_the_end() -> None:
    setting = Setting()
    setting.connection.pause_writing()
    setting.connection.resume_writing()
    setting.send(PLAIN)
    setting.connection.pause_writing()
    setting.connection.resume_writing()
    assert setting.connection.eof_received() is None
    setting.connection.connection_lost(None)
    assert setting.libraries[0].lost
    setting.answer()
    setting.wait(1e6)
    assert not setting.wire.closed
