"""Clients, visitors of pages, an editor, a store and accidents, on servers that share one index."""

from __future__ import annotations

import itertools
import random
import re
import sys
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from tests.soak.clients import SoakClient
from tests.soak.comparison import (
    build_fresh,
    compare_answers,
    compare_merged,
    index_bytes,
    live_bytes,
)
from tests.soak.figures import ProcessFigures, children_of, figures_of, percentile
from tests.soak.pages import PageServer, Visitor
from tests.soak.processes import Place, SoakProcess
from tests.soak.servers import HttpServer, StdioServer, ToolServer
from tests.soak.store import SoakStore
from tests.soak.tree import TreeEditor
from tests.soak.verdict import MOST_INDEX, Line, Measurements, Rest
from tests.waiting import HANG, until

CLIENTS: Final = 8
# processes that live as long as the soak, and are measured; the others are killed and left
STEADY: Final = ("server0", "server1", "http0")
MORTAL: Final = ("server2", "server3", "http1")
STEADY_PAGES: Final = "pages0"
MORTAL_PAGES: Final = "pages1"
MOST_SYMBOLS: Final = 50
DOCS: Final = "soak-docs"
LINE_SECONDS: Final = 10.0
_QUIET_SECONDS: Final = 1.0
_EDIT_PAUSE: Final = 0.1
_CALL_PAUSE: Final = 0.05
_VISIT_PAUSE: Final = 0.5
_STORE_PAUSE: Final = 5.0
_ACCIDENT_PAUSE: Final = 20.0
_LAST_EDITS: Final = 20
# less than the time between two walks of a server that watches
_FOUND_SECONDS: Final = 100.0
_PLACE: Final = re.compile(r"repo-mcp: \w+ at \w+:\d+")


