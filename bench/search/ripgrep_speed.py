r"""Times `repo-mcp rg` beside ripgrep, each as a process, on patterns of a tree.

    python -m bench.search.ripgrep_speed --root TREE --data FOLDER [--patterns 12] [--seed 1]
        [--ripgrep PROGRAM] [--record]

FOLDER is the data folder of an index of TREE. Patterns are of three kinds: names in few files,
names in many, and expressions without a word. Both programs run one after the other, three times
each, and write into a pipe; told are medians of the wall time and of the processor time, which
other work on the machine disturbs less. `over` is the worst excess in ms over 1.3 times ripgrep's
wall time and 60 ms. `--record` keeps the figures in bench/results.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

from bench import machine
from bench.search.ripgrep_lines import parse_with_ripgrep
from repo_mcp.services import services
from repo_mcp.settings import Options

_NAME: Final = re.compile(rb"[A-Za-z_][A-Za-z0-9_]{9,40}")
_ROUNDS: Final = 3
_SAMPLE: Final = 1500
_FACTOR: Final = 1.3
_ADDED: Final = 0.06
_WITHOUT_WORDS: Final = (r"[A-Z]+_[0-9]+\(", r"\)\s*==\s*\w+;", "e", r"^\s+return\b")


class Cost(NamedTuple):
    """Wall time and processor time in seconds."""

    wall: float
    cpu: float


def patterns(root: Path, data: Path, count: int, seed: int) -> dict[str, list[str]]:
    """Patterns by their kind."""
    chance = random.Random(seed)
    made = services(Options(str(root), str(data), watch=False))
    snapshot = made.manager.snapshot()
    if snapshot is None:
        raise FileNotFoundError(data)
    paths = list(snapshot.paths())
    seen: dict[bytes, int] = {}
    for path in chance.sample(paths, min(len(paths), _SAMPLE)):
        for name in set(_NAME.findall((root / path).read_bytes())):
            seen[name] = seen.get(name, 0) + 1
    rare = sorted(name.decode() for name, files in seen.items() if files == 1)
    common = sorted(seen, key=lambda name: -seen[name])[: 4 * count]
    return {
        "rare": chance.sample(rare, min(count, len(rare))),
        "common": [name.decode() for name in chance.sample(common, min(count, len(common)))],
        "without_words": list(_WITHOUT_WORDS),
    }


def timed(command: Sequence[str], root: Path, environment: dict[str, str]) -> Cost:
    """One run."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(
        command,
        cwd=root,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    wall, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Cost(wall, cpu)


def main() -> int:
    """Print a line for each kind of pattern."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", type=Path, required=True)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--patterns", type=int, default=12)
    args = parse_with_ripgrep(parser)
    ours = str(Path(sys.executable).with_name("repo-mcp"))
    folder = str(Path(args.ripgrep).parent)
    environment = {
        **os.environ,
        "REPO_MCP_DATA_DIR": str(args.data),
        "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}",
    }
    rows: list[dict[str, object]] = []
    for kind, drawn in patterns(args.root, args.data, args.patterns, args.seed).items():
        mine: list[Cost] = []
        theirs: list[Cost] = []
        over = 0.0
        for pattern in drawn:
            pairs = [
                (
                    timed([ours, "rg", "-n", pattern], args.root, environment),
                    timed([args.ripgrep, "-n", pattern], args.root, environment),
                )
                for _ in range(_ROUNDS)
            ]
            mine.append(_median([pair[0] for pair in pairs]))
            theirs.append(_median([pair[1] for pair in pairs]))
            over = max(over, mine[-1].wall - _FACTOR * theirs[-1].wall - _ADDED)
        found: dict[str, object] = {
            "kind": kind,
            "patterns": len(drawn),
            "over": round(over * 1000),
        }
        found |= {f"repo_mcp_{name}": value for name, value in _shown(_median(mine)).items()}
        found |= {f"ripgrep_{name}": value for name, value in _shown(_median(theirs)).items()}
        print(json.dumps(found), flush=True)
        rows.append(found)
    if args.record:
        figures = {"tree": args.root.name, "load": os.getloadavg(), "kinds": rows}
        machine.keep(f"ripgrep-{args.root.name}", figures)
    return 0


def _median(costs: Sequence[Cost]) -> Cost:
    walls, cpus = zip(*costs, strict=True)
    return Cost(statistics.median(walls), statistics.median(cpus))


def _shown(cost: Cost) -> dict[str, float]:
    return {"wall_ms": round(1000 * cost.wall), "cpu_ms": round(1000 * cost.cpu)}


if __name__ == "__main__":
    sys.exit(main())
