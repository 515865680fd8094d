"""Runs the written cases of Rust, Swift, C and C++ through the linker."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from repo_mcp.graph.model import FILE
from repo_mcp.languages.facts import Facts
from tests.repo_mcp.graph.cases.case_runner import Case, CaseEdge, score
from tests.repo_mcp.graph.cases.linked_edges import case_edges
from tests.repo_mcp.graph.sources import SourceTree, link

ENDINGS = (".rs", ".swift", ".c", ".h", ".cpp", ".hpp", "Cargo.toml")


def read(root: Path) -> SourceTree:
    """The sources of a case."""
    paths = (path for path in sorted(root.rglob("*")) if path.name.endswith(ENDINGS))
    return SourceTree({path.relative_to(root).as_posix(): path.read_text() for path in paths})


def found_edges(root: Path) -> Iterator[CaseEdge]:
    """The exact and inferred edges of a case."""
    tree = read(root)
    facts: dict[str, Facts] = {}
    for path in tree.paths():
        one = tree.facts(path)
        assert one is not None
        facts[path] = one
    for edge in case_edges(link(tree).values(), facts):
        if edge.type != "contains":
            yield edge


def differences(case: Case) -> list[str]:
    """What is missing or wrong."""
    found = score(case, found_edges(case.root))
    return [
        f"{word} {line}"
        for result in found.values()
        for word, lines in (("missing", result.missing), ("wrong", result.wrong))
        for line in lines
    ]


assert FILE < 0
