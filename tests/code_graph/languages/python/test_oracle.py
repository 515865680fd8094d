"""The Python adapter agrees with simpler analyses of this repository's files."""

from __future__ import annotations

import ast
from dataclasses import replace
from pathlib import Path

import pytest

from code_graph.facts import Facts
from code_graph.languages.python.adapter import adapter
from tests.code_graph.languages.python.python_golden import source

ROOT = Path(__file__).parents[4]
PYTHON = adapter()
TEXTS = {"golden": source()} | {
    path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
    for folder in ("index_format", "tests/house")
    for path in sorted((ROOT / folder).glob("*.py"))
}
KEYWORDS = ("def ", "async def ", "class ")
DEFINED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def facts(text: str) -> Facts:
    return PYTHON.facts("x.py", text)


@pytest.fixture(name="text", params=TEXTS.values(), ids=list(TEXTS))
def _text(request: pytest.FixtureRequest) -> str:
    assert isinstance(request.param, str)
    return request.param


@pytest.mark.requirement("INT-10.2-python")
def test_every_def_and_class_of_the_tree_is_declared(text: str) -> None:
    nodes = [node for node in ast.walk(ast.parse(text)) if isinstance(node, DEFINED)]
    kinds = {"class", "function", "method", "property"}
    found = {
        (one.name, one.end_line, "class" if one.kind == "class" else "function")
        for one in facts(text).declarations
        if one.kind in kinds and one.signature.startswith(KEYWORDS)
    }
    assert found == {
        (node.name, node.end_lineno, "class" if isinstance(node, ast.ClassDef) else "function")
        for node in nodes
    }


def test_every_name_of_the_tree_that_is_declared_is_a_use(text: str) -> None:
    found = facts(text)
    own = {one.name for one in found.declarations}
    loaded = {
        (node.id if isinstance(node, ast.Name) else node.attr, node.end_lineno)
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Load)
    }
    uses = {(one.name, one.line) for one in found.uses}
    assert {place for place in loaded if place[0] in own} <= uses
    assert all(name in own for name, _ in uses)


def test_every_import_of_the_tree_is_listed(text: str) -> None:
    nodes = [
        node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Import | ast.ImportFrom)
    ]
    wanted = [alias.lineno for node in nodes for alias in node.names]
    assert sorted(wanted) == [one.line for one in facts(text).imports]


def test_the_name_is_at_its_position(text: str) -> None:
    rows, found = text.split("\n"), facts(text)
    for one in found.uses:
        assert one.name in rows[one.line - 1]
    for item in found.declarations:
        assert rows[item.name_line - 1][item.name_column :].startswith(item.name)


def test_declarations_are_in_order_and_within_their_parents(text: str) -> None:
    found = facts(text)
    order = [(one.start_line, -one.end_line, one.name) for one in found.declarations]
    assert order == sorted(order)
    for one in found.declarations:
        if one.parent >= 0:
            parent = found.declarations[one.parent]
            assert parent.start_line <= one.start_line <= one.end_line <= parent.end_line
            assert parent.kind in {"class", "function", "method", "property"}
            assert one.scope_kind == ("class" if parent.kind == "class" else "function")


def test_line_ends_and_lines_above_do_not_matter(text: str) -> None:
    found = facts(text)
    windows = facts(text.replace("\n", "\r\n"))
    names = [(one.name, one.start_line, one.signature) for one in found.declarations]
    assert [(one.name, one.start_line, one.signature) for one in windows.declarations] == names
    assert windows.uses == found.uses
    lower = facts("\n" + text)
    assert [replace(one, doc="") for one in lower.declarations] == [
        replace(
            one,
            doc="",
            start_line=one.start_line + 1,
            end_line=one.end_line + 1,
            name_line=one.name_line + 1,
        )
        for one in found.declarations
    ]
    assert lower.cuts == tuple(cut + 1 for cut in found.cuts)
