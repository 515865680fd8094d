"""A commit names the declarations that its changed lines are in."""

from __future__ import annotations

from pathlib import Path

import pytest

from repo_mcp.history import HistoryQuestion
from tests.repo_mcp.changes.reviews import commit
from tests.repo_mcp.history.histories import asked

pytestmark = pytest.mark.servers

_BEFORE = """X = 1


class A:
    def one(self):
        a = 1
        return a

    def two(self):
        return 2


def three():
    return 3
"""


def _hunks(root: Path, data: Path, rev: str) -> list[tuple[str, int, list[str]]]:
    with asked(root, data) as found:
        (entry,) = found.ask(HistoryQuestion(rev=rev)).commits
        return [(hunk.path, hunk.line, hunk.symbols) for hunk in entry.hunks]


def test_each_hunk_names_the_function_that_it_is_in(tmp_path: Path) -> None:
    root = tmp_path / "root"
    commit(root, {"b.py": _BEFORE, "notes.txt": "one\n"})
    changed = _BEFORE.replace("return 2", "return 22").replace("return 3", "b = 3\n    return b")
    changed = changed.replace("        a = 1\n", "").replace("X = 1", "X = 2")
    commit(root, {"b.py": changed, "notes.txt": "two\n"})
    assert _hunks(root, tmp_path / "data", "HEAD") == [
        ("b.py", 1, ["X"]),
        ("b.py", 6, ["A.one"]),
        ("b.py", 9, ["A.two"]),
        ("b.py", 13, ["three"]),
        ("notes.txt", 1, []),
    ]


def test_of_a_declaration_that_is_new_as_a_whole_the_inner_ones_are_not_named(
    tmp_path: Path,
) -> None:
    root = tmp_path / "root"
    commit(root, {"b.py": _BEFORE})
    assert _hunks(root, tmp_path / "data", "HEAD") == [("b.py", 1, ["X", "A", "three"])]


def test_a_file_that_is_gone_has_the_declarations_of_before(tmp_path: Path) -> None:
    root = tmp_path / "root"
    commit(root, {"b.py": "def one():\n    return 1\n", "c.py": "C = 1\n"})
    (root / "b.py").unlink()
    commit(root, {"c.py": "C = 1\n"})
    assert _hunks(root, tmp_path / "data", "HEAD") == [("b.py", 1, ["one"])]


def test_the_text_names_them_behind_the_line(tmp_path: Path) -> None:
    root = tmp_path / "root"
    commit(root, {"b.py": "def one():\n    return 1\n"})
    commit(root, {"b.py": "def one():\n    return 2\n"})
    with asked(root, tmp_path / "data") as found:
        text = [*found.ask(HistoryQuestion(rev="HEAD")).as_text()]
    assert "  b.py:2 in one" in text
