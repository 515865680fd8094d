"""The structure of a repository or a folder: groups, layers, entry points, hubs and cycles."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import numpy as np

from code_graph.paths.path_kinds import begins_program, is_test
from code_graph.query.cycles import components, cycle_places, group_cycles
from code_graph.query.model import Symbol
from code_graph.query.names import symbols_named
from code_graph.query.neighbours import CALLS, targets_of
from code_graph.query.snapshot import U64, GraphSnapshot, Mask, distinct
from code_graph.query.whole import NO_NODE, Groups, edge_pairs, files
from repo_mcp.research.focus.scope import (
    DECLARED,
    FocusScope,
    Overview,
    between,
    busiest,
    group_node,
    overview,
)
from repo_mcp.research.model import Node, ResearchFinding
from repo_mcp.research.trace import ResearchTrace, evidence_of, node_of
from repo_mcp.text.plurals import counted

# names with which programs begin
ENTRY_NAMES: Final = ("main", "Main", "__main__", "run", "cli", "app", "start", "serve", "index")
_MAIN: Final = frozenset({"main", "Main", "__main__"})
_MOST_ENTRIES: Final = 12
_MOST_HUBS: Final = 15
_MOST_CYCLES: Final = 8
_MOST_CANDIDATES: Final = 400


def find_architecture(trace: ResearchTrace, scope: FocusScope) -> str:
    """Groups and their layers, entry points, hubs and cycles."""
    trace.begin("groups and what leads between them")
    view = overview(trace, scope)
    rows = [
        ResearchFinding(
            group_node(view, number),
            "holds",
            places=count,
            detail="" if view.by == "file" else counted(count, "file"),
        )
        for number, count in sorted(
            view.files.items(), key=lambda item: (-item[1], view.groups.name_of(item[0]))
        )
    ]
    trace.add_hop(f"{view.by}s" if view.by == "file" else f"{view.by}s by their files", rows)
    uses, total = between(trace, view, lambda _one, _other: True)
    trace.add_hop(f"uses between {view.by}s", uses, total)
    layers = _layers(view)
    trace.add_hop("layers: those above use those below", [*_layer_rows(view, layers)])
    entries: list[ResearchFinding] = []
    if not trace.spent:
        trace.begin("entry points")
        entries = [
            ResearchFinding(node_of(item), "enters") for item in entry_points(trace.graph, scope)
        ]
        trace.add_hop("entry points", entries)
    if not trace.spent:
        trace.begin("hubs")
        trace.add_hop("hubs: what most places use", hubs(trace, scope))
    cycles = 0
    if not trace.spent:
        trace.begin("cycles of imports")
        cycles = add_cycles(trace, scope, view)
    return (
        f"{scope.title} has {_counted(view)} in"
        f" {counted(1 + max(layers.values(), default=0), 'layer')},"
        f" {counted(len(entries), 'entry point')} and"
        f" {counted(cycles, 'cycle')} of imports"
    )


def _counted(view: Overview) -> str:
    groups = f"{len(view.files)} {view.by}s"
    files = counted(sum(view.files.values()), "file")
    return groups if view.by == "file" else f"{groups} with {files}"


def _layers(view: Overview) -> Mapping[int, int]:
    """The layer of each group, from the top: groups of a cycle share theirs."""
    counts = {
        (source, target): count
        for (source, target), count in zip(
            view.found.pairs.tolist(), view.found.counts.tolist(), strict=True
        )
    }
    edges: dict[int, list[int]] = {number: [] for number in sorted(view.files)}
    for (source, target), count in sorted(counts.items()):
        # of two that use each other the one that uses more is above
        if count > counts.get((target, source), 0):
            edges.setdefault(source, []).append(target)
    part_of: dict[int, int] = {}
    parts = [*components(edges)]
    for at, part in enumerate(parts):
        part_of.update(dict.fromkeys(part, at))
    # parts come after all that they lead to: the last ones are at the top
    layer = dict.fromkeys(range(len(parts)), 0)
    for at in reversed(range(len(parts))):
        for number in parts[at]:
            for target in edges.get(number, ()):
                below = part_of[target]
                if below != at:
                    layer[below] = max(layer[below], layer[at] + 1)
    return {number: layer[part_of[number]] for number in view.files}


def _layer_rows(view: Overview, layers: Mapping[int, int]) -> Iterator[ResearchFinding]:
    rows = sorted((layer, view.groups.name_of(number), number) for number, layer in layers.items())
    for layer, _, number in rows:
        yield ResearchFinding(group_node(view, number), "layer", detail=f"layer {layer + 1}")


def entry_points(graph: GraphSnapshot, scope: FocusScope) -> list[Symbol]:
    """Functions and files with which a program begins: names first, then files, without tests."""
    found: dict[int, Symbol] = {}
    for name in ENTRY_NAMES:
        for symbol in symbols_named(graph, name, _MOST_CANDIDATES, scope.mask)[0]:
            if is_test(symbol.path):
                continue
            in_entry_file = begins_program(symbol.path)
            if symbol.node_type in {"function", "method"} and (name in _MAIN or in_entry_file):
                found.setdefault(symbol.id, symbol)
    chunks = scope.kinds("file", "module").nonzero()[0]
    for chunk in chunks.tolist():
        if len(found) >= _MOST_ENTRIES:
            break
        path = graph.path_of(graph.file_of(chunk))
        if begins_program(path) and not is_test(path):
            symbol = graph.symbol_at(chunk)
            if symbol.id and targets_of(graph, symbol.id, CALLS):
                found.setdefault(symbol.id, symbol)
    return [*found.values()][:_MOST_ENTRIES]


def hubs(trace: ResearchTrace, scope: FocusScope) -> list[ResearchFinding]:
    """The symbols that most declarations use."""
    graph = trace.graph
    own = distinct(graph.ids[scope.kinds(*DECLARED)])
    targets = [np.zeros(0, dtype=np.uint64)]
    for _, found in edge_pairs(graph, scope.edges()):
        targets.append(found[among(found, own)])
    ids, counts = np.unique(np.concatenate(targets), return_counts=True)
    rows: list[ResearchFinding] = []
    for number, count in busiest(ids.tolist(), counts.tolist(), 4 * _MOST_HUBS):
        symbol = graph.symbol(number)
        if symbol is not None and not is_test(symbol.path) and len(rows) < _MOST_HUBS:
            detail = f"used by {counted(count, 'declaration')}"
            rows.append(ResearchFinding(node_of(symbol), "used", places=count, detail=detail))
    return rows


def among(numbers: U64, known: U64) -> Mask:
    """By number, true if it is one of those known, which ascend."""
    if not len(known):
        return np.zeros(len(numbers), dtype=np.bool_)
    at = np.minimum(np.searchsorted(known, numbers), len(known) - 1)
    found: Mask = known[at] == numbers
    return found


def add_cycles(trace: ResearchTrace, scope: FocusScope, view: Overview) -> int:
    """Groups, then files, that import each other; how many cycles there are."""
    graph, count = trace.graph, 0
    levels = [(view.by, view.groups)]
    if view.by == "file":
        levels = [("file", view.groups)]
    elif scope.is_large:
        trace.lack("size", "the repository is large: cycles between files were not looked for")
    else:
        levels.append(("file", _files_of(graph, view)))
    for by, groups in levels:
        found = group_cycles(graph, groups)
        if found.truncated:
            trace.lack("size", f"there are too many imports to look for cycles of {by}s")
        shown = found.cycles[:_MOST_CYCLES]
        rows: list[ResearchFinding] = []
        for cycle, places in zip(shown, cycle_places(graph, groups, shown), strict=True):
            name = cycle.cycle[0]
            node = Node(0, name, by, "" if by == "project" else name)
            evidence = [evidence_of(edge) for edge in places]
            detail = f"{len(cycle.members)} {by}s: {' → '.join(_short(cycle.cycle))}"
            rows.append(ResearchFinding(node, "imports", evidence=evidence, places=len(evidence),
                                detail=detail))  # fmt: skip
        if rows:
            trace.add_hop(f"cycles between {by}s", rows, len(found.cycles))
        count += len(found.cycles)
    return count


def _files_of(graph: GraphSnapshot, view: Overview) -> Groups:
    whole = files(graph)
    return whole._replace(of_file=np.where(view.groups.of_file >= 0, whole.of_file, NO_NODE))


def _short(names: Sequence[str]) -> Sequence[str]:
    return names if len(names) <= _LONGEST else [*names[:_LONGEST], "…"]


_LONGEST: Final = 8
