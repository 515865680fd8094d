"""Candidate files of an exact search: what the words in the index leave, in path order."""

from __future__ import annotations

import heapq
import sys
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import reduce
from typing import Final

import numpy as np
import numpy.typing as npt

from index_format import LiveSegment, Snapshot
from repo_mcp.budget import Budget
from repo_mcp.search.dictionary.needles import Branch, Clause, Needle
from repo_mcp.search.dictionary.words import Dictionaries, SegmentWords
from repo_mcp.stored import BODY

I64 = npt.NDArray[np.int64]

# what costs no more than reading so many files is asked first
_CHEAP: Final = 40
# while it is not known whether many have to be read, it is hoped that these will do
_HOPED: Final = 600
# where some matches are enough, files that are read before it pays to ask the index more
_FIRST_FILES: Final = 800

# what all lines of a match require, line by line
Required = Sequence[Sequence[Clause]]


class Candidates:
    """The files of a snapshot that may match, in path order; for one search.

    A segment's dictionary is asked when the order comes to the segment: who wants few lines pays
    for few segments. Where some files may be enough, only cheap questions are asked at first.
    """

    def __init__(
        self,
        snapshot: Snapshot,
        required: Required,
        dictionaries: Dictionaries,
        budget: Budget,
        *,
        every: bool,
        after: str = "",
    ) -> None:
        """Ask nothing yet; `every` file is going to be read, of those from `after` on."""
        self._segments = snapshot.segments
        self._field = snapshot.schema.number(BODY) or 0
        self._required = required
        self._dictionaries = dictionaries
        self._budget = budget
        self._every = every
        self._after = after.encode("utf-8", "surrogatepass")
        self._before_more = sys.maxsize if every else _FIRST_FILES
        self._files = self._in_order()
        # whether the index told them from other files
        self.narrowed = False

    def __iter__(self) -> Iterator[str]:
        """Their paths."""
        for path in self._files:
            yield path.decode("utf-8", "surrogatepass")

    def count_rest(self) -> int:
        """How many were not handed out; nothing is asked for the sake of this number alone."""
        self._before_more = sys.maxsize
        return sum(1 for _ in self._files)

    def _in_order(self) -> Iterator[bytes]:
        waiting = [item for item in self._segments if item.reader.files.paths]
        waiting = [item for item in waiting if item.reader.files.paths[-1] >= self._after]
        waiting.sort(key=lambda item: item.reader.files.paths[0], reverse=True)
        # a path is alive in one segment only: no two are compared further
        heads: list[tuple[bytes, int, Iterator[bytes]]] = []
        while waiting or heads:
            if waiting and (not heads or waiting[-1].reader.files.paths[0] <= heads[0][0]):
                rest = self._of_segment(waiting.pop())
                number = len(waiting)
            else:
                path, number, rest = heapq.heappop(heads)
                self._before_more -= 1
                yield path
            following = next(rest, None)
            if following is not None:
                heapq.heappush(heads, (following, number, rest))

    def _of_segment(self, segment: LiveSegment) -> Iterator[bytes]:
        """Its live candidates; the index is asked again once many files were handed out."""
        self._budget.check()
        words = self._dictionaries.of(segment.reader, self._field)
        words.begin()
        paths, dead = segment.reader.files.paths, segment.dead_files
        at = bisect_left(paths, self._after)
        every = False
        while not every:
            every = self._every = self._every or self._before_more <= 0
            for number in self._asked(segment, words, every=every):
                if number < at or number in dead:
                    continue
                if not every and self._before_more <= 0:
                    break
                at = number + 1
                yield paths[number]
            else:
                return

    def _asked(self, segment: LiveSegment, words: SegmentWords, *, every: bool) -> Sequence[int]:
        """The numbers of a segment's files that its dictionary leaves, in order."""
        found: I64 | None = None
        bounds = segment.reader.files.bounds
        for line in self._required:
            chunks = _SegmentNeedles(words, self._budget, every=every).chunks(line)
            if chunks is not None:
                files = np.unique(np.searchsorted(bounds, chunks, side="right") - 1)
                found = files if found is None else np.intersect1d(found, files)
        self._budget.check()
        if found is None:
            return range(words.file_count)
        self.narrowed = True
        numbers: list[int] = found.tolist()
        return numbers


class _SegmentNeedles:
    """What is known of one line's needles in one segment."""

    def __init__(self, words: SegmentWords, budget: Budget, *, every: bool) -> None:
        self._words = words
        self._check = budget.check
        self._every = every
        self._known: dict[Needle, tuple[int, I64 | None]] = {}
        self._costs: dict[Needle, float] = {}

    def chunks(self, clauses: Sequence[Clause]) -> I64 | None:
        """The chunks that satisfy all clauses as far as it pays to ask, cheap questions first."""
        found: I64 | None = None
        for most in (_CHEAP, self._words.file_count):
            for clause in clauses:
                held = self._of_clause(clause, min(most, self._worth(found)))
                if held is not None:
                    found = held if found is None else np.intersect1d(found, held)
        return found

    def _worth(self, found: I64 | None) -> int:
        """What may be spent to have fewer files to read: about half of them are spared."""
        files = self._words.file_count if found is None else len(found)
        return (files if self._every else min(files, _HOPED)) // 2

    def _of_clause(self, clause: Clause, most: float) -> I64 | None:
        """Those of any branch; None where one of them is no help."""
        found: list[I64] = []
        for branch in clause:
            held = self._of_branch(branch, most / len(clause))
            if held is None:
                return None
            found.append(held)
        return reduce(np.union1d, found)

    def _of_branch(self, branch: Branch, most: float) -> I64 | None:
        """Those with all needles that are worth a question."""
        found: I64 | None = None
        for needle in sorted(branch, key=self._order):
            worth = min(most, self._worth(found))
            if self._cost(needle) > worth:
                break
            held = self._of_needle(needle, int(worth))
            if held is not None:
                found = held if found is None else np.intersect1d(found, held, assume_unique=True)
        return found

    def _of_needle(self, needle: Needle, worth: int) -> I64 | None:
        """Asked once, or again when more may be spent."""
        spent, held = self._known.get(needle, (-1, None))
        if held is None and worth > spent:
            held = self._words.chunks(needle, worth, self._check)
            self._known[needle] = worth, held
        return held

    def _order(self, needle: Needle) -> tuple[float, int]:
        return self._cost(needle), -len(needle.text)

    def _cost(self, needle: Needle) -> float:
        cost = self._costs.get(needle)
        if cost is None:
            cost = self._costs[needle] = self._words.cost(needle)
        return cost
