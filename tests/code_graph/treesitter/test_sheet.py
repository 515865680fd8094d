"""Sheets: their rows are of the grammar, and are compiled to the query and to handlers."""

from __future__ import annotations

import importlib

import pytest

from code_graph import LANGUAGES
from code_graph.language import load
from code_graph.treesitter.code.forms import FORMS
from code_graph.treesitter.language_rules import Rules
from code_graph.treesitter.sheet import Sheet

RULES: dict[str, Rules] = {
    row.name: load(row.outline)
    for row in LANGUAGES
    if row.adapter == "code_graph.treesitter.adapter"
}


@pytest.mark.parametrize("language", RULES)
def test_each_row_is_of_the_grammar_and_has_a_method(language: str) -> None:
    from tree_sitter import Language  # noqa: PLC0415 as in the program

    rules = RULES[language]
    package = importlib.import_module(rules.package)
    grammar = Language(getattr(package, rules.grammar)())
    kinds = {grammar.node_kind_for_id(number) for number in range(grammar.node_kind_count)}
    rows = {row.node.strip('"') for row in rules.sheet.rows.values()}
    # of a dialect's base, some rows are another dialect's
    is_dialect = language in {"cpp", "javascript", "typescript", "tsx"}
    assert {node for node in rows - kinds if not is_dialect} == set()
    lowering = load(rules.lowering)
    forms = {*rules.sheet.handlers().values(), *rules.sheet.steps().values()}
    assert {form for form in forms if form not in FORMS and not hasattr(lowering, form)} == set()


@pytest.mark.parametrize(
    ("row", "patterns"),
    [
        ("a f def=class @name=name: @body=b?", ["(a name: (_) @name (b)? @body) @def.class"]),
        (
            'a f def=class @name=name:|"x"',
            ["(a name: (_) @name) @def.class", '(a !name "x" @name) @def.class'],
        ),
        ("a f def=field !name @name=t:u/.v,w", ["(a !name t: (u . [(v) (w)] @name)) @def.field"]),
        ('a f import has="x" @module=*', ['(a "x" _ @module) @import']),
        ("a|b f flow=if unit", ["(a) @flow.if", "(a) @unit", "(b) @flow.if", "(b) @unit"]),
        ("a f @extends=b/_|c", ["(a (b (_) @extends))", "(a (c) @extends)"]),
        ("a f parts=b,c", []),
        ("a f use\n& comment", ["(a) @use", "(a) @comment"]),
    ],
)
def test_rows_are_compiled_to_patterns(row: str, patterns: list[str]) -> None:
    assert Sheet(row).query().split("\n")[1:] == patterns


def test_rows_are_compiled_to_handlers() -> None:
    base = Sheet('a|b form\nc literal of=int\n"this" this\nd skip comment\ne chain step=call')
    sheet = Sheet("b other parts=x,y\nf - use", base=base)
    assert sheet.handlers() == {"a": "form", "b": "other", "e": "chain"}
    assert sheet.literals() == {"c": "int"}
    assert sheet.tokens() == {"this": "this"}
    assert sheet.skipped() == frozenset({"d"})
    assert sheet.steps() == {"e": "call"}
    assert Sheet("a binary truth=&&,||\nb binary truth=and").truths() == {"&&", "||", "and"}
    assert sheet.rows["b"].parts() == [("parts", ["x", "y"])]


def test_the_patterns_of_a_dialect_go_before_those_of_its_base() -> None:
    sheet = Sheet("a f use", "(x) @unit", base=Sheet("b f use"))
    assert sheet.query().split("\n") == ["(x) @unit", "(a) @use", "", "(b) @use"]
