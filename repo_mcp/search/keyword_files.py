"""The files that may hold what is looked for, in path order, and no sooner than they are wanted.

Segments are asked one after the other as the order comes to them: whoever wants the first lines
only pays for the first segments.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple

import numpy as np

from index_format import Snapshot
from index_format.segment_reader import SegmentReader
from index_format.snapshot import LiveSegment
from repo_mcp.budget import Budget
from repo_mcp.search.keyword_words import I64, KeywordDictionaries, KeywordWords, required
from repo_mcp.search.needles import Clause

_FIELD: Final = "body"


class Candidate(NamedTuple):
    """A file that may hold what is looked for, and where it is indexed, if it is."""

    path: str
    reader: SegmentReader | None = None
    number: int = 0


Ask = Callable[[KeywordWords], I64 | None]


class KeywordFiles:
    """What one snapshot knows of some keywords."""

    def __init__(
        self,
        snapshot: Snapshot,
        dictionaries: KeywordDictionaries,
        words: Sequence[str],
        budget: Budget,
    ) -> None:
        """Ask nothing yet."""
        self._snapshot = snapshot
        self._dictionaries = dictionaries
        self._wanted = [required(word) for word in words]
        self._budget = budget

    def on_a_line(self, after: str = "") -> Iterator[Candidate]:
        """Files that may have a line with all words; those before `after` are left out."""
        every: tuple[Clause, ...] = tuple(clause for wanted in self._wanted for clause in wanted)
        return self._in_order(lambda words: words.files(every), after.encode())

    def anywhere(self, after: str = "") -> Iterator[Candidate]:
        """Files that may hold each of the words somewhere."""

        def ask(words: KeywordWords) -> I64 | None:
            found: I64 | None = None
            for wanted in self._wanted:
                held = words.files(wanted)
                if held is not None:
                    found = held if found is None else np.intersect1d(found, held)
            return found

        return self._in_order(ask, after.encode())

    def _in_order(self, ask: Ask, after: bytes) -> Iterator[Candidate]:
        """Merge what segments hold; one is asked when all smaller paths have been handed out."""
        field = self._snapshot.schema.number(_FIELD) or 0
        waiting = [item for item in self._snapshot.segments if item.reader.files.paths]
        waiting = [item for item in waiting if item.reader.files.paths[-1] >= after]
        waiting.sort(key=lambda item: item.reader.files.paths[0], reverse=True)
        heads: list[tuple[bytes, int, LiveSegment, Iterator[int]]] = []
        while waiting or heads:
            if waiting and (not heads or waiting[-1].reader.files.paths[0] <= heads[0][0]):
                self._budget.check()
                segment = waiting.pop()
                words = self._dictionaries.of(segment.reader, field)
                _push(heads, segment, _live(segment, ask(words), after))
                continue
            path, number, segment, rest = heapq.heappop(heads)
            _push(heads, segment, rest)
            yield Candidate(path.decode("utf-8", "surrogatepass"), segment.reader, number)


def _push(
    heads: list[tuple[bytes, int, LiveSegment, Iterator[int]]],
    segment: LiveSegment,
    rest: Iterator[int],
) -> None:
    number = next(rest, None)
    if number is not None:  # a path is alive in one segment only: no two are compared further
        heapq.heappush(heads, (segment.reader.files.paths[number], number, segment, rest))


def _live(segment: LiveSegment, files: I64 | None, after: bytes) -> Iterator[int]:
    paths, dead = segment.reader.files.paths, segment.dead_files
    numbers = range(len(paths)) if files is None else files.tolist()
    return (at for at in numbers if at not in dead and paths[at] >= after)
