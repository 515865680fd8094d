"""Every tree-sitter language with any text, and rules of C, C++, Go, Java and Rust."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from code_graph.facts import FULL, PARTIAL, Facts
from code_graph.languages.c import outline as c
from code_graph.languages.cpp import outline as cpp
from code_graph.treesitter.adapter import adapter
from tests.code_graph.fact_checks import check
from tests.code_graph.golden_facts import FILES, GOLDEN, SOURCES

# a system call has a name that does not stand in the text
ROWS = {
    language: [
        row
        for of, name in FILES
        if of == language
        for row in (GOLDEN / name).read_text("utf-8").split("\n")
        if "SYSCALL" not in row
    ]
    for language in SOURCES
}


def facts_of(language: str, text: str) -> Facts:
    facts = adapter(language).facts("x", text)
    check(facts, text)
    return facts


def names(facts: Facts) -> list[str]:
    return [f"{one.kind} {one.name}" for one in facts.declarations]


@pytest.mark.parametrize("language", SOURCES)
@given(data=st.data())
def test_rows_in_any_order_give_valid_facts(language: str, data: st.DataObject) -> None:
    rows = data.draw(st.lists(st.sampled_from(ROWS[language]), max_size=30))
    facts = facts_of(language, "\n".join(rows))
    assert facts.status in {FULL, PARTIAL}


@pytest.mark.parametrize("language", SOURCES)
def test_half_a_file_gives_its_declarations(language: str) -> None:
    rows = ROWS[language]
    text = "\n".join(rows[: len(rows) * 2 // 3])
    whole = facts_of(language, "\n".join(rows)).declarations
    assert len(facts_of(language, text).declarations) > min(10, len(whole) // 3)


@pytest.mark.parametrize("last", ["@A", "@A(1)", "@", "@A @", "@A\n"])
def test_an_annotation_that_ends_a_kotlin_file_ends_its_parsing(last: str) -> None:
    found = facts_of("kotlin", f"val shown by other\n{last}").declarations
    assert [one.name for one in found] == ["shown"]


@pytest.mark.parametrize("attribute", ["__always_inline", "__init", "noinline", "SHOP_EXPORT"])
def test_macros_around_a_c_function_do_not_hide_it(attribute: str) -> None:
    text = f"static {attribute} int shown(void)\n{{\n\treturn 0;\n}}\n"
    facts = facts_of("c", text)
    assert names(facts) == ["function shown"]
    assert facts.declarations[0].signature == f"static {attribute} int shown(void)"
    assert facts.declarations[0].returns == "int"
    assert facts.status == FULL


def test_a_macro_is_declared_by_the_name_that_is_blanked_elsewhere() -> None:
    assert names(facts_of("c", "#define __init\n#define __user\n")) == [
        "macro __init",
        "macro __user",
    ]


def test_a_loop_of_a_macro_is_not_a_function() -> None:
    text = "int f(void)\n{\n\tfor_each(x) {\n\t\tg();\n\t}\n}\nfor_each(y) { g(); }\n"
    assert names(facts_of("c", text)) == ["function f"]


def test_loops_and_arguments_of_macros_are_understood() -> None:
    text = (
        "int f(void)\n{\n\tlist_for_each_entry(a, &b(c), d) {\n\t\tg(a);\n\t}\n"
        "\tfor_each_cpu(i, m)\n\t\th(container_of(w, struct acct, work));\n"
        "\tfor_each_last(i);\n}\nint bus_for_each(struct x *y)\n{\n}\n"
    )
    facts = facts_of("c", text)
    assert facts.status == FULL
    assert names(facts) == ["function f", "function bus_for_each"]


@given(
    st.lists(
        st.sampled_from(
            [
                "for_each(",
                "(",
                ")",
                " ",
                "\n\t",
                "{",
                ";",
                ", struct a",
                "__init",
                "X_API ",
                "#",
                "b",
            ]
        ),
        max_size=40,
    )
)
def test_the_prepared_text_keeps_all_offsets(parts: list[str]) -> None:
    text = "".join(parts)
    for prepare in (c.RULES.prepare, cpp.RULES.prepare):
        assert prepare is not None
        changed = prepare(text)
        assert len(changed) == len(text)
        kept = [
            (new, old) for new, old in zip(changed, text, strict=True) if new not in {old, " ", ";"}
        ]
        assert kept == []
        assert changed.count("\n") == text.count("\n")


def test_local_variables_are_not_declarations() -> None:
    assert names(facts_of("c", "int f(void) { int a = 1; extern int b; { static int c; } }")) == [
        "function f"
    ]
    go = "package p\nfunc f() { var a int; const b = 1; c := 2; _ = c }\n"
    assert names(facts_of("go", go)) == ["package p", "function f"]


def test_the_guard_of_a_header_is_not_a_condition() -> None:
    text = "#ifndef A_H\n#define A_H\nint a;\n#ifdef B\nint b;\n#endif\n#endif\n"
    found = {
        one.name: (one.is_conditional, one.decl_context) for one in facts_of("c", text).declarations
    }
    assert found == {"A_H": (False, ""), "a": (False, ""), "b": (True, "#ifdef B")}


def test_a_method_belongs_to_the_type_of_its_receiver_if_that_is_here() -> None:
    text = "package p\nfunc (t *T[K]) A() {}\nfunc (Other) B() {}\ntype T[K any] struct{}\n"
    facts = facts_of("go", text)
    assert names(facts) == ["package p", "method A", "method Other.B", "struct T"]
    assert facts.declarations[1].parent == 3
    assert facts.declarations[1].scope_kind == "class"


def test_a_member_defined_outside_belongs_to_its_class_if_that_is_here() -> None:
    text = "namespace n {\nclass A { void m(); };\nvoid A::m() {}\nvoid B::m() {}\n}\n"
    facts = facts_of("cpp", text)
    assert names(facts) == ["namespace n", "class A", "method m", "method m", "method B::m"]
    assert [one.parent for one in facts.declarations[2:]] == [1, 1, 0]


@pytest.mark.parametrize(
    ("text", "name", "column"),
    [
        ("template<> struct hash<hash> {};", "hash", 18),
        ("template<> struct is_x<is_x_tag, A<int>> {};", "is_x", 18),
        ("template<> int a<b>::f<f<f>>() {}", "a::f", 21),
    ],
)
def test_a_name_is_before_its_template_arguments(text: str, name: str, column: int) -> None:
    (found,) = facts_of("cpp", text).declarations
    assert (found.name, found.name_column) == (name, column)


def test_a_local_class_never_holds_what_is_outside() -> None:
    text = "void B::f() { struct A { int x; }; }\nvoid A::g() { struct B { int y; }; }\n"
    facts = facts_of("cpp", text)
    for number, one in enumerate(facts.declarations):
        steps, parent = 0, one.parent
        while parent >= 0:
            steps, parent = steps + 1, facts.declarations[parent].parent
            assert steps <= len(facts.declarations), number


def test_an_attribute_is_of_the_item_below_it() -> None:
    facts = facts_of("rust", "#[first]\n/// Doc.\n#[second]\nfn a() {}\n#[third] fn b() {}\n")
    assert facts.cuts == (1, 5)
    assert facts.declarations[0].doc == "Doc."


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("a::b", [("a", "b", "b")]),
        ("a", [("a", "", "a")]),
        ("a::{b, c as d}", [("a", "b", "b"), ("a", "c", "d")]),
        ("a::{b::{c, d}, e::*}", [("a::b", "c", "c"), ("a::b", "d", "d"), ("a::e", "*", "")]),
        ("{a::b, c}", [("a", "b", "b"), ("c", "", "c")]),
        ("a::b::{self, c}", [("a", "b", "b"), ("a::b", "c", "c")]),
        ("a as b", [("a", "", "b")]),
    ],
)
def test_use_lists_are_split(written: str, expected: list[tuple[str, str, str]]) -> None:
    imports = facts_of("rust", f"use {written};\n").imports
    assert [(one.module, one.name, one.alias) for one in imports] == expected


def test_annotations_do_not_begin_a_signature() -> None:
    text = 'class A {\n  @Override @Named("x") public int b() { return 1; }\n}\n'
    found = facts_of("java", text).declarations[1]
    assert found.signature == "public int b()"
    assert found.modifiers == frozenset()
    assert found.access == "public"


@pytest.mark.parametrize(
    ("language", "text", "doc"),
    [
        ("go", "// One.\n//\n// Two.\nfunc f() {}\n", "One.\n\nTwo."),
        ("go", "//go:embed x\nfunc f() {}\n", ""),
        ("go", "// Far.\n\nfunc f() {}\n", ""),
        ("c", "/*\n * One.\n *   two\n */\nint f(void) {}\n", "One.\n  two"),
        ("cpp", "// no\nint f() {}\n", ""),
        ("cpp", "/// One.\n/// Two.\nint f() {}\n", "One.\nTwo."),
        ("java", "/** One. */\nclass A {}\n", "One."),
        ("rust", "/// One.\n// between\nfn f() {}\n", "One."),
        ("rust", "let a = 1; /// not above\nfn f() {}\n", ""),
    ],
)
def test_documentation_stands_directly_above(language: str, text: str, doc: str) -> None:
    assert facts_of(language, text).declarations[0].doc == doc
