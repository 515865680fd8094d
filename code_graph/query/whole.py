"""Columns of the whole graph, for questions about all of it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping

import numpy as np

from code_graph.query.edges import EdgeFilter, chunks_by_file, edges_of_chunk
from code_graph.query.model import PlacedEdge
from code_graph.query.snapshot import I64, U64, GraphSnapshot, Mask, distinct
from code_graph.store.schema import FACET, GRAPH_FIELDS, TARGET
from code_graph.store.terms import language_term, target_prefix
from index_format import list_prefix_postings, ranges
from index_format.tuples import NamedTuple

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


def language_masks(graph: GraphSnapshot) -> dict[str, Mask]:
    """The languages of the graph, each with the chunks of its declarations."""
    prefix = language_term("")
    postings = list_prefix_postings(graph.snapshot, GRAPH_FIELDS.index(FACET), prefix)
    return {
        term[len(prefix) :].decode("utf-8", "surrogatepass"): graph.facet_mask(term)
        for terms, _, _, _ in postings
        for term in terms
    }


class Groups(NamedTuple):
    """The group of each file by its number, or NO_NODE, and what groups are called."""

    of_file: I64
    name_of: Callable[[int], str]


def groups_of_ids(graph: GraphSnapshot, of_file: I64, ids: U64) -> I64:
    """The group of each symbol; none if its parts are in several groups."""
    wanted = distinct(ids)
    begin = np.searchsorted(graph.sorted_ids, wanted, side="left")
    counts = np.searchsorted(graph.sorted_ids, wanted, side="right") - begin
    counts[wanted == 0] = 0
    held = counts.nonzero()[0]
    counts = counts[held]
    found = np.full(len(wanted), NO_NODE, dtype=np.int64)
    if len(held):
        first = np.cumsum(counts) - counts
        rows = ranges(begin[held], counts)
        parts = of_file[graph.files_of(graph.by_id[rows])]
        low, high = np.minimum.reduceat(parts, first), np.maximum.reduceat(parts, first)
        found[held] = np.where(low == high, low, NO_NODE)
    return found[np.searchsorted(wanted, ids)]


class GroupArrows(NamedTuple):
    """Pairs of different groups between which edges lead, in order, with how many each has."""

    pairs: I64  # (n, 2)
    counts: I64


def arrows(graph: GraphSnapshot, groups: Groups, chosen: EdgeFilter) -> GroupArrows:
    """Edges from group to group; they count once for a declaration and its target."""
    width = int(groups.of_file.max(initial=0)) + 1
    _, _, between = _pairs_of_groups(graph, groups.of_file, chosen)
    inside = (between[:, 0] != between[:, 1]) & (between >= 0).all(axis=1)
    keys = np.sort(_keys(between[inside], width))
    first = np.concatenate([[True], keys[1:] != keys[:-1]]).nonzero()[0] if len(keys) else keys
    every, counts = keys[first], np.diff(first, append=len(keys))
    return GroupArrows(np.column_stack([every // width, every % width]), counts)


def busiest(found: GroupArrows, limit: int) -> set[int]:
    """The groups with most uses in and out."""
    weights: dict[int, int] = {}
    for (source, target), count in zip(found.pairs.tolist(), found.counts.tolist(), strict=True):
        weights[source] = weights.get(source, 0) + count
        weights[target] = weights.get(target, 0) + count
    return set(sorted(weights, key=lambda number: (-weights[number], number))[:limit])


def _keys(pairs: I64, width: int) -> I64:
    """One number for each pair of nodes, in the order of the pairs."""
    return pairs[:, 0] * width + pairs[:, 1]


def first_edges(
    graph: GraphSnapshot, groups: Groups, chosen: EdgeFilter, wanted: Collection[tuple[int, int]]
) -> dict[tuple[int, int], PlacedEdge]:
    """The first edge by path and line from group to group, for each of these pairs."""
    width = int(groups.of_file.max(initial=0)) + 1
    pairs = np.array(sorted(wanted), dtype=np.int64).reshape(-1, 2)
    sought = _keys(pairs, width)
    ranks = _path_ranks(graph)
    best = np.full(len(pairs), len(ranks), dtype=np.int64)
    chunks, targets, between = _pairs_of_groups(graph, groups.of_file, chosen)
    keys = np.where((between >= 0).all(axis=1), _keys(between, width), NO_NODE)
    at = np.minimum(np.searchsorted(sought, keys), max(len(sought) - 1, 0))
    held = (sought[at] == keys).nonzero()[0] if len(sought) else at[:0]
    order = ranks[graph.files_of(chunks[held])]
    np.minimum.at(best, at[held], order)
    targets_of: list[dict[int, set[int]]] = [{} for _ in pairs]
    first = held[order == best[at[held]]]
    for number, chunk, target in zip(
        at[first].tolist(), chunks[first].tolist(), targets[first].tolist(), strict=True
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


def _pairs_of_groups(
    graph: GraphSnapshot, of_file: I64, chosen: EdgeFilter
) -> tuple[I64, U64, I64]:
    """Source chunks, target ids, and the groups of both in two columns."""
    chunks, targets = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.uint64)]
    for sources, ids in edge_pairs(graph, chosen):
        own = of_file[graph.files_of(sources)] != NO_NODE
        chunks.append(sources[own])
        targets.append(ids[own])
    begins, ends = np.concatenate(chunks), np.concatenate(targets)
    between = of_file[graph.files_of(begins)], groups_of_ids(graph, of_file, ends)
    return begins, ends, np.column_stack(between)


def files(graph: GraphSnapshot) -> Groups:
    """Each file is a group."""
    return Groups(np.arange(_file_count(graph), dtype=np.int64), graph.path_of)


def folders(graph: GraphSnapshot, depth: int | None = None, chosen: Mask | None = None) -> Groups:
    """The files of each folder are a group; those of folders below `depth` belong to it.

    `chosen` says of each file whether it counts.
    """
    of_file = np.full(_file_count(graph), NO_NODE, dtype=np.int64)
    numbers = np.arange(len(of_file)) if chosen is None else chosen.nonzero()[0]
    paths = [_folder(graph.path_of(number), depth) for number in numbers.tolist()]
    names = sorted(set(paths))
    number_of = {name: number for number, name in enumerate(names)}
    of_file[numbers] = [number_of[path] for path in paths]
    return Groups(of_file, names.__getitem__)


def groups_below(graph: GraphSnapshot, folder: str) -> Groups:
    """Group by the entries of a folder: each file, and each folder with its content.

    Names of folders end with a slash.
    """
    start = f"{folder}/" if folder else ""
    of_file = np.full(_file_count(graph), NO_NODE, dtype=np.int64)
    next_of: dict[int, str] = {}
    for number in range(len(of_file)):
        path = graph.path_of(number)
        if path.startswith(start):
            name, divided, _ = path[len(start) :].partition("/")
            next_of[number] = f"{start}{name}{divided}"
    names = sorted(set(next_of.values()))
    number_of = {name: number for number, name in enumerate(names)}
    of_file[list(next_of)] = [number_of[name] for name in next_of.values()]
    return Groups(of_file, names.__getitem__)


def _folder(path: str, depth: int | None) -> str:
    return "/".join(path.split("/")[:-1][:depth]) or "."


def _file_count(graph: GraphSnapshot) -> int:
    return len(graph.snapshot.file_starts) - 1


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
    of_file = np.full(_file_count(graph), NO_NODE, dtype=np.int64)
    for number, name in enumerate(sorted(names)):
        of_file[graph.files_of(np.concatenate(names[name]))] = number
    return Groups(of_file, sorted(names).__getitem__)
