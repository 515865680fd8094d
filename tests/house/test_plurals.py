"""No text says "1 files" or "1 file(s)"."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from repo_mcp.text.plurals import counted, plural, span, verb

ROOT = Path(__file__).parents[2]
# a plural in brackets, but not the name of a function that is called with s
BRACKETS = re.compile(r"[a-z]\((?:s|es)\)")
PACKAGES = ("index_format", "code_graph", "repo_mcp", "examples")


def texts(source: str) -> Iterator[str]:
    """The texts of a module, those with values included, without docstrings."""
    tree = ast.parse(source)
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and id(node) not in docstrings:
            yield str(node.value)


def test_no_text_leaves_the_plural_to_the_reader() -> None:
    files = [file for name in PACKAGES for file in (ROOT / name).rglob("*.py")]
    assert files
    found = {
        str(file.relative_to(ROOT)): text
        for file in files
        for text in texts(file.read_text(encoding="utf-8"))
        if BRACKETS.search(text)
    }
    assert found == {}


def test_no_recorded_answer_has_a_plural_of_one() -> None:
    record = (ROOT / "docs" / "terminal.md").read_text(encoding="utf-8")
    nouns = "files|lines|matches|hits|merges|symbols|steps|uses|errors|folders"
    assert re.findall(rf"\b1 (?:\w+ )?(?:{nouns})\b", record) == []


def test_a_plural_in_brackets_is_noticed() -> None:
    assert [text for text in texts('"""one(s)"""\nx = f"{n} file(s)"') if BRACKETS.search(text)]
    assert not [text for text in texts('"""one(s)"""\nx = "a (s)"') if BRACKETS.search(text)]


@pytest.mark.parametrize(
    ("number", "what", "said"),
    [
        (0, "file", "0 files"),
        (1, "file", "1 file"),
        (2, "match", "2 matches"),
        (1, "match", "1 match"),
        (3, "entry", "3 entries"),
        (4, "day", "4 days"),
        (12_345, "matching line", "12345 matching lines"),
    ],
)
def test_numbers_agree_with_what_is_counted(number: int, what: str, said: str) -> None:
    assert counted(number, what) == said


def test_a_least_number_is_a_plural() -> None:
    assert counted(1, "file", least=True) == "1 or more files"
    assert plural("box") == "boxes"
    assert (verb(1, "is", "are"), verb(2, "is", "are")) == ("is", "are")
    assert span(60 * 60 * 24) == "1 day"
