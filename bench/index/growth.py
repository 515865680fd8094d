"""Measures a server over a growing tree: memory, refreshes, answers while declarations are read.

    python -m bench.index.growth --files 10000 --files 100000 --keep FOLDER [--during 40]

Each tree is written by `bench.corpora.monorepo` into FOLDER, where it stays for the next run, and
that of `bench.suite`, and indexed by words. Then a server is started, as a client starts it. While
it reads declarations, it is asked ranked queries, and new files are made and asked for until they
are found. With `--whole`, the same is measured once more when all is indexed, and refreshes with no
change are timed.
To conclude: seconds until a new file is found, and slopes between two sizes.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import numpy as np

from bench import machine
from bench.corpora.monorepo_text import draw_ranks, noun, word_parts
from bench.costs.server import Server
from bench.index.building import measured, ours
from bench.suite.trees import made_tree, tree
from bench.timing import percentile

_POLL: Final = 0.02
_MOST_WAIT: Final = 60.0
_RANKED: Final = 30
_PROGRAM: Final = "import sys; from repo_mcp.server import main; sys.exit(main())"

Figures = dict[str, Any]


class _Client:
    """A server over one tree, and what it costs."""

    def __init__(self, root: Path, data: Path) -> None:
        command = [sys.executable, "-P", "-c", _PROGRAM, "serve"]
        options = ["--repo-root", str(root), "--data-dir", str(data)]
        self.server = Server([*command, *options], root, os.environ)
        self._root = root
        self._queries = _queries(200)
        self._at = 0

    @property
    def resident_mib(self) -> float:
        """Resident memory of the server, without its workers."""
        pages = Path(f"/proc/{self.server.process_id}/statm").read_text("ascii").split()[1]
        return round(int(pages) * os.sysconf("SC_PAGE_SIZE") / 2**20, 1)

    def status(self) -> Mapping[str, Any]:
        """The answer of `repo.status`."""
        found: Mapping[str, Any] = self.server.call("repo.status", {}).data["result"]
        return found

    def ranked(self, count: int) -> list[float]:
        """Milliseconds of so many ranked queries."""
        times = []
        for _ in range(count):
            self._at += 1
            query = self._queries[self._at % len(self._queries)]
            begin = time.perf_counter()
            self.server.call("repo.search", {"query": query})
            times.append((time.perf_counter() - begin) * 1000)
        return times

    def find_new(self, number: int) -> float:
        """Seconds until a file that is made now is found by its word."""
        word = f"unheard{number}x{os.getpid()}"
        path = self._root / "tools" / f"new_{number}.py"
        begin = time.perf_counter()
        path.write_text(f"def {word}(first):\n    return first\n", "utf-8")
        try:
            while time.perf_counter() - begin < _MOST_WAIT:
                found = self.server.call("repo.search", {"query": word})
                if path.name in found.text:
                    break
                time.sleep(_POLL)
            return time.perf_counter() - begin
        finally:
            path.unlink()

    def refresh(self) -> tuple[float, float]:
        """Wall and processor seconds of a refresh."""
        begin, cpu = time.perf_counter(), self._cpu()
        self.server.call("repo.refresh_index", {})
        return time.perf_counter() - begin, self._cpu() - cpu

    def _cpu(self) -> float:
        fields = Path(f"/proc/{self.server.process_id}/stat").read_text("ascii").rpartition(")")[2]
        ticks = sum(map(int, fields.split()[11:13]))
        return ticks / os.sysconf("SC_CLK_TCK")


def _queries(count: int) -> list[str]:
    """Questions of one to three words, common and rare ones."""
    random = np.random.default_rng(7)
    ranks = draw_ranks(random, count * 2, 500)
    return [
        " ".join([*word_parts(ranks[2 * at]), noun(ranks[2 * at + 1])][: 1 + at % 3])
        for at in range(count)
    ]


def build(root: Path, data: Path) -> Figures:
    """Index by words."""
    found = measured(data, lambda: _start(ours(root, data, "index", "--words-only")))
    return {
        "cpu_s": found.cpu_seconds,
        "wall_s": found.wall_seconds,
        "peak_mib": found.peak_mib,
        "index_mib": found.index_mib,
    }


def _start(command: Sequence[str]) -> int:
    null = subprocess.DEVNULL
    return subprocess.Popen(command, stdout=null, stderr=null).pid


def serve(root: Path, data: Path, *, seconds: float, whole: bool) -> Figures:
    """Memory of a server while it reads declarations, and afterwards."""
    client = _Client(root, data)
    with client.server:
        begin = time.perf_counter()
        client.ranked(1)
        figures: Figures = {"first_answer_s": round(time.perf_counter() - begin, 3)}
        figures["opened_mib"] = client.resident_mib
        figures["during"] = _observe(client, seconds, begin)
        if whole:
            while not client.status()["declarations_complete"] or client.status()["refreshing"]:
                time.sleep(1)
            figures["declarations_s"] = round(time.perf_counter() - begin, 1)
            figures["idle"] = _observe(client, seconds / 4, begin)
            figures["refresh"] = _refreshes(client)
            figures["at_rest_mib"] = client.resident_mib
    return figures


def _observe(client: _Client, seconds: float, begin: float) -> Figures:
    times: list[float] = []
    new: list[float] = []
    watching = None
    most = 0.0
    ends = time.perf_counter() + seconds
    while time.perf_counter() < ends:
        times += client.ranked(_RANKED)
        new.append(client.find_new(len(new)))
        if watching is None and client.status()["watching"]:
            watching = round(time.perf_counter() - begin, 1)
        most = max(most, client.resident_mib)
    return {
        "queries": len(times),
        "ranked_p50_ms": round(statistics.median(times), 2),
        "ranked_p95_ms": round(percentile(times, 0.95), 2),
        "new_file_p50_s": round(statistics.median(new), 2),
        "new_file_max_s": round(max(new), 2),
        "watched_after_s": watching,
        "resident_mib": most,
        "progress": client.status()["progress"],
    }


def _refreshes(client: _Client) -> Figures:
    found = [client.refresh() for _ in range(3)]
    return {
        "wall_s": round(statistics.median(wall for wall, _ in found), 2),
        "cpu_s": round(statistics.median(cpu for _, cpu in found), 2),
    }


def slopes(figures: Mapping[int, Figures]) -> Figures:
    """Of the largest step: how a figure grows, 1 being in proportion to the files."""
    found: Figures = {}
    for less, more in pairwise(sorted(figures)):
        step = math.log(more / less)
        for place in ("words.cpu_s", "serving.during.ranked_p50_ms", "serving.refresh.cpu_s"):
            pair = [_figure(figures[size], place) for size in (less, more)]
            if all(pair):
                found[place] = round(math.log(pair[1] / pair[0]) / step, 2)
    return found


def _figure(figures: Figures, place: str) -> float:
    value: Any = figures
    for name in place.split("."):
        value = value.get(name, {})
    return float(value or 0)


def main() -> None:
    """Measure and keep the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, action="append", required=True)
    parser.add_argument("--keep", type=Path, required=True)
    parser.add_argument("--during", type=float, default=40.0)
    parser.add_argument("--whole", action="store_true")
    args = parser.parse_args()
    figures: dict[int, Figures] = {}
    for files in sorted(args.files):
        keep = args.keep.resolve()
        root, data = tree(made_tree(files), keep), keep / f"data-{files}"
        own: Figures = {"words": build(root, data)}
        figures[files] = own
        own["serving"] = serve(root, data, seconds=args.during, whole=args.whole)
        print(files, json.dumps(own), flush=True)
    result = {str(files): found for files, found in figures.items()}
    print(machine.keep("growth", {**result, "slopes": slopes(figures)}).read_text())


if __name__ == "__main__":
    main()
