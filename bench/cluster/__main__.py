"""Builds and searches on many machines: real ones beside their simulation, or beside one machine.

    python -m bench.cluster measure --root TREE --keep FOLDER [--workers 2] [--like DATA] [--record]
    python -m bench.cluster simulate [--files 1000000 …] [--workers 8 …]
    python -m bench.cluster search --root TREE --keep FOLDER [--workers 4] [--queries 1000]
    python -m bench.cluster kills --root TREE --keep FOLDER [--kills 50] [--record]

`measure` builds the index of a tree with worker processes here, and prints what it counted beside
what the simulation says of parts of the same sizes: tasks, requests and bytes follow from the code
and have to agree; processor seconds are what the units are made of. It fails where they do not.
With `--like`, a data folder that one machine has filled, the generations of both have to have
equal bytes. Then it asks two questions of the index, with the workers of a command and without.
`simulate` prints the tables of docs/scale.md; equal arguments print equal tables. `search` compares
answers of worker processes with those of one machine, while one of them is killed, too, and prints
figures as JSON; it fails where an answer is wrong. `kills` builds with 1, 2, 4 and 8 workers of
which one is killed now and then; it fails where an index differs from that of one machine.
"""

from __future__ import annotations

import argparse
import json
import resource
import shutil
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from bench import machine
from bench.cluster.generations import generation_of
from bench.cluster.kills import build_among_kills
from bench.cluster.searching import search
from bench.cluster.simulation import (
    Cluster,
    Outcome,
    Units,
    made_tree,
    quiet,
    simulate,
)
from bench.publish.commands import run
from repo_mcp.budget import Budget
from repo_mcp.indexing.build.recipe import Recipe
from repo_mcp.indexing.build.tasks import BuildTask
from repo_mcp.indexing.workers.merging import MergeJob
from repo_mcp.processes.pool import Job
from repo_mcp.remote.cluster import CHECKOUT, ClusterRunner, CostReport, open_engine
from repo_mcp.services import services
from repo_mcp.settings import Options

