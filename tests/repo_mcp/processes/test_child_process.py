"""A child process ends with its parent, whatever it is doing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from repo_mcp.processes.start import Process
from tests.repo_mcp.tree_files import write
from tests.waiting import HANG, is_running, until

pytestmark = pytest.mark.servers

# computes without ever reading its pipe
BUSY = """
from repo_mcp.processes.child_process import ParentPipe

parent = ParentPipe()
parent.send(parent.receive())
print("a print of a library")
while True:
    sum(range(1000))
"""

# a server whose workers report their process id at a file, and then hang
INDEXING = """
import sys
from repo_mcp.services import services
from repo_mcp.budget import Budget
from repo_mcp.settings import Options
from repo_mcp.indexing.build import tasks
from repo_mcp.indexing.workers import pool
from repo_mcp.indexing.keep import refresh

root, data, worker = sys.argv[1:]
pool._COMMAND = (sys.executable, "-P", "-c", worker)
refresh._IN_PROCESS_FILES = 0
tasks._MAX_TASK_FILES = 1
services(Options(root, data, workers=2)).manager.refresh(Budget())
"""
WORKER = """
import os
from pathlib import Path
from repo_mcp.indexing.build import builder
from repo_mcp.indexing.workers import worker

def decode(data):
    Path(os.environ["BUSY"], str(os.getpid())).touch()
    while True:
        sum(range(1000))

builder.decode = decode
worker.main()
"""


def test_messages_go_both_ways_and_prints_do_not_spoil_them() -> None:
    process = Process((sys.executable, "-P", "-c", BUSY), {}, {"said": "first"})
    try:
        assert process.pipe.receive() == {"said": "first"}
        assert process.is_alive()
    finally:
        process.end()
    assert not process.is_alive()


def test_the_end_of_the_pipe_is_noticed_in_the_middle_of_work() -> None:
    command = [sys.executable, "-P", "-c", BUSY]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin
        process.stdin.close()
        assert process.wait(timeout=HANG) == 0


@pytest.mark.skipif(sys.platform == "win32", reason="numbers of processes are signalled")
def test_workers_end_with_a_server_that_is_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = write(tmp_path / "root", {f"{number}.py": f"word{number}" for number in range(9)})
    busy, data = tmp_path / "busy", tmp_path / "data"
    busy.mkdir()
    monkeypatch.setenv("BUSY", str(busy))
    command = [sys.executable, "-P", "-c", INDEXING, str(root), str(data), WORKER]
    with subprocess.Popen(command) as server:
        try:
            assert until(lambda: len(list(busy.iterdir())) == 2)
        finally:
            server.kill()
    workers = [int(file.name) for file in busy.iterdir()]
    assert until(lambda: not any(map(is_running, workers)))
