"""The truth of the written cases: what runs is in it, and the score notices what differs."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator

import pytest

from tests.code_graph.cases.case_runner import (
    CALLS,
    CASES,
    TRUTH,
    Case,
    CaseEdge,
    Node,
    cases,
    constructed,
    constructor_of,
    languages,
    score,
)
from tests.code_graph.cases.observed_calls import observed_calls

PYTHON = cases("python")
EVERY = [case for language in languages() for case in cases(language)]
LEAST_PYTHON_CASES = 60


def names_of(case: Case) -> set[str]:
    pairs = [*case.expected.values(), *case.may.values(), *case.some.values()]
    return {name for each in pairs for pair in each for name in pair}


def declared(case: Case) -> Iterator[str]:
    """The qualified names of modules, classes and functions of a Python case."""
    for path in case.root.rglob("*.py"):
        parts = path.relative_to(case.root).with_suffix("").parts
        module = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        yield module
        yield from declared_in(ast.parse(path.read_text("utf-8")), module)


def declared_in(node: ast.AST, name: str) -> Iterator[str]:
    for child in ast.iter_child_nodes(node):
        inner = name
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            inner = f"{name}.{child.name}"
            yield constructor_of(inner)
            yield constructed(inner)
        elif isinstance(child, ast.Name) and isinstance(child.ctx, ast.Store):
            yield f"{name}.{child.id}"
        yield from declared_in(child, inner)


def edges_of(case: Case) -> list[CaseEdge]:
    """The edges of the truth, as a linker without faults gives them."""
    places = {mark: place for place, mark in case.marks.items()}
    nowhere = ("", 0)
    return [
        CaseEdge(type_, *(Node(name, *places.get(name, nowhere)) for name in pair))
        for type_, pairs in (*case.expected.items(), *case.some.items())
        for pair in sorted(pairs)
    ]


def test_there_are_cases() -> None:
    assert len(PYTHON) >= LEAST_PYTHON_CASES


@pytest.mark.parametrize("case", PYTHON, ids=str)
def test_what_runs_is_in_the_truth(case: Case) -> None:
    known = case.expected[CALLS] | case.may.get(CALLS, frozenset())
    seen = observed_calls(case.root)
    unknown = [
        (caller, names)
        for caller, names in sorted(seen)
        if known.isdisjoint((constructor_of(caller), constructed(name)) for name in names)
    ]
    assert seen
    assert unknown == []


@pytest.mark.parametrize("case", PYTHON, ids=str)
def test_the_truth_names_what_is_declared(case: Case) -> None:
    assert names_of(case) - set(declared(case)) == set()


@pytest.mark.parametrize("case", EVERY, ids=str)
def test_each_name_stands_in_a_source(case: Case) -> None:
    sources = [path for path in case.root.rglob("*") if path.is_file() and path.name != TRUTH]
    text = "\n".join(path.read_text("utf-8") for path in sources)
    parts = {part for path in sources for part in path.name.split(".")}
    words = {*re.findall(r"@?\w+", text), *parts, "<init>"}
    # a class without a name is called by its base and a number
    last = {re.sub(r"\$\d+$", "", name).rpartition(".")[2] for name in names_of(case)}
    assert {name for name in last if name.lstrip("#~$").rstrip("]") not in words} == set()


@pytest.mark.parametrize("case", EVERY, ids=str)
def test_the_truth_is_sorted(case: Case) -> None:
    truth = json.loads((case.root / TRUTH).read_text("utf-8"))
    extra = [truth.pop(key, {}) for key in ("may", "some")]
    for types in (truth, *extra):
        for edges in types.values():
            assert list(edges) == sorted(edges)
            assert all(targets == sorted(set(targets)) for targets in edges.values())


@pytest.mark.parametrize("case", EVERY, ids=str)
def test_the_truth_scores_all_against_itself(case: Case) -> None:
    found = score(case, edges_of(case))
    assert {type_: result.f1 for type_, result in found.items()} == dict.fromkeys(found, 1.0)
    assert sum(result.right for result in found.values()) > 0


def test_missing_and_wrong_edges_are_noticed() -> None:
    case = next(each for each in PYTHON if each.name == "decorators/plain")
    edges = [edge for edge in edges_of(case) if edge.target.name != "main.logged"]
    wrong = CaseEdge(CALLS, Node("main.multiply", "main.py", 14), Node("main.logged", "main.py", 1))
    found = score(case, [*edges, wrong])[CALLS]
    assert found.missing == ["python/decorators/plain: main calls main.logged"]
    assert found.wrong == ["python/decorators/plain: main.multiply calls main.logged"]
    assert found.f1 < 1


def test_a_constructor_counts_as_its_class() -> None:
    case = next(each for each in PYTHON if each.name == "classes/callable_instance")
    edges = [
        edge._replace(target=edge.target._replace(name=f"{edge.target.name}.__init__"))
        if edge.target.name in {"main.Adder", "main.Holder"}
        else edge
        for edge in edges_of(case)
    ]
    assert score(case, edges)[CALLS].f1 == 1


def test_every_folder_with_sources_has_truth() -> None:
    held = {path.parent for path in CASES.rglob(TRUTH)}
    folders = {path.parent for path in (CASES / "python").rglob("*.py")}
    assert {each for each in folders if held.isdisjoint([each, *each.parents])} == set()
