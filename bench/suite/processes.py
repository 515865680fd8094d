"""Runs processes and says what they cost in time, memory and disk, children included."""

from __future__ import annotations

import json
import os
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple, Self

_SAMPLE_SECONDS: Final = 0.1


class Cost(NamedTuple):
    """Cost of a process and its children."""

    wall: float
    cpu: float
    peak_mib: float
    # the most that lay in its folder while it ran
    disk_mib: float


class FailedError(Exception):
    """A process ended badly; the message has its last words."""


def run(
    command: Sequence[str],
    around: Mapping[str, str],
    folder: Path | None = None,
    sample_seconds: float = _SAMPLE_SECONDS,
) -> Cost:
    """Run a command to its end; `folder` is where it writes."""
    begin = time.perf_counter()
    with subprocess.Popen(
        command, env=dict(around), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    ) as process:
        watched = ProcessWatch(process.pid, folder, sample_seconds)
        assert process.stderr is not None
        words = process.stderr.read()
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - begin
        process.returncode = os.waitstatus_to_exitcode(status)
        watched.end()
    # 1 is how searches say that nothing was found
    if process.returncode not in {0, 1}:
        last = (words.decode("utf-8", "replace").strip().splitlines() or ["no message"])[-1]
        raise FailedError(f"{' '.join(command[:4])}: {process.returncode}: {last[:300]}")
    cpu = usage.ru_utime + usage.ru_stime
    return Cost(wall, cpu, watched.memory_mib, watched.disk_mib)


class ProcessWatch:
    """Samples memory and folder of a process and its children until it is ended."""

    def __init__(
        self, process: int, folder: Path | None, sample_seconds: float = _SAMPLE_SECONDS
    ) -> None:
        self._sample_seconds = sample_seconds
        self.memory_mib = self.disk_mib = 0.0
        self._process, self._folder = process, folder
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def end(self) -> None:
        """Sample the last time."""
        self._done.set()
        self._thread.join()
        self._sample()

    def _watch(self) -> None:
        while not self._done.wait(self._sample_seconds):
            self._sample()

    def _sample(self) -> None:
        self.memory_mib = max(self.memory_mib, mib(resident(self._process)))
        if self._folder is not None:
            self.disk_mib = max(self.disk_mib, mib(folder_bytes(self._folder)))


def mib(count: int) -> float:
    """Bytes as MiB."""
    return round(count / 2**20, 1)


def folder_bytes(folder: Path) -> int:
    """Bytes of all files below a folder; files may come and go meanwhile."""
    total = 0
    for path in folder.rglob("*"):
        try:
            total += path.stat().st_size if path.is_file() else 0
        except OSError:
            continue
    return total


def resident(process: int) -> int:
    """Bytes of memory that a process and its children hold; what they share counts once."""
    found = [process]
    total = 0
    for item in found:
        total += _share(item)
        for task in Path(f"/proc/{item}/task").glob("*/children"):
            try:
                found += map(int, task.read_text().split())
            except OSError:
                continue
    return total


def _share(process: int) -> int:
    try:
        rows = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return sum(
        int(row.split()[1]) << 10 for row in rows if row.startswith(("Pss_Anon:", "Pss_Shmem:"))
    )


class Reply(NamedTuple):
    """One answer of a process that stays: its time within that process, and what it holds."""

    wall: float
    cpu: float
    hits: int
    first: Sequence[str]


class PeerProcess:
    """A peer's process that answers a question for each line."""

    def __init__(self, command: Sequence[str], around: Mapping[str, str]) -> None:
        self._process = subprocess.Popen(
            command, env=dict(around), stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )

    def __enter__(self) -> Self:
        """The process itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """End it."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()

    def ask(self, kind: str, query: str) -> Reply:
        """The answer to one question."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        question = json.dumps({"kind": kind, "query": query})
        self._process.stdin.write(question.encode() + b"\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise FailedError(f"the process ended at {question}")
        found: dict[str, Any] = json.loads(line)
        return Reply(found["wall"], found["cpu"], found["hits"], found["first"])

    def memory_mib(self) -> float:
        """Its memory at present."""
        return mib(resident(self._process.pid))
