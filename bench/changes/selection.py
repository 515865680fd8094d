"""Compares the tests that a review chooses with those that run what has changed.

    python -m bench.changes.selection python CHECKOUT --python PROGRAM --source FOLDER --keep FOLDER
    python -m bench.changes.selection go CHECKOUT --keep FOLDER
        [--count N] [--seed N] [--differences N] [--record]

The suite runs once, and which test runs which lines is kept (coverage.py's contexts with the pytest
of `--python`; of Go each test runs alone). Then the bodies of random functions that some test runs
change, one at a time: a patch adds a line, and nothing is written. Right are the tests that run the
body. To conclude: the share of them that is chosen, on average by function and of all; the share of
the chosen ones that is right; of how many functions all files of tests are chosen; and the share of
the suite that is chosen, by time. The same is said of the sure ones alone.
"""

from __future__ import annotations

import argparse
import difflib
import json
import os
import random
import re
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple
from xml.etree import ElementTree as ET

from bench import machine
from code_graph import Languages
from code_graph.paths.path_kinds import is_test
from repo_mcp.app import App
from repo_mcp.changes.coverage import parse_context, read_coverage
from repo_mcp.indexing.build.builder import make_facts
from repo_mcp.settings import read_options

_RESULT: Final = "test-selection"
_MOST_WAITS: Final = 100
_MOST_CHARS: Final = 2_000_000
_FUNCTIONS: Final = frozenset({"function", "method"})

Test = tuple[str, str]


class Suite(NamedTuple):
    """The tests that run each line of each file, and the seconds that each test takes."""

    lines: Mapping[str, Mapping[int, frozenset[Test]]]
    seconds: Mapping[Test, float]


class _Function(NamedTuple):
    path: str
    name: str
    first: int  # the line that its body begins with
    last: int
    tests: frozenset[Test]


class _Judged(NamedTuple):
    function: _Function
    chosen: frozenset[Test]
    sure: frozenset[Test]


