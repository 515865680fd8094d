"""Starts processes of this very program, each with a private pipe to it.

They start from the file system's root and with `-P`: nothing is imported from the repository. A
process exits when its pipe closes (`ParentPipe`), so that none outlives the one that started it.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress

from repo_mcp.indexing.processes.wire import Pipe


def command_of(module: str) -> tuple[str, ...]:
    """What starts a module of this program."""
    return (sys.executable, "-P", "-m", module)


class Process:
    """A process, and the pipe to it."""

    def __init__(
        self, command: Sequence[str], environment: Mapping[str, str], first: object
    ) -> None:
        """Start it, with this added to its environment, and tell it something."""
        self._process = subprocess.Popen(  # noqa: S603 this very program
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=os.path.abspath(os.sep),
            # what a terminal says to this process is not meant for others
            process_group=None if os.name == "nt" else 0,
            env={**os.environ, **environment},
        )
        source, sink = self._process.stdout, self._process.stdin
        if source is None or sink is None:
            raise EOFError
        self._ends = (source, sink)
        self.pipe = Pipe(source.fileno(), sink.fileno())
        with suppress(OSError):  # it has ended already: that shows when it is read from
            self.pipe.send(first)

    def is_alive(self) -> bool:
        """Whether it runs."""
        return self._process.poll() is None

    def kill(self) -> None:
        """What it was at fails where it is waited for."""
        self._process.kill()

    def end(self) -> None:
        """Kill it, and let go of the pipe: nobody may be reading from it."""
        self._process.kill()
        self._process.wait()
        for end in self._ends:
            with suppress(OSError):
                end.close()
