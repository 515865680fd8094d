"""Measures the first answers of a fresh clone: their quality, beside that of the whole index.

    python -m bench.answers.first --keep FOLDER [--split test] [--queries 4] [--record]
    python -m bench.answers.first --linux TREE --keep FOLDER [--record]

`--keep` has what `python -m bench.answers build` has written. For each query (so many of each set)
a server is started that has no index, and is asked as soon as it is initialized; the same queries
are asked of a server whose index is complete. Figures are NDCG@10 of files, and its ratio. With
`--linux`, names of declarations in the tree are the queries; a server is started for each of a few
groups of them, and is asked the first at once, and all 20 seconds after its start. To conclude: the
ratio is at least .95 for trees up to 30 MB, and .8 on Linux 20 seconds after the start.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from bench.answers.history import histories
from bench.answers.judge import SETS, judged, kept_set
from bench.costs.server import Server
from bench.machine import keep
from bench.publish.first_answer import ask
from bench.ranking import trees
from bench.ranking.judgements import Judgement
from bench.ranking.metrics import Ranked, by_file
from bench.ranking.repositories import Repository

_LARGEST_BYTES: Final = 30e6
_LEAST_RATIO: Final = 0.95
_LEAST_LINUX_RATIO: Final = 0.8
_LINUX_SECONDS: Final = 20.0
_LINUX_STARTS: Final = 3
_LINUX_QUERIES: Final = 8
_BUILD_SECONDS: Final = 1800.0
Row = dict[str, float]


def main() -> None:
    """Run the command line; the exit code is 1 if a ratio is too low."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--keep", type=Path, required=True)
    parser.add_argument("--split", choices=("train", "test"), default="test")
    parser.add_argument("--queries", type=int, default=4, help="of each set of a repository")
    parser.add_argument("--linux", type=Path)
    parser.add_argument("--record", action="store_true")
    args = parser.parse_args()
    if args.linux is None:
        found = _repositories(args.keep, args.split, args.queries)
        name, passed = "first-answers", found["ratio"] >= _LEAST_RATIO
    else:
        found = _linux(args.linux, args.keep)
        name, passed = "first-answers-linux", found["ratio_20_s"] >= _LEAST_LINUX_RATIO
    print(found)
    if args.record:
        keep(name, found)
    sys.exit(not passed)


def _repositories(kept: Path, split: str, count: int) -> dict[str, Any]:
    rows: dict[str, list[Row]] = {}
    for history in histories(split):
        root = kept / "trees" / history.folder
        if not root.is_dir() or _size(root) > _LARGEST_BYTES:
            continue
        items = [item for name in SETS for item in kept_set(kept, history.folder, name)[:count]]
        rows[history.name] = list(_compared(root, kept / "first" / history.folder, items))
        print(history.name, _summary(rows[history.name]), flush=True)
    every = [row for found in rows.values() for row in found]
    return {
        "repositories": {name: _summary(found) for name, found in rows.items()},
        **_summary(every),
    }


def _compared(root: Path, data: Path, items: Sequence[Judgement]) -> Iterator[Row]:
    with _complete(root, data / "full") as full:
        whole = [_gain(full, item) for item in items]
    for item, (quality, _) in zip(items, whole, strict=True):
        shutil.rmtree(data / "fresh", ignore_errors=True)
        with _server(root, data / "fresh") as server:
            first, seconds = _gain(server, item)
        yield {"first": first, "whole": quality, "seconds": seconds}


def _linux(root: Path, kept: Path) -> dict[str, Any]:
    items = _linux_items(root, kept / "linux.txt")
    with _complete(root, kept / "linux-full") as full:
        whole = [_gain(full, item)[0] for item in items]
    at_once, later, waited, answered = [], [], [], []
    for start in range(_LINUX_STARTS):
        data = kept / "linux-fresh"
        shutil.rmtree(data, ignore_errors=True)
        group = range(start, len(items), _LINUX_STARTS)
        begin = time.monotonic()
        with _server(root, data) as server:
            quality, seconds = _gain(server, items[group[0]])
            at_once.append((quality, whole[group[0]]))
            waited.append(seconds)
            time.sleep(max(begin + _LINUX_SECONDS - time.monotonic(), 0))
            for number in group:
                quality, seconds = _gain(server, items[number])
                later.append((quality, whole[number]))
                answered.append(seconds)
    return {
        "queries": len(items),
        "whole": round(statistics.mean(whole), 4),
        "ratio_first_call": _ratio(at_once),
        "first_call_seconds": round(statistics.median(waited), 2),
        "ratio_20_s": _ratio(later),
        "answer_seconds": round(statistics.median(answered), 2),
    }


def _linux_items(root: Path, path: Path) -> list[Judgement]:
    """Names of declarations and lines of Linux with their places; drawing them takes minutes."""
    if not path.is_file():
        texts = dict(trees.texts(root))
        found = judged(Repository("linux", "test", ()), root, texts, ())
        each = _LINUX_STARTS * _LINUX_QUERIES // 2
        items = [*found["identifiers"][:each], *found["one_line"][:each]]
        path.write_text("".join(f"{item.line()}\n" for item in items), "utf-8")
    return [Judgement.parse(row) for row in path.read_text("utf-8").splitlines()]


def _ratio(pairs: Sequence[tuple[float, float]]) -> float:
    found, whole = (sum(values) for values in zip(*pairs, strict=True))
    return round(found / whole, 4) if whole else 1.0


def _summary(rows: Sequence[Row]) -> dict[str, Any]:
    seconds = [row["seconds"] for row in rows]
    return {
        "queries": len(rows),
        "first": round(statistics.mean(row["first"] for row in rows), 4),
        "whole": round(statistics.mean(row["whole"] for row in rows), 4),
        "ratio": _ratio([(row["first"], row["whole"]) for row in rows]),
        "median_seconds": round(statistics.median(seconds), 2),
        "longest_seconds": round(max(seconds), 2),
    }


def _gain(server: Server, item: Judgement) -> tuple[float, float]:
    """NDCG@10 of the files of an answer, and how long it took."""
    begin = time.monotonic()
    found = [Ranked(*hit) for hit in ask(server, item.query)]
    seconds = time.monotonic() - begin
    return by_file(found, item.places)["ndcg@10"], seconds


def _complete(root: Path, data: Path) -> Server:
    """A server whose index has all files and declarations."""
    server = _server(root, data)
    ends = time.monotonic() + _BUILD_SECONDS
    while not server.call("repo.refresh_index", {}).data["result"]["complete"]:
        if time.monotonic() > ends:
            raise TimeoutError(root)
    return server


def _server(root: Path, data: Path) -> Server:
    command = [sys.executable, "-P", "-m", "repo_mcp", "serve"]
    return Server([*command, "--repo-root", str(root), "--data-dir", str(data)], root, os.environ)


def _size(root: Path) -> int:
    return sum(path.stat().st_size for path in root.rglob("*") if path.is_file())


if __name__ == "__main__":
    main()
