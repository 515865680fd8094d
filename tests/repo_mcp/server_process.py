"""The real server as a process, spoken to in bytes."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from tests.waiting import HANG

# what the program repo-mcp does
PROGRAM = [
    sys.executable,
    "-P",
    "-c",
    "import sys; from repo_mcp.server import main; sys.exit(main())",
]
# the same, and no call runs out of time, however busy the machine is
UNHURRIED = [
    *PROGRAM[:-1],
    "import sys; from repo_mcp.dispatch import run; sys.exit(run(lambda: 1.0e9))",
]


class Server:
    """A running server."""

    def __init__(
        self, process: subprocess.Popen[bytes], stdin: IO[bytes], stdout: IO[bytes]
    ) -> None:
        self.process = process
        self._stdin = stdin
        self._stdout = stdout

    def send(self, *frames: bytes) -> None:
        self._stdin.write(b"".join(frame + b"\n" for frame in frames))
        self._stdin.flush()

    def raw(self, data: bytes) -> None:
        self._stdin.write(data)
        self._stdin.flush()

    def receive(self) -> dict[str, Any]:
        line = self._stdout.readline()
        assert line.endswith(b"\n"), line
        assert line.isascii()
        found: dict[str, Any] = json.loads(line)
        return found

    def ask(self, id_: int | str, method: str, **params: Any) -> dict[str, Any]:  # noqa: ANN401 JSON
        """The answer; notifications before it, as of progress on a busy machine, are dropped."""
        self.send(request(id_, method, **params))
        while "id" not in (found := self.receive()):
            assert "method" in found
        assert found["id"] == id_
        return found

    def end(self) -> None:
        """End the input."""
        self._stdin.close()

    def close(self) -> int:
        """End the input; gives the exit code, after checking that nothing more was said."""
        self.end()
        assert self._stdout.read() == b""
        return self.process.wait(timeout=HANG)


def request(id_: int | str, method: str, **params: Any) -> bytes:  # noqa: ANN401 JSON
    return json.dumps({"jsonrpc": "2.0", "id": id_, "method": method, "params": params}).encode()


@contextmanager
def running(
    root: Path,
    data: Path,
    *arguments: str,
    cwd: Path | None = None,
    around: Sequence[str] = (),
) -> Iterator[Server]:
    """A server of a root, or of those that a file lists.

    `around` is a command that ends by running the one that follows it.
    """
    where = ("--workspace" if root.is_file() else "--repo-root", str(root), "--data-dir", str(data))
    command = [*around, *UNHURRIED, "serve", *where, *arguments]
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=cwd
    )
    assert process.stdin
    assert process.stdout
    with process:
        try:
            yield Server(process, process.stdin, process.stdout)
        finally:
            process.kill()
