"""Declarations that are columns at once are those that drafts would have become."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from code_graph.facts import MODULE, Declaration, Declarations, columns_of
from code_graph.languages.c.outline import RULES
from code_graph.treesitter.adapter import adapter, parse_best
from code_graph.treesitter.grammar import grammar_of
from code_graph.treesitter.nesting import NumberedDeclarations, declare

LINES = (
    *("#define A", "#define A 1", "# define B\t(1 << 2)", "  #define A 1", "#define A(x, ...) x"),
    *("#define A 1 /* one */", "#define A /* two\n */ 1", "#define A \\\n\tdo { } \\\n\twhile (0)"),
    *("#define \xdc 1", "#define A 1\r", "#define", "#define A(x", "/* about */", "/** more\n */"),
    *("enum e {", "C,", "D = 1, E,", "F = sizeof(struct { int g; }),", "G =", "C", "};", "}"),
    *("struct s {", "int a;", "int f(void)", "{", "union {", "return C;", "enum { H, I } j;"),
    *("#ifdef A", "#if A > 1", "#else", "#endif", "#include <a.h>", "int v = A;", 'extern "C" {'),
)
TEXTS = st.lists(st.sampled_from(LINES), max_size=30).map("\n".join)


@given(TEXTS)
def test_facts_are_those_of_drafts(text: str) -> None:
    columns, drafts = (declared(text, as_columns=whether) for whether in (True, False))
    assert [*columns.names()] == [*drafts.names()]
    assert columns.name_starts(RULES) == drafts.name_starts(RULES)
    rows = adapter("c").facts("a.c", text).declarations
    assert [item.name for item in rows] == [*drafts.names()]
    assert [item.kind for item in rows] == [draft.kind for draft in drafts.ordered]


def declared(text: str, *, as_columns: bool) -> NumberedDeclarations:
    grammar = grammar_of(RULES)
    assert grammar is not None
    parsed = parse_best(RULES, grammar, text)
    assert parsed is not None
    starts = [0, *(at + 1 for at, char in enumerate(text) if char == "\n"), len(text) + 1]
    return declare(parsed, starts, as_columns=as_columns)


def plain_names(text: str) -> list[str]:
    """The names of declarations that are columns."""
    return declared(text, as_columns=True).plain.names


def test_macros_and_enumerators_are_columns() -> None:
    assert plain_names("#define A 1\n#define B(x) x\nenum e { C, D = 2 };\nint v;\n") == [
        *("A", "C", "D"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "enum e { A = sizeof(struct s { int g; }) };\n",
        "enum e { A =\n#define B 1\nB };\n",
        "enum e { A = f( { #include <a>\n } #include <a>\n 1 #include <a>\n 2, C };\n",
    ],
)
def test_what_holds_something_is_no_column(text: str) -> None:
    assert "A" not in plain_names(text)


def test_columns_have_what_is_around() -> None:
    text = (
        "#ifdef X\nstruct s {\n\t/* one */\n#define A 1\n};\n#endif\n/* two */\n#define B \\\n 2\n"
    )
    _, first, second = adapter("c").facts("a.h", text).declarations
    assert (first.name, first.parent, first.scope_kind, first.doc) == ("A", 0, "class", "one")
    assert (first.decl_context, first.is_conditional) == ("#ifdef X > struct s", True)
    assert (second.name, second.parent, second.scope_kind, second.doc) == (
        *("B", MODULE, "module", "two"),
    )
    assert (second.start_line, second.end_line, second.name_line, second.name_column) == (
        8,
        9,
        8,
        8,
    )
    assert second.signature == "#define B \\ 2"


def test_columns_are_the_declarations() -> None:
    rows = (Declaration("macro", "A", 1, 1, 1, 8), Declaration("enum", "e", 2, 4, 2, 5))
    found = Declarations(columns_of(rows))
    assert columns_of(found) is found.columns
    assert found == rows
    assert rows == found
    assert found == Declarations(columns_of(rows))
    assert found != rows[:1]
    assert hash(found) == hash(rows)
    assert (len(found), found[1], [*found]) == (2, rows[1], [*rows])
    assert repr(found) == repr(rows)
    assert len(Declarations(columns_of(()))) == 0
    assert [*Declarations(columns_of(()))] == []
