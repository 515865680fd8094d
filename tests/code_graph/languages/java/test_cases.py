"""The written cases of Java: all edges that they have and no others, as javac says."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Final

import pytest

from bench.graph.edges import Truth
from code_graph import SourceTree
from tests.code_graph.cases.case_runner import CASES, Case, CaseEdge, cases, score
from tests.code_graph.cases.java_truth import BY_HAND, expected, judged, read
from tests.code_graph.cases.linked_edges import case_edges
from tests.code_graph.sources import link

JAVA: Final = cases("java")
LEAST_CASES: Final = 60
needs_javac = pytest.mark.skipif(shutil.which("javac") is None, reason="javac is not installed")


def edges(root: Path) -> Iterable[CaseEdge]:
    """The linker's edges for the sources of a case."""
    paths = sorted(root.rglob("*.java"))
    tree = SourceTree({path.relative_to(root).as_posix(): path.read_text() for path in paths})
    linked = link(tree).values()
    facts = {path: found for path in tree.paths() if (found := tree.facts(path)) is not None}
    return case_edges(linked, facts)


def test_there_are_cases() -> None:
    assert len(JAVA) >= LEAST_CASES


@pytest.mark.parametrize("case", JAVA, ids=str)
def test_the_edges_of_a_case_are_found(case: Case) -> None:
    found = score(case, edges(case.root))
    assert {type_: (result.missing, result.wrong) for type_, result in found.items()} == {
        type_: ([], []) for type_ in found
    }


@pytest.fixture(scope="module")
def truth() -> Truth:
    return judged()


@pytest.mark.servers
@needs_javac
@pytest.mark.parametrize("case", [case for case in JAVA if case.name not in BY_HAND], ids=str)
def test_javac_says_the_same(case: Case, truth: Truth) -> None:
    assert read(case) == expected(case, truth)


@pytest.mark.servers
@needs_javac
def test_the_cases_compile(tmp_path: Path) -> None:
    sources = sorted(map(str, (CASES / "java").rglob("*.java")))
    command = ["javac", "-proc:none", "-d", str(tmp_path), *sources]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
