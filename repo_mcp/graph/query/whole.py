"""Columns of the whole graph, for questions that go through all of it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import NamedTuple

import numpy as np

from index_format import list_prefix_postings
from repo_mcp.graph.index.terms import target_prefix
from repo_mcp.graph.query.edges import EdgeFilter, chunks_by_file, edges_of_chunk
from repo_mcp.graph.query.model import PlacedEdge
from repo_mcp.graph.query.snapshot import I64, U64, GraphSnapshot
from repo_mcp.stored import FACET, GRAPH_FIELDS, TARGET

NO_NODE = -1


def edge_pairs(graph: GraphSnapshot, chosen: EdgeFilter) -> Iterator[tuple[I64, U64]]:
    """Source chunks and target ids of all edges that pass, by the thousand; each pair once."""
    field = GRAPH_FIELDS.index(TARGET)
    for kind in chosen.types:
        for confidence in chosen.confidences:
            prefix = target_prefix(kind, confidence)
            found = list_prefix_postings(graph.snapshot, field, prefix)
            for terms, counts, chunks, _ in found:
                ids = np.frombuffer(b"".join(term[1:] for term in terms), dtype=">u8")
                alive = graph.alive[chunks]
                targets = np.repeat(ids.astype(np.uint64), counts)
                yield chunks[alive], targets[alive]


def nodes_of_ids(graph: GraphSnapshot, nodes: I64) -> tuple[U64, I64]:
    """All ids, ascending, and the node of each; none for a symbol with parts in several nodes.

    `nodes` are those of all chunks.
    """
    order = graph.by_id
    ids = graph.ids[order]
    if not len(ids):
        return ids, nodes
    first = np.flatnonzero(np.concatenate([[True], ids[1:] != ids[:-1]]))
    low = np.minimum.reduceat(nodes[order], first)
    high = np.maximum.reduceat(nodes[order], first)
    return ids[first], np.where((low == high) & (ids[first] > 0), low, NO_NODE)


class Groups(NamedTuple):
    """The group of each chunk, or NO_NODE, and what groups are called."""

    nodes: I64
    name_of: Callable[[int], str]


class GroupArrows(NamedTuple):
    """Pairs of different groups between which edges lead, in order, with how many each has."""

    pairs: I64  # (n, 2)
    counts: I64


def arrows(graph: GraphSnapshot, groups: Groups, chosen: EdgeFilter) -> GroupArrows:
    """What leads from group to group; edges count once for a declaration and its target."""
    width = int(groups.nodes.max(initial=0)) + 1
    keys, counts = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
    for _, _, between in _pairs_of_nodes(graph, groups.nodes, chosen):
        inside = (between[:, 0] != between[:, 1]) & (between >= 0).all(axis=1)
        found, times = np.unique(_keys(between[inside], width), return_counts=True)
        keys.append(found)
        counts.append(times)
    every, numbers = np.unique(np.concatenate(keys), return_inverse=True)
    sums = np.bincount(numbers.reshape(-1), np.concatenate(counts), len(every))
    pairs = np.column_stack([every // width, every % width])
    return GroupArrows(pairs, sums.astype(np.int64))


def _keys(pairs: I64, width: int) -> I64:
    """One number for each pair of nodes, in the order of the pairs."""
    return pairs[:, 0] * width + pairs[:, 1]


def first_edges(
    graph: GraphSnapshot, groups: Groups, chosen: EdgeFilter, wanted: Collection[tuple[int, int]]
) -> dict[tuple[int, int], PlacedEdge]:
    """The first edge by path and line from group to group, for each of these pairs."""
    width = int(groups.nodes.max(initial=0)) + 1
    pairs = np.array(sorted(wanted), dtype=np.int64).reshape(-1, 2)
    sought = _keys(pairs, width)
    ranks = _path_ranks(graph)
    best = np.full(len(pairs), len(ranks), dtype=np.int64)
    rows: list[tuple[I64, I64, I64, U64]] = []
    for chunks, targets, between in _pairs_of_nodes(graph, groups.nodes, chosen):
        keys = np.where((between >= 0).all(axis=1), _keys(between, width), NO_NODE)
        at = np.minimum(np.searchsorted(sought, keys), max(len(sought) - 1, 0))
        held = np.flatnonzero(sought[at] == keys) if len(sought) else at[:0]
        order = ranks[graph.files_of(chunks[held])]
        np.minimum.at(best, at[held], order)
        near = order == best[at[held]]
        rows.append((at[held][near], order[near], chunks[held][near], targets[held][near]))
    targets_of: list[dict[int, set[int]]] = [{} for _ in pairs]
    for numbers, order, chunks, targets in rows:
        first = order == best[numbers]
        for number, chunk, target in zip(
            numbers[first].tolist(), chunks[first].tolist(), targets[first].tolist(), strict=True
        ):
            targets_of[number].setdefault(chunk, set()).add(target)
    found: dict[tuple[int, int], PlacedEdge] = {}
    for (source, target), holders in zip(pairs.tolist(), targets_of, strict=True):
        edge = _first_edge(graph, holders, chosen)
        if edge is not None:
            found[source, target] = edge
    return found


def _path_ranks(graph: GraphSnapshot) -> I64:
    """Of each file by number, its place among all paths."""
    files = np.arange(len(graph.snapshot.file_starts) - 1)
    ranks = np.empty(len(files), dtype=np.int64)
    ranks[graph.in_path_order(files, files)] = files
    return ranks


def _first_edge(
    graph: GraphSnapshot, targets_of: Mapping[int, Collection[int]], chosen: EdgeFilter
) -> PlacedEdge | None:
    """The first edge by path and line from some chunks to their targets."""
    for _, chunks in chunks_by_file(graph, np.array(sorted(targets_of), dtype=np.int64)):
        edges = [
            edge
            for chunk in chunks.tolist()
            for edge in edges_of_chunk(graph, chunk, chosen)
            if edge.target in targets_of[chunk]
        ]
        if edges:
            return min(edges, key=lambda edge: (edge.line, edge.column))
    return None


def _pairs_of_nodes(
    graph: GraphSnapshot, nodes: I64, chosen: EdgeFilter
) -> Iterator[tuple[I64, U64, I64]]:
    """Source chunks, target ids, and the nodes of both in two columns."""
    ids, node_of = nodes_of_ids(graph, nodes)
    for chunks, targets in edge_pairs(graph, chosen):
        at = np.minimum(np.searchsorted(ids, targets), max(len(ids) - 1, 0))
        ends = np.where(ids[at] == targets, node_of[at], NO_NODE)
        yield chunks, targets, np.column_stack([nodes[chunks], ends])


def files(graph: GraphSnapshot) -> Groups:
    """Each file is a group."""
    return Groups(_files_of_all(graph), graph.path_of)


def folders(graph: GraphSnapshot, depth: int | None = None) -> Groups:
    """The files of each folder are a group; those of folders below `depth` belong to it."""
    numbers = range(len(graph.snapshot.file_starts) - 1)
    paths = [_folder(graph.path_of(number), depth) for number in numbers]
    names = sorted(set(paths))
    number_of = {name: number for number, name in enumerate(names)}
    of_file = np.array([number_of[path] for path in paths], dtype=np.int64)
    return Groups(of_file[_files_of_all(graph)], names.__getitem__)


def _folder(path: str, depth: int | None) -> str:
    return "/".join(path.split("/")[:-1][:depth]) or "."


def _files_of_all(graph: GraphSnapshot) -> I64:
    return graph.files_of(np.arange(graph.snapshot.chunk_span, dtype=np.int64))


def projects(graph: GraphSnapshot) -> Groups:
    """The files of each project are a group."""
    field = GRAPH_FIELDS.index(FACET)
    holders: dict[bytes, list[I64]] = {}
    for terms, counts, chunks, _ in list_prefix_postings(graph.snapshot, field, b"p"):
        for term, part in zip(terms, np.split(chunks, np.cumsum(counts)[:-1]), strict=True):
            alive = part[graph.alive[part]]
            if len(alive):
                holders.setdefault(term, []).append(alive)
    names = {graph.symbol_at(int(parts[0][0])).project: parts for parts in holders.values()}
    nodes = np.full(graph.snapshot.chunk_span, NO_NODE, dtype=np.int64)
    for number, name in enumerate(sorted(names)):
        nodes[np.concatenate(names[name])] = number
    return Groups(nodes, sorted(names).__getitem__)
