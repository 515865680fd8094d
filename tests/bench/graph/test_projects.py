"""The measured projects are fixed, and our own graph comes in the form of the truth."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bench.graph.edges import At, Edge, Where
from bench.graph.product import edges_of
from bench.graph.projects import projects
from code_graph.facts import Declaration, Facts
from code_graph.model import (
    FILE,
    EdgeType,
    GraphEdge as LinkedEdge,
    LinkedFile,
    LinkedSymbol,
    Strategy,
)

FEWEST = {"csharp": 2, "java": 3, "python": 3, "typescript": 2}
FIXED = re.compile(r"git:[\w./-]+@[0-9a-f]{40}|pip:[\w-]+==[\d.]+")


@pytest.mark.parametrize("language", FEWEST)
@pytest.mark.parametrize("split", ["tune", "held-out"])
def test_each_split_has_projects_of_fixed_versions(language: str, split: str) -> None:
    found = projects(language, (split,))
    assert len(found) >= FEWEST[language]
    assert [each.name for each in found if not FIXED.fullmatch(each.source)] == []
    needs = [need for each in found for need in each.needs]
    assert [need for need in needs if not re.search(r"(==|.@)\d", need)] == []


def test_no_project_stands_in_both_splits() -> None:
    every = [each.source.partition("@")[0] for language in FEWEST for each in projects(language)]
    assert len(every) == len(set(every))


def declaration(name: str, line: int) -> Declaration:
    return Declaration("function", name, line, line + 1, line, 4)


def linked(path: str, symbols: list[LinkedSymbol], edges: list[LinkedEdge]) -> LinkedFile:
    return LinkedFile(path, b"", "", "python", symbols, edges)


def test_edges_lead_to_the_primary_declaration_of_a_symbol() -> None:
    calls, uses = int(EdgeType.CALLS), int(EdgeType.REFERENCES)
    main = linked(
        "a.py",
        [LinkedSymbol(FILE, 1, "a", "module"), LinkedSymbol(0, 2, "a.run", "function")],
        [
            LinkedEdge(FILE, 2, calls, int(Strategy.SCOPE), 5, 0),
            LinkedEdge(0, 3, uses, int(Strategy.FLOW), 2, 8),
            LinkedEdge(0, 99, calls, int(Strategy.IMPORT), 3, 8),
        ],
    )
    other = linked(
        "b.py",
        [
            LinkedSymbol(1, 3, "b.load", "function", is_primary=True),
            LinkedSymbol(0, 3, "b.load", "function", is_primary=False),
        ],
        [],
    )
    facts = {
        "a.py": Facts("python", declarations=(declaration("run", 1),)),
        "b.py": Facts("python", declarations=(declaration("load", 1), declaration("load", 4))),
    }
    found = edges_of(lambda _root: ([main, other], facts))(Path())
    assert found == [
        Edge(
            "calls",
            Where("a.py", 0, ""),
            Where("a.py", 1, "run"),
            At("a.py", 5, 0),
            "exact",
            "scope",
        ),
        Edge(
            "references",
            Where("a.py", 1, "run"),
            Where("b.py", 4, "load"),
            At("a.py", 2, 8),
            "inferred",
            "flow",
        ),
    ]
