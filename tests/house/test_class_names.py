"""A class name stands for one thing."""

from __future__ import annotations

import ast
from collections import Counter
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGES = ("index_format", "code_graph", "repo_mcp")


def class_names(source: str) -> list[str]:
    """The names of a module's classes but private ones, which are its own affair."""
    nodes = (node for node in ast.parse(source).body if isinstance(node, ast.ClassDef))
    return [node.name for node in nodes if not node.name.startswith("_")]


@cache
def repeated() -> set[str]:
    files = [file for package in PACKAGES for file in (ROOT / package).rglob("*.py")]
    assert files
    names = (name for file in files for name in class_names(file.read_text(encoding="utf-8")))
    return {name for name, count in Counter(names).items() if count > 1}


def test_no_class_name_stands_for_two_things() -> None:
    assert repeated() == set()


def test_private_and_inner_classes_are_not_counted() -> None:
    assert class_names("class A:\n    class B: ...\nclass _C: ...\ndef f():\n    class D: ...") == [
        "A"
    ]
