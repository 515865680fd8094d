"""Clients that are killed in the middle of a session: how long processes of the server are left.

A client makes a call, and waits for its model while the server is idle or indexes; then all of its
processes get SIGKILL. Of the server's processes, which are found by the home of the run, none may
be left after ten seconds. Where the input stays open, the server itself holds the writing end of
the pipe that it reads, as a process does that a client leaves behind.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import product
from pathlib import Path
from typing import Any, Final

from bench.clients.agents import Agent, Place, prepare_agent
from bench.clients.models import Model, ScriptedCall
from index_format.tuples import NamedTuple

# seconds that a process of the server may live on, and those that a client has to get so far
MOST_SECONDS: Final = 10.0
_PATIENCE: Final = 120.0
_POLL: Final = 0.05
_CALL: Final = ScriptedCall("repo.status", {})
# files that keep two processors busy for more than the seconds above
_LARGE: Final = 4_000
_SMALL: Final = 20
_WORKER: Final = "repo_mcp.indexing.workers"
# the server reads a pipe whose writing end it holds, and into which another process copies
_OPEN_INPUT: Final = """#!/bin/sh
mkfifo "{pipe}.$$"
exec 3<>"{pipe}.$$" 4<&0
cat <&4 >"{pipe}.$$" &
exec "{server}" "$@" <"{pipe}.$$" 4<&-
"""


class Running(NamedTuple):
    """A process: its number, its parent's, and its command line."""

    number: int
    parent: int
    line: str

    @property
    def is_ours(self) -> bool:
        """True if it runs the server or a part of it."""
        program = self.line.split("\0", 1)[0].rpartition("/")[2]
        return program.startswith(("python", "repo-mcp")) and "repo" in self.line


def kill_agent(
    agent: Agent, modules: Path, run: Path, server: Path, *, indexes: bool, stays_open: bool
) -> dict[str, Any]:
    """Kill a client in the middle of a session; what was left, and for how long."""
    shutil.rmtree(run, ignore_errors=True)
    place = Place(run / "home", run / "project")
    for folder in (place.home, place.project / ".git"):
        folder.mkdir(parents=True)
    _write_files(place.project, _LARGE if indexes else _SMALL)
    program = _open_input(run, server) if stays_open else server
    model = Model([_CALL], waits=True)
    install = [str(server), "install", "--command", str(program)]
    line, environment = prepare_agent(agent, modules, place, install, model.address)
    with (run / "printed.txt").open("wb") as printed:
        client = subprocess.Popen(
            line,
            cwd=place.project,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=printed,
            stderr=printed,
            start_new_session=True,
        )
        try:
            reached = _wait_for(lambda: model.is_waiting and (not indexes or _indexes(place.home)))
            before = list(running(place.home))
            seconds = _kill(before, place.home)
        finally:
            client.kill()
            client.wait()
            model.close()
            left = [row for row in running(place.home) if row.is_ours]
            for row in running(place.home):
                _end(row)
    ours = sum(row.is_ours for row in before)
    faults = [] if reached and ours else [f"not reached: {ours} processes of the server"]
    for row in left:
        shown = row.line.replace("\0", " ")
        faults.append(f"left after {MOST_SECONDS:g} s: {shown}")
    return {
        "client": agent.name,
        "while": "indexing" if indexes else "idle",
        "input": "stays open" if stays_open else "ends",
        "processes": {"client": len(before) - ours, "server": ours},
        "seconds until none was left": round(seconds, 2),
        "faults": faults,
    }


def kill_agents(agents: list[Agent], modules: Path, runs: Path, server: Path) -> Iterator[Any]:
    """Each agent in each of four situations."""
    for agent, indexes, stays_open in product(agents, (False, True), (False, True)):
        run = runs / f"{agent.name}-killed"
        yield kill_agent(agent, modules, run, server, indexes=indexes, stays_open=stays_open)


def running(home: Path) -> Iterator[Running]:
    """The processes that run with this home, and have not ended."""
    wanted = f"HOME={home}".encode()
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if wanted in (folder / "environ").read_bytes().split(b"\0"):
                state, parent = (folder / "stat").read_text("utf-8").rpartition(")")[2].split()[:2]
                line = (folder / "cmdline").read_text("utf-8", "replace")
                if state not in "ZX":
                    yield Running(int(folder.name), int(parent), line)


def _kill(before: list[Running], home: Path) -> float:
    """Kill the client's processes; the seconds until none of the server's is left."""
    for row in before:
        if not row.is_ours:
            _end(row)
    began = time.monotonic()
    while any(row.is_ours for row in running(home)):
        if time.monotonic() - began > MOST_SECONDS:
            break
        time.sleep(_POLL)
    return time.monotonic() - began


def _end(row: Running) -> None:
    with suppress(ProcessLookupError):
        os.kill(row.number, signal.SIGKILL)


def _indexes(home: Path) -> bool:
    return any(_WORKER in row.line for row in running(home))


def _wait_for(condition: Callable[[], bool]) -> bool:
    end = time.monotonic() + _PATIENCE
    while not (is_met := condition()) and time.monotonic() < end:
        time.sleep(_POLL)
    return is_met


def _open_input(run: Path, server: Path) -> Path:
    program = run / "repo-mcp"
    program.write_text(_OPEN_INPUT.format(pipe=run / "input", server=server), "utf-8")
    program.chmod(0o755)
    return program


def _write_files(folder: Path, count: int) -> None:
    """Files of Python with words of their own."""
    for number in range(count):
        lines = (
            f"def word{number}_{row}(given):\n    return other{number * row}(given) + {row}\n"
            for row in range(100)
        )
        (folder / f"part{number}.py").write_text("\n".join(lines), "utf-8")
