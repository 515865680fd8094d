"""The end of input waits for calls that have just begun, and for no others."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import cast

import pytest

from repo_mcp.protocol import stdio
from repo_mcp.protocol.call import ThreadJob
from repo_mcp.protocol.session import Session
from repo_mcp.protocol.stdio import Workers
from tests.repo_mcp.clocks import Clock
from tests.waiting import HANG, until


class Blocked:
    """A session whose calls take as long as somebody wants; it knows what was told to it."""

    def __init__(self) -> None:
        self.free = threading.Event()
        self.done = 0
        self.ended = threading.Event()

    def perform(self, _: ThreadJob) -> None:
        self.free.wait(HANG)
        self.done += 1

    def tick(self) -> None:
        """Nothing is told of calls that take long."""

    def end(self) -> None:
        self.ended.set()


class Call:
    kind = "call"


@pytest.fixture
def session(monkeypatch: pytest.MonkeyPatch) -> Iterator[Blocked]:
    monkeypatch.setattr(stdio, "_GRACE", 10 * HANG)
    made = Blocked()
    yield made
    made.free.set()


def started(session: Blocked, clock: Clock) -> Workers:
    made = Workers(cast("Session", session), clock)
    for _ in range(3):
        made.start(cast("ThreadJob", Call()))
    return made


def leaving(made: Workers) -> None:
    threading.Thread(target=made.finish, daemon=True).start()


def test_who_has_nothing_to_do_leaves_at_once(session: Blocked) -> None:
    leaving(Workers(cast("Session", session)))
    assert until(session.ended.is_set)


def test_calls_that_have_just_begun_are_waited_for(session: Blocked) -> None:
    leaving(started(session, Clock()))
    assert not session.ended.wait(0)
    session.free.set()
    assert until(session.ended.is_set)
    assert session.done == 3


def test_calls_that_take_long_already_are_not(session: Blocked) -> None:
    clock = Clock()
    made = started(session, clock)
    clock.advance(20 * HANG)
    leaving(made)
    assert until(session.ended.is_set)
    assert session.done == 0
