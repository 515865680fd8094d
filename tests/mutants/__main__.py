"""Plants the faults of `table.toml` in a copy of the tree, one at a time, and runs tests on each.

`python -m tests.mutants [ID ...]` says of each mutant whether a test fails over it (`killed`), all
pass (`survived`), or the text that it replaces is not there once (`stale`). Exits with 1 if one
survived.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

_TOP: Final = Path(__file__).resolve().parents[2]
_TABLE: Final = Path(__file__).with_name("table.toml")
# the exit status of pytest where tests have failed, and where one was interrupted by an error
_FAILED: Final = (1, 2)
_FAILURE: Final = re.compile(r"^(?:FAILED|ERROR) (\S+?\.py(?:::.+?)?)(?: - .*)?$", re.MULTILINE)
# a mutant may make a test hang: that is noticed, too
_MOST_SECONDS: Final = 900


class Mutant(NamedTuple):
    """A fault: one text of a file replaced by another, and the tests that should notice."""

    id: str
    file: str
    old: str
    new: str
    tests: Sequence[str]

    def planted_in(self, text: str) -> str | None:
        """The text with the fault; None if the old text is not there exactly once."""
        return text.replace(self.old, self.new) if text.count(self.old) == 1 else None


def read_table() -> list[Mutant]:
    """All mutants."""
    rows = tomllib.loads(_TABLE.read_text(encoding="utf-8"))["mutant"]
    return [Mutant(**row) for row in rows]


def copy_tree(target: Path) -> None:
    """Copy the files of this tree that git knows or does not ignore, and compiled code."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=_TOP, capture_output=True, check=True)
    names = [os.fsdecode(name) for name in listed.stdout.split(b"\0") if name]
    names += [str(path.relative_to(_TOP)) for path in _TOP.glob("*/native/_native*")]
    for name in names:
        if (_TOP / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(_TOP / name, target / name, follow_symlinks=False)


def run_tests(tree: Path, tests: Sequence[str]) -> tuple[bool, str]:
    """True if these tests pass in a copy, and the first that fails.

    Programs that they start import from the copy, too.
    """
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-n", "0", "-p", "no:cacheprovider"]
    environment = {**os.environ, "PYTHONPATH": str(tree)}
    try:
        done = subprocess.run(
            [*command, *tests],
            cwd=tree,
            env=environment,
            capture_output=True,
            text=True,
            timeout=_MOST_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return False, ""
    if done.returncode not in (0, *_FAILED):
        raise SystemExit(f"pytest ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    found = _FAILURE.search(done.stdout)
    return done.returncode == 0, found[1] if found else ""


def try_mutant(tree: Path, mutant: Mutant) -> tuple[str, str]:
    """The outcome for a mutant, and the test that noticed it."""
    file = tree / mutant.file
    text = file.read_text(encoding="utf-8") if file.is_file() else ""
    faulty = mutant.planted_in(text)
    if faulty is None:
        return "stale", ""
    try:
        file.write_text(faulty, encoding="utf-8")
        passed, test = run_tests(tree, mutant.tests)
    finally:
        file.write_text(text, encoding="utf-8")
    if passed:
        return "survived", ""
    if test and not run_tests(tree, [test])[0]:
        return "unclear", f"{test} fails without it, too"
    return "killed", test or "no end"


def main() -> int:
    """Try the mutants that are named, or all."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutants")
    parser.add_argument("ids", nargs="*", help="of the mutants to try; all by default")
    chosen = frozenset(parser.parse_args().ids)
    mutants = [item for item in read_table() if not chosen or item.id in chosen]
    counts: Counter[str] = Counter()
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        copy_tree(Path(folder))
        for item in mutants:
            outcome, test = try_mutant(Path(folder), item)
            counts[outcome] += 1
            sys.stdout.write(f"{outcome:8} {item.id}  {test}\n")
            sys.stdout.flush()
    found = (f"{count} {outcome}" for outcome, count in sorted(counts.items()))
    sys.stdout.write(", ".join(found) + "\n")
    return 1 if counts["survived"] else 0


if __name__ == "__main__":
    sys.exit(main())
