"""Starts child processes that run modules of this program, each with a private pipe.

They start in the file system's root and with `-P`: nothing is imported from the repository. A
child exits when its pipe closes (`ParentPipe`), so that none outlives its parent.
"""

from __future__ import annotations

import os
import sys
import zlib
from collections.abc import Generator, Mapping, Sequence
from contextlib import suppress
from typing import Final

from repo_mcp.processes.wire import Pipe

_PIECE: Final = 1 << 16


def command_of(module: str) -> tuple[str, ...]:
    """The command line that runs the `main` of a module of this program."""
    return (sys.executable, "-P", "-m", "repo_mcp.processes.entry", module)


def keep_imports_safe() -> None:
    """Let what other packages start from here import nothing from the current folder.

    `multiprocessing` starts Python with `-c`, which would look there first: in the repository.
    """
    os.environ["PYTHONSAFEPATH"] = "1"


def become(program: str, arguments: Sequence[str], mark: str) -> int:
    """Let a program of the user's take the place of this one; its exit code, if it returns.

    The variable `mark` tells it that it was started so.
    """
    environment = {**os.environ, mark: "1"}
    if os.name != "nt":
        os.execve(program, [program, *arguments], environment)  # noqa: S606 the user asked for it
    import subprocess  # noqa: PLC0415 as below

    return subprocess.run([program, *arguments], env=environment, check=False).returncode  # noqa: S603 as above


def output_of(program: str, arguments: Sequence[str], mark: str) -> bytes:
    """The output of a program of the user's; the variable `mark` is that of `become`."""
    import subprocess  # noqa: PLC0415 as below

    environment = {**os.environ, mark: "1"}
    found = subprocess.run(  # noqa: S603 as above
        [program, *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environment,
        check=False,
    )
    return found.stdout


def run_behind(
    program: str, arguments: Sequence[str], mark: str, printed: tuple[int, int]
) -> Generator[bytes, None, int]:
    """The output of a program of the user's behind the bytes that are printed; then its exit code.

    `printed` are size and CRC-32 of its beginning; raises `ValueError` if it begins otherwise. The
    generator returns the exit code. The variable `mark` is that of `become`.
    """
    import subprocess  # noqa: PLC0415 as below

    left, wanted = printed
    checksum = 0
    with subprocess.Popen(  # noqa: S603 the user asked for it
        [program, *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        env={**os.environ, mark: "1"},
    ) as process:
        source = process.stdout
        if source is None:
            raise EOFError
        try:
            while left and (data := source.read(min(left, _PIECE))):
                left -= len(data)
                checksum = zlib.crc32(data, checksum)
            if left or checksum != wanted:
                raise ValueError(program)
            while data := source.read(_PIECE):
                yield data
        finally:
            source.close()
    return process.returncode


class Process:
    """A child process and the pipe to it."""

    def __init__(
        self, command: Sequence[str], environment: Mapping[str, str], first: object
    ) -> None:
        """Start it with these environment variables added, and send the first message."""
        import subprocess  # noqa: PLC0415 most commands start no process

        self._process = subprocess.Popen(  # noqa: S603 it runs this program
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=os.path.abspath(os.sep),
            # a terminal's signals (Ctrl-C) are for the parent only
            process_group=None if os.name == "nt" else 0,
            env={**os.environ, **environment},
        )
        source, sink = self._process.stdout, self._process.stdin
        if source is None or sink is None:
            raise EOFError
        self._ends = (source, sink)
        self.pipe = Pipe(source.fileno(), sink.fileno())
        with suppress(OSError):  # if it has ended already, the first read fails
            self.pipe.send(first)

    def is_alive(self) -> bool:
        """True if the process is running."""
        return self._process.poll() is None

    def resident_bytes(self) -> int:
        """The memory that it holds now; 0 where the system does not say."""
        try:
            with open(f"/proc/{self._process.pid}/statm", "rb") as file:
                return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        except (OSError, IndexError, ValueError):
            return 0

    def kill(self) -> None:
        """Kill it; a pending read from its pipe fails."""
        self._process.kill()

    def end(self) -> None:
        """Kill it and close the pipe, which no other thread may be reading."""
        self._process.kill()
        self._process.wait()
        for end in self._ends:
            with suppress(OSError):
                end.close()
