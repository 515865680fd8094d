"""No process takes much more processor time than it did, and no server much more memory.

Times are of the whole process, from its start: what is imported, opened and read for one answer.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import pytest

from bench.costs.server import Server
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
_PRIVATE: Final = ("Private_Clean:", "Private_Dirty:")
_KILOBYTES: Final = 1024
_QUESTIONS: Final = 20


@pytest.fixture(scope="session")
def settings(made: Services) -> list[str]:
    """Flags of the made tree, whose graph is linked: no process makes anything."""
    made.manager.link(Budget())
    return ["--repo-root", made.settings.root, "--data-dir", made.settings.data_dir]


def _server(settings: Sequence[str]) -> Server:
    flags = ["--no-watch", "--history-commits", "0"]
    return Server([*_PROGRAM, "serve", *settings, *flags], Path.cwd(), os.environ)


def _seconds_of(work: Callable[[], object]) -> float:
    """The processor time of the processes that a piece of work starts and ends."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    work()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _command(line: Sequence[str], given: bytes = b"") -> None:
    """Run a command that has an answer."""
    command = [*_PROGRAM, *line]
    assert subprocess.run(command, input=given, stdout=subprocess.PIPE, check=True).stdout


def _private_megabytes(process: int) -> float:
    """The memory of a process that it shares with no other."""
    rows = Path(f"/proc/{process}/smaps_rollup").read_text("utf-8").splitlines()
    return sum(int(row.split()[1]) for row in rows if row.startswith(_PRIVATE)) / _KILOBYTES


def test_initialize(check: Check, settings: list[str]) -> None:
    """A server says what it is."""

    def work() -> None:
        with _server(settings):
            pass

    check.seconds(lambda: _seconds_of(work))


def test_first_answer(check: Check, settings: list[str], tree: Tree) -> None:
    """A server answers its first search."""
    query = drawn("passages", 1, tree)[0]

    def work() -> None:
        with _server(settings) as server:
            assert server.call("repo.search", {"query": query}).text

    check.seconds(lambda: _seconds_of(work))


def test_command(check: Check, settings: list[str], tree: Tree) -> None:
    """A command searches."""
    line = ["search", drawn("passages", 1, tree)[0], *settings]
    check.seconds(lambda: _seconds_of(lambda: _command(line)))


def test_hook(check: Check, settings: list[str], tree: Tree) -> None:
    """A hook answers without a server."""
    fields = {"hook_event_name": "UserPromptSubmit", "transcript_path": "", "cwd": str(tree.root)}
    event = {**fields, "prompt": f"what is `{drawn('symbol', 1, tree)[0]}` for?"}
    line, given = ["hook", "prompt", *settings], json.dumps(event).encode()
    check.seconds(lambda: _seconds_of(lambda: _command(line, given)))


@pytest.mark.skipif(sys.platform != "linux", reason="no other system tells what is private")
def test_private_memory(check: Check, settings: list[str], tree: Tree) -> None:
    """Megabytes of a server after twenty searches."""
    queries = drawn("passages", _QUESTIONS, tree)

    def megabytes() -> float:
        with _server(settings) as server:
            for query in queries:
                server.call("repo.search", {"query": query})
            return _private_megabytes(server.process_id)

    check.figure(megabytes)
