"""Finds the functions that each merged commit of a checkout has changed, and the tests it needs."""

from __future__ import annotations

import ast
import re
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from bench.changes.suites import Test
from code_graph import Languages
from code_graph.facts import Declaration
from code_graph.paths.path_kinds import is_test
from repo_mcp.indexing.build.builder import make_facts

FUNCTIONS: Final = frozenset({"function", "method", "constructor"})
_HUNK: Final = re.compile(r"^@@ -\S+ \+(\d+)(?:,(\d+))? @@")
_NO_CODE: Final = re.compile(r"^\s*(?:#|//|/?\*|$)")


class ChangedBody(NamedTuple):
    """The lines of a function below its name."""

    path: str
    first: int
    last: int
    # of the declarations around it and of the function, outermost first
    names: tuple[str, ...] = ()


class MergedCommit(NamedTuple):
    """A commit of the main line with the bodies that it has changed."""

    name: str
    parent: str
    bodies: tuple[ChangedBody, ...]


def merged_commits(root: Path, tip: str) -> Iterator[MergedCommit]:
    """The commits of the main line that change bodies of functions, the newest first.

    A merge is compared with the line into which it was merged.
    """
    languages = Languages()
    rows = git(root, "rev-list", "--first-parent", "--parents", tip).splitlines()
    for name, parent in (row.split()[:2] for row in rows if " " in row):
        bodies = tuple(
            body
            for path, lines in _changed_lines(root, parent, name).items()
            for body in _bodies(languages, path, git(root, "show", f"{name}:{path}"), lines)
        )
        if bodies:
            yield MergedCommit(name, parent, bodies)


def check_out(root: Path, commit: MergedCommit) -> None:
    """Lay out the files of a commit as a change of its parent that is not committed."""
    git(root, "checkout", "--quiet", "--force", "--detach", commit.name)
    git(root, "reset", "--quiet", "--soft", commit.parent)


def needed_tests(
    commit: MergedCommit, lines: Mapping[str, Mapping[int, frozenset[Test]]]
) -> frozenset[Test]:
    """The tests that enter a changed body: the first line of it that any test runs."""
    found: set[Test] = set()
    for body in commit.bodies:
        run = lines.get(body.path, {})
        first = next((line for line in range(body.first, body.last + 1) if line in run), 0)
        found |= run.get(first, frozenset())
    return frozenset(found)


def git(root: Path, *arguments: str) -> str:
    """The output of git."""
    said = subprocess.run(
        ["git", *arguments],  # noqa: S607
        cwd=root,
        check=True,
        capture_output=True,
    )
    return said.stdout.decode("utf-8", "replace")


def _changed_lines(root: Path, parent: str, name: str) -> dict[str, set[int]]:
    """The new lines of code by file; where lines are gone, those on both sides of the gap."""
    found: dict[str, set[int]] = {}
    path, gap = "", 0
    at = 0
    told = git(root, "diff", "--unified=0", "--no-renames", "--no-color", parent, name)
    for row in told.splitlines():
        hunk = _HUNK.match(row)
        if row.startswith("+++ "):
            path = row.removeprefix("+++ b/") if row.startswith("+++ b/") else ""
        elif hunk is not None:
            at = int(hunk[1])
            gap = at if hunk[2] == "0" else 0
        elif path and not is_test(path) and row[:1] in {"+", "-"} and not row.startswith("--- "):
            is_code = _NO_CODE.match(row[1:]) is None
            if is_code and (row[0] == "+" or gap):
                found.setdefault(path, set()).add(gap or at)
            at += row[0] == "+"
    return found


def _bodies(languages: Languages, path: str, text: str, lines: set[int]) -> Iterator[ChangedBody]:
    facts = make_facts(languages, path, text)
    declared = facts.declarations if facts else ()
    functions = [item for item in declared if item.kind in FUNCTIONS]
    left = lines - _documentation(text) if path.endswith(".py") else lines
    changed = {id(found): found for line in left if (found := _around(functions, line)) is not None}
    rows = text.split("\n")
    for item in changed.values():
        names = tuple(other.name for other in _around_and(declared, item))
        yield ChangedBody(path, body_start(rows, item, path), item.end_line, names)


def _around_and(declared: Sequence[Declaration], item: Declaration) -> list[Declaration]:
    """The declarations around one, outermost first, and the one itself."""
    found = [item]
    while found[0].parent >= 0:
        found.insert(0, declared[found[0].parent])
    return found


def _around(functions: list[Declaration], line: int) -> Declaration | None:
    """The innermost function."""
    around = [item for item in functions if item.start_line <= line <= item.end_line]
    return min(around, key=lambda item: item.end_line - item.start_line, default=None)


def body_start(rows: list[str], item: Declaration, path: str) -> int:
    """The line behind the head of a function."""
    lines = range(item.name_line, item.end_line)
    if path.endswith(".py"):
        inner = _indent(rows[item.name_line - 1])
        # what closes a list of parameters stands where the function does
        closed = (at for at in lines if rows[at - 1].rstrip().endswith(":"))
        ends = (at for at in closed if at == item.name_line or _indent(rows[at - 1]) == inner)
        return next(ends, item.name_line) + 1
    return next((at for at in lines if rows[at - 1].rstrip().endswith("{")), item.name_line) + 1


def _indent(row: str) -> int:
    return len(row) - len(row.lstrip())


def _documentation(text: str) -> set[int]:
    """The lines of texts that stand alone in Python code."""
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return set()
    return {
        line
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
        for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)
    }
