"""Checks how fast the server starts, by starting it as a client does."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Sequence
from statistics import median
from typing import Final

from repo_mcp.cli.doctor.finding import DoctorFinding, fail, ok, warn
from repo_mcp.cli.program import BY_PYTHON

_TIMES: Final = 5
_PATIENCE: Final = 20.0
# seconds that Codex waits for a server's tools before its first turn
_GRACE: Final = 1.0
_MESSAGES: Final = (
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
_INPUT: Final = "".join(f"{json.dumps(message)}\n" for message in _MESSAGES).encode()


def check(flags: Sequence[str]) -> DoctorFinding:
    """Start the server several times with these flags; reports elapsed and CPU time."""
    walls, cpus = [], []
    for _ in range(_TIMES):
        before, begun = _child_cpu_seconds(), time.perf_counter()
        output = _run_server([sys.executable, *BY_PYTHON, "serve", *flags])
        walls.append(time.perf_counter() - begun)
        cpus.append(_child_cpu_seconds() - before)
        problem = _problem(output)
        if problem:
            todo = f"run `repo-mcp serve {' '.join(flags)}` and read its messages"
            return fail("start", problem, todo)
    line = f"tools are listed {median(walls) * 1000:.0f} ms after the start"
    if any(cpus):
        line += f", {median(cpus) * 1000:.0f} ms of it CPU time"
    if median(walls) > _GRACE / 2:
        todo = "find what slows down Python: `python -X importtime -c pass`"
        return warn("start", f"{line}: some clients give up on a server after 1 s", todo)
    return ok("start", f"{line} (median of {_TIMES})")


def _run_server(command: Sequence[str]) -> bytes:
    """The server's output for the two requests; empty after a timeout."""
    try:
        done = subprocess.run(  # noqa: S603 this program itself
            command, input=_INPUT, capture_output=True, timeout=_PATIENCE, check=False
        )
    except subprocess.TimeoutExpired:
        return b""
    return done.stdout


def _problem(output: bytes) -> str:
    try:
        answers = {found["id"]: found for found in map(json.loads, output.splitlines())}
        tools = answers[2]["result"]["tools"]
        name = answers[1]["result"]["serverInfo"]["name"]
    except (ValueError, KeyError, TypeError):
        return "the server did not answer correctly"
    return "" if tools and name else "the server has no tools"


def _child_cpu_seconds() -> float:
    """CPU seconds of child processes; 0 if unknown."""
    if sys.platform == "win32":
        return 0.0
    import resource  # noqa: PLC0415 not available on Windows

    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
