"""Segments that a run has made or needs, as objects among its parts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from index_format import SegmentEntry, Store, read_segment
from repo_mcp.budget import Budget
from repo_mcp.remote.cluster import orders
from repo_mcp.remote.publish import ObjectReader, ObjectStore

_PIECE_BYTES: Final = 8 << 20


def put_segment(remote: ObjectStore, local: Store, entry: SegmentEntry) -> None:
    """Upload a segment of a local store among the parts."""
    remote.put(orders.part_segment(entry.name), read_segment(local, entry))


def fetch_segment(remote: ObjectReader, entry: SegmentEntry, budget: Budget) -> Iterator[bytes]:
    """The bytes of a segment among the parts, in pieces."""
    return fetch_pieces(remote, orders.part_segment(entry.name), entry.length, budget)


def fetch_pieces(remote: ObjectReader, name: str, length: int, budget: Budget) -> Iterator[bytes]:
    """The bytes of an object of this length, in pieces."""
    for start in range(0, length, _PIECE_BYTES):
        budget.check()
        yield remote.read(name, start, min(_PIECE_BYTES, length - start))
