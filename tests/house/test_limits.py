"""The house grows only where a user gets something for it: a row of `limits.toml` says what.

Each number may fall freely. One that rises is raised in the table, in the same commit, with the
reason beside it.
"""

from __future__ import annotations

import ast
import json
import re
import sys
import tomllib
from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from pathlib import Path
from typing import Any, Final

import pytest

from repo_mcp.toolsets.catalog import select
from tests.house.hooks import hooks_with_one_user

ROOT: Final = Path(__file__).parents[2]
TABLE: Final = Path(__file__).with_name("limits.toml")
PACKAGES: Final = ("index_format", "code_graph", "repo_mcp")
_FUNCTIONS: Final = (ast.FunctionDef, ast.AsyncFunctionDef)


@cache
def sources(folder: str) -> Mapping[str, str]:
    """The texts of a folder's Python files by path."""
    files = sorted((ROOT / folder).rglob("*.py"))
    return {file.relative_to(ROOT).as_posix(): file.read_text("utf-8") for file in files}


@cache
def trees() -> Mapping[str, ast.Module]:
    """The syntax trees of the packages by path."""
    return {path: ast.parse(text) for name in PACKAGES for path, text in sources(name).items()}


def nodes() -> Iterator[ast.AST]:
    return (node for tree in trees().values() for node in ast.walk(tree))


def lines_of(folder: str) -> int:
    return sum(text.count("\n") for text in sources(folder).values())


def nested_imports() -> int:
    """Imports inside of functions."""
    functions = (node for node in nodes() if isinstance(node, _FUNCTIONS))
    inner = {
        id(item)
        for node in functions
        for item in ast.walk(node)
        if isinstance(item, ast.Import | ast.ImportFrom)
    }
    return len(inner)


def most_methods(package: str) -> int:
    """Methods of the class of a package that has most."""
    own = (tree for path, tree in trees().items() if path.startswith(f"{package}/"))
    nodes_of_package = (node for tree in own for node in ast.walk(tree))
    classes = (node for node in nodes_of_package if isinstance(node, ast.ClassDef))
    return max(sum(isinstance(item, _FUNCTIONS) for item in node.body) for node in classes)


def loose_numbers() -> int:
    """Constants of modules that are plain numbers, in modules that are no tables of such."""
    return sum(
        isinstance(node, ast.AnnAssign)
        and isinstance(node.value, ast.Constant)
        and type(node.value.value) in (int, float)
        for path, tree in trees().items()
        if not path.endswith("/weights.py")
        for node in tree.body
    )


def starred_calls() -> int:
    """Arguments that a call takes from a sequence or a mapping, which hide what is given."""
    calls = [node for node in nodes() if isinstance(node, ast.Call)]
    starred = sum(isinstance(item, ast.Starred) for call in calls for item in call.args)
    return starred + sum(item.arg is None for call in calls for item in call.keywords)


def compositions() -> int:
    """Modules that put a repository together."""
    made = re.compile(r"(?<!class )\bRepository\(")
    return sum(made.search(text) is not None for text in sources("repo_mcp").values())


def hooks() -> int:
    """Hooks with one user; `pytest -rP` shows them, and so does a failure."""
    lines = [*hooks_with_one_user(trees())]
    sys.stdout.write("\n".join(lines))
    return len(lines)


def list_of_tools() -> int:
    """Bytes of the tools that clients load at once, as they show them to a model."""
    shown = ("name", "description", "inputSchema")
    loaded = [tool for tool in select().declarations() if "_meta" in tool]
    listed = [{name: tool[name] for name in shown} for tool in loaded]
    return sum(len(json.dumps(tool, separators=(",", ":"), ensure_ascii=False)) for tool in listed)


MEASURES: Final[Mapping[str, Callable[[], int]]] = {
    **{f"lines of {name}": partial(lines_of, name) for name in (*PACKAGES, "tests")},
    "nested imports": nested_imports,
    **{f"methods of the largest class of {name}": partial(most_methods, name) for name in PACKAGES},
    "loose numbers": loose_numbers,
    "starred arguments of calls": starred_calls,
    "compositions of a repository": compositions,
    "hooks with one user": hooks,
    "bytes of the list of tools": list_of_tools,
}


@cache
def table() -> Mapping[str, Mapping[str, Any]]:
    return {row["name"]: row for row in tomllib.loads(TABLE.read_text("utf-8"))["limit"]}


@pytest.mark.parametrize("name", MEASURES)
def test_no_number_rises_without_a_reason(name: str) -> None:
    row, measured = table()[name], MEASURES[name]()
    assert measured <= row["most"], (
        f"{name}: {measured}, at most {row['most']}. Take as much away, or raise it in"
        f" tests/house/limits.toml and say there what a user gets for it"
    )


def test_each_row_is_measured_and_says_what_its_number_bought() -> None:
    assert {*table()} == {*MEASURES}
    for row in table().values():
        assert {*row} == {"name", "most", "goal", "for"}
        assert len(row["for"].split()) > 2
