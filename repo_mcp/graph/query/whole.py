"""Columns of the whole graph, for questions that go through all of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from index_format import list_prefix_postings
from repo_mcp.graph.index.terms import target_prefix
from repo_mcp.graph.query.edges import EdgeFilter
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
    order = np.argsort(graph.ids, kind="stable")
    ids = graph.ids[order]
    if not len(ids):
        return ids, nodes
    first = np.flatnonzero(np.concatenate([[True], ids[1:] != ids[:-1]]))
    low = np.minimum.reduceat(nodes[order], first)
    high = np.maximum.reduceat(nodes[order], first)
    return ids[first], np.where((low == high) & (ids[first] > 0), low, NO_NODE)


def arrows(graph: GraphSnapshot, nodes: I64, chosen: EdgeFilter) -> I64:
    """Pairs of different nodes between which edges lead, each once, in order: an (n, 2) array."""
    ids, node_of = nodes_of_ids(graph, nodes)
    parts = [np.zeros((0, 2), dtype=np.int64)]
    for chunks, targets in edge_pairs(graph, chosen):
        at = np.minimum(np.searchsorted(ids, targets), max(len(ids) - 1, 0))
        pairs = np.column_stack([nodes[chunks], np.where(ids[at] == targets, node_of[at], NO_NODE)])
        inside = (pairs[:, 0] != pairs[:, 1]) & (pairs >= 0).all(axis=1)
        parts.append(np.unique(pairs[inside], axis=0))
    return np.unique(np.concatenate(parts), axis=0)


def projects(graph: GraphSnapshot) -> tuple[Sequence[str], I64]:
    """The names of all projects, and the number of each chunk's project."""
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
    return sorted(names), nodes
