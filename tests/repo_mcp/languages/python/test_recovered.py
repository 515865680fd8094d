"""Facts recovered from Python that the parser refuses."""

from __future__ import annotations

import sys
import textwrap

import pytest

from repo_mcp.languages.facts import FAILED, FULL, MODULE, PARTIAL, Facts
from repo_mcp.languages.python.adapter import adapter
from tests.repo_mcp.languages.python.python_golden import source

PYTHON = adapter()
OLD = """\
import os, a.b as c
from .. import d as e
from f import *
from g import (h,
    i)

print "old"

@decorated(1)
class Old(Base, object, metaclass=M):
    '''Doc é.

    More.
    '''
    def method(self, (a, b), c=1, *args):
        exec "x" in {}
        try:
            def inner(): pass
        except E, error:
            def caught(): pass

if x:
    def chosen(): pass
elif y:
    def other(): pass
else:
    async def last(): raise E, "text"
"""


def read(text: str) -> Facts:
    return PYTHON.facts("x.py", text)


def test_older_python_keeps_its_declarations() -> None:
    found = read(OLD)
    assert found.status == PARTIAL
    assert [
        (one.kind, one.name, one.start_line, one.end_line, one.parent, one.decl_context)
        for one in found.declarations
    ] == [
        ("class", "Old", 9, 20, MODULE, ""),
        ("method", "method", 15, 20, 0, "class Old"),
        ("function", "inner", 18, 18, 1, "class Old > def method > try"),
        ("function", "caught", 20, 20, 1, "class Old > def method > except"),
        ("function", "chosen", 23, 23, MODULE, "if"),
        ("function", "other", 25, 25, MODULE, "elif"),
        ("function", "last", 27, 27, MODULE, "else"),
    ]
    old, method, inner = found.declarations[:3]
    assert (old.signature, old.bases, old.doc) == (
        "class Old(Base, object, metaclass=M)",
        ("Base", "object"),
        "Doc é.\n\nMore.",
    )
    assert (method.signature, method.parameter_count) == (
        "def method(self, (a, b), c=1, *args)",
        4,
    )
    assert (inner.is_conditional, old.is_conditional) == (True, False)


def test_older_python_keeps_its_imports_and_cuts() -> None:
    found = read(OLD)
    assert [tuple(item) for item in found.imports] == [
        ("os", "", "os", 1, MODULE),
        ("a.b", "", "c", 1, MODULE),
        ("..", "d", "e", 2, MODULE),
        ("f", "*", "", 3, MODULE),
        ("g", "h", "h", 4, MODULE),
        ("g", "i", "i", 5, MODULE),
    ]
    assert found.cuts == (9, 15, 23, 25, 27)


def test_recovered_facts_agree_with_those_of_the_parser() -> None:
    whole = PYTHON.facts("x.py", source())
    broken = read(source() + "\nprint 'old'\n")
    assert broken.status == PARTIAL
    kinds = {"class", "function", "method", "property"}
    full = [
        (one.name, one.start_line, one.end_line, one.name_line, one.name_column, one.decl_context)
        for one in whole.declarations
        if one.kind in kinds and one.signature.startswith(("def ", "async def ", "class "))
    ]
    rough = [
        (one.name, one.start_line, one.end_line, one.name_line, one.name_column, one.decl_context)
        for one in broken.declarations
    ]
    assert rough == full
    assert [item[:4] for item in broken.imports] == [item[:4] for item in whole.imports]


def test_newer_python_is_parsed_by_a_newer_interpreter_and_recovered_by_an_older() -> None:
    found = read("class Box[T: int](Base[T]):\n    def get[S](self, other: S) -> T: ...\n")
    assert found.status == (FULL if sys.version_info >= (3, 12) else PARTIAL)
    box, get = found.declarations
    assert (box.signature, box.bases) == ("class Box[T: int](Base[T])", ("Base[T]",))
    assert get.signature == "def get[S](self, other: S) -> T"
    assert (get.parameters, get.returns, get.parent) == ("(self, other: S)", "T", 0)


def test_a_file_without_declarations_has_no_facts() -> None:
    assert read("print 'old'\n") == Facts("python", FAILED)


def test_without_the_grammar_there_are_no_facts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tree_sitter_python", None)
    assert read(OLD) == Facts("python", FAILED)


@pytest.mark.parametrize(
    "text",
    [
        "if x:\n" * 20_000 + "def f(): pass",
        "".join(" " * level + "if x:\n" for level in range(400)),
        "(" * 100_000 + "def f(): pass",
        "a<" * 100_000,
        "".join(" " * level + f"class C{level}:\n" for level in range(300)),
    ],
    ids=["ifs", "nested", "brackets", "angles", "classes"],
)
def test_hostile_text_ends(text: str) -> None:
    found = read(text)
    assert found.status in {PARTIAL, FAILED}
    assert all(len(one.decl_context) < 2_000 for one in found.declarations)


def test_a_deep_nest_keeps_the_inner_part_of_its_context() -> None:
    text = "".join(f"{' ' * level}class C{level}:\n" for level in range(120))
    found = read(textwrap.dedent(text) + " " * 120 + "x = 1\n")
    assert found.status == PARTIAL
    assert len(found.declarations) == 120
    assert found.declarations[-1].decl_context.endswith("class C117 > class C118")
