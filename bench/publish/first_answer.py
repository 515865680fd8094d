"""Measures the first answer of a server in a new checkout whose index is published far away.

    python -m bench.publish.first_answer --root TREE --keep FOLDER [--again] [--record]

TREE is copied into FOLDER twice; the first copy is indexed and published into a folder, which a web
server of this machine serves through a link of 100 Mbit/s with 30 ms a request (`--again` uses what
an earlier run has left there). In the second copy, which has no index, a server is started with
`index.from`. It is asked the same question until the answer is that of the first copy, then one
question after another until all segments are copied, then all of them again. Seconds are those of
the wall since the process was started; processor seconds are of the server and its workers. Checked
are all answers behind the first whole one, and that nothing is asked for once all is copied.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import sys
import time
from collections.abc import Sequence
from itertools import cycle
from pathlib import Path
from typing import Any, Final

from bench.costs.server import Server
from bench.machine import keep
from bench.publish.commands import START, run
from bench.publish.in_place import copy_tree, queries_of
from bench.publish.link import Link
from bench.publish.web import Web

_BYTES_PER_SECOND: Final = 100e6 / 8
_DELAY: Final = 0.030
_QUERIES: Final = 40
_HITS: Final = 10
_MOST_SECONDS: Final = 1800.0
Hits = list[tuple[str, int, int]]


def ask(server: Server, query: str) -> Hits:
    """Places of the best hits."""
    data = server.call("repo.search", {"query": query, "limit": _HITS}).data
    found = data.get("result") or {"hits": []}
    return [(hit["path"], hit["start_line"], hit["end_line"]) for hit in found["hits"]]


def read_all(*folders: Path) -> None:
    """Have the system keep these files in memory, as if they had just been written."""
    for folder in folders:
        for file in folder.rglob("*"):
            if file.is_file():
                file.read_bytes()


def start(root: Path, **variables: str) -> Server:
    """A server for a checkout."""
    around = {**os.environ, **variables}
    return Server([sys.executable, "-P", "-c", START, "serve"], root, around)


def expected_of(root: Path, queries: Sequence[str]) -> dict[str, Hits]:
    """The answers of a checkout that has made its index."""
    with start(root, REPO_MCP_INDEX_SHARE="never") as server:
        server.call("repo.refresh_index", {})
        return {query: ask(server, query) for query in queries}


class Run:
    """A server in a new checkout, and what it has cost so far."""

    def __init__(self, root: Path, cache: Path, web: Web, link: Link) -> None:
        self._root = root
        self._web = web
        self._link = link
        self._began = time.perf_counter()
        self.server = start(
            root,
            REPO_MCP_INDEX_FROM=f"http://127.0.0.1:{link.port}/",
            REPO_MCP_INDEX_CACHE=str(cache),
        )

    @property
    def seconds(self) -> float:
        """Since the process was started."""
        return time.perf_counter() - self._began

    def figures(self) -> dict[str, Any]:
        """The time since the start."""
        return {
            "seconds": round(self.seconds, 2),
            "cpu_seconds": round(self._cpu(), 2),
            "requests": len(self._web.requests),
            "link_bytes": self._link.answered,
        }

    def _cpu(self) -> float:
        stat = Path(f"/proc/{self.server.process_id}/stat").read_text(encoding="ascii")
        ticks = sum(map(int, stat.rpartition(")")[2].split()[11:15]))
        return ticks / os.sysconf("SC_CLK_TCK")

    def is_copied(self) -> bool:
        """True if nothing is listed any more as read at the address."""
        lists = list((self._root / ".repo_mcp").rglob("in-place-*.json"))
        names = [json.loads(file.read_bytes())["segments"] for file in lists]
        return bool(names) and not any(names)


def measure(run_: Run, expected: dict[str, Hits]) -> dict[str, Any]:
    """The figures of a new checkout, from its first question to the last of the copy."""
    first, *_ = expected
    figures: dict[str, Any] = {}
    calls = 0
    while True:
        found = ask(run_.server, first)
        calls += 1
        figures.setdefault("first call answered", run_.figures())
        if found == expected[first]:
            break
        if run_.seconds > _MOST_SECONDS:
            sys.exit("no answer is that of the first copy")
        time.sleep(0.1)
    figures["first whole answer"] = {**run_.figures(), "calls": calls}
    figures["questions while copying"] = _questions(run_, expected)
    figures["all copied"] = run_.figures()
    before = run_.figures()["requests"]
    for query, hits in expected.items():
        assert ask(run_.server, query) == hits, query
    assert run_.figures()["requests"] == before, "nothing is asked for once all is here"
    return figures


def _questions(run_: Run, expected: dict[str, Hits]) -> dict[str, Any]:
    """Ask one after another until all is copied."""
    taken: list[float] = []
    for query, hits in cycle(expected.items()):
        if run_.is_copied() or run_.seconds > _MOST_SECONDS:
            break
        began = time.perf_counter()
        assert ask(run_.server, query) == hits, query
        taken.append(time.perf_counter() - began)
    if not taken:
        return {"questions": 0}
    taken.sort()
    return {
        "questions": len(taken),
        "p50_ms": round(1000 * statistics.median(taken), 1),
        "p95_ms": round(1000 * taken[int(0.95 * (len(taken) - 1))], 1),
    }


def main() -> int:
    """Measure and print, or record, the figures."""
    parser = argparse.ArgumentParser(description="first answers of a new checkout")
    parser.add_argument("--root", type=Path, required=True, metavar="TREE")
    parser.add_argument("--keep", type=Path, required=True, metavar="FOLDER")
    parser.add_argument("--again", action="store_true", help="use what an earlier run has left")
    parser.add_argument("--record", action="store_true")
    args = parser.parse_args()
    folder = args.keep.resolve()
    one, two, store = folder / "one", folder / "two", folder / "published"
    if args.again:
        read_all(two, store)
    else:
        for target in (one, two):
            copy_tree(args.root, target)
        shutil.rmtree(store, ignore_errors=True)
        run(one, "publish", store.as_uri(), "--no-graph")
    for left in (two / ".repo_mcp", folder / "cache"):
        shutil.rmtree(left, ignore_errors=True)
    expected = expected_of(one, queries_of(one, _QUERIES))
    segments = (store / "v1" / "segments").iterdir()
    figures: dict[str, Any] = {"index_bytes": sum(file.stat().st_size for file in segments)}
    with (
        Web(store) as web,
        Link(web.port, bytes_per_second=_BYTES_PER_SECOND, delay=_DELAY) as link,
    ):
        made = Run(two, folder / "cache", web, link)
        with made.server:
            figures |= measure(made, expected)
    print(json.dumps(figures, indent=2))
    if args.record:
        name = f"first-answer-{args.root.name}"
        keep(name, {"link": "100 Mbit/s, 30 ms a request", **figures})
    return 0


if __name__ == "__main__":
    sys.exit(main())
