"""Declarations that differ between two versions of files."""

from __future__ import annotations

import pytest

from code_graph import Languages
from code_graph.facts import Facts
from repo_mcp.history.declared_changes import FileVersions, compare_declarations
from repo_mcp.indexing.build.builder import make_facts

LANGUAGES = Languages()
BODY = """\
    total = 0
    for item in items:
        total += item.price * item.count
    return total
"""


def version(path: str, text: str | None) -> tuple[str, Facts] | None:
    facts = None if text is None else make_facts(LANGUAGES, path, text)
    return None if text is None or facts is None else (text, facts)


def changes(*files: tuple[str, str | None, str, str | None]) -> list[tuple[str, str]]:
    """Kinds and names of the changes; files are an old path and text, and new ones."""
    given = [
        FileVersions(
            *(old_path, path, version(old_path, old), version(path, new)),
            LANGUAGES.language_of(path),
        )
        for old_path, old, path, new in files
    ]
    return [(item.kind, item.name) for item in compare_declarations(given)]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("def f(): pass\n", "def f(): pass\n", []),
        ("def f(): pass\n", "\n\ndef f():  pass\n", []),
        ("def f(): pass\n", "", [("removed", "f")]),
        ("", "def f(): pass\n", [("added", "f")]),
        ("def f(a): pass\n", "def f(a, b): pass\n", [("signature", "f")]),
        ("def f() -> int: ...\n", "def f() -> str: ...\n", [("signature", "f")]),
        ("def f():\n    return 1\n", "def f():\n    return 2\n", [("changed", "f")]),
        (f"def f(items):\n{BODY}", f"def g(items):\n{BODY}", [("renamed", "g")]),
        ("def f(): pass\n", "def g(): pass\n", [("removed", "f"), ("added", "g")]),
        ("class A:\n    def f(self): pass\n", "", [("removed", "A")]),
        (
            "class A:\n    x = 1\n    def f(self): return 1\n",
            "class A:\n    x = 1\n    def f(self): return 2\n",
            [("changed", "A.f")],
        ),
        ("class A: pass\n", "class A(B): pass\n", [("signature", "A")]),
        (
            f"class A:\n    def f(self, items):\n{BODY.replace('    ', '        ')}",
            f"class C:\n    def f(self, items):\n{BODY.replace('    ', '        ')}",
            [("renamed", "C")],
        ),
        ("x = 1\n", "x = 2\n", [("changed", "x")]),
        ("def f():\n    return 1\n", "def f():  # one\n    return 1\n", [("cosmetic", "f")]),
        (
            'def f():\n    """Old."""\n    return 1\n',
            'def f():\n    """New."""\n    return 1\n',
            [("cosmetic", "f")],
        ),
        # what is run, or read by a tool, is no comment
        (
            'def f():\n    """>>> f()"""\n    return 1\n',
            'def f():\n    """>>> f(1)"""\n    return 1\n',
            [("changed", "f")],
        ),
        (
            "def f():\n    a = [] # type: A\n",
            "def f():\n    a = [] # type: B\n",
            [("changed", "f")],
        ),
        ("def f():\n    return '# 1'\n", "def f():\n    return '# 2'\n", [("changed", "f")]),
    ],
)
def test_versions_of_a_file(old: str, new: str, expected: list[tuple[str, str]]) -> None:
    assert changes(("a.py", old, "a.py", new)) == expected


def test_a_declaration_that_goes_to_another_file_is_moved() -> None:
    text = f"def f(items):\n{BODY}"
    assert changes(("a.py", text, "a.py", ""), ("b.py", None, "b.py", text)) == [("moved", "f")]
    shorter = text.replace("    total = 0\n", "")
    found = changes(("a.py", text, "a.py", ""), ("b.py", None, "b.py", shorter))
    assert found == [("moved", "f")]


def test_a_file_that_is_renamed_changes_no_declaration() -> None:
    text = f"def f(items):\n{BODY}"
    assert changes(("a.py", text, "b.py", text)) == []


def test_overloads_are_told_apart_by_their_parameters() -> None:
    old = "class A {\n  void f(int a) { }\n  void f(String a) { }\n}\n"
    new = "class A {\n  void f(String a) { }\n  void f(long a) { }\n}\n"
    assert changes(("A.java", old, "A.java", new)) == [("signature", "A.f")]


def test_what_is_gone_and_new_is_told_by_places() -> None:
    old, new = version("a.py", "def f(a): pass\n"), version("a.py", "\ndef f(b): pass\n")
    (change,) = compare_declarations([FileVersions("a.py", "a.py", old, new)])
    assert (change.old_line, change.line) == (1, 2)
    assert change.old_signature != change.signature


def test_a_method_that_goes_to_a_new_class_is_moved() -> None:
    method = f"    def f(self, items):\n{BODY.replace('    ', '        ')}"
    old = f"class A:\n    x = 1\n{method}"
    new = f"class Base:\n{method}\n\nclass A:\n    x = 1\n"
    assert changes(("a.py", old, "a.py", new)) == [("moved", "Base.f"), ("added", "Base")]
    assert changes(("a.py", new, "a.py", old)) == [("removed", "Base"), ("moved", "A.f")]


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        (
            "a.go",
            "package a\n\n// One.\nfunc f() {}\n",
            "package a\n\n// Other.\nfunc f() { /* 1 */ }\n",
        ),
        ("a.c", "int f(void) { return 1; }\n", "int f(void) { /* what\n for */ return 1; }\n"),
    ],
)
def test_another_comment_is_told_apart_from_other_code(path: str, old: str, new: str) -> None:
    assert changes((path, old, path, new)) in ([("cosmetic", "f")], [])
