"""The linker finds the calls that small programs make when CPython runs them, and no others."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import pytest

from code_graph import SourceTree
from tests.code_graph.cases.case_runner import CALLS, constructed
from tests.code_graph.cases.linked_edges import case_edges
from tests.code_graph.cases.observed_calls import Call, observed_calls
from tests.code_graph.sources import link

FOLDER = Path(__file__).parent / "gallery"
PROGRAMS = sorted(FOLDER.rglob("*.py"))
LEAST_PROGRAMS = 155
Pair = tuple[str, str]


class Function(NamedTuple):
    """A function of a program, or a class, whose body runs."""

    runs: bool
    is_decorated: bool


def functions(node: ast.AST, name: str) -> Iterator[tuple[str, Function]]:
    """The functions and classes of a program by qualified names."""
    for child in ast.iter_child_nodes(node):
        inner = name
        if isinstance(child, ast.FunctionDef | ast.ClassDef):
            inner = f"{name}.{child.name}"
            yields = any(isinstance(item, ast.Yield | ast.YieldFrom) for item in own(child))
            runs = isinstance(child, ast.FunctionDef) and not yields
            yield inner, Function(runs, bool(child.decorator_list))
        yield from functions(child, inner)


def own(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a function without those of functions inside of it."""
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.FunctionDef | ast.Lambda):
            yield child
            yield from own(child)


def linked_calls(program: Path, known: Mapping[str, Function]) -> set[Pair]:
    """The calls that the linker finds; what a lambda calls is called by the function around."""
    tree = SourceTree({program.name: program.read_text("utf-8")})
    facts = tree.facts(program.name)
    assert facts is not None
    found = set()
    for edge in case_edges(link(tree).values(), {program.name: facts}):
        source = edge.source.name
        while source not in known and "." in source:
            source = source.rpartition(".")[0]
        if edge.type == CALLS:
            found.add((source, constructed(edge.target.name)))
    return found


def answered(call: Call, found: set[Pair]) -> bool:
    source, names = call
    return any((source, name) in found for name in names)


def test_there_are_programs_of_each_kind() -> None:
    assert len(PROGRAMS) >= LEAST_PROGRAMS
    assert all(program.parent.parent == FOLDER for program in PROGRAMS)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_the_calls_of_a_program_are_those_that_run(program: Path) -> None:
    known = dict(functions(ast.parse(program.read_text("utf-8")), program.stem))
    seen = observed_calls(program.parent, program.name, with_implied=True)
    found = linked_calls(program, known)
    right = {(source, name) for source, names in seen for name in names}
    # what a decorator replaces is called by the name all the same
    judged = {name for name, item in known.items() if item.runs and not item.is_decorated}
    assert seen
    assert [call for call in sorted(seen) if not answered(call, found)] == []
    assert sorted(pair for pair in found - right if pair[1] in judged) == []