class Soak:
    """All of it; `folder` has the tree in `root`, and gets the indexes."""

    def __init__(self, folder: Path, seed: int, pauses: float) -> None:
        """Start the servers; all pauses are so many times as long."""
        self._pauses = pauses
        self._folder = folder
        self._root = folder / "root"
        self._data = folder / "data"
        self.measured = Measurements()
        docs, logs = self._root / DOCS, folder / "logs"
        docs.mkdir()
        logs.mkdir()
        (docs / "parser.md").write_text("# How a parser and a thread lock work\n", "utf-8")
        self._place = Place(self._root, docs, self._data, logs, self.measured.violations)
        self._chance = random.Random(seed)
        names = sorted(
            path.relative_to(self._root).as_posix()
            for path in self._root.rglob("*")
            if path.is_file()
        )
        symbols = deque([("0" * 16, "nothing")], MOST_SYMBOLS)
        self._clients = [
            SoakClient(self._root, DOCS, names, symbols, random.Random(f"{seed} {number}"))
            for number in range(CLIENTS)
        ]
        self._visitor = Visitor(names, random.Random(f"{seed} visitor"))
        self._editor = TreeEditor(self._root, random.Random(f"{seed} editor"), docs)
        self._store = SoakStore(self._place, folder, random.Random(f"{seed} store"))
        self._servers = {name: self._start(name) for name in (*STEADY, *MORTAL)}
        self._pages = {name: PageServer(self._place) for name in (STEADY_PAGES, MORTAL_PAGES)}
        self._guard = threading.Lock()
        self._times: list[float] = []
        self._errors: Counter[str] = Counter()
        self._calls = 0
        self._started = time.monotonic()
        # a walk by each, so that all of them know the index and watch
        self._finish_work()

    def run_steps(self) -> None:
        """Call each tool and see each page twice, one after the other, without regard to time.

        Each tenth step there are a publication, an accident to one after the other, and a line.
        """
        tools = list(self._clients[0].tools)
        victims = itertools.cycle((MORTAL_PAGES, *reversed(MORTAL)))
        for half in range(2):
            for step, tool in enumerate(tools):
                self._editor.step()
                self._call(step, tool)
                self._visitor.step(list(self._pages.values())[step % 2], step)
                if step % 10 == 9:
                    self._store.step()
                    self._accident(next(victims))
                    self._editor.switch_branch()
                    self._write_line()
            self._rest(half)
            self._write_line()

    def run_seconds(self, seconds: float) -> None:
        """Let all go on at once for so long, with a rest in the middle and at the end."""
        for half in range(2):
            self._go_on(seconds / 2)
            self._find_last_edits()
            self._rest(half, quiet_seconds=_QUIET_SECONDS)

    def close(self) -> None:
        """End the servers, and compare the indexes with fresh ones."""
        for server in self._all():
            server.vanish()
        fresh = self._folder / "fresh1"
        found = compare_answers(self._data, fresh)
        found += self._store.close(fresh)
        found += compare_merged(self._root, self._data, fresh)
        self.measured.differences.extend(found)
        self.measured.errors = dict(self._errors)
        self.measured.defects = find_defects(self._place.log_text())

    def stop(self) -> None:
        """Kill the servers, whatever the state."""
        for server in self._all():
            server.kill()

    def _all(self) -> list[SoakProcess]:
        return [*self._servers.values(), *self._pages.values()]

    def _start(self, name: str) -> ToolServer:
        return (HttpServer if name.startswith("http") else StdioServer)(self._place)

    def _go_on(self, seconds: float) -> None:
        deadline = time.monotonic() + seconds
        stop = threading.Event()

        def repeat(step: Callable[[], None], pause: float) -> threading.Thread:
            def work() -> None:
                while not stop.wait(pause * self._pauses):
                    step()

            thread = threading.Thread(target=work, daemon=True)
            thread.start()
            return thread

        threads = [
            *(
                repeat(lambda number=number: self._call(number), _CALL_PAUSE)  # type: ignore[misc]
                for number in range(CLIENTS)
            ),
            *(
                repeat(lambda name=name: self._visitor.step(self._pages[name]), _VISIT_PAUSE)  # type: ignore[misc]
                for name in self._pages
            ),
            repeat(self._editor.step, _EDIT_PAUSE),
            repeat(self._store.step, _STORE_PAUSE),
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
        """Servers that watch find the last changes without a walk over all files."""
        words = self._editor.write_words(_LAST_EDITS)

        def lacking(server: ToolServer) -> list[str]:
            asked = {"mode": "literal", "max_chars": 2000}
            return [
                path
                for path, word in words.items()
                if path not in str(server.ask("repo.search", {"query": word, **asked}))
            ]

        deadline = time.monotonic() + _FOUND_SECONDS
        for name in STEADY:
            while missed := lacking(self._servers[name]):
                if time.monotonic() > deadline:
                    self.measured.violations.append(f"{name} has not found {missed}")
                    break
                threading.Event().wait(_QUIET_SECONDS)

    def _call(self, number: int, tool: str | None = None) -> None:
        server = self._servers[(*STEADY, *MORTAL)[number % len(self._servers)]]
        started = time.monotonic()
        code = self._clients[number % CLIENTS].step(server, tool)
        with self._guard:
            self._calls += 1
            self._times.append(time.monotonic() - started)
            if code:
                self._errors[code] += 1

    def _accident(self, name: str | None = None) -> None:
        name = name or self._chance.choice((*MORTAL, MORTAL_PAGES))
        server = self._pages[name] if name in self._pages else self._servers[name]
        if self._chance.random() < 0.5:
            server.kill()
        else:
            server.vanish()
        if name in self._pages:
            self._pages[name] = PageServer(self._place)
        else:
            self._servers[name] = self._start(name)

    def _write_line(self) -> None:
        with self._guard:
            times, self._times = self._times, []
            calls, errors = self._calls, dict(self._errors)
        line = Line(
            time.monotonic() - self._started,
            self._processes(),
            index_bytes(self._data),
            live_bytes(self._data),
            calls,
            errors,
            percentile(times, 0.5),
            percentile(times, 0.95),
        )
        self.measured.lines.append(line)
        sys.stderr.write(f"{line.text()}\n")

    def _processes(self) -> dict[str, ProcessFigures]:
        """Figures of steady processes, of their watchers, and of their workers together."""
        found: dict[str, ProcessFigures] = {}
        for name in (*STEADY, STEADY_PAGES):
            pid = (self._pages if name in self._pages else self._servers)[name].pid
            found[name] = figures_of(pid)
            workers = []
            for child, command in children_of(pid).items():
                if "watch_process" in command:
                    found[f"watcher of {name}"] = figures_of(child)
                else:
                    workers.append(figures_of(child))
            sums = (sum(values) for values in zip(*workers, strict=True))
            found[f"workers of {name}"] = ProcessFigures(*sums)
        return found

    def _rest(self, half: int, quiet_seconds: float | None = None) -> None:
        """Measure once all is quiet: after so many seconds, or once the indexes are small."""
        self._finish_work()
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

    def _finish_work(self) -> None:
        """All files are indexed and linked, and nobody has an older generation open."""

        def is_linked(server: ToolServer) -> bool:
            found = server.ask("search_symbols", {"query": "import"})
            return bool(found.get("snapshot", {}).get("complete"))

        for name, server in self._servers.items():
            if not until(lambda: bool(server.ask("repo.refresh_index", {}).get("complete"))):  # noqa: B023 used at once
                self.measured.violations.append(f"{name}: a refresh never ended")
            if not until(lambda: is_linked(server)):  # noqa: B023 used at once
                self.measured.violations.append(f"{name}: linking never ended")
            server.call("repo.search", {"query": "import"})
        for pages in self._pages.values():
            pages.get("/search?q=import")
            pages.get("/symbol?q=import")


def find_defects(log: str) -> list[str]:
    """The distinct lines of a log that name an unexpected error and its place."""
    return list(dict.fromkeys(line for line in log.splitlines() if _PLACE.match(line)))


@contextmanager
def soak(folder: Path, seed: int, pauses: float = 1.0) -> Iterator[Soak]:
    """A soak whose servers end with it."""
    made = Soak(folder, seed, pauses)
    try:
        yield made
    finally:
        made.stop()
