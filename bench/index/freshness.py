"""Measures a refresh when nothing, one file or a hundred files changed.

    python -m bench.index.freshness --root TREE --data FOLDER [--runs 5]

FOLDER is the data folder of an index of TREE that `repo-mcp index` made; TREE must be writable: a
line is added to some of its files and removed again. The refresh that finds no change is compared
with the least that any tool must do: `find`, reading each file's size and time.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Final

from bench import machine
from bench.timing import milliseconds
from repo_mcp.budget import Budget
from repo_mcp.indexing.keep.manager import IndexManager
from repo_mcp.services import services
from repo_mcp.settings import Options

_PROBE: Final = "int freshness_probe_{number}; /* {number} */\n"
_COLD: Final = """
import sys, time
begin = time.perf_counter()
from repo_mcp.services import services
from repo_mcp.budget import Budget
from repo_mcp.settings import Options
manager = services(Options(sys.argv[1], sys.argv[2], watch=False)).manager
imported = time.perf_counter()
done = manager.refresh(Budget())
print(time.perf_counter() - imported, time.process_time(), done.added + done.updated + done.removed)
"""


def spread(times: Sequence[float]) -> dict[str, float]:
    """Median and largest of times in milliseconds."""
    return {"p50_ms": round(statistics.median(times), 1), "max_ms": round(max(times), 1)}


@contextmanager
def edited(paths: Sequence[Path], number: int) -> Iterator[None]:
    """Append a line to each file; restore the files afterwards."""
    before = [path.read_bytes() for path in paths]
    for path, data in zip(paths, before, strict=True):
        path.write_bytes(data + _PROBE.format(number=number).encode())
    try:
        yield
    finally:
        for path, data in zip(paths, before, strict=True):
            path.write_bytes(data)


def chosen(manager: IndexManager, root: Path, count: int) -> list[Path]:
    """Files of the tree, evenly spread, of common sizes."""
    files = [f.path for f in manager.discovery().files(Budget()) if 2_000 < f.key.size < 60_000]
    return [root / path for path in files[:: max(len(files) // count, 1)][:count]]


def measured(root: Path, data: Path, runs: int) -> dict[str, object]:
    """All figures."""
    manager = services(Options(str(root), str(data), watch=False)).manager.single
    find = ["find", str(root), "-type", "f", "-printf", "%s %T@\\n"]
    manager.refresh(Budget())
    nothing, walks = [], []
    for _ in range(runs):
        walks.append(milliseconds(lambda: subprocess.run(find, capture_output=True, check=True)))
        nothing.append(milliseconds(lambda: manager.refresh(Budget())))
    cold = [_cold(root, data) for _ in range(runs)]
    return {
        "files": manager.state().files,
        "nothing_changed": spread(nothing),
        "nothing_changed_in_a_new_process": spread(cold),
        "find_size_and_time_of_all": spread(walks),
        "one_file_when_told_which": spread(list(_one(manager, root, runs * 4, deep=False))),
        "one_file_and_its_facts": spread(list(_one(manager, root, runs * 4, deep=True))),
        "hundred_files_found_by_walking": spread(list(_hundred(manager, root, runs))),
    }


def _cold(root: Path, data: Path) -> float:
    command = [sys.executable, "-P", "-c", _COLD, str(root), str(data)]
    shown = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    if shown[2] != "0":
        raise RuntimeError(shown)
    return float(shown[0]) * 1000


def _one(manager: IndexManager, root: Path, runs: int, *, deep: bool) -> Iterator[float]:
    for number, path in enumerate(chosen(manager, root, runs)):
        name = path.relative_to(root).as_posix()
        with edited([path], number):
            yield milliseconds(partial(manager.refresh_paths, [name], Budget(), deep=deep))
        manager.refresh_paths([name], Budget(), deep=True)
    manager.tidy(Budget())


def _hundred(manager: IndexManager, root: Path, runs: int) -> Iterator[float]:
    paths = chosen(manager, root, 100)
    for number in range(runs):
        with edited(paths, number):
            yield milliseconds(lambda: manager.refresh(Budget()))
        manager.refresh(Budget())
        manager.tidy(Budget())


def main() -> None:
    """Measure and keep the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", type=Path, required=True)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--runs", type=int, default=5)
    args = parser.parse_args()
    root = args.root.resolve()
    figures = {"corpus": root.name, **measured(root, args.data, args.runs)}
    print(machine.keep(f"freshness-{root.name}", figures).read_text())


if __name__ == "__main__":
    main()
