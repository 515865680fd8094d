"""Values are records or tuples of this library, with few data classes.

`@dataclass` stands where fields are inherited or a property is cached.
"""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = ("index_format", "code_graph", "repo_mcp")
KEPT = {
    "repo_mcp/indexing/workers/file_jobs.py",
    "repo_mcp/indexing/workers/linking.py",
    "repo_mcp/indexing/workers/lowering.py",
    "repo_mcp/remote/publish/publication.py",
}


def data_classes(source: str) -> bool:
    """True if a class of the module is declared by the decorator of the standard library."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ClassDef):
            for decorator in node.decorator_list:
                called = decorator.func if isinstance(decorator, ast.Call) else decorator
                if ast.unparse(called).rpartition(".")[2] == "dataclass":
                    return True
    return False


def test_values_are_no_data_classes() -> None:
    paths = [path for package in PACKAGES for path in (ROOT / package).rglob("*.py")]
    declaring = {
        path.relative_to(ROOT).as_posix()
        for path in paths
        if data_classes(path.read_text(encoding="utf-8"))
    }
    assert declaring == KEPT


def test_tuples_are_those_of_the_library() -> None:
    paths = [path for package in PACKAGES for path in (ROOT / package).rglob("*.py")]
    importing = {
        path.relative_to(ROOT).as_posix()
        for path in paths
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and node.module == "typing"
        for alias in node.names
        if alias.name == "NamedTuple"
    }
    assert importing == {"index_format/tuples.py"}


@pytest.mark.parametrize("line", ["@dataclass", "@dataclass(frozen=True)", "@d.dataclass"])
def test_a_data_class_is_recognised(line: str) -> None:
    assert data_classes(f"{line}\nclass A:\n    x: int")
    assert not data_classes("class A(Record):\n    x: int")
