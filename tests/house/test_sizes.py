"""Files and functions stay small enough to be read in one sitting."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
MAX_FILE_LINES = 400
MAX_FUNCTION_LINES = 60
FUNCTION_FOLDERS = ("index_format", "repo_mcp", "bench", "examples", "docs")
FOLDERS = (*FUNCTION_FOLDERS, "tests")


def python_files(folders: tuple[str, ...]) -> list[Path]:
    return sorted(file for folder in folders for file in (ROOT / folder).rglob("*.py"))


def long_functions(source: str) -> Iterator[tuple[str, int]]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            lines = (node.end_lineno or node.lineno) - node.lineno + 1
            if lines > MAX_FUNCTION_LINES:
                yield node.name, lines


def test_files_are_short() -> None:
    files = python_files(FOLDERS)
    assert files
    lines = {file: len(file.read_text(encoding="utf-8").splitlines()) for file in files}
    assert {str(file): n for file, n in lines.items() if n > MAX_FILE_LINES} == {}


def test_functions_are_short() -> None:
    files = python_files(FUNCTION_FOLDERS)
    assert files
    found = {str(file): dict(long_functions(file.read_text(encoding="utf-8"))) for file in files}
    assert {file: functions for file, functions in found.items() if functions} == {}


def test_a_long_function_is_noticed() -> None:
    body = "    pass\n" * MAX_FUNCTION_LINES
    assert list(long_functions(f"def f():\n{body}")) == [("f", MAX_FUNCTION_LINES + 1)]
    assert list(long_functions(f"def f():\n{body[9:]}")) == []
