"""Trees of sources for the linker, and names for what it gives."""

from __future__ import annotations

from collections.abc import Mapping

from code_graph import GraphLinker, SourceTree
from code_graph.model import EdgeType, LinkedFile, Strategy


def link(tree: SourceTree) -> dict[str, LinkedFile]:
    """All files of a tree, linked in the order of their paths."""
    linker = GraphLinker(tree)
    return {path: linker.link(path) for path in tree.paths()}


def edges(linked: Mapping[str, LinkedFile], *types: EdgeType) -> set[str]:
    """Edges as text: `a.f calls b.g exact-or-other strategy`."""
    names = {item.id: item.qualified_name for file in linked.values() for item in file.symbols}
    found = set()
    for file in linked.values():
        own = {item.declaration: item.qualified_name for item in file.symbols}
        for edge in file.edges:
            if not types or edge.type in types:
                kind = EdgeType(edge.type).name.lower()
                how = Strategy(edge.strategy).name.lower()
                found.add(f"{own[edge.source]} {kind} {names[edge.target]} {how}")
    return found


def calls(sources: Mapping[str, str]) -> set[str]:
    """The calls in sources as text, without how they were found."""
    found = edges(link(SourceTree(sources)), EdgeType.CALLS)
    return {item.rpartition(" ")[0] for item in found}


def relink(before: Mapping[str, LinkedFile], tree: SourceTree, path: str) -> dict[str, LinkedFile]:
    """Link the edited file, and those that asked what it answers otherwise now."""
    linker = GraphLinker(tree)
    linked = {name: file for name, file in before.items() if name != path}
    if path in tree.paths():
        linked[path] = linker.link(path)
    old = set(before[path].exports) if path in before else set()
    new = set(linked[path].exports) if path in linked else set()
    changed = {key for key, _ in old ^ new}
    for name, file in linked.items():
        if name != path and changed.intersection(file.dependencies):
            linked[name] = linker.link(name)
    return linked
