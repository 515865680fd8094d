"""Builds and searches on many machines: real ones beside their simulation, or beside one machine.

    python -m bench.cluster measure --root TREE --keep FOLDER [--workers 2]
    python -m bench.cluster simulate [--files 1000000 …] [--workers 8 …]
    python -m bench.cluster search --root TREE --keep FOLDER [--workers 4] [--queries 1000]

`measure` builds the index of a tree with worker processes here, and prints what it counted beside
what the simulation says of parts of the same sizes: tasks, requests and bytes follow from the code
and have to agree; processor seconds are what the units are made of. It fails where they do not.
`simulate` prints the tables of docs/scale.md; equal arguments print equal tables. `search` compares
answers of worker processes with those of one machine, while one of them is killed, too, and prints
figures as JSON; it fails where an answer is wrong.
"""

from __future__ import annotations

import argparse
import json
import shutil
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench.cluster.searching import search
from bench.cluster.simulation import (
    Cluster,
    Outcome,
    Units,
    made_tree,
    quiet,
    simulate,
)
from repo_mcp.budget import Budget
from repo_mcp.cluster import CHECKOUT, ClusterRunner, open_engine
from repo_mcp.indexing.build.merging import MergeJob
from repo_mcp.indexing.build.pool import Job
from repo_mcp.indexing.build.recipe import Recipe
from repo_mcp.indexing.build.tasks import BuildTask
from repo_mcp.repository.services import services
from repo_mcp.settings import Options

# docs/scale.md says where each is from
UNITS = Units(
    build_cpu_per_byte=0.449e-6,
    part_bytes_per_byte=0.68,
    index_bytes_per_byte=0.684,
    merge_cpu_per_byte=0.061e-6,
    receive_cpu_per_byte=3.6e-9,
    walk_cpu_per_file=74e-6,
    memory_per_file=1170.0,
)
MEAN_BYTES = 12_100.0
# assumed, in dollars: an hour of a processor, a thousand writes and reads, a GB for a month
CPU_HOUR, WRITES, READS, GB_MONTH = 0.04, 0.005, 0.0004, 0.023
_SHARE = 0.02


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one of the commands."""
    parser = argparse.ArgumentParser(prog="python -m bench.cluster")
    commands = parser.add_subparsers(dest="command", required=True)
    one = commands.add_parser("measure")
    one.add_argument("--root", type=Path, required=True)
    one.add_argument("--keep", type=Path, required=True)
    one.add_argument("--workers", type=int, default=2)
    many = commands.add_parser("simulate")
    many.add_argument("--files", type=int, nargs="+", default=[10**6, 10**7, 10**8])
    many.add_argument("--workers", type=int, nargs="+", default=[8, 64, 512])
    asked = commands.add_parser("search")
    asked.add_argument("--root", type=Path, required=True)
    asked.add_argument("--keep", type=Path, required=True)
    asked.add_argument("--workers", type=int, default=4)
    asked.add_argument("--queries", type=int, default=1000)
    asked.add_argument("--segments", type=int, default=16)
    args = parser.parse_args(arguments)
    if args.command == "search":
        found = search(args.root, args.keep, args.workers, args.queries, args.segments)
        print(json.dumps(found, indent=2))
        return int(bool(found["differing"]) or found["one_worker_killed"]["wrong"] > 0)
    if args.command == "measure":
        return measure(args.root, args.keep, args.workers)
    for files in args.files:
        for workers in args.workers:
            print(row(files, workers))
    return 0


def row(files: int, workers: int) -> str:
    """A line of the table: what a tree costs with so many workers."""
    parts, merges = made_tree(files, MEAN_BYTES)
    took = simulate(parts, files, merges, UNITS, Cluster(workers, seed=files + workers))
    hours = took.seconds / 3600
    cpu = (took.worker_cpu + took.coordinator_cpu) / 3600
    writes = 2 * (len(parts) + len(merges))
    dollars = workers * hours * CPU_HOUR
    dollars += writes / 1000 * WRITES + (took.requests - writes) / 1000 * READS
    month = took.disk / 2e9 * GB_MONTH
    return (
        f"| {files:,} | {workers} | {hours:.2f} | {cpu:.1f} | {took.tasks:,} | {took.requests:,}"
        f" | {dollars:.2f} | {month:.2f} | {took.memory / 1e9:.1f} | {took.disk / 1e9:,.0f} |"
    )


class _Recording(ClusterRunner):
    """Remembers the jobs that it was given."""

    def __init__(self, *args: Any) -> None:  # noqa: ANN401 those of the runner
        super().__init__(*args)
        self.jobs: list[Job] = []

    def run(self, jobs: Sequence[Job], *args: Any) -> Any:  # noqa: ANN401 as above
        self.jobs += jobs
        return super().run(jobs, *args)


def measure(root: Path, keep: Path, workers: int) -> int:
    """Build the index of a tree for real, and compare with the simulation."""
    data = keep / "data"
    shutil.rmtree(data, ignore_errors=True)
    parts = services(Options(str(root), str(data)))
    made: list[_Recording] = []
    folder = keep / "engine"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    store = (folder / "store").as_uri()
    with open_engine(f"local:{workers}", str(folder)) as engine:

        def make(recipe: Recipe) -> ClusterRunner:
            made.append(_Recording(engine, recipe, parts.sandbox, store, CHECKOUT))
            return made[-1]

        parts.manager.engine = make
        before = time.process_time()
        done = parts.manager.refresh(Budget())
        made[-1].clean()
        coordinator = time.process_time() - before
    (runner,) = made
    snapshot = parts.manager.snapshot()
    assert snapshot is not None
    index = sum(entry.length for entry in snapshot.manifest.segments)
    builds = [job for job in runner.jobs if isinstance(job, BuildTask)]
    merges = [job for job in runner.jobs if isinstance(job, MergeJob)]
    text = [sum(item.size for item in job.wanted) for job in builds]
    cost = runner.cost
    part_bytes = cost.sent - index if merges else cost.sent
    units = Units(
        cost.cpu_seconds / sum(text),
        part_bytes / sum(text),
        index / sum(text),
        0.0,
        0.0,
        0.0,
        0.0,
    )
    every = [list(range(len(builds)))] if merges else []
    said = simulate(text, done.files, every, units, quiet(Cluster(workers)))
    print(f"{done.files} files, {sum(text)} bytes of text, {index} bytes of segments")
    print(f"coordinator: {coordinator:.2f} s of a processor, workers {cost.cpu_seconds:.2f} s")
    return _compare(said, cost.tasks, cost.requests, cost.sent, cost.received)


def _compare(said: Outcome, tasks: int, requests: int, sent: int, received: int) -> int:
    pairs = {
        "tasks": (tasks, said.tasks),
        "requests": (requests, said.requests),
        "sent": (sent, said.sent),
        "received": (received, said.received),
    }
    wrong = 0
    for name, (real, simulated) in pairs.items():
        print(f"{name:10} real {real:12,} simulated {simulated:12,}")
        wrong += abs(real - simulated) > _SHARE * real
    return int(wrong > 0)


if __name__ == "__main__":
    raise SystemExit(main())
