"""The written cases of Rust, Swift, C and C++: all edges that they have, and no others."""

from __future__ import annotations

import pytest

from tests.code_graph.cases.case_runner import Case, cases
from tests.code_graph.languages.native import c_sources, cpp_sources, rust_sources, swift_sources
from tests.code_graph.languages.native.written import differences, edge_lines

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


# a type and a function that only their own file sees
OWN = {
    "a.cpp": "namespace n { class Box { public: void run() {} static int made; }; }\n"
    "static int own() { return 1; }\n"
    "int f() { n::Box b; b.run(); return own() + n::Box::made; }\n",
    "b.cpp": "namespace n { class Other { public: void run() {} }; }\nint g() { return 2; }\n",
}


@pytest.mark.parametrize("sources", [OWN, *(row[0] for row in SOURCES.values())])
def test_edges_do_not_depend_on_which_files_are_kept(
    sources: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = edge_lines(sources)
    monkeypatch.setattr("code_graph.evaluate.engine._MOST_KEPT", 2)
    assert edge_lines(sources) == expected
