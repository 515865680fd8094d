"""A server ends when its parent is gone and nobody talks to it, also where its input stays open."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from ctypes import CDLL, wintypes
from pathlib import Path
from typing import IO, Any, NamedTuple, cast

import pytest

from repo_mcp.protocol.watchdog import PosixParent, Watchdog
from repo_mcp.protocol.windows_parent import WindowsParent
from tests.repo_mcp.clocks import Clock
from tests.repo_mcp.server_process import PROGRAM, request
from tests.repo_mcp.trees import write
from tests.waiting import HANG, is_running, until

HOUR = 3600.0
# the handle of the process itself
OWN = -1


class FakeParent:
    """A parent that is gone when a test says so."""

    def __init__(self) -> None:
        self.gone = False

    def is_gone(self) -> bool:
        return self.gone

    def follow(self) -> None:
        self.gone = False


class FakeKernel:
    """Processes of Windows: when each was created, and which have ended; others can't be opened."""

    def __init__(self, created: dict[int, int]) -> None:
        self.created = {OWN: 5 << 32, **created}
        self.ended: set[int] = set()

    def OpenProcess(self, _: int, __: int, number: int) -> int | None:  # noqa: N802 Windows' name
        return number if number in self.created else None

    def GetCurrentProcess(self) -> int:  # noqa: N802 Windows' name
        return OWN

    def GetProcessTimes(  # noqa: N802 Windows' name
        self, handle: int, created: wintypes.FILETIME, *_: object
    ) -> int:
        time = self.created[handle]
        created.dwHighDateTime, created.dwLowDateTime = time >> 32, time % (1 << 32)
        return int(time > 0)

    def WaitForSingleObject(self, handle: int, milliseconds: int) -> int:  # noqa: N802 Windows' name
        assert milliseconds == 0
        return 0 if handle in self.ended else 258


def windows_parent(created: dict[int, int]) -> tuple[FakeKernel, WindowsParent]:
    kernel = FakeKernel(created)
    return kernel, WindowsParent(cast("CDLL", kernel), 70)


def test_a_parent_is_gone_when_the_process_belongs_to_another() -> None:
    numbers = [70]
    parent = PosixParent(lambda: numbers[-1])
    assert not parent.is_gone()
    numbers.append(1)
    assert parent.is_gone()


@pytest.mark.parametrize("first", [0, 1, 70])
def test_who_adopts_a_process_is_its_parent_from_then_on(first: int) -> None:
    numbers = [first]
    parent = PosixParent(lambda: numbers[-1])
    numbers.append(80)
    assert parent.is_gone()
    parent.follow()
    assert not parent.is_gone()
    numbers.append(1)
    assert parent.is_gone()


def test_a_server_ends_at_the_second_look_that_finds_no_parent() -> None:
    parent = FakeParent()
    watchdog = Watchdog(parent, Clock(), 0)
    assert not watchdog.look()
    parent.gone = True
    assert [watchdog.look(), watchdog.look()] == [False, True]


def test_a_message_after_the_parents_end_shows_another_client() -> None:
    parent = FakeParent()
    watchdog = Watchdog(parent, Clock(), 0)
    parent.gone = True
    assert not watchdog.look()
    watchdog.hear()
    assert not any(watchdog.look() for _ in range(9))
    parent.gone = True
    assert [watchdog.look(), watchdog.look()] == [False, True]


def test_a_server_that_is_asked_nothing_ends_after_the_hours_that_are_set() -> None:
    clock = Clock()
    watchdog = Watchdog(FakeParent(), clock, 24)
    clock.advance(23 * HOUR)
    assert not watchdog.look()
    watchdog.hear()
    clock.advance(24 * HOUR - 1)
    assert not watchdog.look()
    clock.advance(1)
    assert watchdog.look()


def test_without_a_number_of_hours_it_never_ends_for_that() -> None:
    clock = Clock()
    watchdog = Watchdog(FakeParent(), clock, 0)
    clock.advance(9999 * HOUR)
    assert not watchdog.look()


@pytest.mark.requirement("INT-02-crossplatform")
@pytest.mark.parametrize("created", [4 << 32 | 9, 5 << 32])
def test_on_windows_the_end_of_the_parents_handle_is_seen(created: int) -> None:
    kernel, parent = windows_parent({70: created})
    assert not parent.is_gone()
    kernel.ended.add(70)
    assert parent.is_gone()
    parent.follow()
    assert not parent.is_gone()


