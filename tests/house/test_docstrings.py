"""A docstring names its subject; it does not begin as a question does."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
FOLDERS = ("index_format", "code_graph", "repo_mcp", "bench", "tests")
QUESTION = re.compile(r"(?:What|Whether|Which|Who(?:ever|m|se)?|How|Those that)\b(?!')")
# code written as its authors would, which a linker is tried on
SAMPLES = "tests/code_graph/cases/python/"
_DOCUMENTED = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


def questions(source: str) -> list[str]:
    """First lines of a module's docstrings that begin as a question does."""
    nodes = (node for node in ast.walk(ast.parse(source)) if isinstance(node, _DOCUMENTED))
    texts = (ast.get_docstring(node) or "" for node in nodes)
    return [text.partition("\n")[0] for text in texts if QUESTION.match(text)]


def found_in(*places: str) -> Iterator[str]:
    for place in places:
        path = ROOT / place
        for file in sorted(path.rglob("*.py") if path.is_dir() else [path]):
            name = file.relative_to(ROOT).as_posix()
            if not name.startswith(SAMPLES):
                lines = questions(file.read_text(encoding="utf-8"))
                yield from (f"{name}: {line}" for line in lines)


def test_docstrings_name_their_subjects() -> None:
    files = [file for folder in FOLDERS for file in (ROOT / folder).rglob("*.py")]
    assert files
    assert [*found_in(*FOLDERS)] == []


def test_docstrings_of_modules_classes_and_functions_are_read() -> None:
    source = (
        '"""What it is."""\n'
        'class A:\n    """Who asks."""\n    def f(self): "Whether it is."\n'
        'async def g():\n    """Those that are left."""\n'
        'def h():\n    """Whoosh\'s readers. How they work."""\n'
    )
    assert questions(source) == [
        "What it is.",
        "Who asks.",
        "Those that are left.",
        "Whether it is.",
    ]
