"""A snapshot whose segments are read in shares, in this process and by what a message can carry."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from typing import TypeVar, cast

from index_format import Limit, Share, ShareSnapshot, Snapshot, SpreadSnapshot, Statistics
from index_format import Question as AnyQuestion
from index_format.records import replace
from repo_mcp.search import SegmentsMissingError

A = TypeVar("A")


class SharesHere:
    """Answers from shares, each a list of segment names; those in `lost` nobody reads."""

    def __init__(self, whole: Snapshot, groups: Sequence[Sequence[str]]) -> None:
        self._opened: list[tuple[Share, ShareSnapshot]] = []
        self.lost: set[str] = set()
        self.asked: list[str] = []
        statistics = Statistics.of(whole)
        readers = {item.entry.name: item.reader for item in whole.segments}
        for names in groups:
            share = Share(whole, names)
            manifest = replace(whole.manifest, segments=share.entries)
            self._opened.append((share, ShareSnapshot(manifest, readers, statistics)))

    def ask(self, question: AnyQuestion[A], whole: SpreadSnapshot, _limit: Limit | None) -> A:
        self.asked.append(type(question).__name__)
        parts: list[tuple[Share, A]] = []
        for share, snapshot in self._opened:
            if share.names <= whole.without:
                continue
            if share.names & self.lost:
                raise SegmentsMissingError(share.names)
            answer = carried(carried(question.for_share(share)).answer(snapshot))
            parts.append((share, answer))
        return question.merge(whole, parts)


def carried(value: A) -> A:
    """A value as a message brings it."""
    return cast("A", pickle.loads(pickle.dumps(value)))  # noqa: S301 as workers are asked
