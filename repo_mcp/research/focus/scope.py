"""The part of a repository that an analysis is about, and its groups: projects or folders."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Final

import numpy as np

from code_graph import PROSE
from code_graph.model import EdgeType
from code_graph.paths.path_kinds import is_test
from code_graph.query.edges import EdgeFilter
from code_graph.query.model import USES, PlacedEdge
from code_graph.query.neighbours import SUBTYPES
from code_graph.query.snapshot import GraphSnapshot, Mask, distinct
from code_graph.query.whole import (
    NO_NODE,
    GroupArrows,
    Groups,
    arrows,
    files,
    first_edges,
    folders,
    projects,
)
from code_graph.store.terms import kind_term, language_term
from index_format.tuples import NamedTuple
from repo_mcp.research.model import Node, ResearchFinding
from repo_mcp.research.trace import ResearchTrace, evidence_of

# declarations of a graph in which all edges are counted; in larger ones only those between types
# and files are
MOST_CHUNKS: Final = 400_000
# groups of an overview: so many make a picture that can be read
_FEWEST: Final = 4
_MOST: Final = 24
_DEEPEST: Final = 6
IMPORTS: Final = EdgeFilter((EdgeType.IMPORTS, *SUBTYPES.types))
PLACED: Final = 40
DECLARED: Final = ("class", "interface", "type", "component", "function", "method", "constructor")


class FocusScope:
    """A folder or the whole repository: its files of code, without tests if it has others."""

    def __init__(self, graph: GraphSnapshot, folder: str = "") -> None:
        """Nothing is looked at yet."""
        self.graph = graph
        self.folder = folder

    @property
    def title(self) -> str:
        """Its title."""
        return self.folder or "the repository"

    def has(self, path: str) -> bool:
        """True if a file is in it."""
        return not self.folder or path == self.folder or path.startswith(f"{self.folder}/")

    @property
    def files(self) -> Mask:
        """By number of a file, true if it is one of them."""
        return self._files[0]

    @cached_property
    def mask(self) -> Mask:
        """By chunk, true if its file is one of them."""
        every: Mask = np.repeat(self.files, np.diff(self.graph.snapshot.file_starts))
        return every & self.graph.alive

    @property
    def left_tests(self) -> int:
        """The number of test files that are left out."""
        return self._files[1]

    def kinds(self, *node_types: str) -> Mask:
        """By chunk, true if it is in one of the files and of one of these types."""
        return self._kinds(node_types) & self.mask

    def edges(self) -> EdgeFilter:
        """The edges that are counted."""
        return IMPORTS if self.is_large else EdgeFilter(USES)

    @property
    def is_large(self) -> bool:
        """True if going through all edges takes too long."""
        return self.graph.snapshot.chunk_span > MOST_CHUNKS

    @cached_property
    def _files(self) -> tuple[Mask, int]:
        """By file, true if it is one of them, and how many tests are left out."""
        graph = self.graph
        starts = graph.snapshot.file_starts[:-1]
        chosen: Mask = np.zeros(len(starts), dtype=np.bool_)
        if not len(starts):
            return chosen, 0
        declared = self._kinds(DECLARED) & graph.alive
        for language in sorted(PROSE):
            declared &= ~graph.facet_mask(language_term(language))
        numbers = np.logical_or.reduceat(declared, starts).nonzero()[0].tolist()
        paths = {number: graph.path_of(number) for number in numbers}
        inside = [number for number, path in paths.items() if self.has(path)]
        others = [number for number in inside if not is_test(paths[number])]
        chosen[others or inside] = True
        return chosen, len(inside) - len(others) if others else 0

    def _kinds(self, node_types: Sequence[str]) -> Mask:
        mask = np.zeros(self.graph.snapshot.chunk_span, dtype=np.bool_)
        for node_type in node_types:
            mask |= self.graph.facet_mask(kind_term(node_type))
        return mask


class Overview(NamedTuple):
    """The groups of a scope, and what leads from which to which."""

    by: str
    groups: Groups
    found: GroupArrows
    files: dict[int, int]  # how many files each group has
    chosen: EdgeFilter


def overview(trace: ResearchTrace, scope: FocusScope) -> Overview:
    """Projects if there are several, otherwise folders, so deep that there are some."""
    graph, chosen = trace.graph, scope.edges()
    if chosen is IMPORTS:
        trace.lack("size", "the repository is large: only imports and bases are counted")
    if scope.left_tests:
        trace.lack("tests", "files of tests are left out of the overview", scope.left_tests)
    mask = scope.files
    by, groups = "project", _within(projects(graph), mask)
    numbers = _numbers(groups)
    if len(numbers) < 2 or scope.folder:
        by, groups = _folders(graph, scope, mask, trace.depth)
        numbers = _numbers(groups)
    if len(numbers) == 1 and not scope.is_large:
        by, groups = "file", _within(files(graph), mask)
        numbers = _numbers(groups)
    counts = np.bincount(groups.of_file[groups.of_file != NO_NODE], minlength=1).tolist()
    held = {number: counts[number] for number in numbers}
    return Overview(by, groups, arrows(graph, groups, chosen), held, chosen)


def _folders(graph: GraphSnapshot, scope: FocusScope, mask: Mask, depth: int) -> tuple[str, Groups]:
    """Folders, told apart as deep as there are few enough of them."""
    base = scope.folder.count("/") + 1 if scope.folder else 0
    best = folders(graph, base + 1, mask)
    enough = _FEWEST * max(1, depth - 1)
    for level in range(base + 2, base + _DEEPEST):
        if len(_numbers(best)) >= enough:
            break
        deeper = folders(graph, level, mask)
        if len(_numbers(deeper)) > _MOST and len(_numbers(best)) >= _FEWEST:
            break
        best = deeper
    return "folder", best


def _within(groups: Groups, mask: Mask) -> Groups:
    return groups._replace(of_file=np.where(mask, groups.of_file, NO_NODE))


def _numbers(groups: Groups) -> list[int]:
    return [number for number in distinct(groups.of_file).tolist() if number != NO_NODE]


def group_node(view: Overview, number: int) -> Node:
    """A group as a node."""
    name = view.groups.name_of(number)
    return Node(0, name, view.by, "" if view.by == "project" else name)


def between(
    trace: ResearchTrace, view: Overview, chosen: Callable[[int, int], bool], most: int = PLACED
) -> tuple[list[ResearchFinding], int]:
    """Edges from group to group, most uses first, with the first place of each."""
    rows = [
        (count, source, target)
        for (source, target), count in zip(
            view.found.pairs.tolist(), view.found.counts.tolist(), strict=True
        )
        if chosen(source, target)
    ]
    rows.sort(key=lambda row: (-row[0], row[1], row[2]))
    pairs = [(source, target) for _, source, target in rows[:most]]
    places = first_edges(trace.graph, view.groups, view.chosen, pairs) if pairs else {}
    found: list[ResearchFinding] = []
    for count, source, target in rows[:most]:
        edge: PlacedEdge | None = places.get((source, target))
        if edge is None:
            continue
        nodes = group_node(view, source), group_node(view, target)
        trace.join(*nodes, str(count))
        found.append(
            ResearchFinding(nodes[1], "uses", nodes[0], forward=True,
                    evidence=[evidence_of(edge)], places=count)
        )  # fmt: skip
    return found, len(rows)


def busiest(values: Sequence[int], counts: Sequence[int], most: int) -> list[tuple[int, int]]:
    """The values that occur most, with their counts; equal ones by value."""
    order = sorted(zip(values, counts, strict=True), key=lambda item: (-item[1], item[0]))
    return order[:most]