@pytest.mark.requirement("INT-02-crossplatform")
@pytest.mark.parametrize(
    "created",
    [{70: 5 << 32 | 1}, {70: 6 << 32}, {70: 0}, {}],
    ids=["a later process", "a much later one", "not told", "refused"],
)
def test_on_windows_a_process_that_is_not_the_parent_ends_nothing(created: dict[int, int]) -> None:
    kernel, parent = windows_parent(created)
    kernel.ended.add(70)
    assert not parent.is_gone()


# starts a server whose input is that of this process, tells its number, and waits for it
PARENT = """
import subprocess, sys
new_session = sys.argv[1] == "setsid"
with subprocess.Popen(sys.argv[2:], start_new_session=new_session) as server:
    print(server.pid, file=sys.stderr, flush=True)
"""
# a server that first looks when a file is opened for writing, then often, and tells each look
LOOKING = """
import sys
from repo_mcp.protocol import watchdog
look, gate = watchdog.Watchdog.look, [sys.argv.pop()]
def told(self):
    if gate:
        open(gate.pop()).close()
    found = look(self)
    print("looked", file=sys.stderr, flush=True)
    return found
watchdog.Watchdog.look, watchdog.PERIOD = told, 0.0
from repo_mcp.server import main
sys.exit(main())
"""


class Started(NamedTuple):
    """A server that another process has started, and the pipes to it."""

    parent: subprocess.Popen[bytes]
    number: int
    given: IO[bytes]
    answers: IO[bytes]
    errors: IO[bytes]

    def ask(self, id_: int, method: str, **params: object) -> dict[str, Any]:
        self.given.write(request(id_, method, **params) + b"\n")
        self.given.flush()
        answer: dict[str, Any] = json.loads(self.answers.readline())
        return answer


@contextmanager
def started(session: str, *server: str) -> Iterator[Started]:
    command = [sys.executable, "-P", "-c", PARENT, session, *server]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe) as parent:
        assert parent.stdin
        assert parent.stdout
        assert parent.stderr
        number = int(parent.stderr.readline())
        try:
            yield Started(parent, number, parent.stdin, parent.stdout, parent.stderr)
        finally:
            parent.kill()
            with suppress(ProcessLookupError):
                os.kill(number, signal.SIGKILL)


def places(tmp_path: Path) -> list[str]:
    root = write(tmp_path / "root", {"a.py": "def needle(): pass\n"})
    return ["serve", "--repo-root", str(root), "--data-dir", str(tmp_path / "data")]


def children_of(number: int) -> list[int]:
    found: list[int] = []
    for file in Path(f"/proc/{number}/task").glob("*/children"):
        with suppress(OSError):  # the thread has ended since
            found += map(int, file.read_text("ascii").split())
    return found


@pytest.mark.servers
@pytest.mark.requirement("INT-05-stdio")
@pytest.mark.skipif(sys.platform != "linux", reason="asks Linux for the children of a process")
@pytest.mark.parametrize("session", ["same session", "setsid"])
def test_a_server_and_its_children_end_with_a_killed_parent_while_its_input_is_open(
    tmp_path: Path, session: str
) -> None:
    with started(session, *PROGRAM, *places(tmp_path)) as server:
        assert server.ask(1, "tools/call", name="repo.search", arguments={"query": "x"})["result"]
        children: list[int] = []

        def has_children() -> bool:  # at last, the process that listens for changes
            children[:] = children_of(server.number)
            return bool(children)

        assert until(has_children)
        server.parent.kill()
        assert until(lambda: not is_running(server.number))
        assert until(lambda: not any(map(is_running, children)))
        assert not server.given.closed


@pytest.mark.servers
@pytest.mark.skipif(sys.platform == "win32", reason="a file that a process waits for")
def test_a_server_that_another_process_goes_on_talking_to_does_not_end(tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    os.mkfifo(gate)
    command = [*PROGRAM[:3], LOOKING, *places(tmp_path), str(gate)]
    with started("same session", *command) as server:
        assert server.ask(1, "ping")["result"] == {}
        server.parent.kill()
        server.parent.wait(HANG)
        assert server.ask(2, "ping")["result"] == {}
        gate.open("wb").close()
        assert [server.errors.readline() for _ in range(9)] == [b"looked\n"] * 9
        assert server.ask(3, "ping")["result"] == {}
