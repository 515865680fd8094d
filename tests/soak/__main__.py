"""Runs servers, pages and a store for an hour under all that may happen to them.

It says whether anything grows, or is answered as it must not be.

    python -m tests.soak --minutes 60 --report soak.json

One line of figures each ten seconds, a verdict at the end; the exit code is 1 if it is bad.
"""

from __future__ import annotations

import argparse
import json
import sys
import sysconfig
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.soak.soak import soak
from tests.soak.tree import copy_tree
from tests.soak.verdict import Measurements, memory_slopes, report


def main(arguments: list[str]) -> int:
    """Run the soak; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--tree", type=Path, default=Path(sysconfig.get_path("stdlib")))
    parser.add_argument("--files", type=int, help="at most so many files of the tree")
    parser.add_argument(
        "--pauses", type=float, default=1.0, help="times as long: for a machine that does more"
    )
    parser.add_argument("--report", type=Path, help="write a JSON report here")
    args = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="soak-") as name:
        folder = Path(name)
        copy_tree(args.tree, folder / "root", args.files)
        with soak(folder, args.seed, args.pauses) as running:
            running.run_seconds(60 * args.minutes)
            running.close()
    found = report(running.measured)
    if args.report is not None:
        args.report.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    sys.stdout.writelines(f"{line}\n" for line in summary(running.measured, found["failures"]))
    return 1 if found["failures"] else 0


def summary(measured: Measurements, failures: list[str]) -> Iterator[str]:
    """The summary to read at the end."""
    for process, slope in memory_slopes(measured.lines).items():
        growth, error = slope.slope / 1e6, slope.error / 1e6
        yield f"{process}: {growth:+.2f} MB in ten minutes, standard error {error:.2f}"
    for rest in measured.rests:
        yield f"at rest: {rest.index_bytes / rest.fresh_bytes:.2f} of a fresh index"
    yield from failures
    yield "FAILED" if failures else "passed"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
