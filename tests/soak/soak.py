"""Eight clients, an editor and accidents, on servers that share one index."""

from __future__ import annotations

import random
import re
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from tests.soak.clients import SoakClient
from tests.soak.comparison import build_fresh, compare, index_bytes, live_bytes
from tests.soak.figures import ProcessFigures, children_of, figures_of, percentile
from tests.soak.servers import SoakServer
from tests.soak.tree import TreeEditor
from tests.soak.verdict import MOST_INDEX, Line, Measurements, Rest
from tests.waiting import HANG, until

CLIENTS: Final = 8
# servers that live as long as the soak, and are measured; the others are killed and left
STEADY: Final = 2
SERVERS: Final = 4
LINE_SECONDS: Final = 10.0
_QUIET_SECONDS: Final = 1.0
_EDIT_PAUSE: Final = 0.1
_CALL_PAUSE: Final = 0.05
_ACCIDENT_PAUSE: Final = 20.0
_LAST_EDITS: Final = 20
# less than the time between two walks of a server that watches
_FOUND_SECONDS: Final = 100.0
_PLACE: Final = re.compile(r"repo-mcp: \w+ at \w+:\d+")


class Soak:
    """All of it; `folder` has the tree in `root`, and gets the indexes."""

    def __init__(self, folder: Path, seed: int) -> None:
        self._folder = folder
        self._root = folder / "root"
        self._data = folder / "data"
        # what all servers say
        self._log = folder / "servers.log"
        self.measured = Measurements()
        self._chance = random.Random(seed)
        names = sorted(
            path.relative_to(self._root).as_posix()
            for path in self._root.rglob("*")
            if path.is_file()
        )
        self._clients = [
            SoakClient(self._root, names, random.Random(f"{seed} {number}"))
            for number in range(CLIENTS)
        ]
        self._editor = TreeEditor(self._root, random.Random(f"{seed} editor"))
        self._servers = [self._start() for _ in range(SERVERS)]
        self._guard = threading.Lock()
        self._times: list[float] = []
        self._errors: Counter[str] = Counter()
        self._calls = 0
        self._started = time.monotonic()
        # a walk by each, so that all of them know the index and watch
        for server in self._servers:
            self._finish_refresh(server)

    def run_steps(self, steps: int) -> None:
        """Take steps one after the other, without regard to time; a line for every tenth."""
        for half in range(2):
            for step in range(steps // 2):
                self._editor.step()
                self._call(self._chance.randrange(CLIENTS))
                if step % 10 == 9:
                    self._accident()
                    self._editor.switch_branch()
                    self._write_line()
            self._rest(half)

    def run_seconds(self, seconds: float) -> None:
        """Let all go on at once for so long, with a rest in the middle and at the end."""
        for half in range(2):
            self._go_on(seconds / 2)
            self._find_last_edits()
            self._rest(half, quiet_seconds=_QUIET_SECONDS)

    def close(self) -> None:
        """End the servers, and compare the index with a fresh one."""
        for server in self._servers:
            server.vanish()
        self.measured.differences.extend(compare(self._root, self._data, self._folder / "fresh1"))
        self.measured.errors = dict(self._errors)
        self.measured.defects = find_defects(self._log)

    def stop(self) -> None:
        """Kill the servers, whatever the state."""
        for server in self._servers:
            server.kill()

    def _start(self) -> SoakServer:
        return SoakServer(self._root, self._data, self._log, self.measured.violations)

    def _go_on(self, seconds: float) -> None:
        deadline = time.monotonic() + seconds
        stop = threading.Event()

        def repeat(step: Callable[[], None], pause: float) -> threading.Thread:
            def work() -> None:
                while not stop.wait(pause):
                    step()

            thread = threading.Thread(target=work, daemon=True)
            thread.start()
            return thread

        threads = [
            *(
                repeat(lambda number=number: self._call(number), _CALL_PAUSE)  # type: ignore[misc]
                for number in range(CLIENTS)
            ),
            repeat(self._editor.step, _EDIT_PAUSE),
            repeat(self._accident, _ACCIDENT_PAUSE),
        ]
        while (left := deadline - time.monotonic()) > 0:
            stop.wait(min(left, LINE_SECONDS))
            self._write_line()
        stop.set()
        for thread in threads:
            thread.join(HANG)
        if any(thread.is_alive() for thread in threads):
            self.measured.violations.append("a client hangs")

    def _find_last_edits(self) -> None:
        """What changed last is found by servers that watch, without a walk over all files."""
        words = self._editor.write_words(_LAST_EDITS)

        def lacking(server: SoakServer) -> list[str]:
            asked = {"mode": "literal", "max_chars": 2000}
            return [
                path
                for path, word in words.items()
                if path not in str(server.ask("repo.search", {"query": word, **asked}))
            ]

        deadline = time.monotonic() + _FOUND_SECONDS
        for number, server in enumerate(self._servers[:STEADY]):
            while missed := lacking(server):
                if time.monotonic() > deadline:
                    self.measured.violations.append(f"server{number} has not found {missed}")
                    break
                threading.Event().wait(_QUIET_SECONDS)

    def _call(self, number: int) -> None:
        server = self._servers[number % SERVERS]
        started = time.monotonic()
        code = self._clients[number].step(server)
        with self._guard:
            self._calls += 1
            self._times.append(time.monotonic() - started)
            if code:
                self._errors[code] += 1

    def _accident(self) -> None:
        number = self._chance.randrange(STEADY, SERVERS)
        server = self._servers[number]
        if self._chance.random() < 0.5:
            server.kill()
        else:
            server.vanish()
        self._servers[number] = self._start()

    def _write_line(self) -> None:
        with self._guard:
            times, self._times = self._times, []
            calls, errors = self._calls, dict(self._errors)
        line = Line(
            time.monotonic() - self._started,
            self._processes(),
            index_bytes(self._data),
            live_bytes(self._root, self._data),
            calls,
            errors,
            percentile(times, 0.5),
            percentile(times, 0.95),
        )
        self.measured.lines.append(line)
        sys.stderr.write(f"{line.text()}\n")

    def _processes(self) -> dict[str, ProcessFigures]:
        """Figures of steady servers, of their watchers, and of their workers together."""
        found: dict[str, ProcessFigures] = {}
        for number, server in enumerate(self._servers[:STEADY]):
            found[f"server{number}"] = figures_of(server.pid)
            workers = []
            for pid, command in children_of(server.pid).items():
                if "watch_process" in command:
                    found[f"watcher{number}"] = figures_of(pid)
                else:
                    workers.append(figures_of(pid))
            sums = (sum(values) for values in zip(*workers, strict=True))
            found[f"workers{number}"] = ProcessFigures(*sums)
        return found

    def _rest(self, half: int, quiet_seconds: float | None = None) -> None:
        """Measure once all is quiet: after so many seconds, or once the index is small."""
        for server in self._servers:
            self._finish_refresh(server)
        size = 0
        if quiet_seconds is not None:
            threading.Event().wait(quiet_seconds)
            size = index_bytes(self._data)
        processes = self._processes()
        fresh = build_fresh(self._root, self._folder / f"fresh{half}")
        if quiet_seconds is None:
            until(lambda: index_bytes(self._data) <= MOST_INDEX * fresh)
            size = index_bytes(self._data)
        self.measured.rests.append(Rest(processes, size, fresh))

    def _finish_refresh(self, server: SoakServer) -> None:
        if not until(lambda: bool(server.ask("repo.refresh_index", {}).get("complete"))):
            self.measured.violations.append("a refresh never ended")
        server.call("repo.search", {"query": "import"})  # lets go of an older generation


def find_defects(log: Path) -> list[str]:
    """The distinct lines of a log that name an unexpected error and its place."""
    lines = log.read_text("utf-8", "replace").splitlines()
    return list(dict.fromkeys(line for line in lines if _PLACE.match(line)))


@contextmanager
def soak(folder: Path, seed: int) -> Iterator[Soak]:
    """A soak whose servers end with it."""
    made = Soak(folder, seed)
    try:
        yield made
    finally:
        made.stop()
