"""Tells which tests have run the lines that a change touches, and which new lines none has."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from index_format.tuples import NamedTuple
from repo_mcp.changes.coverage import (
    KNOWN_FILES,
    MOST_BYTES,
    CoveredFile,
    parse_context,
    read_coverage,
)
from repo_mcp.changes.sides import ChangeSet, ComparedFile
from repo_mcp.errors import Problem
from repo_mcp.safety.sandbox import Sandbox
from repo_mcp.text.files import decode


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
