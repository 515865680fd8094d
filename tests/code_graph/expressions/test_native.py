"""Symbolic code of Rust, Swift, C and C++: as written, and for any text."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from code_graph.expressions import Code, FileCode, Op, Role
from code_graph.facts import Facts
from code_graph.languages.c import outline as c
from code_graph.languages.cpp import outline as cpp
from code_graph.languages.rust import outline as rust
from code_graph.languages.swift import outline as swift
from code_graph.treesitter.adapter import adapter, parse_best
from code_graph.treesitter.extract import extract, extract_code
from code_graph.treesitter.grammar import grammar_of
from code_graph.treesitter.language_rules import Rules
from tests.code_graph.expressions.code_checks import ParsedFile, check_code, parsed
from tests.code_graph.expressions.native_golden import (
    GOLDEN,
    LANGUAGES,
    expected_of,
    read_golden,
    sources,
)

pytestmark = pytest.mark.differential

OUTLINES = Path(__file__).parent.parent / "golden"
RULES: dict[str, Rules] = {
    "c": c.RULES,
    "cpp": cpp.RULES,
    "rust": rust.RULES,
    "swift": swift.RULES,
}
TEXTS = [
    (LANGUAGES[path.suffix], path.read_text("utf-8"))
    for path in (*sources(), *sorted(OUTLINES.iterdir()))
    if path.suffix in LANGUAGES
]
# casts are no calls, labels are no values, and the bodies of macros are text
NO_REFERENCES = {
    "c": set[tuple[str, str]](),
    "cpp": {("static_cast", "call"), ("dynamic_cast", "call"), ("pm", "type")},
    "rust": {("foo", "call")},
    "swift": {("q", "read"), ("left", "read"), ("self", "read")},
}
BODY = {
    "c": "void m(void) {{ {} }}",
    "cpp": "class A {{ void m() {{ {} }} }};",
    "rust": "fn m() {{ {} }}",
    "swift": "func m() {{ {} }}",
}
# each is repeated many times, and closed as often
NESTS = {
    "parentheses": ("x = (", "a", ")"),
    "calls": ("x = f(", "a", ")"),
    "elements": ("x = a[", "b", "]"),
    "blocks": ("{ int x = 1;", "", "}"),
    "branches": ("if (a) { ", "b();", "}"),
    "conditional bindings": ("if let x = a { ", "b()", "}"),
    "patterns": ("let A(", "a", ") = b;"),
    "loops": ("while (a) { ", "b();", "}"),
    "lambdas": ("f([](){ ", "x;", "})"),
    "closures": ("f(|x| ", "x", ")"),
    "blocks of code": ("f { ", "x", "}"),
    "initialisers": ("struct a x = {.b = ", "c", "}"),
    "lists": ("x = (struct a) {", "1", "}"),
    "macros": ("f!(", "1", ")"),
    "matches": ("match a { _ => ", "1", "}"),
    "classes": ("class B { void m() { ", "", "} };"),
    "generics": ("A<", "B", "> x;"),
    "declarators": ("int (*", "x", ")(void);"),
    "conditions": ("x = a ? b : ", "c", ""),
    "signs": ("x = *", "a", ""),
    "types": ("let x: [", "A", "]"),
    "structs": ("struct B { ", "int a;", "} b;"),
    "unions without a name": ("struct { union { ", "int a;", "}; };"),
    "namespaces": ("namespace b { ", "int a;", "}"),
    "modules": ("mod b { ", "", "}"),
    "properties": ("var a: Int { get { ", "1", "} }"),
    "types with functions": ("struct B { func f() { ", "", "} }"),
    "implementations": ("impl A { fn f() { ", "", "} }"),
    "templates": ("template <class T> ", "int a;", ""),
    "qualified names": ("a.b::", "c", ""),
    "macros with calls": ("f!(a.b(", "1", "))"),
    "closures in calls": ("a.b(c: { d in ", "1", "})"),
    "else in else": ("if a { b() } else { ", "c()", "}"),
    "matches of matches": ("match match ", "a {} {}", ""),
}
CHAINS = {
    "members": ("x = a", ".b"),
    "calls": ("x = a", ".b(c)"),
    "sums": ("x = a", " + b"),
    "else if": ("if (a) {}", " else if (b) {}"),
}


def lowered(language: str, text: str) -> ParsedFile:
    """The facts of a text, even if it looks generated."""
    rules = RULES[language]
    grammar = grammar_of(rules)
    assert grammar is not None
    found = parse_best(rules, grammar, text)
    if found is None:  # beyond the budget of the parser
        return ParsedFile(Facts(language), FileCode(Code(), 0, 0))
    return ParsedFile(extract(found), extract_code(found))


@pytest.mark.parametrize("path", sources(), ids=lambda path: path.name)
def test_every_construct_is_lowered(path: Path) -> None:
    found, expected = read_golden(path)
    assert found == expected


def test_every_golden_file_is_compared() -> None:
    assert {expected_of(path) for path in sources()} == set(GOLDEN.glob("*.code"))


@pytest.mark.parametrize(("language", "text"), TEXTS)
def test_golden_sources_give_valid_code(language: str, text: str) -> None:
    check_code(parsed(adapter(language), "x", text), text)


@given(st.sampled_from(TEXTS), st.data())
def test_cut_and_mixed_texts_give_valid_code(source: tuple[str, str], data: st.DataObject) -> None:
    language, text = source
    begin = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(begin, len(text)))
    other = data.draw(st.sampled_from(TEXTS))[1]
    at = data.draw(st.integers(0, len(other)))
    mixed = text[begin:end] + other[at : at + 300]
    check_code(parsed(adapter(language), "x", mixed), mixed)


@given(
    st.text(
        st.sampled_from(
            "ab.,;:=<>(){}[]?!&|@'\"\n /_#*=> classfunclettypestructvoidnewifmatchisimpl"
        ),
        max_size=80,
    )
)
def test_any_text_gives_valid_code(text: str) -> None:
    for language in RULES:
        for whole in (text, BODY[language].format(text)):
            check_code(parsed(adapter(language), "x", whole), whole)


@pytest.mark.parametrize("language", RULES)
@pytest.mark.parametrize("nest", NESTS.values(), ids=NESTS)
def test_a_deep_nest_is_cut(language: str, nest: tuple[str, str, str]) -> None:
    opened, inside, closed = nest
    text = BODY[language].format(opened * 800 + inside + closed * 800)
    check_code(lowered(language, text), text)


def test_a_deep_use_is_cut() -> None:
    text = "use " + "a::{" * 20_000 + "b" + "}" * 20_000 + ";"
    check_code(lowered("rust", text), text)


def test_many_variables_of_one_declaration_are_lowered() -> None:
    names = ", ".join(f"a{number} = 1" for number in range(5_000))
    for language, text in {"swift": f"var {names}", "cpp": f"int {names};"}.items():
        assert len(of(language, text).bindings) == 5_000


@pytest.mark.parametrize("language", RULES)
@pytest.mark.parametrize("chain", CHAINS.values(), ids=CHAINS)
def test_a_long_chain_is_lowered_whole(language: str, chain: tuple[str, str]) -> None:
    begin, link = chain
    texts = [BODY[language].format(begin + link * count + ";") for count in (50, 2_000)]
    codes = [lowered(language, text).code for text in texts]
    counts = [
        sum(item.op in {Op.NAME, Op.MEMBER} for item in code.expressions)
        for code in codes
        if code is not None
    ]
    assert counts[1] >= counts[0] // 50 * 2_000


@pytest.mark.parametrize("language", RULES)
def test_names_of_a_deep_nest_are_kept(language: str) -> None:
    text = BODY[language].format("x = " + "f(" * 400 + "a" + ")" * 400 + ";")
    code = lowered(language, text).code
    assert code is not None
    assert sum(item.op == Op.NAME and item.name == "f" for item in code.expressions) == 400


def test_equal_text_gives_equal_code() -> None:
    for language, text in TEXTS:
        assert (
            parsed(adapter(language), "a", text).code == parsed(adapter(language), "b", text).code
        )


@pytest.mark.parametrize(("language", "text"), [row for row in TEXTS if row[0] != "c"])
def test_all_declared_members_are_bound_or_have_a_scope(language: str, text: str) -> None:
    facts = parsed(adapter(language), "x", text)
    code = facts.code
    assert code is not None
    known = {scope.declaration for scope in code.scopes}
    known |= {binding.declaration for binding in code.bindings}
    assert [
        item
        for number, item in enumerate(facts.declarations)
        if number not in known and item.kind not in {"macro", "impl"}
    ] == []


def of(language: str, text: str) -> Code:
    code = lowered(language, text).code
    assert code is not None
    return code


def called(code: Code) -> list[str]:
    return [code.expressions[item.of].name for item in code.expressions if item.op == Op.CALL]


def test_functions_in_a_table_of_c_are_stored_in_their_fields() -> None:
    code = of("c", "static const struct ops x = { .read = f, .in = { .g = &h }, .n = 1 };")
    members = [(item.name, item.column) for item in code.expressions if item.op == Op.MEMBER]
    assert members == [("ops", 20), ("read", 31), ("in", 42), ("g", 50)]
    stored = [
        (code.expressions[item.target].name, code.expressions[item.value].name)
        for item in code.stores
    ]
    assert stored == [("read", "f"), ("g", "h")]


def test_names_that_c_declares_are_not_bound() -> None:
    code = of("c", "#define N 1\nenum a { B }; struct a { int b; }; int c; void f(void) {}")
    assert code.bindings == ()
    assert len(code.scopes) == 4


def test_reads_of_members_and_constants_of_c_are_left_out() -> None:
    code = of("c", "void f(struct a *a) { int n = a->b + N; g(a->c[N].d, h); a->e = n; a->i = j; }")
    assert [item.name for item in code.expressions if item.line] == ["a", "g", "h", "a", "i", "j"]
    (binding,) = code.bindings
    assert (binding.name, code.expressions[binding.annotation].name) == ("a", "a")


def test_a_call_of_a_member_of_c_has_the_type_of_its_object() -> None:
    code = of("c", "int f(struct a *a) { struct b *b = a->b; { return b->c[0]->d(1)->e; } }")
    (binding,) = code.bindings
    assert (binding.name, code.expressions[binding.annotation].name) == ("b", "b")
    assert called(code) == ["d"]


def test_names_of_local_variables_of_c_are_left_out() -> None:
    code = of("c", "int n; void f(int a, work_func_t w) { int b = a; { int n = b; h(n); } w(n); }")
    assert [item.name for item in code.expressions if item.op == Op.NAME and item.line] == [
        "work_func_t",
        "h",
        "w",
        "n",
    ]
    assert called(code) == ["h", "w"]


def test_a_function_that_a_macro_defines_owns_its_body() -> None:
    code = of("c", "SYSCALL_DEFINE1(close, int, fd)\n{\n\tg(fd);\n}\n")
    (call,) = (at for at, item in enumerate(code.expressions) if item.name == "g")
    assert code.scopes[code.scope_of[call]].declaration == 0


def test_a_method_outside_of_its_class_has_a_receiver() -> None:
    code = of("cpp", "void a::B<int>::f() { g(); }")
    (clause,) = (item for item in code.clauses if item.role == Role.RECEIVER)
    assert code.expressions[clause.value].op == Op.APPLY
    assert [item.name for item in code.bindings] == []


def test_a_constructor_is_not_found_by_its_name() -> None:
    code = of("cpp", "class A { A(int b); A() {} void c() { A(); } };")
    assert [item.name for item in code.bindings] == ["A", "b", "c"]


def test_uses_are_bound_and_public_ones_exported() -> None:
    code = of("rust", "pub use a::{b as c, d::*}; use e::f::{self, g};")
    assert [item.name for item in code.bindings] == ["c", "*", "f", "g"]
    assert [(item.name, item.local, item.module) for item in code.exports] == [
        ("c", "b", "a"),
        ("*", "*", "a::d"),
    ]


def test_calls_in_arguments_of_a_macro_are_calls() -> None:
    code = of("rust", "fn f() { m!(a.b(c), d::e(1)[0], x) }")
    assert called(code) == ["b", "e", "m"]
    (macro,) = (code.expressions[item.of] for item in code.expressions if len(item.items) == 3)
    assert macro.name == "m"


def test_a_pattern_of_a_variant_gives_a_part_of_it() -> None:
    code = of("rust", "fn f(x: E) { if let E::A(y) = x { y.g(); } }")
    (binding,) = (item for item in code.bindings if item.name == "y")
    part = code.expressions[binding.value]
    assert (part.op, part.name, code.expressions[part.of].op) == (Op.PART, "0", Op.CAST)


def test_an_implementation_has_its_trait_and_receiver() -> None:
    code = of("rust", "impl<T> A<T> for B<T> { fn f(&self) {} }")
    roles = [item.role for item in code.clauses]
    assert roles == [Role.TYPE_PARAMETER, Role.IMPLEMENTS, Role.RECEIVER]


def test_optional_bindings_of_swift_are_bound_in_their_branch() -> None:
    """A name without a value still means what it did: `if let a` binds nothing."""
    code = of("swift", "func f() { if let a, let b = a as? B { b.g() } else { a.h() } }")
    found = [(item.name, code.expressions[item.value].op) for item in code.bindings[1:]]
    assert found == [("b", Op.CAST)]
    assert called(code) == ["g", "h"]


def test_a_case_of_swift_binds_what_it_carries() -> None:
    code = of("swift", "func f(x: E) { switch x { case .a(let y): y.g() default: h() } }")
    (binding,) = (item for item in code.bindings if item.name == "y")
    part = code.expressions[binding.value]
    assert (part.op, code.expressions[part.of].name) == (Op.PART, "a")


def test_parameters_of_a_closure_are_bound_as_they_are_used() -> None:
    code = of("swift", "let a = b.map { $1.c($0) }")
    assert [item.name for item in code.bindings] == ["$0", "$1", "a"]
