"""Macros of C and C++ around declarations leave the declarations to be found."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given, strategies as st

from code_graph.facts import FULL
from code_graph.languages.c.macros import plain_types, without_macros
from code_graph.treesitter.adapter import adapter
from code_graph.treesitter.parse import parse
from tests.code_graph.treesitter import macro_model

if TYPE_CHECKING:
    from tree_sitter import Language, Tree

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


# a declaration with an error beside which there is no macro, and one whose macro is the error
BROKEN = "int a( = 1;\n"
HIDDEN = "struct s {\n  int a FOO_BITS(3);\n  FOO_DECL(int) b;\n};\n"
FAR = "static int c;\n" * 20 + "/* the FOO_T here reads like one */\n"


@pytest.mark.parametrize("text", [BROKEN + FAR, FAR + "int z;\n" * 20 + BROKEN])
def test_macros_far_from_errors_are_left_where_they_are(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    parsed: list[str] = []

    def noting(language: Language, text: str, data: bytes) -> Tree | None:
        parsed.append(text)
        return parse(language, text, data)

    monkeypatch.setattr("code_graph.treesitter.adapter.parse", noting)
    adapter("c").facts("x.c", text)
    assert len(parsed) == 1
    adapter("c").facts("x.c", text.replace(BROKEN, HIDDEN))
    assert len(parsed) == 3


# what stands beside a name decides whether it is a macro
NAMES = (
    "FOO", "fooBAR", "foBAR_1", "abcdEF", "aB", "A", "BAZ_OLD", "é", "1x", "MY_DEPRECATED",
    "return",
)  # fmt: skip
BESIDE = (
    "(", ")", "((", "))", "(a)", "(FOO,\n 1)", '("a)")', "{", "}", ";", ":", "::", ",", "=", "*",
    "&", "x FOO(", "<", ">", ".", "'", '"', " ", "  ", "\t", "\n", "\r\n", "\\\n", "#", "//",
    "\u00a0",
)  # fmt: skip
WORDS = (
    "int", "void", "static", "extern", "const", "class", "enum", "x", "operator", "default", "0",
    "~",
)  # fmt: skip


@given(st.lists(st.sampled_from(NAMES + BESIDE + WORDS) | st.just(" "), max_size=30).map("".join))
def test_expressions_find_what_their_model_finds(text: str) -> None:
    assert plain_types(text) == macro_model.plain_types(text)
    assert list(without_macros(text)) == list(macro_model.without_macros(text))


@given(st.lists(st.sampled_from(PIECES + NAMES + WORDS), max_size=40).map(" ".join))
@example("FOO_API DEPRECATED class")
@example("FOO_API const default ( return")
def test_expressions_find_what_their_model_finds_in_words(text: str) -> None:
    assert plain_types(text) == macro_model.plain_types(text)
    assert list(without_macros(text)) == list(macro_model.without_macros(text))
