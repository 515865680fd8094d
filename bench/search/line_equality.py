r"""Compares the lines of exact search with ripgrep's, in all files of some trees.

    python -m bench.search.line_equality --root TREE --root TREE ... [--queries 20] [--seed 1]
                                         [--record]

Each tree is indexed in a temporary folder. Queries are those of `bench.search.exact`, drawn with a
fixed seed from all indexed files of the tree. Ripgrep reads hidden files and files up to our limit
of size, and takes `\r\n` for an end of line. Left out on both sides are files that are never shown,
and folders that are left out without a rule of git: what ripgrep finds there is counted. The
command fails if any line differs.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Final

from bench import machine
from bench.search.exact import RIPGREP, Query, Source, queries
from repo_mcp.budget import Budget
from repo_mcp.indexing.walk.walk import Discovery, Selection
from repo_mcp.search import ExactEngine, ExactQuery
from repo_mcp.services import Services, services
from repo_mcp.settings import Options

LEFT_OUT: Final = frozenset({"denied", "excluded", "name"})
# files of ignore rules that are ripgrep's alone, and rules of the user's
_OPTIONS: Final = (
    *("--no-config", "--hidden", "--no-ignore-dot", "--no-ignore-global", "--no-ignore-parent"),
    *("--no-require-git", "--no-ignore-exclude", "--crlf", "--no-heading", "-n0", "--no-messages"),
)
Lines = set[tuple[str, int]]


def ripgrep(root: Path, query: Query, most_bytes: int) -> Lines:
    """The lines that ripgrep finds."""
    how = [] if query.regex else ["-F"]
    command = [RIPGREP, *_OPTIONS, f"--max-filesize={most_bytes}", *how, "-e", query.pattern, "./"]
    output = subprocess.run(command, cwd=root, capture_output=True, check=False).stdout
    rows = [row.partition(b"\0") for row in output.split(b"\n")[:-1]]
    return {
        (path.decode(errors="surrogateescape").removeprefix("./"), int(rest.partition(b":")[0]))
        for path, nul, rest in rows
        if nul
    }


def differences(root: Path, made: Services, count: int, seed: int) -> dict[str, object]:
    """The number of queries that find the same lines; the first lines that differ."""
    snapshot = made.manager.snapshot()
    if snapshot is None:
        raise FileNotFoundError(root)
    engine, most = ExactEngine(made.sandbox), made.settings.limits.max_file_bytes
    walk = Discovery(made.sandbox, Selection.of(made.settings))
    left_out: dict[str, bool] = {}
    equal = lines = hidden = 0
    different: list[tuple[str, list[tuple[str, int]]]] = []
    drawn = queries(Source(snapshot, made.sandbox, random.Random(seed)), (count + 1) // 2)
    for query in [*drawn][:count]:
        asked = ExactQuery((query.pattern,), regex=query.regex, limit=None)
        answer = engine.find(snapshot, asked, Budget())
        found = {(match.path, match.line) for match in answer.matches}
        theirs = ripgrep(root, query, most)
        for path, _ in theirs:
            if path not in left_out:
                left_out[path] = walk.reason(path) in LEFT_OUT
        wanted = {place for place in theirs if not left_out[place[0]]}
        hidden += len(theirs) - len(wanted)
        lines += len(wanted)
        equal += found == wanted
        if found != wanted:
            different.append((query.pattern, sorted(found ^ wanted)[:3]))
    return {
        "files": snapshot.file_count,
        "queries": count,
        "equal": equal,
        "lines": lines,
        "lines_in_files_left_out": hidden,
        "different": different,
    }


def measured(root: Path, count: int, seed: int) -> dict[str, object]:
    """Index a tree by its words alone, and compare."""
    with tempfile.TemporaryDirectory() as data:
        made = services(Options(str(root), data, watch=False))
        began = time.perf_counter()
        made.manager.refresh(Budget(), most_parsed=0)
        seconds = time.perf_counter() - began
        size = sum(item.stat().st_size for item in Path(data).rglob("seg-*"))
        found = {"tree": root.name, "index_seconds": round(seconds, 2), "index_bytes": size}
        return found | differences(root, made, count, seed)


def main() -> int:
    """Print a line for each tree; 1 if any line differs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", type=Path, action="append", required=True)
    parser.add_argument("--queries", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--record", action="store_true")
    args = parser.parse_args()
    if shutil.which(RIPGREP) is None:
        parser.error("ripgrep is not installed")
    trees = []
    for root in args.root:
        trees.append(measured(root.resolve(), args.queries, args.seed))
        print(json.dumps(trees[-1]), flush=True)
    if args.record:
        print(machine.keep("line-equality", {"seed": args.seed, "trees": trees}))
    return int(any(found["different"] for found in trees))


if __name__ == "__main__":
    sys.exit(main())
