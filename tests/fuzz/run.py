"""Fuzzes everything that parses bytes or text that nobody vouches for.

python -m tests.fuzz.run --seconds 60               all targets, one after the other
python -m tests.fuzz.run --target segment --seed 7  one target
python -m tests.fuzz.run --target segment --input FILE
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from tests.fuzz.engine import Finding, Target, distilled, run_limited
from tests.fuzz.supervisor import (
    CORPUS,
    GROWN,
    Report,
    fuzz,
    limited_time,
    put_input,
    starting_points,
)
from tests.fuzz.targets import TARGETS

# a run over all targets shorter than this leaves out the slow ones
_LONG: Final = 600
# bytes of a target's inputs in git, and how many: each is a test
_ROOM: Final = 16_000
_MOST: Final = 48


def main(arguments: Sequence[str]) -> int:
    """Gives 0 where nothing was found."""
    given = _parser().parse_args(arguments)
    names = given.target or [name for name, item in TARGETS.items() if _is_due(item, given.seconds)]
    chosen = [TARGETS[name] for name in names]
    if given.input is not None:
        return _run_again(chosen[0], given.input)
    if given.keep:
        return _keep(chosen)
    found = _fuzz_all(chosen, given.seconds, given.seed)
    return 0 if given.advise else found


def _is_due(target: Target, seconds: float) -> bool:
    return not target.slow or seconds >= _LONG


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.run", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--seconds", type=float, default=60, help="for all targets together")
    parser.add_argument("--seed", type=int, default=1, help="decides the inputs of a run")
    parser.add_argument("--target", action="append", choices=sorted(TARGETS), help="default: all")
    parser.add_argument("--input", type=Path, help="run this one input again")
    parser.add_argument(
        "--advise",
        action="store_true",
        help="exit with 0 whatever is found: how far a run gets depends on the machine",
    )
    parser.add_argument(
        "--keep", action="store_true", help="add what was found to tests/fuzz/corpus"
    )
    return parser


def _fuzz_all(targets: Sequence[Target], seconds: float, seed: int) -> int:
    """Time that one target leaves is the next one's."""
    print(f"fuzzing {len(targets)} targets for {seconds:g} s, seed {seed}")
    deadline = time.monotonic() + seconds
    found = 0
    for number, target in enumerate(targets):
        share = max(deadline - time.monotonic(), 0) / (len(targets) - number)
        report = fuzz(target, share, seed)
        _print_report(report)
        found += len(report.findings)
    return 1 if found else 0


def _print_report(report: Report) -> None:
    print(
        f"  {report.target:<12} {report.executions:>8} inputs, {report.features:>6} steps reached,"
        f" {report.added:>4} new inputs, {len(report.findings)} findings",
        flush=True,
    )
    for file, finding in report.findings:
        _print_finding(report.target, file, finding)


def _print_finding(name: str, file: Path, finding: Finding) -> None:
    print(f"\nFINDING {name}: {finding.signature}\n{finding.text.rstrip()}")
    print(f"the input is {file}; to run it again:")
    print(f"  python -m tests.fuzz.run --target {name} --input {file}\n", flush=True)


def _run_again(target: Target, file: Path) -> int:
    shape, finding = run_limited(target, file.read_bytes(), limited_time)
    print(shape if finding is None else finding.text.rstrip())
    return 0 if finding is None else 1


def _keep(targets: Sequence[Target]) -> int:
    """Replace the inputs in git by few that reach what those and the grown ones reach."""
    for target in targets:
        seeds = set(target.seeds())
        kept = distilled(target, starting_points(target, GROWN), limited_time, _ROOM)
        folder = CORPUS / target.name
        for file in folder.glob("*"):
            file.unlink()
        chosen = [data for data in kept if data not in seeds][:_MOST]
        for data in chosen:
            put_input(folder, data)
        size = sum(map(len, chosen))
        print(f"  {target.name:<12} {len(chosen)} inputs, {size} bytes", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
