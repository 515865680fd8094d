"""CPU time of search pages, as a browser gets them, without that of the indexer beside them.

    python -m bench.search.pages FOLDER --data-dir DATA [--queries 200] [--record]

Words, and questions of three words, are drawn from the tree's own source files by a fixed seed;
each is asked as words, and single words as exact text, too. The first page of each mode is not
counted. The index has to be there: `repo-mcp index` makes it. No limit of a page is an amount of
time but that of its colours, so that CPU time is what a page takes on a machine that is idle.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import re
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlencode

from bench import machine
from bench.timing import percentile
from repo_mcp.app import App
from repo_mcp.settings import Options
from repo_mcp.web.access import PageRules
from repo_mcp.web.server import PageApplication
from repo_mcp.web.tools import page_app

_ENDINGS: Final = frozenset({".c", ".go", ".java", ".js", ".py", ".rs", ".ts"})
_WORD: Final = re.compile(r"[A-Za-z_]{4,}")
_OK: Final = 200


class Pages:
    """Pages of a server, asked without a socket."""

    def __init__(self, app: App) -> None:
        self._pages = PageApplication(app, PageRules("token"))

    def get(self, page: str, **query: str) -> tuple[int, bytes]:
        """The status and the text of a page."""
        scope = {
            "type": "http",
            "method": "GET",
            "path": page,
            "raw_path": page.encode(),
            "query_string": urlencode(query).encode(),
            "headers": [],
        }
        sent: list[dict[str, Any]] = []

        async def receive() -> dict[str, Any]:
            await asyncio.Event().wait()
            return {}

        async def send(message: dict[str, Any]) -> None:
            sent.append(message)

        asyncio.run(self._pages(scope, receive, send))  # type: ignore[arg-type] # any mapping
        return int(sent[0]["status"]), sent[1]["body"]


def queries(root: Path, count: int) -> Iterator[str]:
    """Words and questions of the tree's own words."""
    chance = random.Random(7)
    files = sorted(path for path in root.rglob("*") if path.suffix in _ENDINGS and path.is_file())
    for path in chance.sample(files, min(count // 2, len(files))):
        words = _WORD.findall(path.read_text("utf-8", "replace"))
        if words:
            yield chance.choice(words)
            yield " ".join(chance.choice(words) for _ in range(3))


def cpu_time() -> float:
    """CPU seconds of this process without those of the thread that keeps the index fresh."""
    spent = time.process_time()
    for thread in threading.enumerate():
        if thread.name == "indexer" and thread.ident is not None:
            spent -= time.clock_gettime(time.pthread_getcpuclockid(thread.ident))
    return spent


def measure(pages: Pages, asked: Sequence[str], mode: str) -> list[float]:
    """Milliseconds of each page, ascending."""
    times: list[float] = []
    for text in asked:
        started = cpu_time()
        status, _ = pages.get("/search", q=text, mode=mode)
        times.append((cpu_time() - started) * 1000)
        if status != _OK:
            sys.exit(f"{text!r} was answered {status}")
    return sorted(times[1:])


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.add_argument("root")
    parser.add_argument("--data-dir", required=True)
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("--record", action="store_true")
    args = parser.parse_args()
    asked = list(queries(Path(args.root), args.queries))
    pages = Pages(page_app(Options(args.root, args.data_dir, watch=False), time.monotonic))
    print(machine.described())
    figures: dict[str, object] = {}
    for mode in ("words", "literal"):
        fitting = asked if mode == "words" else [text for text in asked if " " not in text]
        times = measure(pages, fitting, mode)
        middle, slow = percentile(times, 0.5), percentile(times, 0.95)
        print(f"{mode}: {len(times)} pages, p50 {middle:.1f} ms, p95 {slow:.1f} ms of CPU time")
        figures[mode] = {"pages": len(times), "p50_ms": round(middle, 1), "p95_ms": round(slow, 1)}
    if args.record:
        machine.keep(f"pages-{Path(args.root).resolve().name}", figures)


if __name__ == "__main__":
    main()
