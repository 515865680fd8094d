"""The places in a project that use what packages declare, and where this program opens them."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Final, NamedTuple

from code_graph.model import EdgeType
from code_graph.query.edges import EdgeFilter, edges_of_rows
from code_graph.query.model import PlacedEdge
from code_graph.query.snapshot import GraphSnapshot
from repo_mcp.app import App
from repo_mcp.budget import Budget
from repo_mcp.dependencies.places import PackagePlaces
from repo_mcp.repository.outside import outside_edges, use_of
from repo_mcp.settings import read_options

_LONG: Final = 600.0
_JUDGED: Final = EdgeFilter((EdgeType.CALLS, EdgeType.INHERITS, EdgeType.IMPLEMENTS))


class Target(NamedTuple):
    """A line of a file of a package, by its path on the disk."""

    path: str
    line: int


class Use(NamedTuple):
    """A use of a name of a package, and where its declaration is, if that was found."""

    path: str
    line: int
    column: int
    name: str
    kind: str
    target: Target | None


# the places of declarations of each use
Answers = Sequence[Sequence[Target]]


def uses_of(root: Path, data: Path, most_files: int = 0) -> list[Use]:
    """All uses of packages in a project, by place, or those in so many files."""
    given = [("repo_root", str(root)), ("data_dir", str(data)), ("dependencies", "on")]
    app = App(read_options([*given, ("watch", "off")]))
    running = app.services.running()  # no tool gives all uses at once
    manager = running.tools.repository.manager
    budget = Budget()
    manager.refresh(budget)
    manager.link(budget)
    found = manager.graph().snapshot
    assert found is not None
    graph = GraphSnapshot(found)
    dependencies = app.services._open_dependencies(running)  # noqa: SLF001 as above
    packages = dependencies.packages.by_mount
    # what is asked is where a use leads, not how much of it is known in time
    outside = PackagePlaces(lambda: dependencies, linking=_LONG, indexing=_LONG)
    uses: list[Use] = []
    with_uses = [each for path in _paths(graph) if (each := _edges(graph, root, path))]
    step = max(1, len(with_uses) // most_files) if most_files else 1
    edges = [edge for each in with_uses[::step] for edge in each]
    for path, group in groupby(edges, lambda edge: edge.path):
        wanted = [*group]
        places = outside(graph, wanted, budget)
        print(f"{path}: {len(places)} of {len(wanted)}", file=sys.stderr)
        for edge in wanted:
            known = places.get(use_of(edge))
            target = None
            if known is not None:
                mount, _, below = known[1].path.partition("/")
                place = str(Path(packages[mount].folder, below).resolve())
                target = Target(place, known[1].first)
            uses.append(Use(path, edge.line, edge.column, edge.external, edge.type.name, target))
    return uses


def _paths(graph: GraphSnapshot) -> Iterator[str]:
    return (path for path in graph.snapshot.paths() if not path.startswith("\0"))


def _edges(graph: GraphSnapshot, root: Path, path: str) -> Sequence[PlacedEdge]:
    """The uses at a name; a decorator that is applied is one at the mark before it."""
    lines = (root / path).read_text("utf-8").splitlines()
    once = {use_of(edge): edge for edge in outside_edges(edges_of_rows(graph, path, _JUDGED))}
    return [once[use] for use in sorted(once) if lines[use[1] - 1][use[2] :][:1].isidentifier()]
