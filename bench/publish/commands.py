"""Runs commands of the program in a checkout, and measures what they take."""

from __future__ import annotations

import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import Final, NamedTuple

START: Final = "import sys; from repo_mcp.server import main; sys.exit(main())"


class Step(NamedTuple):
    """A command that has run: what it printed, and what it and its workers took."""

    text: str
    seconds: float
    cpu: float


def run(root: Path, *line: str) -> Step:
    """Run a command, which succeeds."""
    began, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [sys.executable, "-P", "-c", START, *line],
        cwd=root,
        check=True,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Step(done.stdout, time.perf_counter() - began, cpu)
