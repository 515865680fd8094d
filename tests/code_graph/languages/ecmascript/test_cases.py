"""The linker finds what the written cases of TypeScript have."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from code_graph import SourceTree
from tests.code_graph.cases.case_runner import Case, CaseEdge, Node, cases, score
from tests.code_graph.cases.linked_edges import case_edges
from tests.code_graph.cases.typescript_truth import (
    compiler,
    errors,
    expected,
    judged,
    judged_cases,
    read,
)
from tests.code_graph.sources import link

CASES = cases("typescript")
JUDGED: Final = judged_cases()
LEAST_JUDGED: Final = 60
COMPILER: Final = compiler()
needs_compiler = pytest.mark.skipif(COMPILER is None, reason="there is no compiler of TypeScript")
# what the linker does not do: a module named in an augmentation, and members that a program gives
# to types of the library
KNOWN = {
    "compiler/merging/global_augmentation": (2, 0),
    "merging/module_augmentation": (0, 1),
}


def linked_case(root: Path) -> Iterator[CaseEdge]:
    """The edges of a case, whose names begin with that of the module."""
    paths = sorted(path for path in root.rglob("*") if path.suffix in {".ts", ".tsx", ".json"})
    texts = {path.relative_to(root).as_posix(): path.read_text("utf-8") for path in paths}
    texts.pop("expected.json")
    tree = SourceTree(texts)
    facts = {path: found for path in tree.paths() if (found := tree.facts(path)) is not None}
    for edge in case_edges(link(tree).values(), facts):
        yield edge._replace(source=in_module(edge.source), target=in_module(edge.target))


def in_module(node: Node) -> Node:
    module = node.path.rpartition(".")[0].replace("/", ".")
    return node._replace(name=module if node.name == node.path else f"{module}.{node.name}")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_edges_of_a_case_are_found_and_no_others(case: Case) -> None:
    found = score(case, linked_case(case.root)).values()
    missing = [row for each in found for row in each.missing]
    wrong = [row for each in found for row in each.wrong]
    assert (len(missing), len(wrong)) == KNOWN.get(case.name, (0, 0)), [missing, wrong]


def test_there_are_cases() -> None:
    assert len(JUDGED) >= LEAST_JUDGED


@pytest.mark.servers
@needs_compiler
@pytest.mark.parametrize("case", JUDGED, ids=lambda case: case.name)
def test_the_compiler_accepts_a_case_and_says_the_same(case: Case) -> None:
    assert COMPILER is not None
    assert errors(case, COMPILER) == ""
    assert read(case) == expected(case, judged(case, COMPILER))
