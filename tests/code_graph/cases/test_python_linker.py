"""The linker finds the calls of dynamic Python that the written cases have."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from code_graph import SourceTree
from tests.code_graph.cases.case_runner import CALLS, CaseEdge, scores
from tests.code_graph.cases.linked_edges import case_edges
from tests.code_graph.sources import link

# of all cases together, with exact and inferred edges
LEAST_F1 = 0.98


def linked_case(root: Path) -> Iterable[CaseEdge]:
    paths = sorted(root.rglob("*.py"))
    tree = SourceTree(
        {path.relative_to(root).as_posix(): path.read_text("utf-8") for path in paths}
    )
    facts = {path: found for path in tree.paths() if (found := tree.facts(path)) is not None}
    return case_edges(link(tree).values(), facts)


def test_most_calls_of_the_cases_are_found_and_few_others() -> None:
    found = scores("python", linked_case)[CALLS]
    assert found.f1 >= LEAST_F1, [*found.missing, *found.wrong]
