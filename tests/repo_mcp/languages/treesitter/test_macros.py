"""Macros of C and C++ around declarations leave the declarations to be found."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repo_mcp.languages.facts import FULL
from repo_mcp.languages.treesitter.adapter import adapter
from repo_mcp.languages.treesitter.macros import plain_types, without_macros

PIECES = (
    "class", "struct", "enum", "FOO_API", "Q_OBJECT", "name", "Base", "final", "signals:", "slots",
    "(", ")", "{", "}", ";", ":", ",", "=", "*", "<", ">", "void", "int", "const", "operator",
    "#define X", "DEPRECATED", '"text)"', "\\\n", "\n", " ", "\t", "public",
)  # fmt: skip


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("class FOO_API Shop : public Base {\n  int a;\n};\n", ["Shop", "a"]),
        ("class _FooExport Shop final {\n  int a;\n};\n", ["Shop", "a"]),
        ("class Shop final : Base {\n  int a;\n};\n", ["Shop", "a"]),
        ("struct FOO_EXPORT(1) Shop {\n  int a;\n};\n", ["Shop", "a"]),
        ("enum class FOO_API Color : int {\n  RED,\n  LAST\n};\n", ["Color", "RED", "LAST"]),
        ("class A {\n  Q_OBJECT\npublic:\n  void f();\nsignals:\n  void g();\n};", ["A", "f", "g"]),
        ("class A {\npublic Q_SLOTS:\n  void f();\n};\n", ["A", "f"]),
        ("NS_BEGIN\nclass A {\n  void f();\n};\nNS_END\n", ["A", "f"]),
        ("FOO_API Value *FOO_CALL make(int a);\nint b;\n", ["make", "b"]),
        ("class A;\nFOO_DECL(const char *) name(A a);\nint b;\n", ["name", "b"]),
        ("class A {\n  void f() const FOO_NOTHROW;\n  int b;\n};\n", ["A", "f", "b"]),
        ('class A {\n  FOO_OLD("use g()")\n  explicit A(int a);\n  int b;\n};\n', ["A", "A", "b"]),
        ("class A {\n  void f(int a FOO_DEFAULT(0));\n  int b;\n};\n", ["A", "f", "b"]),
        ("typedef void (FOO_CALL *call)(int a);\nclass A {\n  int b;\n};\n", ["call", "A", "b"]),
    ],
)  # fmt: skip
def test_declarations_beside_macros_are_found(text: str, names: list[str]) -> None:
    facts = adapter("cpp").facts("x.hpp", text)
    assert [one.name for one in facts.declarations] == names
    assert facts.status == FULL


@pytest.mark.parametrize(
    "text",
    [
        "struct sigaction action = {0};\n",
        "HANDLE make(DWORD size);\n",
        "static BOOL is_open;\n",
        "enum {\n  FIRST,\n  LAST\n};\n",
        "#define FOO_API Value name;\n",
    ],
)
def test_names_in_capitals_that_are_no_macros_stay(text: str) -> None:
    assert plain_types(text) == text
    assert list(without_macros(text)) == [text]


@given(st.lists(st.sampled_from(PIECES), max_size=40).map(" ".join))
def test_texts_keep_their_length_and_lines(text: str) -> None:
    for changed in (plain_types(text), *without_macros(text)):
        assert len(changed) == len(text)
        assert [at for at, char in enumerate(changed) if char == "\n"] == [
            at for at, char in enumerate(text) if char == "\n"
        ]
