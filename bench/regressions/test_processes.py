"""No process takes much more processor time than it did, and no server much more memory.

Times are of the whole process, from its start: what is imported, opened and read for one answer.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO, Any, Final

import pytest

from bench.peers.process import Tree
from bench.regressions.conftest import Check
from bench.suite.questions import drawn
from repo_mcp.budget import Budget
from repo_mcp.services import Services

pytestmark = pytest.mark.servers

_PROGRAM: Final = [
    sys.executable,
    "-P",
    "-c",
    "import sys; from repo_mcp.server import main; sys.exit(main())",
]
_INITIALIZE: Final = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "bench", "version": "1"},
}
_PRIVATE: Final = ("Private_Clean:", "Private_Dirty:")
_KILOBYTES: Final = 1024
_QUESTIONS: Final = 20


@pytest.fixture(scope="session")
def settings(made: Services) -> list[str]:
    """Flags of the made tree, whose graph is linked: no process makes anything."""
    made.manager.link(Budget())
    return ["--repo-root", made.settings.root, "--data-dir", made.settings.data_dir]


class _Server:
    """A server on standard input, whose cost is read when it is killed."""

    def __init__(self, settings: Sequence[str]) -> None:
        line = [*_PROGRAM, "serve", *settings, "--no-watch", "--history-commits", "0"]
        self._process = subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._input: IO[bytes] = _present(self._process.stdin)
        self._output: IO[bytes] = _present(self._process.stdout)
        self._number = 0
        self.ask("initialize", _INITIALIZE)
        self._send({"method": "notifications/initialized"})

    def ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """The result of a request."""
        self._number += 1
        self._send({"id": self._number, "method": method, "params": params})
        while True:
            answer: dict[str, Any] = json.loads(self._output.readline())
            if answer.get("id") == self._number:
                result: dict[str, Any] = answer["result"]
                return result

    def search(self, query: str) -> dict[str, Any]:
        """The answer of a ranked search."""
        return self.ask("tools/call", {"name": "repo.search", "arguments": {"query": query}})

    def private_megabytes(self) -> float:
        """Its memory that it shares with no other process."""
        rows = Path(f"/proc/{self._process.pid}/smaps_rollup").read_text("utf-8").splitlines()
        return sum(int(row.split()[1]) for row in rows if row.startswith(_PRIVATE)) / _KILOBYTES

    def seconds(self) -> float:
        """The processor time that it took to its end, which is now."""
        self._process.kill()
        with self._process:
            return _seconds_of(self._process)

    def _send(self, message: dict[str, Any]) -> None:
        self._input.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self._input.flush()


def _present(pipe: IO[bytes] | None) -> IO[bytes]:
    if pipe is None:
        raise ValueError
    return pipe


def _seconds_of(process: subprocess.Popen[bytes]) -> float:
    """The processor time of a process that ends, of its user and of the system."""
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return usage.ru_utime + usage.ru_stime


def _command(line: Sequence[str], given: bytes = b"") -> Callable[[], float]:
    """The processor time of a command; it has an answer."""

    def seconds() -> float:
        process = subprocess.Popen(
            [*_PROGRAM, *line], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        with process:
            _present(process.stdin).write(given)
            _present(process.stdin).close()
            assert _present(process.stdout).read()
            return _seconds_of(process)

    return seconds


def test_initialize(check: Check, settings: list[str]) -> None:
    """A server says what it is."""
    check.seconds(lambda: _Server(settings).seconds())


def test_first_answer(check: Check, settings: list[str], tree: Tree) -> None:
    """A server answers its first search."""
    query = drawn("passages", 1, tree)[0]

    def seconds() -> float:
        server = _Server(settings)
        assert not server.search(query)["isError"]
        return server.seconds()

    check.seconds(seconds)


def test_command(check: Check, settings: list[str], tree: Tree) -> None:
    """A command searches."""
    check.seconds(_command(["search", drawn("passages", 1, tree)[0], *settings]))


def test_hook(check: Check, settings: list[str], tree: Tree) -> None:
    """A hook answers without a server."""
    fields = {"hook_event_name": "UserPromptSubmit", "transcript_path": "", "cwd": str(tree.root)}
    event = {**fields, "prompt": f"what is `{drawn('symbol', 1, tree)[0]}` for?"}
    check.seconds(_command(["hook", "prompt", *settings], json.dumps(event).encode()))


@pytest.mark.skipif(sys.platform != "linux", reason="no other system tells what is private")
def test_private_memory(check: Check, settings: list[str], tree: Tree) -> None:
    """Megabytes of a server after twenty searches."""
    queries = drawn("passages", _QUESTIONS, tree)

    def megabytes() -> float:
        server = _Server(settings)
        for query in queries:
            server.search(query)
        held = server.private_megabytes()
        server.seconds()
        return held

    check.figure(megabytes)
