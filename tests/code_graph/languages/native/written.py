"""Runs the written cases of Rust, Swift, C and C++ through the linker."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from code_graph import SourceTree
from code_graph.facts import Facts
from code_graph.model import CONFIDENCE_OF, FILE, EdgeType, GraphEdge, LinkedFile, Strategy
from tests.code_graph.cases.case_runner import Case, CaseEdge, score
from tests.code_graph.cases.linked_edges import case_edges
from tests.code_graph.sources import link

ENDINGS = (".kt", ".rs", ".swift", ".c", ".h", ".cpp", ".hpp", "Cargo.toml")


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
    """The edges that are missing or wrong."""
    found = score(case, found_edges(case.root))
    return [
        f"{word} {line}"
        for result in found.values()
        for word, lines in (("missing", result.missing), ("wrong", result.wrong))
        for line in lines
    ]


def edge_lines(sources: dict[str, str]) -> list[str]:
    """The edges of sources as `a calls b exact`, without uses of types, members and receivers.

    Symbols of one name have their file behind it.
    """
    tree = SourceTree(sources)
    linked = link(tree)
    names: dict[int, str] = {}
    for file in linked.values():
        for symbol in file.symbols:
            where = file.path if symbol.declaration == FILE else symbol.qualified_name
            names.setdefault(symbol.id, where)
    several = {name for name, count in Counter(names.values()).items() if count > 1}
    for path, file in reversed(linked.items()):
        for symbol in file.symbols:
            if symbol.qualified_name in several:
                facts = tree.facts(path)
                assert facts is not None
                line = facts.declarations[symbol.declaration].name_line
                names[symbol.id] = f"{symbol.qualified_name}@{path}:{line}"
    found = set()
    for file in linked.values():
        own = {item.declaration: item for item in file.symbols}
        for edge in file.edges:
            source = own[edge.source]
            kind = EdgeType(edge.type).name.lower()
            if edge.type in {EdgeType.CONTAINS, EdgeType.BELONGS_TO} or _is_of_type(edge, linked):
                continue
            sure = CONFIDENCE_OF[Strategy(edge.strategy)].name.lower()
            found.add(f"{names[source.id]} {kind} {names[edge.target]} {sure}")
    return sorted(found)


def _is_of_type(edge: GraphEdge, linked: dict[str, LinkedFile]) -> bool:
    """True if an edge is a use of something that is no function or variable of a module."""
    if edge.type != EdgeType.REFERENCES:
        return False
    types = {item.id: item.node_type for file in linked.values() for item in file.symbols}
    return types[edge.target] not in {"function", "variable", "method"}
