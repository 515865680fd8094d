"""Globs over paths: what they match, and that none takes long."""

from __future__ import annotations

import time

import pytest

from repo_mcp.errors import Problem
from repo_mcp.globs import Glob


@pytest.mark.parametrize(
    ("pattern", "matching", "other"),
    [
        ("*.py", ["a.py", "x/y/a.py"], ["a.pyc", "py"]),
        ("src/*.py", ["src/a.py"], ["src/x/a.py", "a.py", "x/src/a.py"]),
        ("src/**", ["src/a", "src/x/y"], ["src", "xsrc/a"]),
        ("src/**/test_*.py", ["src/test_a.py", "src/x/y/test_b.py"], ["test_a.py", "src/a.py"]),
        ("**/b/**/c", ["b/c", "a/b/x/c", "b/b/c"], ["b/x", "c"]),
        ("docs/", ["docs/a", "docs/a/b"], ["docs", "x/docs/a"]),
        ("[ab]?.txt", ["a1.txt", "x/b2.txt"], ["c1.txt", "a.txt"]),
        ("./a.py", ["a.py"], ["b.py"]),
        ("A.py", ["A.py"], ["a.py"]),
    ],
)
def test_what_matches(pattern: str, matching: list[str], other: list[str]) -> None:
    glob = Glob(pattern)
    assert [path for path in matching if not glob.matches(path)] == []
    assert [path for path in other if glob.matches(path)] == []


@pytest.mark.parametrize("pattern", ["", " ", "a" * 1001, "*" * 61, "/"])
def test_an_unreasonable_pattern_is_refused(pattern: str) -> None:
    with pytest.raises(Problem, match="glob"):
        Glob(pattern)


@pytest.mark.parametrize(
    ("pattern", "path"),
    [("*a" * 29 + "b", "a" * 4000), ("**/a/" * 20 + "b", "a/" * 1000 + "c")],
)
def test_no_pattern_takes_long(pattern: str, path: str) -> None:
    started = time.process_time()
    assert not Glob(pattern).matches(path)
    assert time.process_time() - started < 1
