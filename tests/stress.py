"""Runs the tests beside eight busy processes, to find those that depend on time."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import ExitStack

BUSY = 8
# one ends with the process that started it, however that ends, and after an hour of computing
LOOP = """
import os, resource
resource.setrlimit(resource.RLIMIT_CPU, (3600, 3600))
parent = int(os.environ["PARENT"])
while os.getppid() == parent:
    sum(range(1_000_000))
"""


def main(arguments: list[str]) -> int:
    """Gives the exit code of pytest; the busy processes end with it."""
    around = {**os.environ, "PARENT": str(os.getpid())}
    with ExitStack() as stack:
        for _ in range(BUSY):
            busy = stack.enter_context(subprocess.Popen([sys.executable, "-c", LOOP], env=around))
            stack.callback(busy.kill)
        return subprocess.run([sys.executable, "-m", "pytest", *arguments], check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
