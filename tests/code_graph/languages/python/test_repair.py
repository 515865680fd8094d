"""Facts of Python that the parser refuses: being edited, older or newer."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from code_graph.facts import FAILED, FULL, MODULE, PARTIAL, Facts, Use
from code_graph.languages.python.adapter import adapter
from code_graph.languages.python.declarations import first_line
from tests.code_graph.languages.python.python_golden import source

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


PLAIN = (Path(__file__).parents[4] / "code_graph" / "registry.py").read_text("utf-8")


def read(text: str) -> Facts:
    return PYTHON.facts("x.py", text)


def places(found: Facts) -> set[tuple[str, str, int, int, str]]:
    """Kind, name, place and context of each declaration."""
    return {
        (one.kind, one.name, one.name_line, one.name_column, one.decl_context)
        for one in found.declarations
    }


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
    assert {9, 15, 23, 25, 27} <= set(found.cuts)


@pytest.mark.parametrize(
    ("text", "name", "kind"),
    [
        ("SIZE = 10L", "SIZE", "constant"),
        ("MODE = 0777", "MODE", "constant"),
        ("NAMES = [ur'a',\n  `b`,\n]", "NAMES", "constant"),
        ("type Alias[T] = list[T]", "Alias", "variable"),
        ("text = t'{x!}'", "text", "variable"),
        ("class Box[T = int]: pass", "Box", "class"),
        ("def pair((a, b), c): pass", "pair", "function"),
        ("def shown(self): print 'x'", "shown", "function"),
        ("async def cut(self, ", "cut", "function"),
        ("class Cut(Base", "Cut", "class"),
    ],
)
def test_a_declaration_outlives_what_is_refused_in_it(text: str, name: str, kind: str) -> None:
    found = read(f"{text}\nprint >>file\nafter = 1\n")
    assert [(one.name, one.start_line) for one in found.declarations] == [
        (name, 1),
        ("after", text.count("\n") + 3),
    ]
    assert found.declarations[0].kind in {kind, "type"}


ERRORS = {
    "unclosed call": "value = compute(first,",
    "unclosed list": "value = [",
    "unclosed string": "value = 'abc",
    "unclosed long string": 'value = """abc',
    "dot": "self.value.",
    "def": "def ",
    "condition": "if value == :",
    "open try": "try:",
    "orphan": "else:",
    "decorator": "@deco",
    "statement of Python 2": "print 'abc', self.x",
    "stray bracket": ")",
    "conflict": "<<<<<<< HEAD",
}


@pytest.mark.parametrize("error", ERRORS.values(), ids=ERRORS)
@given(data=st.data())
def test_a_line_with_an_error_loses_few_other_declarations(data: st.DataObject, error: str) -> None:
    rows = PLAIN.split("\n")
    statements = [node for node in ast.walk(ast.parse(PLAIN)) if isinstance(node, ast.stmt)]
    at = data.draw(st.sampled_from(sorted({first_line(node) - 1 for node in statements[1:]})))
    indent = rows[at][: len(rows[at]) - len(rows[at].lstrip())]
    found = read("\n".join([*rows[:at], indent + error, *rows[at:]]))
    whole = {(name, line + (line > at), column) for _, name, line, column, _ in places(read(PLAIN))}
    kept = {(name, line, column) for _, name, line, column, _ in places(found)}
    assert len(whole - kept) <= 1


def test_facts_around_an_error_agree_with_those_of_the_parser() -> None:
    whole = PYTHON.facts("x.py", source())
    broken = read(source() + "\nprint 'old'\n")
    assert broken.status == PARTIAL
    assert broken.declarations == whole.declarations
    assert broken.imports == whole.imports
    assert broken.uses == whole.uses


@pytest.mark.parametrize("head", ["with a b:", "for a b:", "if a b:", "while a b:", "elif a b:"])
def test_a_stand_in_uses_no_name(head: str) -> None:
    found = read(f"a = b = c = 1\n{head}\n    c()\n")
    assert found.uses == (Use("c", 3),)


def test_columns_are_those_of_the_text_where_indents_are_mixed() -> None:
    found = read(
        "class A:\n\tdef é(self):\n\t\tself.é = f(é)\n        def g(self): pass\n  x = 1\n"
    )
    assert found.status == PARTIAL
    names = {(one.name, one.name_line, one.name_column) for one in found.declarations}
    assert names == {("A", 1, 6), ("é", 2, 5), ("é", 3, 7), ("g", 4, 12), ("x", 5, 2)}
    assert [one.parent for one in found.declarations] == [MODULE, 0, 0, 0, MODULE]
    assert ("é", 3) in found.uses


def test_newer_python_is_parsed_by_a_newer_interpreter_and_repaired_by_an_older() -> None:
    found = read("class Box[T: int](Base[T]):\n    def get[S](self, other: S) -> T: ...\n")
    assert found.status == (FULL if sys.version_info >= (3, 12) else PARTIAL)
    box, get = found.declarations
    assert (box.signature, box.bases) == ("class Box[T: int](Base[T])", ("Base[T]",))
    assert get.signature == "def get[S](self, other: S) -> T"
    assert (get.parameters, get.returns, get.parent) == ("(self, other: S)", "T", 0)


def test_a_file_without_declarations_has_no_facts() -> None:
    assert read("print 'old'\n") == Facts("python", FAILED)


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


def test_a_deep_nest_keeps_its_declarations() -> None:
    text = "".join(f"{' ' * level}class C{level}:\n" for level in range(120))
    found = read(text + " " * 120 + "x = 1\n")
    assert found.status == PARTIAL
    assert [one.name for one in found.declarations] == [*(f"C{level}" for level in range(120)), "x"]
    assert found.declarations[50].decl_context.endswith("class C48 > class C49")
