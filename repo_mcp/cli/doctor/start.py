"""Checks how fast the server starts, by starting it as a client does."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Sequence
from statistics import median
from typing import Final

from repo_mcp.cli.doctor.finding import Finding, fail, ok, warn
from repo_mcp.cli.program import BY_PYTHON

_TIMES: Final = 5
_PATIENCE: Final = 20.0
# how long Codex waits before it takes its first turn without a server's tools
_GRACE: Final = 1.0
_ASKED: Final = (
    {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "repo-mcp doctor", "version": "1"},
        },
    },
    {"jsonrpc": "2.0", "method": "notifications/initialized"},
    {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
)
_BEGIN: Final = "".join(f"{json.dumps(message)}\n" for message in _ASKED).encode()


def check(flags: Sequence[str]) -> Finding:
    """Start it some times with these flags; says how long it took, and what of that was work."""
    walls, works = [], []
    for _ in range(_TIMES):
        before, begun = _worked(), time.perf_counter()
        said = _answers([sys.executable, *BY_PYTHON, "serve", *flags])
        walls.append(time.perf_counter() - begun)
        works.append(_worked() - before)
        problem = _problem(said)
        if problem:
            todo = f"run `repo-mcp serve {' '.join(flags)}` and see what it says"
            return fail("start", problem, todo)
    line = f"tools are listed {median(walls) * 1000:.0f} ms after the start"
    if any(works):
        line += f", {median(works) * 1000:.0f} ms of them computing"
    if median(walls) > _GRACE / 2:
        todo = "look for what slows down Python here: `python -X importtime -c pass`"
        return warn("start", f"{line}: some clients begin without a server after 1 s", todo)
    return ok("start", f"{line} (median of {_TIMES})")


def _answers(command: Sequence[str]) -> bytes:
    """What the server says until both requests are answered; it ends with its input."""
    try:
        done = subprocess.run(  # noqa: S603 this very program
            command, input=_BEGIN, capture_output=True, timeout=_PATIENCE, check=False
        )
    except subprocess.TimeoutExpired:
        return b""
    return done.stdout


def _problem(said: bytes) -> str:
    try:
        answers = {found["id"]: found for found in map(json.loads, said.splitlines())}
        tools = answers[2]["result"]["tools"]
        named = answers[1]["result"]["serverInfo"]["name"]
    except (ValueError, KeyError, TypeError):
        return "the server did not answer as it should"
    return "" if tools and named else "the server has no tools"


def _worked() -> float:
    """Seconds that processes started from here have computed; 0 where that is not known."""
    if sys.platform == "win32":
        return 0.0
    import resource  # noqa: PLC0415 not there on Windows

    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
