"""Measures servers that share a tree and its index while files are edited.

    python -m bench.index.many_servers --root TREE --keep FOLDER [--servers 10] [--edits 100]

The tree is copied, indexed whole, and served: by one server, then by many, each asked once so that
it watches. Then files are edited, ten a second, and the processor time of all processes of the
servers is summed, from the first edit until the newest one is found by every server.
To conclude: the ratio of many to one.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final

from bench import machine
from bench.costs.server import Server
from bench.index.building import family, ours

_PROGRAM: Final = "import sys; from repo_mcp.server import main; sys.exit(main())"
_PAUSE: Final = 0.1
_SETTLE: Final = 5.0
_MOST_WAIT: Final = 30.0


def cpu_of(servers: Sequence[Server]) -> float:
    """Processor seconds of the servers, of their processes, and of those that have ended."""
    ticks = 0
    for server in servers:
        for process in family(server.process_id):
            try:
                text = Path(f"/proc/{process}/stat").read_text("ascii")
            except OSError:
                continue
            ticks += sum(map(int, text.rpartition(")")[2].split()[11:15]))
    return ticks / os.sysconf("SC_CLK_TCK")


def edit_and_find(root: Path, data: Path, count: int, edits: int) -> dict[str, float]:
    """Processor seconds of `count` servers, and seconds until all find the last edit."""
    every = sorted(root.rglob("*.py"))
    files = every[:: max(len(every) // edits, 1)][:edits]
    with ExitStack() as stack:
        servers = []
        for _ in range(count):
            command = [sys.executable, "-P", "-c", _PROGRAM, "serve"]
            options = ["--repo-root", str(root), "--data-dir", str(data)]
            servers.append(stack.enter_context(Server([*command, *options], root, os.environ)))
        for server in servers:
            server.call("repo.search", {"query": "parse header"})
        time.sleep(_SETTLE)
        before = cpu_of(servers)
        word = f"unheard{count}x{os.getpid()}x{int(time.time())}"
        for number, file in enumerate(files):
            with file.open("a", encoding="utf-8", errors="surrogateescape") as lines:
                lines.write(f"\n# {word}n{number}\n")
            time.sleep(_PAUSE)
        begin = time.perf_counter()
        for server in servers:
            last = f"{word}n{len(files) - 1}"
            while last not in server.call("repo.search", {"query": last}).text:
                if time.perf_counter() - begin > _MOST_WAIT:
                    raise TimeoutError(word)
                time.sleep(_PAUSE)
        found = time.perf_counter() - begin
        time.sleep(_SETTLE)
        return {"cpu_s": round(cpu_of(servers) - before, 2), "found_s": round(found, 3)}


def main() -> None:
    """Measure and keep the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", type=Path, required=True)
    parser.add_argument("--keep", type=Path, required=True)
    parser.add_argument("--servers", type=int, default=10)
    parser.add_argument("--edits", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--record", action="store_true")
    args = parser.parse_args()
    root, data = args.keep / "tree", args.keep / "data"
    shutil.rmtree(args.keep, ignore_errors=True)
    shutil.copytree(args.root, root, symlinks=True)
    subprocess.run(ours(root, data, "index"), check=True, capture_output=True)
    rows: dict[int, list[dict[str, float]]] = {1: [], args.servers: []}
    for _ in range(args.rounds):
        for count, found in rows.items():
            found.append(edit_and_find(root, data, count, args.edits))
            print(count, found[-1], flush=True)
    figures: dict[str, Any] = {"corpus": args.root.name, "edits": args.edits}
    medians = {
        count: {name: statistics.median(row[name] for row in found) for name in found[0]}
        for count, found in rows.items()
    }
    figures["servers"] = {str(count): row for count, row in medians.items()}
    figures["many_to_one_cpu"] = round(medians[args.servers]["cpu_s"] / medians[1]["cpu_s"], 2)
    print(figures)
    if args.record:
        print(machine.keep("many-servers", figures))


if __name__ == "__main__":
    main()
