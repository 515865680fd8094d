"""Requirements are data, and tests cite them: in both directions, with one visible list of gaps."""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TypeGuard

import pytest

TESTS = Path(__file__).parents[1]
OPEN = (TESTS / "requirements_open.txt").read_text(encoding="utf-8").splitlines()


def known_ids() -> list[str]:
    table = tomllib.loads((TESTS / "requirements.toml").read_text(encoding="utf-8"))
    return [entry["id"] for entry in table["requirement"]]


def is_citation(node: ast.AST) -> TypeGuard[ast.Call]:
    """True if this is `pytest.mark.requirement(...)` or `mark.requirement(...)`."""
    match node:
        case ast.Call(func=ast.Attribute(attr="requirement", value=owner)):
            return ast.unparse(owner) in {"pytest.mark", "mark"}
    return False


def is_test(node: ast.AST) -> TypeGuard[ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef]:
    kinds = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
    return isinstance(node, kinds) and node.name.lower().startswith("test")


def ids_of(citation: ast.Call) -> Iterator[str]:
    for argument in citation.args:
        match argument:
            case ast.Constant(value=str(name)):
                yield name
            case _:
                msg = f"line {citation.lineno}: a citation is a plain string"
                raise ValueError(msg)


def cited_in(source: str) -> Iterator[str]:
    """Ids cited by test functions and test classes; a citation anywhere else is an error."""
    nodes = list(ast.walk(ast.parse(source)))
    marks = {mark for node in nodes if is_test(node) for mark in node.decorator_list}
    for node in nodes:
        if is_citation(node):
            if node not in marks:
                msg = f"line {node.lineno}: only a test or a test class cites"
                raise ValueError(msg)
            yield from ids_of(node)


@cache
def cited_ids() -> set[str]:
    files = TESTS.rglob("*.py")
    return {name for file in files for name in cited_in(file.read_text(encoding="utf-8"))}


def test_ids_are_unique() -> None:
    known = known_ids()
    assert known
    assert len(known) == len(set(known))


def test_every_cited_id_is_known() -> None:
    assert cited_ids() - set(known_ids()) == set()


def test_every_known_id_is_cited_or_listed_as_open() -> None:
    assert set(known_ids()) - cited_ids() - set(OPEN) == set()


def test_what_is_listed_as_open_is_known_and_not_cited() -> None:
    assert set(OPEN) - set(known_ids()) == set()
    assert set(OPEN) & cited_ids() == set()


def test_the_open_list_is_sorted_and_without_duplicates() -> None:
    assert sorted(set(OPEN)) == OPEN


def test_citations_are_found_on_tests_and_test_classes() -> None:
    source = """
@pytest.mark.requirement("A", "B")
def test_one(): ...
@mark.requirement("C")
class TestTwo:
    @pytest.mark.requirement("D")
    async def test_three(self): ...
"""
    assert sorted(cited_in(source)) == ["A", "B", "C", "D"]


@pytest.mark.parametrize(
    "source",
    [
        '@pytest.mark.requirement("A")\ndef helper(): ...',
        'pytestmark = pytest.mark.requirement("A")',
        "@pytest.mark.requirement(NAME)\ndef test_it(): ...",
    ],
)
def test_a_citation_that_proves_nothing_is_refused(source: str) -> None:
    with pytest.raises(ValueError, match="line"):
        list(cited_in(source))
