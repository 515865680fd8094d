"""Tells which tests have run the lines that a change touches, and which new lines none has.

Reports of a run are those of coverage.py, lcov, Go, Istanbul and JaCoCo. Only coverage.py says
which test has run a line (`coverage json --show-contexts`); the others say which lines none has.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from code_graph.formats.xml_tree import XmlError, XmlReader
from index_format.tuples import NamedTuple
from repo_mcp.changes.sides import ChangeSet, ComparedFile
from repo_mcp.errors import Problem
from repo_mcp.safety.sandbox import Sandbox
from repo_mcp.text.files import decode

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


class CoveredChange(NamedTuple):
    """The tests by their files, of all if there are no names, and the lines that none has run."""

    tests: dict[str, list[str]]
    uncovered: list[str]
    source: str  # the file of coverage


def covered_change(
    sandbox: Sandbox, sides: ChangeSet, named: str, prefixes: Iterable[str]
) -> CoveredChange | None:
    """The coverage of a change, by the file that is named or by one that is known.

    None where there is no such file. Of a file that has changed after the run, the lines are those
    of before the change.
    """
    paths = [named] if named else [p + name for p in prefixes for name in KNOWN_FILES]
    for path in paths:
        try:
            content = sandbox.read(path, most_bytes=MOST_BYTES)
        except Problem:
            if named:
                raise
            continue
        text = decode(content.data)
        if text is None:
            raise Problem("binary_file", path)
        found = read_coverage(text.content, lambda name: _changed_file(sides.files, name))
        return _of_change(sandbox, sides, found, path, content.key.mtime_ns)
    return None


def _changed_file(files: Sequence[ComparedFile], name: str) -> str:
    """The changed file that a name of a coverage file means; empty for other files."""
    name = name.replace("\\", "/")
    for file in files:
        for path in (file.new_path, file.old_path):
            if path and (name == path or name.endswith(f"/{path}") or path.endswith(f"/{name}")):
                return path
    return ""


def _of_change(
    sandbox: Sandbox,
    sides: ChangeSet,
    covered: dict[str, CoveredFile],
    source: str,
    written: int,
) -> CoveredChange:
    tests: defaultdict[str, dict[str, None]] = defaultdict(dict)
    uncovered: list[str] = []
    for file in sides.files:
        own = covered.get(file.new_path) or covered.get(file.old_path)
        if own is None or file.is_binary:
            continue
        is_new = _is_older(sandbox, sides, file, written)
        lines = [*(_new_lines(file) if is_new else _old_lines(file))]
        for line in lines:
            for context in sorted(own.run.get(line, ())):
                path, name = parse_context(context)
                tests[path][name] = None
        missed = [line for line in lines if is_new and line in own.missed]
        uncovered += [f"{file.path}:{part}" for part in line_ranges(missed)]
    named = {path: [*names] for path, names in tests.items() if path}
    return CoveredChange(named, uncovered, source)


def _is_older(sandbox: Sandbox, sides: ChangeSet, file: ComparedFile, written: int) -> bool:
    """True if the run was after the last change of a file, and so of its new text."""
    if not file.new_path or file.new_path in sides.new_overlay:
        return False
    try:
        return sandbox.file_key(file.new_path).mtime_ns <= written
    except Problem:
        return False


def line_ranges(lines: Iterable[int]) -> Iterator[str]:
    """Ascending lines as ranges: 3, or 5-9."""
    first = last = 0
    for line in [*lines, 0]:
        if last and line == last + 1:
            last = line
            continue
        if last:
            yield str(first) if first == last else f"{first}-{last}"
        first = last = line


def _new_lines(file: ComparedFile) -> Iterator[int]:
    for hunk in file.lines.hunks:
        yield from range(hunk.new + 1, hunk.new_end + 1)


def _old_lines(file: ComparedFile) -> Iterator[int]:
    """The old lines that differ, and those before and behind new ones."""
    for hunk in file.lines.hunks:
        if hunk.old == hunk.old_end:
            yield from (hunk.old, hunk.old + 1)
        else:
            yield from range(hunk.old + 1, hunk.old_end + 1)
