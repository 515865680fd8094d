"""Values are records or tuples of this library, and no data classes."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = ("index_format", "code_graph", "repo_mcp")


def imported(source: str) -> Iterator[str]:
    """The modules that a module imports, and `module.name` of what it takes of them."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def importing(name: str) -> set[str]:
    paths = [path for package in PACKAGES for path in (ROOT / package).rglob("*.py")]
    return {
        path.relative_to(ROOT).as_posix()
        for path in paths
        if name in imported(path.read_text(encoding="utf-8"))
    }


def test_values_are_no_data_classes() -> None:
    assert importing("dataclasses") == {"index_format/records.py"}


def test_tuples_are_those_of_the_library() -> None:
    assert importing("typing.NamedTuple") == {"index_format/tuples.py"}


@pytest.mark.parametrize(
    "line", ["import dataclasses", "from dataclasses import replace", "def f(): import dataclasses"]
)
def test_an_import_is_found(line: str) -> None:
    assert "dataclasses" in imported(line)
