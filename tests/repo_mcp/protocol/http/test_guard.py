"""Admission over HTTP, judged by headers alone."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from repo_mcp.protocol.http.guard import BearerRules, Guard, SingleToken, is_loopback

PHRASE = "open sesame"
EVERYWHERE = "0.0.0.0"  # noqa: S104 only named, nothing listens
RIGHT = {"host": "127.0.0.1:8000", "authorization": f"Bearer {PHRASE}"}


async def served(scope: object, receive: object, send: Any) -> None:  # noqa: ANN401 ASGI
    del scope, receive
    await send({"type": "http.response.start", "status": 200})


def guard(host: str = "127.0.0.1", most: int = 9) -> Guard:
    return Guard(served, BearerRules(host, SingleToken(PHRASE)), most=most)


def status(guarded: Guard, headers: dict[str, str], *more: tuple[str, str]) -> int:
    """The status that a request with these headers is answered with."""
    sent: list[dict[str, Any]] = []

    async def send(message: Any) -> None:  # noqa: ANN401 ASGI
        sent.append(message)

    async def receive() -> dict[str, Any]:
        return {}

    raw = [(name.encode(), value.encode()) for name, value in (*headers.items(), *more)]
    asyncio.run(guarded({"type": "http", "headers": raw}, receive, send))
    if sent[0]["status"] == 401:
        assert (b"www-authenticate", b"Bearer") in sent[0]["headers"]
    found: int = sent[0]["status"]
    return found


@pytest.mark.parametrize(
    ("host", "asked", "expected"),
    [
        ("127.0.0.1", "127.0.0.1:8000", 200),
        ("127.0.0.1", "localhost:1", 200),
        ("127.0.0.1", "LocalHost", 200),
        ("127.0.0.1", "[::1]:8000", 200),
        ("127.0.0.1", "evil.example", 421),
        ("127.0.0.1", "evil.example:8000", 421),
        ("127.0.0.1", "localhost.evil.example", 421),
        ("127.0.0.1", "127.0.0.1.evil.example", 421),
        ("127.0.0.1", "127.0.0.1:evil", 421),
        ("127.0.0.1", "[::1]evil", 421),
        ("127.0.0.1", "[::1", 421),
        ("127.0.0.1", "10.0.0.5", 421),
        ("127.0.0.1", EVERYWHERE, 421),
        ("127.0.0.1", "", 421),
        ("10.0.0.5", "10.0.0.5:8000", 200),
        ("box.example", "box.example:8000", 200),
        ("box.example", "other.example:8000", 421),
        (EVERYWHERE, "10.0.0.5:8000", 200),
        (EVERYWHERE, "box.example", 421),
    ],
)
def test_the_host_that_is_asked_for_is_ours(host: str, asked: str, expected: int) -> None:
    assert status(guard(host), {**RIGHT, "host": asked}) == expected


@pytest.mark.parametrize(
    ("origin", "expected"),
    [
        ("http://localhost:3000", 200),
        ("https://127.0.0.1", 200),
        ("http://evil.example", 403),
        ("http://localhost.evil.example", 403),
        ("null", 403),
        ("file://", 403),
        ("localhost", 403),
        ("", 403),
    ],
)
def test_a_page_comes_from_where_the_server_is(origin: str, expected: int) -> None:
    assert status(guard(), {**RIGHT, "origin": origin}) == expected


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (f"Bearer {PHRASE}", 200),
        (f"bearer  {PHRASE} ", 200),
        (f"Bearer {PHRASE}x", 401),
        (f"Bearer {PHRASE[:-1]}", 401),
        ("Bearer ", 401),
        ("Bearer é", 401),
        (f"Basic {PHRASE}", 401),
        (PHRASE, 401),
        ("", 401),
    ],
)
def test_the_token_is_the_whole_token(said: str, expected: int) -> None:
    assert status(guard(), {**RIGHT, "authorization": said}) == expected


def test_the_token_is_compared_in_constant_time(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[tuple[bytes, bytes]] = []

    def compare(one: bytes, other: bytes) -> bool:
        compared.append((one, other))
        return False

    monkeypatch.setattr("hmac.compare_digest", compare)
    assert status(guard(), RIGHT) == 401
    assert compared == [(PHRASE.encode(), PHRASE.encode())]


@pytest.mark.parametrize(
    ("name", "expected"), [("host", 421), ("origin", 403), ("authorization", 401)]
)
def test_a_header_that_comes_twice_is_believed_never(name: str, expected: int) -> None:
    headers = {**RIGHT, "origin": "http://localhost"}
    assert status(guard(), headers, (name, headers[name])) == expected


@pytest.mark.parametrize(("missing", "expected"), [("host", 421), ("authorization", 401)])
def test_what_is_needed_is_needed(missing: str, expected: int) -> None:
    headers = {name: value for name, value in RIGHT.items() if name != missing}
    assert status(guard(), headers) == expected


def test_only_so_many_requests_are_open_at_a_time() -> None:
    assert status(guard(most=1), RIGHT) == 200
    full = guard(most=1)
    full._open = 1
    assert status(full, RIGHT) == 503


def test_sockets_of_another_kind_are_not_served() -> None:
    asyncio.run(guard()({"type": "websocket"}, None, None))  # type: ignore[arg-type]


def test_without_a_token_nothing_is_served() -> None:
    with pytest.raises(ValueError, match="token"):
        BearerRules("127.0.0.1", SingleToken(""))


@pytest.mark.parametrize(
    ("host", "expected"),
    [("127.0.0.1", True), ("::1", True), ("localhost", True), (EVERYWHERE, False), ("x", False)],
)
def test_loopback_is_known(host: str, *, expected: bool) -> None:
    assert is_loopback(host) is expected
