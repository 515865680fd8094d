"""Functions stay short, folders are few levels deep, and classes are named by nouns."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
MAX_FUNCTION_LINES = 60
# a pipeline is one list of steps, and read from top to bottom
MAX_PIPELINE_LINES = 100
PIPELINES = {"repo_mcp/search/ranked/pipeline.py": "run_query"}
FUNCTION_FOLDERS = ("index_format", "code_graph", "repo_mcp", "bench", "examples", "docs")
PACKAGES = ("index_format", "code_graph", "repo_mcp")
MAX_DEPTH = 3  # package/room/folder, and one room of the sandbox below safety
PARTICIPLE = re.compile(
    "_?(Asked|Called|Chosen|Declared|Done|Found|Given|Held|Kept|Known|Left|Listed|Looked|Meant|Means"
    "|Named|Needed|Read|Said|Seen|Shown|Sought|Taken|Told|Used|Wanted|Watched|Written)"
)


def python_files(folders: tuple[str, ...]) -> list[Path]:
    return sorted(file for folder in folders for file in (ROOT / folder).rglob("*.py"))


def long_functions(source: str) -> Iterator[tuple[str, int]]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            lines = (node.end_lineno or node.lineno) - node.lineno + 1
            if lines > MAX_FUNCTION_LINES:
                yield node.name, lines


def class_names(source: str) -> list[str]:
    return [node.name for node in ast.walk(ast.parse(source)) if isinstance(node, ast.ClassDef)]


def test_folders_are_two_levels_deep_at_most() -> None:
    folders = {file.relative_to(ROOT).parent.as_posix() for file in python_files(PACKAGES)}
    assert folders
    assert [folder for folder in folders if folder.count("/") > MAX_DEPTH] == []


def test_no_class_is_named_by_a_participle() -> None:
    sources = (file.read_text(encoding="utf-8") for file in python_files(PACKAGES))
    names = [name for source in sources for name in class_names(source)]
    assert names
    assert [name for name in names if PARTICIPLE.fullmatch(name)] == []


def test_functions_are_short() -> None:
    files = python_files(FUNCTION_FOLDERS)
    assert files
    long = {
        (file.relative_to(ROOT).as_posix(), name): lines
        for file in files
        for name, lines in long_functions(file.read_text(encoding="utf-8"))
    }
    assert long.keys() == set(PIPELINES.items())
    assert max(long.values()) <= MAX_PIPELINE_LINES


def test_a_long_function_is_noticed() -> None:
    body = "    pass\n" * MAX_FUNCTION_LINES
    assert list(long_functions(f"def f():\n{body}")) == [("f", MAX_FUNCTION_LINES + 1)]
    assert list(long_functions(f"def f():\n{body[9:]}")) == []