# docs/scale.md says where each is from
UNITS = Units(
    build_cpu_per_byte=0.436e-6,
    part_bytes_per_byte=0.545,
    index_bytes_per_byte=0.535,
    merge_cpu_per_byte=0.061e-6,
    receive_cpu_per_byte=3.6e-9,
    walk_cpu_per_file=74e-6,
    memory_per_file=1170.0,
)
MEAN_BYTES = 12_100.0
# assumed, in dollars: an hour of a processor, a thousand writes and reads, a GB for a month
CPU_HOUR, WRITES, READS, GB_MONTH = 0.04, 0.005, 0.0004, 0.023
_SHARE = 0.02
_QUESTIONS = (("parse header",), ("-F", "error"))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one of the commands."""
    parser = argparse.ArgumentParser(prog="python -m bench.cluster")
    commands = parser.add_subparsers(dest="command", required=True)
    one = commands.add_parser("measure")
    one.add_argument("--root", type=Path, required=True)
    one.add_argument("--keep", type=Path, required=True)
    one.add_argument("--workers", type=int, default=2)
    one.add_argument("--like", type=Path, metavar="DATA")
    one.add_argument("--record", action="store_true")
    many = commands.add_parser("simulate")
    many.add_argument("--files", type=int, nargs="+", default=[10**6, 10**7, 10**8])
    many.add_argument("--workers", type=int, nargs="+", default=[8, 64, 512])
    asked = commands.add_parser("search")
    asked.add_argument("--root", type=Path, required=True)
    asked.add_argument("--keep", type=Path, required=True)
    asked.add_argument("--workers", type=int, default=4)
    asked.add_argument("--queries", type=int, default=1000)
    asked.add_argument("--segments", type=int, default=16)
    killed = commands.add_parser("kills")
    killed.add_argument("--root", type=Path, required=True)
    killed.add_argument("--keep", type=Path, required=True)
    killed.add_argument("--kills", type=int, default=50)
    killed.add_argument("--record", action="store_true")
    args = parser.parse_args(arguments)
    if args.command == "kills":
        rows = build_among_kills(args.root, args.keep, args.kills)
        print(json.dumps(rows, indent=2))
        if args.record:
            machine.keep(f"cluster-kills-{args.root.name}", {"builds": rows})
        return int(any(row["equal"] != row["builds"] for row in rows))
    if args.command == "search":
        found = search(args.root, args.keep, args.workers, args.queries, args.segments)
        print(json.dumps(found, indent=2))
        return int(bool(found["differing"]) or found["one_worker_killed"]["wrong"] > 0)
    if args.command == "measure":
        figures = measure(args.root, args.keep, args.workers, args.like)
        print(json.dumps(figures, indent=2))
        if args.record:
            machine.keep(f"cluster-build-{args.root.name}", figures)
        return int(not _is_right(figures))
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


def measure(root: Path, keep: Path, workers: int, like: Path | None) -> dict[str, Any]:
    """Build the index of a tree for real, and compare with the simulation and one machine."""
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

        before = time.process_time()
        done = parts.manager.refresh(Budget(), engine=make)
        made[-1].clean()
        coordinator = time.process_time() - before
    (runner,) = made
    snapshot = parts.manager.snapshot()
    assert snapshot is not None
    index = sum(entry.length for entry in snapshot.manifest.segments)
    text = [
        sum(item.size for item in job.wanted) for job in runner.jobs if isinstance(job, BuildTask)
    ]
    figures = {
        "corpus": root.name,
        "workers": workers,
        "files": done.files,
        "text_bytes": sum(text),
        "segments": len(snapshot.segments),
        "segment_bytes": index,
        "coordinator_cpu_s": round(coordinator, 2),
        "workers_cpu_s": round(runner.cost.cpu_seconds, 2),
        "peak_memory_of_the_coordinator_mb": round(
            resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000, 1
        ),
        "made_here": runner.made_here,
        "counted": _compare(_simulated(runner, text, done.files, index, workers), runner.cost),
    }
    if like is not None:
        figures["equal_to_one_machine"] = generation_of(data) == generation_of(like)
    return {**figures, "questions": _asked(root, data, workers)}


def _simulated(
    runner: _Recording, text: list[int], files: int, index: int, workers: int
) -> Outcome:
    """The simulated times of the parts of a run."""
    merges = list(_merged(runner))
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
    return simulate(text, files, merges, units, quiet(Cluster(workers)))


def _merged(runner: _Recording) -> Iterator[list[int]]:
    """For each merge, the parts that it reads, by their numbers; a part may be in two."""
    parts: dict[str, int] = {}
    for job in runner.jobs:
        if isinstance(job, MergeJob):
            names = [entry.name for entry in job.task.segments]
            yield [parts.setdefault(name, len(parts)) for name in names]


def _asked(root: Path, data: Path, workers: int) -> list[dict[str, Any]]:
    """Questions of a command, which starts its own workers, and of one without."""
    found = []
    for line in _QUESTIONS:
        command = ("search", "--data-dir", str(data), *line)
        alone = run(root, *command)
        distributed = run(root, *command, "--engine", f"local:{workers}")
        found.append(
            {
                "question": " ".join(line),
                "lines": len(alone.text.splitlines()),
                "equal": distributed.text == alone.text,
                "cpu_s": round(alone.cpu, 2),
                "cpu_s_with_workers": round(distributed.cpu, 2),
            }
        )
    return found


def _compare(said: Outcome, cost: CostReport) -> dict[str, dict[str, int]]:
    return {
        name: {"real": int(getattr(cost, name)), "simulated": int(getattr(said, name))}
        for name in ("tasks", "requests", "sent", "received")
    }


def _is_right(figures: Mapping[str, Any]) -> bool:
    """True if counts agree, the index is that of one machine, and so are the answers."""
    return (
        all(
            abs(row["real"] - row["simulated"]) <= _SHARE * row["real"]
            for row in figures["counted"].values()
        )
        and figures.get("equal_to_one_machine", True)
        and all(row["equal"] for row in figures["questions"])
    )


if __name__ == "__main__":
    raise SystemExit(main())
