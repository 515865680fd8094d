"""Segments that a run has made or needs, as objects among its parts."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from typing import Final

from index_format import SegmentEntry, Store
from repo_mcp.budget import Budget
from repo_mcp.cluster import orders
from repo_mcp.publish import ObjectStore

_PIECE_BYTES: Final = 8 << 20


def put_segment(remote: ObjectStore, local: Store, entry: SegmentEntry) -> None:
    """Upload a segment of a local store among the parts."""

    def pieces() -> Iterator[bytes]:
        with closing(local.open(entry.name)) as handle:
            for start in range(0, entry.length, _PIECE_BYTES):
                yield handle.read(start, min(_PIECE_BYTES, entry.length - start))

    remote.put(orders.part_segment(entry.name), pieces())


def read_segment(remote: ObjectStore, entry: SegmentEntry, budget: Budget) -> Iterator[bytes]:
    """The bytes of a segment among the parts."""
    for start in range(0, entry.length, _PIECE_BYTES):
        budget.check()
        length = min(_PIECE_BYTES, entry.length - start)
        yield remote.read(orders.part_segment(entry.name), start, length)
