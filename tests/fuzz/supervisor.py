"""Runs a target in a process of its own, which may crash, hang or ask for too much memory.

The input in use lies in memory that both processes share: what a crash leaves there caused it.
"""

from __future__ import annotations

import json
import logging
import mmap
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from random import Random
from types import FrameType
from typing import Any, Final

from tests.fuzz.engine import ROOT, Explorer, Finding, Hang, Target, name_of, run_limited

if sys.platform != "win32":
    import resource

CORPUS: Final = Path(__file__).with_name("corpus")
GROWN: Final = ROOT / ".fuzz"
# processor seconds of one input: far more than any needs, also beside other work
CPU_SECONDS: Final = 10.0
# what ends code that never comes back to Python
_CPU_SECONDS_AT_MOST: Final = 30.0
_EXTRA_BYTES: Final = 2 << 30
_MOST_CRASHES: Final = 3
# the part of a target's time that learning the corpus may take
_REPLAY_SHARE: Final = 0.5


@dataclass
class Report:
    """The result of one target."""

    target: str
    executions: int = 0
    added: int = 0
    features: int = 0
    findings: list[tuple[Path, Finding]] = field(default_factory=list)


def inputs_of(target: Target, folder: Path = CORPUS) -> list[bytes]:
    """The corpus of a target in a folder, in an order that does not depend on the disk."""
    return [file.read_bytes() for file in sorted((folder / target.name).glob("*"))]


def starting_points(target: Target, grown: Path = GROWN) -> list[bytes]:
    """Seeds, the corpus, and what runs on this machine have found."""
    found = [*target.seeds(), *inputs_of(target), *inputs_of(target, grown / "corpus")]
    return list(dict.fromkeys(found))


def put_input(folder: Path, data: bytes) -> Path:
    """Write an input under its name."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / name_of(data)
    file.write_bytes(data)
    return file


@contextmanager
def limited_time(_data: bytes = b"") -> Iterator[None]:
    """Raise `Hang` for more processor time than any input needs; code that never returns dies."""
    if sys.platform == "win32":
        yield
        return

    def stop(_number: int, _frame: FrameType | None) -> None:
        raise Hang(f"not done after {CPU_SECONDS:g} s of processor time")

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, CPU_SECONDS)
    signal.setitimer(signal.ITIMER_PROF, _CPU_SECONDS_AT_MOST)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


class _SharedInput:
    """The input in use, readable for the parent after the child is gone."""

    def __init__(self, room: int) -> None:
        self._memory = mmap.mmap(-1, room + 8)

    def put(self, data: bytes) -> None:
        self._memory[: 8 + len(data)] = len(data).to_bytes(8, "little") + data

    def get(self) -> bytes:
        size = int.from_bytes(self._memory[:8], "little")
        return self._memory[8 : 8 + size]


def fuzz(target: Target, seconds: float, seed: int, grown: Path = GROWN) -> Report:
    """Fuzz a target for so long; a crash is a finding, and another process goes on."""
    report, deadline = Report(target.name), time.monotonic() + seconds
    starts = starting_points(target, grown)
    shared = _SharedInput(max([target.max_input, *map(len, starts)]))
    for attempt in range(_MOST_CRASHES):
        run = _Run(target, starts, Random(f"{seed}:{target.name}:{attempt}"), deadline, grown)
        status, done = _in_child(partial(run.explore, shared))
        report.executions += done.get("executions", 1)
        report.added += done.get("added", 0)
        report.features = max(report.features, done.get("features", 0))
        for data, signature, text in done.get("findings", ()):
            _file(report, Finding(bytes.fromhex(data), signature, text), grown)
        if status == 0:
            return report
        how = f"the process ended with status {status}"
        _file(report, Finding(shared.get(), how, how), grown)
        starts = [data for data in starts if data != shared.get()] or [b""]
    return report


def _file(report: Report, finding: Finding, grown: Path) -> None:
    folder = grown / "findings" / report.target
    report.findings.append((put_input(folder, finding.data), finding))


def _in_child(work: Callable[[], dict[str, Any]]) -> tuple[int, dict[str, Any]]:
    """The exit code of a child (negative: by a signal), and its report."""
    source, sink = os.pipe()
    child = os.fork()
    if not child:
        status = 1
        try:
            os.close(source)
            with os.fdopen(sink, "wb") as pipe:
                pipe.write(json.dumps(work()).encode())
            status = 0
        finally:
            os._exit(status)
    os.close(sink)
    with os.fdopen(source, "rb") as pipe:
        text = pipe.read()
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return status, json.loads(text) if text else {}


@dataclass(frozen=True)
class _Run:
    """The work of a child."""

    target: Target
    starts: Sequence[bytes]
    chance: Random
    deadline: float
    grown: Path

    def explore(self, shared: _SharedInput) -> dict[str, Any]:
        """Learn the corpus, for half of the time at most, and go on from there."""

        @contextmanager
        def limited(data: bytes) -> Iterator[None]:
            shared.put(data)
            with limited_time():
                yield

        explorer = Explorer(self.target, self.chance, limited, self._keep)
        now = time.monotonic()
        half = now + (self.deadline - now) * _REPLAY_SHARE
        logging.disable()  # servers log what clients do wrong
        first, *others = self.starts
        run_limited(self.target, first, limited)  # what is loaded late is loaded without a limit
        _limit_memory()
        explorer.replay([first], lambda: False)
        self.chance.shuffle(others)
        explorer.replay(others, lambda: time.monotonic() >= half)
        explorer.explore(lambda: time.monotonic() >= self.deadline)
        found = explorer.done.findings.values()
        findings = [(item.data.hex(), item.signature, item.text) for item in found]
        done = explorer.done
        return {
            "executions": done.executions,
            "added": done.added,
            "features": done.features,
            "findings": findings,
        }

    def _keep(self, data: bytes) -> None:
        put_input(self.grown / "corpus" / self.target.name, data)


def _limit_memory() -> None:
    """Allow so much more memory than is in use; what asks for more gets a `MemoryError`."""
    statm = Path("/proc/self/statm")
    if sys.platform != "win32" and statm.exists():
        now = int(statm.read_text(encoding="ascii").split()[0]) * resource.getpagesize()
        hard = resource.getrlimit(resource.RLIMIT_AS)[1]
        resource.setrlimit(resource.RLIMIT_AS, (now + _EXTRA_BYTES, hard))
