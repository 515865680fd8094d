"""Symbolic code of JavaScript, TypeScript and JSX: as written, and for any text."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from code_graph.expressions import BindingKind, Op, ScopeKind
from code_graph.expressions.wire import decode_code, encode_code
from code_graph.languages.ecmascript.typescript import WITH_JSX
from code_graph.treesitter.adapter import adapter, parse_best
from code_graph.treesitter.code import lowering
from code_graph.treesitter.extract import extract, extract_code
from code_graph.treesitter.grammar import grammar_of
from tests.code_graph.expressions.code_checks import ParsedFile, check_code, parsed
from tests.code_graph.expressions.code_golden import (
    GOLDEN,
    LANGUAGES,
    expected_of,
    read_golden,
    sources,
)

OUTLINES = Path(__file__).parent.parent / "golden"
TEXTS = [
    (LANGUAGES[path.suffix], path.read_text("utf-8"))
    for path in (*sources(), *sorted(OUTLINES.glob("ecmascript.*")))
    if path.suffix in LANGUAGES
]
# each is repeated many times, and closed as often
NESTS = {
    "parentheses": ("(", "a", ")"),
    "arrays": ("[", "a", "]"),
    "objects": ("x = {a: ", "b", "}"),
    "calls": ("f(", "a", ")"),
    "functions": ("function f() {", "", "}"),
    "arrows": ("a => ", "b", ""),
    "blocks": ("{ let a;", "", "}"),
    "branches": ("if (a) ", "b", ""),
    "classes": ("class A { m() {", "", "}}"),
    "patterns": ("[", "a", "] = b"),
    "loops": ("for (const a of b) ", "c", ""),
    "switches": ("switch (a) { case 1: ", "", "}"),
    "templates": ("`${", "a", "}`"),
    "elements": ("<A b={", "1", "} />"),
    "children": ("<A>", "", "</A>"),
    "namespaces": ("namespace A {", "", "}"),
    "defaults": ("function f(a = ", "1", ") {}"),
    "unary": ("!", "a", ""),
    "constructors": ("new ", "A", ""),
    "awaited": ("await ", "a", ""),
    "types": ("type A = ", "B", ""),
    "function types": ("let a: (b: ", "C", ") => D"),
    "conditions": ("a ? b : ", "c", ""),
}
CHAINS = {
    "members": ("a", ".b"),
    "calls": ("a", ".b(c)"),
    "elements": ("a", "[0]"),
    "sums": ("a", " + b"),
    "tests": ("a", " && b instanceof C"),
    "else if": ("if (a instanceof B) {}", " else if (a instanceof C) {}"),
    "unions": ("type A = B", " | C"),
    "arrays": ("type A = B", "[]"),
    "paths": ("type A = B", ".C"),
    "casts": ("a", " as B"),
    "sequences": ("a", ", b"),
}


def lowered(text: str) -> ParsedFile:
    """The facts of a text, even if it looks generated."""
    grammar = grammar_of(WITH_JSX)
    assert grammar is not None
    found = parse_best(WITH_JSX, grammar, text)
    assert found is not None
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
    facts = parsed(adapter(language), "x", mixed)
    check_code(facts, mixed)


@given(
    st.text(
        st.sampled_from("ab.,;:=<>(){}[]?!&|`$'\"\n /@#*=> classfunctionifletvarnew"), max_size=80
    )
)
def test_any_text_gives_valid_code(text: str) -> None:
    for language in ("javascript", "tsx", "typescript"):
        check_code(parsed(adapter(language), "x", text), text)


@pytest.mark.parametrize("nest", NESTS.values(), ids=NESTS)
def test_a_deep_nest_is_cut_and_its_names_are_kept(nest: tuple[str, str, str]) -> None:
    opened, inside, closed = nest
    text = opened * 1_500 + inside + closed * 1_500
    facts = lowered(text)
    check_code(facts, text)


@pytest.mark.parametrize("chain", CHAINS.values(), ids=CHAINS)
def test_a_long_chain_is_lowered_whole(chain: tuple[str, str]) -> None:
    begin, link = chain
    short, long = lowered(begin + link * 50), lowered(begin + link * 2_000)
    assert short.code is not None
    assert long.code is not None
    check_code(long, begin + link * 2_000)
    names = [
        sum(item.op in {Op.NAME, Op.MEMBER} for item in one.code.expressions)
        for one in (short, long)
        if one.code is not None
    ]
    per_link = (names[0] - names[0] % 50) // 50
    assert names[1] >= per_link * 2_000
    # the work is in proportion to the text
    assert len(long.code.expressions) < 60 * len(short.code.expressions)
    assert len(long.code.scopes) < 60 * len(short.code.scopes)


def test_equal_text_gives_equal_code() -> None:
    for language, text in TEXTS:
        assert (
            parsed(adapter(language), "a", text).code == parsed(adapter(language), "b", text).code
        )


def test_an_assigned_name_belongs_to_the_scope_that_declares_it() -> None:
    facts = lowered("function f() { g = () => { late = 1; unknown = 2; }; let late; var g; }")
    code = facts.code
    assert code is not None
    found = {item.name: item.scope for item in code.bindings if item.kind == BindingKind.ASSIGNED}
    outer = next(n for n, scope in enumerate(code.scopes) if scope.kind == ScopeKind.FUNCTION)
    assert found == {"g": outer, "late": outer, "unknown": 0}


def test_flow_without_names_is_no_scope() -> None:
    facts = lowered("function f() { if (a) { return b; } while (c) d(); }")
    code = facts.code
    assert code is not None
    assert [scope.kind for scope in code.scopes] == [ScopeKind.MODULE, ScopeKind.FUNCTION]
    assert [result.scope for result in code.results] == [1]


def test_a_file_with_too_many_expressions_keeps_the_first_ones(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(lowering, "_MOST_EXPRESSIONS", 50)
    text = "function f() { a.b(c); }\n" * 100
    facts = lowered(text)
    check_code(facts, text)
    assert facts.code is not None
    assert 50 <= len(facts.code.expressions) < 200
    names = [item.name for item in facts.code.expressions if item.op == Op.NAME]
    assert names[:4] == ["a", "c", "a", "c"]


def test_code_survives_its_bytes() -> None:
    for language, text in TEXTS:
        file = adapter(language).code("x", text)
        assert file is not None
        assert decode_code(encode_code(file)) == file
