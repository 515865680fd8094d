"""Compares the tests that a review chooses with those that run what has changed.

    python -m bench.changes.selection python CHECKOUT --python PROGRAM --source FOLDER --keep FOLDER
    python -m bench.changes.selection go CHECKOUT --keep FOLDER
    python -m bench.changes.selection java CHECKOUT --keep FOLDER --classpath JARS
    python -m bench.changes.selection files CHECKOUT --keep FOLDER --each COMMAND --report FILE
        --tests PATTERN…
        [--commits N] [--count N] [--seed N] [--differences N] [--record]

The suite runs once, and which test runs which lines is kept (coverage.py's contexts with the pytest
of `--python`; of Go each test runs alone; of Java JaCoCo's agent tells after each; else a command
with `{test}` in it runs for each file of tests, and writes a report). Then the bodies of random
functions that some test runs change, one at a time: a patch adds a line, and nothing is written.
Right are the tests that run the body. To conclude: the share of them that is chosen, on average by
function and of all; the share of the chosen ones that is right; of how many functions all files of
tests are chosen; and the share of the suite that is chosen, by time. The same is said of the sure
ones alone.

With `--commits` the last merged ones that change bodies which some test runs are asked about
instead, as changes of their parents that are not committed: the suite runs for each of them, in the
files as the commit has them, so that no line has to be mapped. Bodies that are gone have no
coverage; those whose functions call others otherwise are changed, too. The checkout is left at the
oldest of them.
"""

from __future__ import annotations

import argparse
import difflib
import os
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from bench import machine
from bench.changes.judged import Judged, Reviews, figures, recall, tell
from bench.changes.merged_commits import (
    FUNCTIONS,
    body_start,
    check_out,
    git,
    merged_commits,
    needed_tests,
)
from bench.changes.suites import RUNNERS, Suite, kept_suite
from code_graph import Languages
from code_graph.paths.path_kinds import is_test
from repo_mcp.indexing.build.builder import make_facts

_RESULT: Final = "test-selection"


def main() -> None:
    """Print the figures of one checkout."""
    options = _options()
    root = options.root.resolve()
    judged = [*(_of_commits if options.commits else _of_functions)(options, root)]
    for item in sorted(judged, key=recall)[: options.differences]:
        tell(item)
    found = {"commits" if options.commits else "functions": len(judged), **figures(judged)}
    print(root.name, found)
    if options.record:
        stored = dict(machine.stored(_RESULT))
        name = f"commits of {root.name}" if options.commits else root.name
        machine.keep(_RESULT, dict(sorted({**stored, name: found}.items())))
    sys.stdout.flush()
    os._exit(0)  # threads of the server keep the process


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("language", choices=RUNNERS)
    parser.add_argument("root", type=Path)
    parser.add_argument("--keep", type=Path, required=True)
    parser.add_argument("--python", default=sys.executable, help="has pytest and pytest-cov")
    parser.add_argument("--source", default=".", help="folder or package that is measured")
    parser.add_argument("--classpath", default="", help="what Java code needs but JUnit")
    parser.add_argument("--each", default="", help="command that runs the file {test}")
    parser.add_argument("--report", default="coverage/lcov.info", help="report that it writes")
    parser.add_argument("--tests", nargs="+", default=[], help="patterns of files of tests")
    parser.add_argument("--commits", type=int, default=0, help="merged commits to ask about")
    parser.add_argument("--tip", default="origin/HEAD", help="the newest of them")
    parser.add_argument("--count", type=int, default=80)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--differences", type=int, default=0)
    parser.add_argument("--record", action="store_true")
    return parser.parse_args()


def _of_commits(options: argparse.Namespace, root: Path) -> Iterator[Judged]:
    left = options.commits
    reviews = None
    tip = git(root, "rev-parse", options.tip).strip()
    for commit in merged_commits(root, tip):
        check_out(root, commit)
        place = options.keep / "suites" / f"{root.name}-{commit.name}.json"
        suite = kept_suite(place, options, root)
        needed = needed_tests(commit, suite.lines)
        if not needed:
            continue
        if reviews is None:
            reviews = Reviews(root, options.keep)
        else:
            reviews.refresh()
        yield Judged(commit.name[:9], needed, reviews.choice({}, suite), suite)
        left -= 1
        if not left:
            return


def _of_functions(options: argparse.Namespace, root: Path) -> list[Judged]:
    suite = kept_suite(options.keep / "suites" / f"{root.name}.json", options, root)
    functions = [*_functions(root, suite)]
    chosen = random.Random(options.seed).sample(functions, min(options.count, len(functions)))
    reviews = Reviews(root, options.keep)
    return [
        Judged(
            f"{path}:{line}",
            suite.lines[path][line],
            reviews.choice({"patch": _patch(root, path, line)}, suite),
            suite,
        )
        for path, line in chosen
    ]


def _functions(root: Path, suite: Suite) -> Iterator[tuple[str, int]]:
    """Functions whose body some test runs: the first line of it that one does."""
    languages = Languages()
    for path, lines in sorted(suite.lines.items()):
        if is_test(path) or not (root / path).is_file():
            continue
        text = (root / path).read_text("utf-8", "replace")
        facts = make_facts(languages, path, text)
        for item in facts.declarations if facts else ():
            if item.kind in FUNCTIONS:
                body = range(body_start(text.split("\n"), item, path), item.end_line + 1)
                first = next((line for line in body if lines.get(line)), 0)
                if first:
                    yield path, first


def _patch(root: Path, path: str, line: int) -> str:
    """A patch that adds a line to a body."""
    rows = (root / path).read_text("utf-8", "replace").splitlines()
    row = rows[line - 1]
    blank = row[: len(row) - len(row.lstrip())] or "\t"
    after = [*rows[: line - 1], f"{blank}_ = 0", *rows[line - 1 :]]
    found = difflib.unified_diff(rows, after, f"a/{path}", f"b/{path}", lineterm="")
    return "\n".join(found) + "\n"


if __name__ == "__main__":
    main()