def main() -> None:
    """Print the figures of one checkout."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("language", choices=sorted(_RECORDERS))
    parser.add_argument("root", type=Path)
    parser.add_argument("--keep", type=Path, required=True)
    parser.add_argument("--python", default=sys.executable, help="has pytest and pytest-cov")
    parser.add_argument("--source", default=".", help="folder or package that is measured")
    parser.add_argument("--count", type=int, default=80)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--differences", type=int, default=0)
    parser.add_argument("--record", action="store_true")
    options = parser.parse_args()
    root = options.root.resolve()
    suite = _kept(options.keep / "suites" / f"{root.name}.json", lambda: _recorded(options, root))
    functions = [*_functions(root, suite)]
    chosen = random.Random(options.seed).sample(functions, min(options.count, len(functions)))
    ask = _Reviews(root, options.keep)
    judged = [_Judged(item, *ask.chosen(item, suite)) for item in chosen]
    for item in sorted(judged, key=_recall)[: options.differences]:
        _tell(item)
    figures = _figures(judged, suite)
    print(root.name, figures)
    if options.record:
        stored = dict(machine.stored(_RESULT))
        machine.keep(_RESULT, dict(sorted({**stored, root.name: figures}.items())))
    sys.stdout.flush()
    os._exit(0)  # threads of the server keep the process


def _kept(place: Path, record: Callable[[], Suite]) -> Suite:
    if not place.exists():
        suite = record()
        place.parent.mkdir(parents=True, exist_ok=True)
        tests = sorted(suite.seconds)
        numbers = {test: number for number, test in enumerate(tests)}
        rows = {
            path: {line: sorted(numbers[test] for test in those) for line, those in lines.items()}
            for path, lines in suite.lines.items()
        }
        place.write_text(json.dumps([tests, [suite.seconds[test] for test in tests], rows]))
    names, seconds, rows = json.loads(place.read_text())
    tests = [(path, name) for path, name in names]
    lines = {
        path: {int(line): frozenset(tests[at] for at in those) for line, those in found.items()}
        for path, found in rows.items()
    }
    return Suite(lines, dict(zip(tests, seconds, strict=True)))


def _recorded(options: argparse.Namespace, root: Path) -> Suite:
    return _RECORDERS[options.language](options, root)


def _of_pytest(options: argparse.Namespace, root: Path) -> Suite:
    with tempfile.TemporaryDirectory() as folder:
        report, data, said = (Path(folder, name) for name in ("junit.xml", "data", "said.json"))
        env = {**os.environ, "COVERAGE_FILE": str(data)}
        run = [
            options.python,
            "-m",
            "pytest",
            "-q",
            f"--cov={options.source}",
            "--cov-context=test",
        ]
        more = [
            "--cov-report=",
            f"--junitxml={report}",
            "-o",
            "junit_family=xunit1",
            "-p",
            "no:xdist",
        ]
        subprocess.run([*run, *more], cwd=root, env=env, check=False, stdout=subprocess.DEVNULL)
        to_json = ["-m", "coverage", "json", "--show-contexts", "-q", "-o", str(said)]
        subprocess.run([options.python, *to_json], cwd=root, env=env, check=True)
        covered = read_coverage(said.read_text(), lambda name: _below(root, name))
        seconds: defaultdict[Test, float] = defaultdict(float)
        for case in ET.parse(report).iter("testcase"):  # noqa: S314 written by pytest
            path, name = case.get("file", ""), case.get("name", "").partition("[")[0]
            module = path.removesuffix(".py").replace("/", ".")
            inner = case.get("classname", "").removeprefix(module).strip(".")
            test = path, f"{inner}.{name}" if inner else name
            seconds[test] += float(case.get("time", "0"))
    lines = {
        path: {
            line: frozenset(test for test in map(parse_context, those) if test in seconds)
            for line, those in file.run.items()
        }
        for path, file in covered.items()
    }
    return Suite(lines, seconds)


def _below(root: Path, name: str) -> str:
    path = (root / name).resolve()
    return str(path.relative_to(root)) if path.is_relative_to(root) else ""


_GO_TEST: Final = re.compile(r"^(Test\w+)$", re.MULTILINE)
_GO_DECLARED: Final = re.compile(r"^func (Test\w+)\(", re.MULTILINE)
_GO_SECONDS: Final = re.compile(r"\(([\d.]+)s\)")


def _of_go(_: argparse.Namespace, root: Path) -> Suite:
    lines: defaultdict[str, defaultdict[int, set[Test]]] = defaultdict(lambda: defaultdict(set))
    seconds: dict[Test, float] = {}
    listed = _said(["go", "list", "-f", "{{.ImportPath}} {{.Dir}}", "./..."], root).split()
    packages = dict(zip(listed[::2], map(Path, listed[1::2]), strict=True))
    with tempfile.TemporaryDirectory() as made:
        for folder in packages.values():
            program, report = Path(made, "tests"), Path(made, "cover")
            build = ["go", "test", "-c", "-cover", "-coverpkg=./...", "-o", str(program)]
            program.unlink(missing_ok=True)
            _said([*build, str(folder)], root)
            if not program.exists():
                continue
            files = {
                name: str(path.relative_to(root))
                for path in folder.glob("*_test.go")
                for name in _GO_DECLARED.findall(path.read_text())
            }
            # what runs before any test runs for all of them
            _said([str(program), "-test.run", "^$", f"-test.coverprofile={report}"], folder)
            before = _go_lines(report, packages, root)
            for name in _GO_TEST.findall(_said([str(program), "-test.list", "."], folder)):
                run = [str(program), "-test.v", "-test.run", f"^{name}$"]
                told = _said([*run, f"-test.coverprofile={report}"], folder)
                test = files.get(name, ""), name
                seconds[test] = sum(map(float, _GO_SECONDS.findall(told)[:1]))
                for path, line in _go_lines(report, packages, root) - before:
                    lines[path][line].add(test)
    found = {
        path: {line: frozenset(those) for line, those in rows.items()}
        for path, rows in lines.items()
    }
    return Suite(found, seconds)


def _go_lines(report: Path, packages: Mapping[str, Path], root: Path) -> set[tuple[str, int]]:
    text = report.read_text() if report.exists() else "mode: set\n"
    covered = read_coverage(text, lambda name: _go_path(name, packages, root))
    return {(path, line) for path, file in covered.items() for line in file.run}


def _go_path(name: str, packages: Mapping[str, Path], root: Path) -> str:
    package, _, file = name.rpartition("/")
    folder = packages.get(package)
    return str((folder / file).relative_to(root)) if folder else ""


def _said(line: list[str], folder: Path) -> str:
    return subprocess.run(line, cwd=folder, check=False, capture_output=True, text=True).stdout


_RECORDERS: Final[Mapping[str, Callable[[argparse.Namespace, Path], Suite]]] = {
    "go": _of_go,
    "python": _of_pytest,
}


def _functions(root: Path, suite: Suite) -> Iterator[_Function]:
    """Functions whose body some test runs, with the first line of it that it runs."""
    languages = Languages()
    for path, lines in sorted(suite.lines.items()):
        if is_test(path) or not (root / path).is_file():
            continue
        text = (root / path).read_text("utf-8", "replace")
        facts = make_facts(languages, path, text)
        for item in facts.declarations if facts else ():
            if item.kind not in _FUNCTIONS:
                continue
            first = _body(text.split("\n"), item.name_line, item.end_line, lines, path)
            tests = lines.get(first, frozenset())
            if first and tests:
                yield _Function(path, item.name, first, item.end_line, tests)


def _body(
    rows: list[str],
    begin: int,
    end: int,
    lines: Mapping[int, frozenset[Test]],
    path: str,
) -> int:
    if path.endswith(".py"):
        inner = len(rows[begin - 1]) - len(rows[begin - 1].lstrip())
        return next(
            (
                line
                for line in range(begin + 1, end + 1)
                if line in lines and len(rows[line - 1]) - len(rows[line - 1].lstrip()) > inner
            ),
            0,
        )
    opened = next((at for at in range(begin, end) if rows[at - 1].rstrip().endswith("{")), 0)
    return opened + 1 if opened and opened + 1 < end else 0


class _Reviews:
    """Asks for reviews of patches."""

    def __init__(self, root: Path, keep: Path) -> None:
        self._root = root
        given = {
            "repo_root": root,
            "data_dir": keep / "data" / root.name,
            "max_total_bytes_per_response": _MOST_CHARS,
        }
        self._app = App(read_options([(name, str(value)) for name, value in given.items()]))
        for _ in range(_MOST_WAITS):  # each waits a while for the graph of all files
            notes = self._answer({"rev": "HEAD"}).get("notes", ())
            if not any("still being linked" in note for note in notes):
                break

    def chosen(self, function: _Function, suite: Suite) -> tuple[frozenset[Test], frozenset[Test]]:
        """The tests that a change of a body chooses, and the sure ones of these."""
        before = (self._root / function.path).read_text("utf-8", "replace")
        rows = before.splitlines()
        row = rows[function.first - 1]
        blank = row[: len(row) - len(row.lstrip())] or "\t"
        added = f"{blank}_ = 0"
        after = [*rows[: function.first - 1], added, *rows[function.first - 1 :]]
        names = f"a/{function.path}", f"b/{function.path}"
        patch = "\n".join(difflib.unified_diff(rows, after, *names, lineterm=""))
        by_file: defaultdict[str, set[str]] = defaultdict(set)
        for path, name in suite.seconds:
            by_file[path].add(name)
        found: set[Test] = set()
        sure: set[Test] = set()
        for entry in self._review(f"{patch}\n"):
            path = entry["path"]
            names_of: set[str] = {*entry.get("names", ())} or by_file.get(path, set())
            those = {(path, name) for name in names_of if (path, name) in suite.seconds}
            found |= those
            sure |= those if entry["sure"] else set()
        return frozenset(found), frozenset(sure)

    def _review(self, patch: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self._answer({"patch": patch}).get("tests", [])
        return found

    def _answer(self, asked: dict[str, object]) -> dict[str, Any]:
        arguments = {"max_chars": _MOST_CHARS, **asked}
        answer = self._app.call("repo.changes", arguments, lambda: False)["structuredContent"]
        if not answer["ok"]:
            raise SystemExit(str(answer))
        result: dict[str, Any] = answer["result"]
        return result


def _recall(item: _Judged) -> float:
    return len(item.chosen & item.function.tests) / len(item.function.tests)


def _tell(item: _Judged) -> None:
    function = item.function
    print(f"{_recall(item):.2f} {function.name} {function.path}:{function.first}")
    missed = sorted(function.tests - item.chosen)
    print("  missed", len(missed), "of", len(function.tests), missed[:4])


def _figures(judged: list[_Judged], suite: Suite) -> dict[str, object]:
    needed = [_share(item.function.tests, suite) for item in judged]
    only = [item._replace(chosen=item.sure) for item in judged]
    return {
        "functions": len(judged),
        "tests": len(suite.seconds),
        "time_share_needed": round(sum(needed) / len(needed), 3),
        **_figures_of(judged, suite),
        "sure": _figures_of(only, suite),
    }


def _share(tests: frozenset[Test], suite: Suite) -> float:
    return sum(suite.seconds[test] for test in tests) / (sum(suite.seconds.values()) or 1.0)


def _figures_of(judged: list[_Judged], suite: Suite) -> dict[str, float]:
    right = sum(len(item.chosen & item.function.tests) for item in judged)
    wanted = sum(len(item.function.tests) for item in judged)
    chosen = sum(len(item.chosen) for item in judged)
    files = [
        {path for path, _ in item.function.tests} <= {path for path, _ in item.chosen}
        for item in judged
    ]
    tests = [len(item.chosen) / len(suite.seconds) for item in judged]
    share = [_share(item.chosen, suite) for item in judged]
    return {
        "recall_macro": round(sum(map(_recall, judged)) / len(judged), 3),
        "recall_micro": round(right / wanted, 3),
        "precision": round(right / max(chosen, 1), 3),
        "all_files": round(sum(files) / len(files), 3),
        "test_share": round(sum(tests) / len(tests), 3),
        "time_share": round(sum(share) / len(share), 3),
    }


if __name__ == "__main__":
    main()
