"""Links again what a change of one file may concern."""

from __future__ import annotations

from repo_mcp.graph.link.linker import GraphLinker
from repo_mcp.graph.model import LinkedFile
from tests.repo_mcp.graph.sources import SourceTree


def relink(
    before: dict[str, LinkedFile], tree: SourceTree, path: str
) -> tuple[dict[str, LinkedFile], int]:
    """Link the edited file, and those that asked what it answers otherwise now."""
    linker = GraphLinker(tree)
    linked = {name: file for name, file in before.items() if name != path}
    if path in tree.paths():
        linked[path] = linker.link(path)
    old = set(before[path].offers) if path in before else set()
    new = set(linked[path].offers) if path in linked else set()
    changed = {key for key, _ in old ^ new}
    again = [
        name for name, file in linked.items() if name != path and changed.intersection(file.lookups)
    ]
    for name in again:
        linked[name] = linker.link(name)
    return linked, len(again)
