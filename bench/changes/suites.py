"""Runs suites of tests, and keeps which test runs which lines, and how long each takes.

Of Python, Go and Java each test is told from the others; `files` runs a command for each file of
tests, so that a file is one test.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shlex
import subprocess
import tempfile
import time
import zipfile
from collections import defaultdict
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final, NamedTuple
from xml.etree import ElementTree as ET

from repo_mcp.changes.covered_lines import parse_context, read_coverage

Test = tuple[str, str]
# shorter times are told as none
_LEAST_SECONDS: Final = 0.001
_Lines = defaultdict[str, defaultdict[int, set[Test]]]


class Suite(NamedTuple):
    """The tests that run each line of each file, and the seconds that each test takes."""

    lines: Mapping[str, Mapping[int, frozenset[Test]]]
    seconds: Mapping[Test, float]


def kept_suite(place: Path, options: argparse.Namespace, root: Path) -> Suite:
    """The suite of a checkout, which runs unless `place` has it."""
    if not place.exists():
        suite = _RECORDERS[options.language](options, root)
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
    spent = (max(one, _LEAST_SECONDS) for one in seconds)
    return Suite(lines, dict(zip(tests, spent, strict=True)))


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
    lines: _Lines = defaultdict(lambda: defaultdict(set))
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
    return _suite(lines, seconds)


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


_JARS: Final = Path("/usr/share/java")
_NEEDED: Final = (
    *("junit-jupiter-api", "junit-jupiter-engine", "junit-jupiter-params", "junit-vintage-engine"),
    *("junit-platform-commons", "junit-platform-engine", "junit-platform-launcher", "junit4"),
    *("hamcrest", "opentest4j", "apiguardian-api", "univocity-parsers"),
)
_AGENT: Final = ("org.jacoco.agent.rt", "org.jacoco.core", "asm", "asm-tree", "asm-commons")
_PREMAIN: Final = "Manifest-Version: 1.0\nPremain-Class: org.jacoco.agent.rt.internal.PreMain\n\n"
# what the agent itself needs must not be watched
_UNWATCHED: Final = "org.jacoco.*:org.objectweb.*:org.junit.*:org.mockito.*:net.bytebuddy.*"
_MAIN: Final = "src/main/java"
_TESTS: Final = "src/test/java"
_MOST_TRIES: Final = 5
_LONGEST: Final = 120
# files that do not compile, which those of another commit mostly do not either
_LEFT_OUT: Final[set[str]] = set()
_UNCOMPILED: Final = re.compile(r"^(\S+\.java):\d+: error:", re.MULTILINE)


def _of_java(options: argparse.Namespace, root: Path) -> Suite:
    """Of the tests of JUnit in a project laid out as Maven's, with JaCoCo's agent."""
    lines: _Lines = defaultdict(lambda: defaultdict(set))
    seconds: defaultdict[Test, float] = defaultdict(float)
    jars = [*(str(_JARS / f"{name}.jar") for name in _NEEDED), options.classpath]
    with tempfile.TemporaryDirectory() as made:
        agent, main, tests = (Path(made, name) for name in ("agent.jar", "main", "tests"))
        _write_agent(agent)
        path = os.pathsep.join(map(str, (main, tests, agent, *jars)))
        _compile(path, main, root / _MAIN)
        _compile(path, tests, root / _TESTS)
        _compile(path, tests, Path(__file__).parent)
        for resources in (root / "src/main/resources", root / "src/test/resources"):
            path = f"{resources}{os.pathsep}{path}"
        report = Path(made, "report")
        watched = [
            f"-javaagent:{agent}=output=none,excludes={_UNWATCHED}",
            "-cp",
            path,
            "TestCoverage",
        ]
        told = _said(["java", *watched, str(tests), str(main), str(report)], root)
        if not report.exists():
            raise SystemExit(f"no test ran: {told}")
        test = "", ""
        for row in report.read_text("utf-8").splitlines():
            kind, first, *rest = row.split("\t")
            if kind == "test":
                place = first.split("$")[0].replace(".", "/")
                owner = first.rpartition(".")[2].replace("$", ".")
                test = f"{_TESTS}/{place}.java", f"{owner}.{rest[0]}"
                seconds[test] += float(rest[1])
            else:
                for number in map(int, rest[0].split(",")):
                    lines[f"{_MAIN}/{first}"][number].add(test)
    return _suite(lines, seconds)


def _write_agent(place: Path) -> None:
    """The agent with all that it needs: a distribution may have them in jars of their own."""
    with zipfile.ZipFile(place, "w") as made:
        made.writestr("META-INF/MANIFEST.MF", _PREMAIN)
        for name in _AGENT:
            with zipfile.ZipFile(_JARS / f"{name}.jar") as jar:
                for item in jar.namelist():
                    if item.endswith(".class") and item not in made.namelist():
                        made.writestr(item, jar.read(item))


def _compile(classpath: str, into: Path, folder: Path) -> None:
    """Compile the files of a folder but those that need what is not there."""
    files = {str(path) for path in folder.rglob("*.java") if path.name != "module-info.java"}
    files -= _LEFT_OUT
    line = ["javac", "-nowarn", "-g", "-proc:none", "-Xmaxerrs", "100000", "-encoding", "UTF-8"]
    told = ""
    for _ in range(_MOST_TRIES):
        run = [*line, "-cp", classpath, "-d", str(into), *sorted(files)]
        said = subprocess.run(run, check=False, capture_output=True, text=True)
        if said.returncode == 0:
            return
        told = said.stderr
        _LEFT_OUT.update(_UNCOMPILED.findall(told))
        files -= _LEFT_OUT
    raise SystemExit(f"{folder} does not compile: {told[:2_000]}")


def _of_files(options: argparse.Namespace, root: Path) -> Suite:
    """Of each file of tests by a command, which writes a report of coverage."""
    lines: _Lines = defaultdict(lambda: defaultdict(set))
    seconds: dict[Test, float] = {}
    report = root / options.report
    found = {path for pattern in options.tests for path in root.glob(pattern) if path.is_file()}
    for path in sorted(found):
        test = str(path.relative_to(root)), ""
        report.unlink(missing_ok=True)
        started = time.perf_counter()
        subprocess.run(
            [part.replace("{test}", test[0]) for part in shlex.split(options.each)],
            cwd=root,
            check=False,
            capture_output=True,
            timeout=_LONGEST,
        )
        seconds[test] = time.perf_counter() - started
        text = report.read_text() if report.exists() else ""
        for name, file in (
            read_coverage(text, lambda name: _below(root, name)).items() if text else ()
        ):
            for line in file.run:
                lines[name][line].add(test)
    report.unlink(missing_ok=True)  # a review would read it
    return _suite(lines, seconds)


def _suite(lines: _Lines, seconds: Mapping[Test, float]) -> Suite:
    found = {
        path: {line: frozenset(those) for line, those in rows.items()}
        for path, rows in lines.items()
    }
    return Suite(found, dict(seconds))


_RECORDERS: Final[Mapping[str, Callable[[argparse.Namespace, Path], Suite]]] = {
    "files": _of_files,
    "go": _of_go,
    "java": _of_java,
    "python": _of_pytest,
}

RUNNERS: Final = sorted(_RECORDERS)
