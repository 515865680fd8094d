"""Reads what a run of tests has covered: of coverage.py, lcov, Go, Istanbul and JaCoCo.

Only coverage.py says which test has run a line (`coverage json --show-contexts`); the others say
which lines none has run.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from code_graph.formats.xml_tree import XmlError, XmlReader
from index_format.tuples import NamedTuple
from repo_mcp.errors import Problem

# files that are looked for, where none is named
KNOWN_FILES: Final = (
    "coverage.json",
    "lcov.info",
    "coverage/lcov.info",
    "coverage/coverage-final.json",
    "coverage.out",
    "cover.out",
    "target/site/jacoco/jacoco.xml",
    "build/reports/jacoco/test/jacocoTestReport.xml",
)
MOST_BYTES: Final = 256 << 20
_DOCTYPE: Final = re.compile(r"<!DOCTYPE\s+report[^<>\[\]]*>")
_GO_BLOCK: Final = re.compile(r"^(.+):(\d+)\.\d+,(\d+)\.\d+ \d+ (\d+)$", re.MULTILINE)
_GO_BEGIN: Final = "mode: "
_LCOV_BEGIN: Final = ("TN:", "SF:")
# the phase of a test that pytest-cov adds
_PHASE: Final = re.compile(r"\|(?:run|setup|teardown)$")
_Lines = defaultdict[str, dict[int, set[str]]]


class CoveredFile(NamedTuple):
    """The lines of a file that tests have run, with those tests that are known, or have not run."""

    run: Mapping[int, frozenset[str]]
    missed: frozenset[int]


def read_coverage(text: str, find: Callable[[str], str]) -> dict[str, CoveredFile]:
    """The covered files by the paths that `find` gives of theirs, empty for unknown ones.

    A `Problem` for what is no such file.
    """
    try:
        run, missed = _read(text.lstrip("\ufeff"))
    except (ValueError, KeyError, TypeError, AttributeError, XmlError, RecursionError) as error:
        raise Problem("argument_invalid", f"no coverage could be read: {error}") from None
    found: dict[str, CoveredFile] = {}
    for name in {**run, **missed}:
        path = find(name)
        if path:
            own = run.get(name, {})
            lines = {line: frozenset(tests) for line, tests in own.items()}
            gone = frozenset(missed.get(name, ())) - own.keys()
            found[path] = CoveredFile(lines, gone)
    return found


def parse_context(context: str) -> tuple[str, str]:
    """The file and the name of a test, of what coverage.py calls its context."""
    path, _, name = _PHASE.sub("", context).partition("::")
    return (path, name.replace("::", ".").partition("[")[0]) if name else ("", path)


def _read(text: str) -> tuple[Mapping[str, dict[int, set[str]]], Mapping[str, set[int]]]:
    run: _Lines = defaultdict(dict)
    missed: defaultdict[str, set[int]] = defaultdict(set)
    if text.startswith(_GO_BEGIN):
        rows = _of_go(text)
    elif text.lstrip().startswith("<"):
        rows = _of_jacoco(text)
    elif text.lstrip().startswith("{"):
        rows = _of_json(json.loads(text))
    elif text.startswith(_LCOV_BEGIN):
        rows = _of_lcov(text)
    else:
        raise ValueError("it is none of coverage.py's JSON, lcov, Go, Istanbul and JaCoCo")
    for name, line, count, tests in rows:
        if count:
            run[name].setdefault(line, set()).update(tests)
        else:
            missed[name].add(line)
    return run, missed


_Row = tuple[str, int, int, tuple[str, ...]]


def _of_json(data: Any) -> Iterator[_Row]:  # noqa: ANN401 JSON
    """Of coverage.py, or of Istanbul."""
    if "files" in data:
        for name, file in data["files"].items():
            contexts = file.get("contexts", {})
            for line in file["executed_lines"]:
                tests = tuple(item for item in contexts.get(str(line), ()) if item)
                yield name, int(line), 1, tests
            for line in file["missing_lines"]:
                yield name, int(line), 0, ()
        return
    for name, file in data.items():
        counts = file["s"]
        for key, place in file["statementMap"].items():
            for line in range(place["start"]["line"], place["end"]["line"] + 1):
                yield name, line, int(counts[key]), ()


def _of_lcov(text: str) -> Iterator[_Row]:
    name = ""
    for row in text.splitlines():
        kind, _, value = row.partition(":")
        if kind == "SF":
            name = value.strip()
        elif kind == "DA" and name:
            line, count = value.split(",")[:2]
            yield name, int(line), int(count), ()


def _of_go(text: str) -> Iterator[_Row]:
    for name, first, last, count in _GO_BLOCK.findall(text):
        for line in range(int(first), int(last) + 1):
            yield name, line, int(count), ()


def _of_jacoco(text: str) -> Iterator[_Row]:
    reader = _JacocoReader()
    reader.read(_DOCTYPE.sub("", text, count=1))
    yield from reader.rows


class _JacocoReader(XmlReader):
    """Reads the lines of source files in packages."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[_Row] = []
        self._package = self._file = ""

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        if name == "package":
            self._package = attributes.get("name", "")
        elif name == "sourcefile":
            self._file = f"{self._package}/{attributes.get('name', '')}".lstrip("/")
        elif name == "line" and self._file:
            count = int(attributes.get("ci", "0"))
            self.rows.append((self._file, int(attributes.get("nr", "0")), count, ()))

    def _end(self, name: str) -> None:
        if name == "sourcefile":
            self._file = ""

    def _add_text(self, text: str) -> None:
        """Only blanks are between elements."""
