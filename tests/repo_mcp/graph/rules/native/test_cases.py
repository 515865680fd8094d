"""The written cases of Rust, Swift, C and C++: all edges that they have, and no others."""

from __future__ import annotations

import pytest

from tests.repo_mcp.graph.cases.case_runner import Case, cases
from tests.repo_mcp.graph.rules.native import c_sources, cpp_sources, rust_sources, swift_sources
from tests.repo_mcp.graph.rules.native.written import differences, edge_lines

SOURCES = {
    f"{language}: {name}": case
    for language, rows in {
        "c": c_sources.CASES,
        "cpp": cpp_sources.CASES,
        "rust": rust_sources.CASES,
        "swift": swift_sources.CASES,
    }.items()
    for name, case in rows.items()
}
PROJECTS = [case for language in ("c", "cpp", "rust", "swift") for case in cases(language)]


@pytest.mark.parametrize("case", PROJECTS, ids=str)
def test_the_edges_of_a_project_are_found(case: Case) -> None:
    assert differences(case) == []


@pytest.mark.parametrize(("sources", "expected"), SOURCES.values(), ids=SOURCES)
def test_the_edges_of_a_case_are_found(sources: dict[str, str], expected: list[str]) -> None:
    assert edge_lines(sources) == expected


@pytest.mark.parametrize(("sources", "expected"), SOURCES.values(), ids=SOURCES)
def test_edges_do_not_depend_on_which_files_are_kept(
    sources: dict[str, str], expected: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("repo_mcp.graph.evaluate.engine._MOST_KEPT", 2)
    assert edge_lines(sources) == expected
