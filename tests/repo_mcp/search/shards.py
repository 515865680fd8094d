"""A snapshot whose segments are read in shards, in this process and by what a message can carry."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from typing import TypeVar, cast

from index_format import (
    DistributedSnapshot,
    Limit,
    Shard,
    ShardSnapshot,
    Snapshot,
    SnapshotQuery,
    Statistics,
)
from index_format.records import replace
from repo_mcp.search import SegmentsMissingError

A = TypeVar("A")


class ShardsHere:
    """Answers from shards, each a list of segment names; those in `lost` nobody reads."""

    def __init__(self, whole: Snapshot, groups: Sequence[Sequence[str]]) -> None:
        self._opened: list[tuple[Shard, ShardSnapshot]] = []
        self.lost: set[str] = set()
        self.asked: list[str] = []
        statistics = Statistics.of(whole)
        readers = {item.entry.name: item.reader for item in whole.segments}
        for names in groups:
            shard = Shard(whole, names)
            manifest = replace(whole.manifest, segments=shard.entries)
            self._opened.append((shard, ShardSnapshot(manifest, readers, statistics)))

    def ask(self, query: SnapshotQuery[A], whole: DistributedSnapshot, _limit: Limit | None) -> A:
        self.asked.append(type(query).__name__)
        parts: list[tuple[Shard, A]] = []
        for shard, snapshot in self._opened:
            if shard.names <= whole.without:
                continue
            if shard.names & self.lost:
                raise SegmentsMissingError(shard.names)
            answer = carried(carried(query.for_shard(shard)).answer(snapshot))
            parts.append((shard, answer))
        return query.merge(whole, parts)


def carried(value: A) -> A:
    """A value as a message brings it."""
    return cast("A", pickle.loads(pickle.dumps(value)))  # noqa: S301 as workers are asked
