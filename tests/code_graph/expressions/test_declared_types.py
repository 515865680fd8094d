"""Symbolic code of C#, Java, Kotlin, Go and PHP: as written, and for any text."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from code_graph.expressions import NONE, BindingKind, Code, FileCode, Op, Role, ScopeKind
from code_graph.facts import Facts
from code_graph.languages.csharp import outline as csharp
from code_graph.languages.go import outline as go
from code_graph.languages.java import outline as java
from code_graph.languages.kotlin import outline as kotlin
from code_graph.languages.lua import outline as lua
from code_graph.languages.php import outline as php
from code_graph.treesitter.adapter import adapter, parse_best
from code_graph.treesitter.extract import extract, extract_code
from code_graph.treesitter.grammar import grammar_of
from code_graph.treesitter.language_rules import Rules
from tests.code_graph.expressions.code_checks import ParsedFile, check_code, parsed
from tests.code_graph.expressions.declared_golden import (
    GOLDEN,
    LANGUAGES,
    expected_of,
    read_golden,
    sources,
)

OUTLINES = Path(__file__).parent.parent / "golden"
RULES: dict[str, Rules] = {
    "csharp": csharp.RULES,
    "java": java.RULES,
    "kotlin": kotlin.RULES,
    "go": go.RULES,
    "php": php.RULES,
    "lua": lua.RULES,
}
TEXTS = [
    (LANGUAGES[path.suffix], path.read_text("utf-8"))
    for path in (*sources(), *sorted(OUTLINES.iterdir()))
    if path.suffix in LANGUAGES
]
# what the query takes for a reference and is none: words of the language, the own names of members
# that implement an interface explicitly, names in tuples, what is said of the members of a trait
NO_REFERENCES = {
    "csharp": {("nameof", "call"), ("Name", "read"), ("Close", "read"), ("Old", "read")},
    "java": {("var", "type")},
    "go": {("append", "call"), ("make", "call"), ("new", "call"), ("nil", "type")},
    "php": {("Counts", "type")},
}
BODY = {
    "csharp": "class A {{ void M() {{ {} }} }}",
    "java": "class A {{ void m() {{ {} }} }}",
    "kotlin": "class A {{ fun m() {{ {} }} }}",
    "go": "package a\nfunc m() {{ {} }}",
    "php": "<?php class A {{ function m() {{ {} }} }}",
    "lua": "local A = {{}} function A:m() {} end",
}
# each is repeated many times, and closed as often
NESTS = {
    "parentheses": ("x = (", "a", ")"),
    "calls": ("x = f(", "a", ")"),
    "elements": ("x = a[", "b", "]"),
    "blocks": ("{ var x = 1;", "", "}"),
    "branches": ("if (a) { ", "b();", "}"),
    "loops": ("while (a) { ", "b();", "}"),
    "lambdas": ("f(x => ", "x", ")"),
    "arrows": ("f(x -> ", "x", ")"),
    "functions": ("func() { ", "", "}()"),
    "objects": ("x = new A { B = ", "c", "}"),
    "anonymous classes": ("x = new A() { int f() { return ", "1", "; } }"),
    "literals": ("x = []T{", "1", "}"),
    "inner literals": ("{", "1", "}"),
    "switches": ("x = a switch { _ => ", "1", "}"),
    "member patterns": ("x = a is { B: ", "1", "}"),
    "negated patterns": ("x = a is not ", "B", ""),
    "tuples": ("x = (a, ", "b", ")"),
    "signs": ("x = !", "a", ""),
    "conditions": ("x = a ? b : ", "c", ""),
    "classes": ("class B { void m() { ", "", "} }"),
    "generics": ("A<", "B", "> x;"),
    "texts": ('x = $"{', "a", '}"'),
}
CHAINS = {
    "members": ("x = a", ".b"),
    "calls": ("x = a", ".b(c)"),
    "elements": ("x = a", "[0]"),
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


# two texts cut and joined, of which the parser makes a type whose last part has two lines
_JOINED = """class Bodies {
    Object run(Object o, List<Item> all) throws Exception {
        var made = new Cart<>(1) { Item first() { return get(0); } };
        for ( final int A = 1, B[] = {2};
    /** Makes one. */
    public Order(int a, String... rest) {
        super(a);
        this.thing = new Thing<>(rest);
    }

    // not documentation
    @Override
    protected <R> List<R> map(final Map<String, ? super T> by) throws Failure {
        if (by != null)"""


def test_a_name_has_one_line() -> None:
    check_code(parsed(adapter("java"), "x", _JOINED), _JOINED)


@given(
    st.text(
        st.sampled_from("ab.,;:=<>(){}[]?!&|@'\"\n /_#*=> classfunctypevoidnewifswitchis"),
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


@pytest.mark.parametrize("language", RULES)
@pytest.mark.parametrize("chain", CHAINS.values(), ids=CHAINS)
def test_a_long_chain_is_lowered_whole(language: str, chain: tuple[str, str]) -> None:
    begin, link = chain
    texts = [BODY[language].format(begin + link * count + ";") for count in (50, 2_000)]
    codes = [lowered(language, text).code for text in texts]
    counts = [
        sum(item.op in {Op.NAME, Op.MEMBER, Op.INDEX} for item in code.expressions)
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


@pytest.mark.parametrize(("language", "text"), TEXTS)
def test_all_declared_members_are_bound_or_have_a_scope(language: str, text: str) -> None:
    facts = parsed(adapter(language), "x", text)
    code = facts.code
    assert code is not None
    known = {scope.declaration for scope in code.scopes}
    known |= {binding.declaration for binding in code.bindings}
    known |= {store.declaration for store in code.stores}
    assert [
        item
        for number, item in enumerate(facts.declarations)
        if number not in known and item.kind not in {"package", "module"}
    ] == []


def of_csharp(body: str) -> Code:
    code = lowered("csharp", body).code
    assert code is not None
    return code


def test_branches_of_a_condition_are_all_lowered() -> None:
    code = of_csharp(
        "class A {\n#if X\n  void F() { One(); }\n#elif Y\n  void F() { Two(); }\n#else\n"
        "  void F() { Three(); }\n#endif\n}\n"
    )
    assert [item.name for item in code.expressions if item.op == Op.NAME] == ["One", "Two", "Three"]


def test_branches_that_can_not_follow_one_another_are_left_out_one_by_one() -> None:
    code = of_csharp(
        "class A {\n  int F() =>\n#if X\n    One();\n#else\n    Two();\n#endif\n"
        "#if X\n  void G() { Three(); }\n#else\n  void H() { Four(); }\n#endif\n"
        "  void K() {\n#if X\n    if (a) {\n#else\n    if (b) {\n#endif\n"
        "      Five();\n    }\n  }\n}\n"
    )
    names = [item.name for item in code.expressions if item.op == Op.NAME and item.line]
    assert names == ["One", "Three", "Four", "a", "Five"]


def test_an_extension_method_has_a_receiver() -> None:
    code = of_csharp(
        "static class A { static int F(this B b, int c) => 1; static int G(B b) => 1; }"
    )
    found = [item for item in code.clauses if item.role == Role.RECEIVER]
    assert [code.expressions[item.value].name for item in found] == ["B"]


def test_a_variable_of_an_out_argument_is_a_part_of_the_call() -> None:
    code = of_csharp("class A { void M() { F(1, out var x); x.G(); } }")
    (variable,) = (item for item in code.bindings if item.name == "x")
    part = code.expressions[variable.value]
    assert (part.op, part.name, code.expressions[part.of].op) == (Op.PART, "out 1", Op.CALL)


def test_global_usings_are_exports() -> None:
    code = of_csharp("global using A.B; using C.D; global using E = F.G;")
    assert [(item.name, item.module) for item in code.exports] == [("*", "A.B"), ("E", "")]
    bound = [item.name for item in code.bindings if item.kind == BindingKind.IMPORTED]
    assert bound == ["*", "*", "E"]


def test_a_package_of_a_version_has_the_name_before_it() -> None:
    facts = lowered("go", 'package a\nimport ("x/y/v3"; "gopkg.in/z.v2"; "v3"; w "x/q")')
    code = facts.code
    assert code is not None
    assert [item.name for item in code.bindings] == ["y", "z", "v3", "w"]


def test_the_types_of_a_type_switch_are_those_of_its_variable() -> None:
    code = lowered(
        "go", "package a\nfunc f(x any) { switch y := x.(type) { case B: case C, D: } }"
    ).code
    assert code is not None
    values = [code.expressions[item.value] for item in code.bindings if item.name == "y"]
    assert [item.op for item in values] == [Op.CAST, Op.NAME]


def test_an_anonymous_class_has_a_base() -> None:
    code = lowered("java", "class A { Object o = new B() { void f() { super.g(); } }; }").code
    assert code is not None
    (base,) = (item for item in code.clauses if item.role == Role.BASE)
    assert code.expressions[base.value].name == "B"
    (scope,) = (item for item in code.scopes if item.declaration == base.declaration)
    assert scope.kind == ScopeKind.CLASS


def test_a_namespace_without_a_body_lasts_to_the_end_of_the_file() -> None:
    code = of_csharp("using A;\n#if X\nnamespace B;\n#else\nnamespace C;\n#endif\nclass D { }\n")
    modules = [at for at, item in enumerate(code.scopes) if item.kind == ScopeKind.MODULE]
    assert [code.scopes[at].parent for at in modules] == [NONE, 0, 0]
    assert {item.name: item.scope for item in code.bindings} == {"*": 0, "D": modules[-1]}


def test_fields_of_one_type_have_blocks_and_values_of_their_own() -> None:
    code = of_csharp("class A { B x = F(), y = G(); }")
    owners = {
        code.expressions[at].name: code.scopes[scope].declaration
        for at, scope in enumerate(code.scope_of)
    }
    declared = {item.name: item.declaration for item in code.bindings}
    assert owners["F"] == owners["B"] == declared["x"]
    assert owners["G"] == declared["y"]


def test_an_explicit_implementation_is_no_member_by_name() -> None:
    code = of_csharp("class A : I { void I.F() { } void G() { } }")
    assert [item.name for item in code.bindings] == ["A", "G"]
    (clause,) = (item for item in code.clauses if item.role == Role.MEMBER_OF)
    assert code.expressions[clause.value].name == "I"


def test_names_in_errors_are_kept() -> None:
    code = of_csharp("class A { void M() { F(a b); G(c, , d) H(; } }")
    names = {item.name for item in code.expressions if item.op == Op.NAME}
    assert names >= {"F", "a", "b", "G", "c", "d"}


def test_a_node_without_the_children_of_its_kind_costs_itself_only() -> None:
    text = "class A { void M() { if (a is { , B: 3 } || b is ( , C)) { F(); } } void N() { G(); } }"
    facts = lowered("csharp", text)
    check_code(facts, text)
    assert facts.code is not None
    assert {"F", "G"} <= {item.name for item in facts.code.expressions}
