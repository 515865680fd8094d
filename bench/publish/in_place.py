"""Measures questions to a published index that is read where it is: requests, bytes, seconds.

    python -m bench.publish.in_place --root TREE --keep FOLDER [--queries 60] [--record]

TREE is copied into FOLDER twice; the first copy is indexed and published into a folder, which a web
server of this machine serves through a link with a delay for each request. The second copy reads
the index there. Each query is asked three times, with a new snapshot: with no block kept, as the
first question of a container (`cold`); again, with the same blocks (`warm`); and all queries one
after another from an empty folder of blocks (`in turn`). Milliseconds are those of the wall; beside
them are the same without a delay, and of a copied index. Checked is that all answers are equal.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import shutil
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from bench.machine import keep
from bench.publish.commands import run
from bench.publish.link import Link
from bench.publish.web import Web
from repo_mcp.budget import Budget
from repo_mcp.model import SearchHit
from repo_mcp.search import RankedEngine
from repo_mcp.services import Services, services
from repo_mcp.settings import Options

_NAME: Final = re.compile(r"\b(?:def |static int )([a-z]\w{5,30})\(")
_HITS: Final = 10


class Cost(NamedTuple):
    """The cost of one query."""

    seconds: float
    requests: int
    size: int


class RemoteIndex:
    """A checkout whose index is behind a link."""

    def __init__(self, root: Path, blocks: Path, web: Web, link: Link) -> None:
        self._blocks = blocks
        self._web = web
        self._link = link
        url = f"http://127.0.0.1:{link.port}/"
        data = blocks.with_name(f"{blocks.name}-data")
        for folder in (blocks, data):
            shutil.rmtree(folder, ignore_errors=True)
        options = Options(
            str(root), str(data), index_from=url, index_in_place=True, index_cache=str(blocks)
        )
        self._parts = services(options)

    def begin(self) -> Cost:
        """Adopt the index, and compare it with all files."""
        budget = Budget()
        return self._cost(lambda: self._parts.manager.refresh(budget))[0]

    def forget(self) -> None:
        """Keep no block."""
        shutil.rmtree(self._blocks, ignore_errors=True)

    def ask(self, query: str) -> tuple[Cost, list[SearchHit]]:
        """Ask with a snapshot of its own."""
        parts = self._parts._replace()
        return self._cost(lambda: _hits(parts, query))

    def _cost(self, work: Callable[[], Any]) -> tuple[Cost, Any]:
        requests, size = len(self._web.requests), self._link.answered
        began = time.perf_counter()
        found = work()
        seconds = time.perf_counter() - began
        return Cost(seconds, len(self._web.requests) - requests, self._link.answered - size), found


def _hits(parts: Services, query: str) -> list[SearchHit]:
    """The best hits by a snapshot that nobody has opened before."""
    fresh = services(_options_of(parts))
    snapshot = fresh.manager.snapshot()
    assert snapshot is not None
    engine = RankedEngine(fresh.sandbox, fresh.languages)
    return list(engine.search(snapshot, query, _HITS, None, Budget()).hits)


def _options_of(parts: Services) -> Options:
    settings = parts.settings
    return Options(
        settings.root,
        settings.data_dir,
        index_from=settings.index_from,
        index_in_place=settings.index_in_place,
        index_cache=settings.index_cache,
        index_share="worktrees" if settings.index_from else "never",
    )


def queries_of(root: Path, count: int) -> list[str]:
    """Pairs of words of names that are declared in the tree, the same at each run."""
    files = sorted(file for end in ("py", "c") for file in root.rglob(f"*.{end}"))[:2000]
    texts = (file.read_text(encoding="utf-8", errors="replace") for file in files)
    names = sorted({name for text in texts for name in _NAME.findall(text)})
    drawn = random.Random(7).sample(names, min(count, len(names)))
    return [name.replace("_", " ") for name in drawn]


def _figures(costs: Sequence[Cost]) -> dict[str, Any]:
    seconds = sorted(cost.seconds for cost in costs)
    return {
        "p50_ms": round(1000 * statistics.median(seconds), 1),
        "p95_ms": round(1000 * seconds[int(0.95 * (len(seconds) - 1))], 1),
        "requests_median": statistics.median(cost.requests for cost in costs),
        "requests_most": max(cost.requests for cost in costs),
        "kilobytes_median": round(statistics.median(cost.size for cost in costs) / 1000),
    }


def measure(
    remote: RemoteIndex, queries: Sequence[str], expected: Sequence[list[SearchHit]]
) -> dict[str, Any]:
    """The figures of one delay."""
    begin = remote.begin()
    cold, warm = list[Cost](), list[Cost]()
    for query, hits in zip(queries, expected, strict=True):
        remote.forget()
        for costs in (cold, warm):
            cost, found = remote.ask(query)
            assert found == hits, query
            costs.append(cost)
    remote.forget()
    in_turn = [remote.ask(query)[0] for query in queries]
    return {
        "adopt and compare": begin._asdict(),
        "cold": _figures(cold),
        "warm": _figures(warm),
        "in turn": _figures(in_turn),
        "in turn, second half": _figures(in_turn[len(in_turn) // 2 :]),
    }


def main() -> int:
    """Measure and print, or record, the figures."""
    parser = argparse.ArgumentParser(description="questions to a published index in place")
    parser.add_argument("--root", type=Path, required=True, metavar="TREE")
    parser.add_argument("--keep", type=Path, required=True, metavar="FOLDER")
    parser.add_argument("--queries", type=int, default=60)
    parser.add_argument("--delay", type=float, default=0.03)
    parser.add_argument("--record", action="store_true")
    args = parser.parse_args()
    one, two = (copy_tree(args.root, args.keep / name) for name in ("one", "two"))
    store = (args.keep / "published").resolve()
    shutil.rmtree(store, ignore_errors=True)
    run(one, "publish", store.as_uri(), "--no-graph")
    queries = queries_of(one, args.queries)
    near = services(Options(str(one.resolve()), index_share="never"))
    copied, expected = [], []
    for query in queries:
        began = time.perf_counter()
        expected.append(_hits(near, query))
        copied.append(Cost(time.perf_counter() - began, 0, 0))
    segments = (store / "v1" / "segments").iterdir()
    figures: dict[str, Any] = {
        "queries": len(queries),
        "index_bytes": sum(file.stat().st_size for file in segments),
        "delay_ms": 1000 * args.delay,
        "of a copy": _figures(copied),
    }
    for name, delay in (("without delay", 0.0), ("with delay", args.delay)):
        with Web(store) as web, Link(web.port, delay=delay) as link:
            remote = RemoteIndex(two.resolve(), args.keep.resolve() / "blocks", web, link)
            figures[name] = measure(remote, queries, expected)
    print(json.dumps(figures, indent=2))
    if args.record:
        keep(f"in-place-{args.root.name}", figures)
    return 0


def copy_tree(root: Path, target: Path) -> Path:
    """A copy of a tree, without its history."""
    shutil.rmtree(target, ignore_errors=True)
    skipped = shutil.ignore_patterns(".repo_mcp", ".git")
    shutil.copytree(root, target, symlinks=True, ignore=skipped)
    return target


if __name__ == "__main__":
    sys.exit(main())
