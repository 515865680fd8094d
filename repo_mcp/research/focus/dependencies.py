"""Dependencies between groups of the repository, and on external packages."""

from __future__ import annotations

import re
from typing import Final

import numpy as np

from code_graph.model import EdgeType
from code_graph.query.edges import EdgeFilter, edges_of_chunk
from code_graph.query.model import PlacedEdge
from code_graph.query.snapshot import GraphSnapshot, distinct
from code_graph.query.whole import edge_pairs
from repo_mcp.research.focus.architecture import add_cycles, among
from repo_mcp.research.focus.scope import FocusScope, between, overview
from repo_mcp.research.model import Node, ResearchFinding
from repo_mcp.research.trace import EXTERNAL, ResearchTrace, evidence_of
from repo_mcp.text.plurals import counted

# names from elsewhere that are looked at, the most used first, and packages that are listed
_MOST_NAMES: Final = 400
_MOST_PACKAGES: Final = 60
_IMPORTED: Final = EdgeFilter((EdgeType.IMPORTS,))
_PACKAGE: Final = re.compile(r"(?:@[^/.]+/)?[^./:#]+(?::[^./:#]+)?")


def find_folder_dependencies(trace: ResearchTrace, scope: FocusScope) -> str:
    """Uses between groups, what they import from elsewhere, and what uses them from outside."""
    trace.begin("what uses what")
    view = overview(trace, scope)
    rows, total = between(trace, view, lambda _one, _other: True)
    trace.add_hop(f"uses between {view.by}s", rows, total)
    packages: list[ResearchFinding] = []
    if not trace.spent:
        trace.begin("packages from elsewhere")
        packages = external_packages(trace, scope)
        trace.add_hop("packages from elsewhere", packages)
    cycles = 0
    if not trace.spent:
        trace.begin("cycles of imports")
        cycles = add_cycles(trace, scope, view)
    return (
        f"{scope.title}: {counted(total, 'dependency')} between"
        f" {counted(len(view.files), view.by)}, {counted(len(packages), 'package')} from elsewhere,"
        f" {counted(cycles, 'cycle')} of imports"
    )


def external_packages(trace: ResearchTrace, scope: FocusScope) -> list[ResearchFinding]:
    """Packages that files import and that are not declared here, with counts and first places."""
    graph = trace.graph
    known = distinct(graph.ids)
    mask = scope.mask
    chunks = [np.zeros(0, dtype=np.int64)]
    targets = [np.zeros(0, dtype=np.uint64)]
    for sources, found in edge_pairs(graph, _IMPORTED):
        outside = ~among(found, known) & mask[sources]
        chunks.append(sources[outside])
        targets.append(found[outside])
    every, holders = np.concatenate(targets), np.concatenate(chunks)
    ids, first, counts = np.unique(every, return_index=True, return_counts=True)
    order = np.lexsort((ids, -counts))
    if len(order) > _MOST_NAMES:
        left = len(order) - _MOST_NAMES
        trace.lack("limit", "imported names from elsewhere that were not looked at", left)
    packages: dict[str, list[PlacedEdge]] = {}
    uses: dict[str, int] = {}
    for at in order[:_MOST_NAMES].tolist():
        edge = _edge_to(graph, int(holders[first[at]]), int(ids[at]))
        if edge is not None:
            name = package_of(edge.external)
            packages.setdefault(name, []).append(edge)
            uses[name] = uses.get(name, 0) + int(counts[at])
    names = sorted(packages, key=lambda name: (-uses[name], name))
    if len(names) > _MOST_PACKAGES:
        trace.lack("limit", "packages from elsewhere are left out", len(names) - _MOST_PACKAGES)
    return [_package(name, packages[name], uses[name]) for name in names[:_MOST_PACKAGES]]


def _package(name: str, edges: list[PlacedEdge], count: int) -> ResearchFinding:
    edges.sort(key=lambda edge: (edge.path, edge.line))
    detail = "" if len(edges) == 1 else f"{len(edges)} names of it"
    evidence = [evidence_of(edge) for edge in edges[:3]]
    node = Node(0, name, EXTERNAL)
    return ResearchFinding(
        node, "imports", forward=True, evidence=evidence, places=count, detail=detail
    )


def _edge_to(graph: GraphSnapshot, chunk: int, target: int) -> PlacedEdge | None:
    edges = edges_of_chunk(graph, chunk, _IMPORTED)
    return next((edge for edge in edges if edge.target == target and edge.external), None)


def package_of(name: str) -> str:
    """The package of a name from elsewhere: its first part, with a scope before it."""
    found = _PACKAGE.match(name)
    return found[0] if found else name
