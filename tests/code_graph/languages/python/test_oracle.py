"""The Python adapter agrees with simpler analyses of this repository's files."""

from __future__ import annotations

import ast
import builtins
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


def test_every_call_of_the_tree_is_a_reference(text: str) -> None:
    found = {(one.line, one.name) for one in facts(text).references if one.role != "read"}
    own = {one.name for one in facts(text).declarations}
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call):
            called = node.func
            if isinstance(called, ast.Attribute):
                root = ast.unparse(called).partition(".")[0]
                known = not hasattr(builtins, root) or root in own
                assert not known or (called.end_lineno, called.attr) in found
            elif isinstance(called, ast.Name):
                known = not hasattr(builtins, called.id)
                assert not known or (called.lineno, called.id) in found


def test_every_import_of_the_tree_is_listed(text: str) -> None:
    nodes = [
        node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Import | ast.ImportFrom)
    ]
    wanted = [alias.lineno for node in nodes for alias in node.names]
    assert sorted(wanted) == [one.line for one in facts(text).imports]


def test_the_name_is_at_its_position(text: str) -> None:
    rows, found = text.split("\n"), facts(text)
    for one in found.references:
        assert rows[one.line - 1][one.column :].startswith(one.name)
    for item in found.declarations:
        assert rows[item.name_line - 1][item.name_column :].startswith(item.name)


def test_declarations_are_in_order_and_within_their_parents(text: str) -> None:
    found = facts(text)
    order = [(one.start_line, -one.end_line, one.name) for one in found.declarations]
    assert order == sorted(order)
    places = [(one.line, one.column) for one in found.references]
    assert places == sorted(places)
    for one in found.declarations:
        if one.parent >= 0:
            parent = found.declarations[one.parent]
            assert parent.start_line <= one.start_line <= one.end_line <= parent.end_line
            assert parent.kind in {"class", "function", "method", "property"}
            assert one.scope_kind == ("class" if parent.kind == "class" else "function")
    for use in found.references:
        if use.owner >= 0:
            owner = found.declarations[use.owner]
            assert owner.start_line <= use.line <= owner.end_line


def test_no_other_function_is_closer_than_the_owner(text: str) -> None:
    found = facts(text)
    kinds = {"class", "function", "method", "property"}
    holders = [
        one
        for one in found.declarations
        if one.kind in kinds and one.signature.startswith(KEYWORDS)
    ]
    for use in found.references:
        around = [one for one in holders if one.start_line <= use.line <= one.end_line]
        closest = min((one.end_line - one.start_line for one in around), default=-1)
        owner = found.declarations[use.owner] if use.owner >= 0 else None
        length = owner.end_line - owner.start_line if owner else -1
        # several on one line can't be told apart by lines
        assert closest in {length, 0}


def test_line_ends_and_lines_above_do_not_matter(text: str) -> None:
    found = facts(text)
    windows = facts(text.replace("\n", "\r\n"))
    names = [(one.name, one.start_line, one.signature) for one in found.declarations]
    assert [(one.name, one.start_line, one.signature) for one in windows.declarations] == names
    assert windows.references == found.references
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
